// The bilateral grid: pixels are summed into cells of position and luma, the cells are blurred, and
// each pixel looks up its own position. docs/definitions.md defines the filter.
#ifndef LG_BILATERAL_GRID_H
#define LG_BILATERAL_GRID_H

#include "filter/native/bilateral/bilateral.h"
#include "filter/native/tiles.h"

#define LG_BILATERAL_GRID_BYTES ((size_t)512 << 20) // of the cells

typedef struct lg_bilateral_grid {
    lg_bilateral kind; // of pixels: planes, bytes, rounded, unit, border
    bool grey;         // one plane is the luma
    int cell;          // pixels a side
    int columns, rows; // of cells, including those beyond the edges
    int levels;        // cells of a position, one for each end of an interval of luma
    int values;        // numbers of a cell: sums of the planes, then of the weights
    int bits;          // bytes: weights are integer multiples of 2^-bits
    float per_level;   // levels for luma 1; for bytes in units of 2^-bits, for luma / 65536
    float inverse;     // 1 / (2 cell)
    float space[3];    // weights of blurring along x and y, from the middle on
    size_t row;        // numbers of a row of cells
} lg_bilateral_grid;

lg_status lg_bilateral_grid_describe(const lg_filter *filter, const float *values,
                                     const lg_pixels *in, const lg_pixels *out,
                                     lg_bilateral_grid *grid, lg_error *error);

// Tiles of a cell along an axis; each tile is summed alone.
int lg_bilateral_grid_tiles(const lg_bilateral_grid *grid);

lg_status lg_bilateral_grid_cpu(const lg_native_call *call);
void lg_bilateral_grid_vulkan(struct lg_device_call *call);

// The plain definition, for tests.
lg_status lg_bilateral_grid_ref(const lg_native_call *call);

// ---- kernels of a CPU level -----------------------------------------------------------------------

typedef struct lg_bilateral_grid_job {
    lg_bilateral_grid grid;
    lg_pixels in, out;
    float *cells, *blurred; // row by row, column by column, level by level
} lg_bilateral_grid_job;

#define LG_BILATERAL_GRID_LINES 16 // rows of pixels to look up together

typedef struct lg_bilateral_grid_table {
    lg_rows_fn *sum, *blur; // rows of cells
    lg_rows_fn *look_up;    // rows of pixels
} lg_bilateral_grid_table;

#endif
