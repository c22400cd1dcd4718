// Small pictures of images, for terminals and reports.
#ifndef LG_TOOL_PICTURE_H
#define LG_TOOL_PICTURE_H

#include <lumagraph/lumagraph.h>

// The samples that are shown as black and as white, in stored units.
typedef struct lg_shown {
    double black, white;
} lg_shown;

// Those of the sample type: 0 and 255, 65535 or 1.
lg_shown lg_shown_of_type(lg_type type);
// Those that show what the first layer has: the type's where its samples use that range, else from the
// least finite sample, of integers 0, to the greatest.
lg_shown lg_shown_of_data(const lg_image *image);

// The largest size within the limits with the proportions of the image, and never a larger one than it has.
void lg_picture_fit(const lg_image_params *shape, int32_t most_width, int32_t most_height,
                    int32_t *width, int32_t *height);
// The first layer in this size, RGB of 8 bits: each pixel is the mean of those that it stands for. Alpha is
// left out, NaN is black. Of images with host memory, not of planes. NULL: no memory.
uint8_t *lg_picture_shrink(const lg_image *image, int32_t width, int32_t height, lg_shown shown);

#endif
