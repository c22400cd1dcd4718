// A Gaussian blur by way of smaller images: halved, weighed, doubled. docs/definitions.md defines each step.
//
// Sample i of level k lies at pixel i 2^k, so that nothing depends on tiles. Levels reach beyond the image,
// as far as the pixels need: the border extends the image itself, and smaller images have no borders.
#ifndef LG_GAUSSIAN_PYRAMID_H
#define LG_GAUSSIAN_PYRAMID_H

#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/tiles.h"

typedef struct lg_gaussian_range {
    int64_t first, end;
} lg_gaussian_range;

// The samples of a level that `size` pixels need, along one axis: of the blurred image.
static inline lg_gaussian_range lg_gaussian_blurred(int64_t size, int level)
{
    lg_gaussian_range r = {0, size};
    for (int k = 0; k < level; k++)
        r = (lg_gaussian_range){-1, (r.end - 1) / 2 + 2};
    return r;
}

// Of the image that is not blurred yet; level 0 is the image with its border.
static inline lg_gaussian_range lg_gaussian_halved(const lg_gaussian *g, int64_t size, int level)
{
    lg_gaussian_range r = lg_gaussian_blurred(size, g->levels);
    r.first -= g->taps, r.end += g->taps;
    for (int k = g->levels; k > level; k--)
        r = (lg_gaussian_range){2 * r.first - 2, 2 * r.end + 1};
    return r;
}

static inline int64_t lg_gaussian_count(lg_gaussian_range r)
{
    return r.end - r.first;
}

// The samples of a level. A row has `lines` lines of pixels of `step` samples each.
typedef struct lg_gaussian_level {
    lg_gaussian_range x, y;
    size_t pitch; // bytes of a row
    char *data;
} lg_gaussian_level;

// What becomes of a result.
typedef enum lg_gaussian_result {
    LG_GAUSSIAN_PIXELS, // the output's samples; whole ones are rounded where it has the input's kind
    LG_GAUSSIAN_PLANE,  // floats, or whole samples in 32nds of a byte's step as LG_U16
} lg_gaussian_result;

typedef struct lg_gaussian_pyramid {
    const lg_gaussian *g;
    lg_border border;
    lg_gaussian_result result;
    bool whole, rounded;
    float scale; // of a whole sum
    lg_pixels in, out;
    int lines, step;
    lg_gaussian_level halved[LG_GAUSSIAN_LEVELS + 1], blurred[LG_GAUSSIAN_LEVELS + 1];
    int level; // that is computed
} lg_gaussian_pyramid;

// Rows of a level, for one CPU level and one type of samples.
typedef struct lg_gaussian_pyramid_table {
    lg_rows_fn *halve, *weigh, *expand;
} lg_gaussian_pyramid_table;

// Blurs one layer on the CPU; g->levels is not 0.
lg_status lg_gaussian_blur_layer(lg_context *context, const lg_gaussian *g, lg_border border,
                                 lg_gaussian_result result, const lg_pixels *in,
                                 const lg_pixels *out, lg_error *error) LG_MUST_CHECK;

#endif
