// The guided filter: alpha becomes a linear function of colour, which differs slowly from place to
// place. docs/definitions.md defines the filter.
//
// Every `side`-th pixel is a cell. Cells have the products whose means are the covariances; sums over
// squares of cells give a and b of each cell, whose sums give alpha at each pixel.
#ifndef LG_GUIDED_FILTER_H
#define LG_GUIDED_FILTER_H

#include "filter/native/guided_filter/guided_filter_math.h"
#include "filter/native/tiles.h"

#define LG_GUIDED_RADIUS 256
#define LG_GUIDED_SIDE   64
#define LG_GUIDED_BYTES  ((size_t)1 << 30) // of the cells

typedef struct lg_guided {
    int radius, side; // in cells, in pixels
    float eps;
    int columns, rows;   // of cells
    float inverse_side;  // 1 / side
    float inverse_count; // 1 / (2 radius + 1)^2
    size_t numbers;      // of all cells
} lg_guided;

lg_status lg_guided_describe(const lg_filter *filter, const float *values,
                             const lg_image_params *in, lg_guided *out, lg_error *error);

struct lg_device_call;
void lg_guided_vulkan(struct lg_device_call *call);

// ---- kernels of a CPU level -----------------------------------------------------------------------

typedef struct lg_guided_job {
    lg_guided g;
    lg_pixels in, out;
    float *a, *b; // cells row by row, LG_GUIDED_NUMBERS or LG_GUIDED_LINE numbers each
    // Of a pass over sums.
    const float *from;
    float *to;
    int numbers; // of a cell
} lg_guided_job;

typedef struct lg_guided_table {
    lg_rows_fn *fill;                   // rows of cells of job->a
    lg_rows_fn *sum_rows, *sum_columns; // sums over 2 radius + 1 cells, from -> to
    lg_rows_fn *solve;                  // rows of a and b of job->b, from the sums in job->a
    lg_rows_fn *finish;                 // rows of pixels, from the sums in job->b
} lg_guided_table;

// Floats of scratch for these.
static inline size_t lg_guided_scratch(const lg_guided *g)
{
    const size_t line = ((size_t)g->columns + 2 * (size_t)g->radius) * LG_GUIDED_NUMBERS;
    return line + 4 * LG_SPAN + 64;
}

#endif
