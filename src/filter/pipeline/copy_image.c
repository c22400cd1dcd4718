// The image as it is.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(copy_image)

LG_PIPELINE(copy_image, 1, "map_channel", .summary = "the image as it is", .formula = "c' = c",
            .source = "VkCopyImageLayer of aoce",
            .notes = "its frame of memory is image_buffer, its clearing solid_color");
