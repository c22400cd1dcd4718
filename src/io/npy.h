// Arrays of NumPy's files between their header and their samples.
#ifndef LG_NPY_H
#define LG_NPY_H

#include "io/io_internal.h"

typedef struct lg_npy_header {
    lg_type type;
    lg_foreign foreign; // instead of type when not NONE
    size_t sample;      // bytes in the file
    bool swap, truth;   // truth: NumPy's bool
    bool columns;       // Fortran order: the first axis is the fastest
    int axes;
    int64_t shape[LG_AREA_DIMS]; // of the first axes, where there are more
} lg_npy_header;

// Reads an array up to its samples. Any number of axes is taken.
lg_status lg_npy_read_header(lg_input *input, lg_npy_header *out, lg_error *error);

// What the axes are, in their order: layers, height, width, channels, as in "LHW".
const char *lg_npy_axes(const lg_npy_header *header);

// Reads the samples of an array in Fortran order, whose columns follow each other.
lg_status lg_npy_read_columns(lg_input *input, const lg_npy_header *header, lg_rounding *rounding,
                              lg_image *image, lg_error *error);

#endif
