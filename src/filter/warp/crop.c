// A rectangle of whole pixels.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, x, "widths", 0, 0, 1, "left edge")                                                   \
    X(NUMBER, y, "heights", 0, 0, 1, "top edge")                                                   \
    X(NUMBER, width, "widths", 1, 0, 1, "0: one pixel")                                            \
    X(NUMBER, height, "heights", 1, 0, 1, "0: one pixel")

LG_PARAMETERS(crop)

LG_KERNEL(
    crop,
    LG_FUNCTION point crop_kernel(place at, crop_params p) {
        LG_FLOAT x = p.x + at.x * p.width;
        LG_FLOAT y = p.y + at.y * p.height;
        return xy(x, y);
    } LG_FUNCTION color crop_finish(color c, place at, crop_params p) { return c; })

LG_WARP(crop)

// The fractions become those of whole pixels, so that every place is a pixel's centre. A fraction is a
// float: 0.7 of 1000 is a little less than 700.
static int32_t crop_side(float *at, float *length, int32_t side)
{
    const double slack = 1 + 0x1p-22;
    const int32_t first = (int32_t)LG_MIN((double)*at * side * slack, (double)(side - 1));
    const int32_t wanted = LG_MAX((int32_t)((double)*length * side * slack), 1);
    const int32_t count = LG_MIN(wanted, side - first);
    *at = (float)((double)first / side);
    *length = (float)((double)count / side);
    return count;
}

static lg_status crop_shape(float *values, lg_image_params *shape, lg_error *error)
{
    shape->width = crop_side(&values[0], &values[2], shape->width);
    shape->height = crop_side(&values[1], &values[3], shape->height);
    return LG_OK;
}

LG_EXAMPLES(crop, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"x=0.5:y=0.5:width=0:height=0", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER_WITH(crop, WARP, 1, NULL, crop_shape, .summary = "a rectangle of the image",
               .formula = "pixels floor(x W) to floor(x W) + max(1, floor(width W)) - 1 across, "
                          "likewise down; what lies outside the image is left out",
               .source = "GPUImageCropFilter; one pixel for no width: aoce",
               .notes =
                   "whole pixels, never interpolated. Left and top are those of the stored pixels, "
                   "whatever an orientation tag of the file says",
               .neutral = "x=0:y=0:width=1:height=1");
