// Separable filters on planes of float: columns first, then rows. A result depends only on the
// pixels of its window, not on strips, bands or threads.
#ifndef LG_SEPARABLE_H
#define LG_SEPARABLE_H

#include "filter/native/tiles.h"
#include "filter/native/window_side.h"

// The two passes of a filter, for one CPU level.
typedef struct lg_separable_kernels {
    // Takes the next row of a strip, `count` floats, and unless `out` is NULL writes the result of
    // the window of rows that ends with it. `index` counts the rows of this strip from
    // 0; `state` are lg_separable.state_rows rows of `pitch` floats, undefined at first.
    void (*feed_row)(const void *filter, float *state, size_t pitch, int64_t index,
                     const float *row, int count, float *out);
    // out[i] is the result for line[i + k * step], k over the window, for `count` floats. `spare` has
    // twice the room of the line.
    void (*line)(const void *filter, const float *line, int step, int64_t count, float *spare,
                 float *out);
} lg_separable_kernels;

#define LG_SEPARABLE_SLACK 64 // floats that may be read behind a line

typedef struct lg_separable {
    lg_window_side down, along;
    lg_border border;
    size_t state_rows;
    const void *filter; // passed to the kernels
    const lg_separable_kernels *kernels;
} lg_separable;

// A run on one layer. With `direct`, samples are used as stored, and a row is one line of pixels
// with `step` floats each; else it is `planes` lines with one float per pixel.
typedef struct lg_separable_job {
    const lg_separable *filter;
    lg_pixels in, out;
    bool direct;
    int planes, step;
    int32_t strip;                  // pixels of a strip, a multiple of 16
    int32_t strips;                 // of a row
    int32_t first, rows, slab_rows; // of the slab whose columns are done; most rows of a slab
    size_t pitch;                   // floats of one strip of one row
    float *columns;                 // results of the columns: [row][strip][plane][pixel]
    float *state;                   // of every strip, or of every worker
    bool kept;                      // state is per strip, and continues from the slab above
    float *scratch;                 // of every worker
    size_t state_floats, scratch_floats, line_floats, result_floats;
} lg_separable_job;

typedef struct lg_separable_table {
    void (*columns)(const lg_separable_job *job, int32_t strip, float *state, float *scratch);
    void (*row)(const lg_separable_job *job, int32_t y, float *scratch);
} lg_separable_table;

// Filters all layers of call->in[0] into call->out.
lg_status lg_separable_run(const lg_native_call *call, const lg_separable *filter);

#endif
