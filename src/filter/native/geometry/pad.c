// Pixels around the image: the entry.
#include "filter/native/geometry/rearrange.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, left, "px", 0, 0, 65536, "columns before the image")                                \
    X(INTEGER, right, "px", 0, 0, 65536, "columns behind it")                                      \
    X(INTEGER, top, "px", 0, 0, 65536, "rows above it")                                            \
    X(INTEGER, bottom, "px", 0, 0, 65536, "rows below it")                                         \
    X(INTEGER, width, "px", 0, 0, 16777216,                                                        \
      "of the result: what is missing is shared by both sides; 0: nothing is missing")             \
    X(INTEGER, height, "px", 0, 0, 16777216, "likewise down")                                      \
    X(CHOICE, border, 3, "replicate|mirror|wrap|constant",                                         \
      "what the new pixels are; constant: the colour")                                             \
    X(COLOR, color, 0, 0, 0, 0, "of the border constant; transparent black")

enum { LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT, BORDER, COLOR };

// Pixels before an axis of `side`, of which `size` are wanted in all; the odd one goes behind it.
static int32_t before(const float *values, int first, int wanted, int32_t side)
{
    const int32_t given = side + (int32_t)values[first] + (int32_t)values[first + 1];
    const int32_t size = (int32_t)values[wanted];
    return (int32_t)values[first] + (size > given ? (size - given) / 2 : 0);
}

static void pad_axis(int32_t *to, int32_t count, int32_t first, int32_t side, lg_border border)
{
    for (int32_t i = 0; i < count; i++)
        to[i] = (int32_t)lg_border_index((int64_t)i - first, side, border);
}

static void pad_fill(const lg_filter *filter, const float *values, const lg_image_params *in,
                     lg_rearrangement *r)
{
    const lg_border border = (lg_border)values[BORDER];
    pad_axis(r->across, r->width, before(values, LEFT, WIDTH, in->width), in->width, border);
    pad_axis(r->down, r->height, before(values, TOP, HEIGHT, in->height), in->height, border);
    for (int k = 0; k < 4; k++)
        r->color[k] = values[COLOR + k];
}

static lg_row_reach pad_reach(const lg_filter *filter, const float *values,
                              const lg_image_params *in)
{
    const bool rows = values[TOP] > 0 || values[BOTTOM] > 0 || (int32_t)values[HEIGHT] > in->height;
    const lg_border border = (lg_border)values[BORDER];
    if (rows && border != LG_BORDER_REPLICATE && border != LG_BORDER_CONSTANT)
        return lg_row_reach_whole("rows are repeated");
    const int64_t above = before(values, TOP, HEIGHT, in->height);
    return lg_row_reach_sides(above, -above);
}

static lg_status pad_side(const float *values, int first, int wanted, int32_t *side,
                          const char *name, lg_error *error)
{
    const int64_t given = *side + (int64_t)values[first] + (int64_t)values[first + 1];
    const int64_t size = values[wanted] > 0 ? (int64_t)values[wanted] : given;
    if (size < given)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "pad: %s=%lld is less than the image and its margins, %lld px; crop makes "
                       "images smaller",
                       name, (long long)size, (long long)given);
    if (size > INT32_MAX)
        return lg_fail(error, LG_ERROR_LIMIT, "pad: a %s of %lld px is too much", name,
                       (long long)size);
    *side = (int32_t)size;
    return LG_OK;
}

static lg_status pad_shape(float *values, lg_image_params *shape, lg_error *error)
{
    const lg_status status = pad_side(values, LEFT, WIDTH, &shape->width, "width", error);
    return status ? status : pad_side(values, TOP, HEIGHT, &shape->height, "height", error);
}

LG_REARRANGE(pad, "left right top bottom width height border color", pad_reach)

LG_NATIVE_FILTER_SHAPED(
    pad, &pad_native, pad_shape, 1, .summary = "pixels around the image",
    .formula = "c'(x, y) = c(x - l, y - t) inside the image, beside it what the border says; "
               "l = left + floor((width - W - left - right) / 2), t likewise",
    .source = "copyMakeBorder of OpenCV",
    .notes = "every sample of the image is copied as it is stored",
    .neutral = "left=0:right=0:top=0:bottom=0:width=0:height=0");
