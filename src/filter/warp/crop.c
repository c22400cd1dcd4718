// A rectangle of whole pixels.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    LG_RECTANGLE_PARAMETERS(X)                                                                     \
    X(FLAG, centered, 0, "the rectangle has the image's middle, whatever x and y are")             \
    X(BOX, box, "the rectangle in place of the five others: x, y, width, height and unit=px")

LG_PARAMETERS(crop)

LG_KERNEL(
    crop, LG_FUNCTION point crop_kernel(place at, crop_params p) {
        LG_FLOAT x = p.x + at.x * p.width;
        LG_FLOAT y = p.y + at.y * p.height;
        return xy(x, y);
    })

LG_WARP(crop)

// Whole pixels first .. first + count - 1 of a side.
typedef struct crop_range {
    int32_t first, count;
} crop_range;

// A fraction is a float: 0.7 of 1000 is a little less than 700.
static crop_range crop_fractions(float at, float length, int32_t side)
{
    const double slack = 1 + 0x1p-22;
    return (crop_range){(int32_t)LG_MIN((double)at * side * slack, (double)(side - 1)),
                        (int32_t)((double)length * side * slack)};
}

static crop_range crop_pixels(float at, float length, int32_t side)
{
    return (crop_range){(int32_t)LG_MIN((double)at, (double)(side - 1)),
                        (int32_t)LG_MIN((double)length, (double)side)};
}

// The numbers become fractions of whole pixels, so that every place is a pixel's centre.
static int32_t crop_side(float *values, int axis, int32_t side)
{
    float *at = &values[axis], *length = &values[2 + axis];
    const bool pixels = values[4] > 0, centered = values[5] > 0;
    crop_range p = (pixels ? crop_pixels : crop_fractions)(*at, *length, side);
    p.count = LG_MAX(p.count, 1);
    if (centered)
        p.first = (side - p.count) / 2;
    p.count = LG_MIN(p.count, side - p.first);
    *at = (float)((double)p.first / side);
    *length = (float)((double)p.count / side);
    return p.count;
}

static lg_status crop_shape(float *values, lg_image_params *shape, lg_error *error)
{
    static const char *const names[] = {"x", "y", "width", "height"};
    for (int k = 0; k < 4; k++)
        if (values[4] == 0 && values[k] > 1) {
            char text[LG_FLOAT_TEXT];
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "crop: %s=%s: 0 to 1 is wanted, a part of the image's size; pixels are "
                           "meant with unit=px",
                           names[k], lg_float_text(values[k], text));
        }
    const int32_t sides[2] = {shape->width, shape->height};
    for (int k = 0; k < 2; k++)
        if (values[4] > 0 && !(values[5] > 0) && values[k] >= (float)sides[k])
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "crop: %s=%.0f begins outside the image, which has %d %s", names[k],
                           (double)values[k], sides[k], k ? "rows" : "columns");
    shape->width = crop_side(values, 0, shape->width);
    shape->height = crop_side(values, 1, shape->height);
    return LG_OK;
}

// crop_shape has made y a fraction of whole pixels.
static int64_t crop_top(const float *values, const lg_image_params *in)
{
    return (int64_t)((double)values[1] * in->height + 0.5);
}

LG_EXAMPLES(crop, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"x=0.5:y=0.5:width=0:height=0", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER_ROWS(crop, crop_shape, crop_top, .summary = "a rectangle of the image",
               .formula = "pixels floor(x W) to floor(x W) + max(1, floor(width W)) - 1 across, "
                          "likewise down; px: floor(x) to floor(x) + max(1, floor(width)) - 1; "
                          "centered: from floor((W - width) / 2) on, in pixels; what lies outside "
                          "the image is left out",
               .source = "GPUImageCropFilter; one pixel for no width: aoce",
               .notes =
                   "whole pixels, never interpolated. Left and top are those of the stored pixels, "
                   "whatever an orientation tag of the file says",
               .neutral = "x=0:y=0:width=1:height=1:unit=size");
