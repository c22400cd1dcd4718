// The image in a frame of another size: the entry.
#include "filter/native/geometry/rearrange.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, width, "px", 0, 0, 16777216, "of the result; 0: that of the image")                 \
    X(INTEGER, height, "px", 0, 0, 16777216, "likewise down")                                      \
    X(CHOICE, outside, 0, "transparent|tile",                                                      \
      "where the image is in the middle there is nothing beside it; a tile is repeated from the "  \
      "top left on")

enum { WIDTH, HEIGHT, OUTSIDE };
enum { TRANSPARENT, TILE };

static int32_t canvas_side(float wanted, int32_t side)
{
    return wanted > 0 ? (int32_t)wanted : side;
}

// In the middle: half of the difference, towards zero, lies before the image or is cut off there.
static void canvas_axis(int32_t *to, int32_t count, int32_t side, bool tile)
{
    const int32_t first = tile ? 0 : (count - side) / 2;
    for (int32_t i = 0; i < count; i++)
        to[i] = tile ? i % side : i >= first && i - first < side ? i - first : -1;
}

static void canvas_fill(const lg_filter *filter, const float *values, const lg_image_params *in,
                        lg_rearrangement *r)
{
    const bool tile = (int)values[OUTSIDE] == TILE;
    canvas_axis(r->across, r->width, in->width, tile);
    canvas_axis(r->down, r->height, in->height, tile);
}

static lg_row_reach canvas_reach(const lg_filter *filter, const float *values,
                                 const lg_image_params *in)
{
    const int32_t height = canvas_side(values[HEIGHT], in->height);
    const int32_t above = (height - in->height) / 2;
    if ((int)values[OUTSIDE] == TILE && height > in->height)
        return lg_row_reach_whole("rows are repeated");
    return (int)values[OUTSIDE] == TILE ? lg_row_reach_of(0) : lg_row_reach_sides(above, -above);
}

// Where there is something outside, opaque images get alpha.
static lg_status canvas_shape(float *values, lg_image_params *shape, lg_error *error)
{
    const int32_t width = canvas_side(values[WIDTH], shape->width);
    const int32_t height = canvas_side(values[HEIGHT], shape->height);
    const bool outside =
        (int)values[OUTSIDE] == TRANSPARENT && (width > shape->width || height > shape->height);
    if (outside && shape->channels == 1)
        shape->channels = 2, shape->alpha = LG_ALPHA_STRAIGHT;
    else if (outside && shape->alpha == LG_ALPHA_OPAQUE)
        shape->alpha = LG_ALPHA_STRAIGHT;
    shape->width = width;
    shape->height = height;
    return LG_OK;
}

LG_REARRANGE(canvas, "width height outside", canvas_reach)

LG_NATIVE_FILTER_SHAPED(
    canvas, &canvas_native, canvas_shape, 1,
    .summary = "the image in a frame of another size, or repeated over it",
    .formula = "transparent: c'(x, y) = c(x - l, y - t) inside the image, beside it transparent "
               "black; l = (width - W) / 2 without its fraction, t likewise. "
               "tile: c'(x, y) = c(x mod W, y mod H)",
    .source = "object-fit: none and background-repeat of CSS",
    .notes = "what does not go into the frame is cut off. An opaque image gets alpha where the "
             "frame is larger",
    .neutral = "width=0:height=0");
