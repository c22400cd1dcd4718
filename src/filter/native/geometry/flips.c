// Mirrored, turned by right angles, rows and columns exchanged: the entries.
#include "filter/native/geometry/rearrange.h"

static void exchange_sides(lg_image_params *shape)
{
    const int32_t width = shape->width;
    shape->width = shape->height;
    shape->height = width;
}

// An axis of `count` pixels, forwards or backwards.
static void place(int32_t *to, int32_t count, bool backwards)
{
    lg_rearrange_line(to, count, backwards ? count - 1 : 0, backwards ? -1 : 1);
}

// ---- flip ---------------------------------------------------------------------------------------

enum { FLIP_HORIZONTAL, FLIP_VERTICAL, FLIP_BOTH, FLIP_NONE };

static void flip_fill(const lg_filter *filter, const float *values, const lg_image_params *in,
                      lg_rearrangement *r)
{
    const int direction = (int)values[0];
    place(r->across, r->width, direction == FLIP_HORIZONTAL || direction == FLIP_BOTH);
    place(r->down, r->height, direction == FLIP_VERTICAL || direction == FLIP_BOTH);
}

static lg_row_reach flip_reach(const lg_filter *filter, const float *values,
                               const lg_image_params *in)
{
    const int direction = (int)values[0];
    return direction == FLIP_HORIZONTAL || direction == FLIP_NONE
               ? lg_row_reach_of(0)
               : lg_row_reach_whole("rows change their places");
}

#define PARAMETERS(X)                                                                              \
    X(CHOICE, direction, 0, "horizontal|vertical|both|none",                                       \
      "horizontal: left and right change places; vertical: top and bottom; both: half a turn; "    \
      "none: the image as it is")

LG_REARRANGE(flip, "direction", flip_reach)

#undef PARAMETERS

LG_NATIVE_FILTER(flip, &flip_native, 1, .summary = "the mirror image",
                 .formula = "horizontal: c'(x, y) = c(W - 1 - x, y); vertical: c(x, H - 1 - y); "
                            "both: c(W - 1 - x, H - 1 - y)",
                 .source = "the flip operation of aoce; the rotation modes of GPUImage",
                 .notes = "every sample is copied as it is stored", .neutral = "direction=none");

// ---- transpose ----------------------------------------------------------------------------------

static void transpose_fill(const lg_filter *filter, const float *values, const lg_image_params *in,
                           lg_rearrangement *r)
{
    const bool anti = values[0] > 0;
    r->swap = true;
    place(r->across, r->width, anti);
    place(r->down, r->height, anti);
}

static lg_row_reach rows_are_columns(const lg_filter *filter, const float *values,
                                     const lg_image_params *in)
{
    return lg_row_reach_whole("rows become columns");
}

static lg_status transpose_shape(float *values, lg_image_params *shape, lg_error *error)
{
    exchange_sides(shape);
    return LG_OK;
}

#define PARAMETERS(X)                                                                              \
    X(CHOICE, diagonal, 0, "main|anti",                                                            \
      "that stays where it is: main from top left to bottom right, anti the other one")

LG_REARRANGE(transpose, "diagonal", rows_are_columns)

#undef PARAMETERS

LG_NATIVE_FILTER_SHAPED(
    transpose, &transpose_native, transpose_shape, 1, .summary = "rows become columns",
    .formula = "main: c'(x, y) = c(y, x); anti: c'(x, y) = c(W - 1 - y, H - 1 - x)",
    .source = "the transpose operation of aoce",
    .notes = "every sample is copied as it is stored; width and height are exchanged");

// ---- rotate -------------------------------------------------------------------------------------

enum { TURN_90, TURN_180, TURN_270 };

static void rotate_fill(const lg_filter *filter, const float *values, const lg_image_params *in,
                        lg_rearrangement *r)
{
    const int angle = (int)values[0];
    r->swap = angle != TURN_180;
    place(r->across, r->width, angle != TURN_270);
    place(r->down, r->height, angle != TURN_90);
}

static lg_status rotate_shape(float *values, lg_image_params *shape, lg_error *error)
{
    if ((int)values[0] != TURN_180)
        exchange_sides(shape);
    return LG_OK;
}

#define PARAMETERS(X) X(CHOICE, angle, 0, "90|180|270", "in degrees, clockwise")

LG_REARRANGE(rotate, "angle", rows_are_columns)

#undef PARAMETERS

LG_NATIVE_FILTER_SHAPED(
    rotate, &rotate_native, rotate_shape, 1, .summary = "turned by right angles",
    .formula = "90: c'(x, y) = c(y, H - 1 - x); 180: c(W - 1 - x, H - 1 - y); "
               "270: c(W - 1 - y, x)",
    .source = "the rotation modes of GPUImage",
    .notes = "every sample is copied as it is stored; 90 and 270 exchange width and height");
