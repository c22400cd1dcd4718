// An earlier image.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, buffer_size, "", 1, 1, 64, "how many images before")                                \
    X(ALIAS, size, buffer_size)

LG_ROWS(image_buffer)

LG_PIPELINE(image_buffer, 1, "#in@-{buffer_size}", .summary = "the image of some images before",
            .formula = "c'(n) = c(n - buffer_size)", .source = "GPUImageBuffer",
            .notes = "while there are not so many, it is the first image");
