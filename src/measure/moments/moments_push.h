// Push constants of the kernels of moments, one text for the host and the kernels.
#ifndef LG_MOMENTS_PUSH_H
#define LG_MOMENTS_PUSH_H

#include "kernel/device_memory.h"

// moments_integer.comp: rows in vectors.
LG_STRUCT(lg_moments_rows_push)
{
    lg_vector_rows rows;
    lg_device_totals totals; // tally [layer][channel]
};

// moments_float.comp: rows of adjacent samples.
LG_STRUCT(lg_moments_floats_push)
{
    lg_address data, layer_stride;      // bytes
    lg_address mask, mask_layer_stride; // a byte for a pixel; 0: all count
    lg_device_totals totals;            // words of moments_window.glsl [layer][channel]
    lg_uint row_stride;                 // bytes
    lg_uint rows;
    lg_uint samples;  // of a row
    lg_uint segments; // segments per row; a workgroup takes one at a time
    lg_uint
        part; // samples of a segment, whole spans of a workgroup; a row's last one may be shorter
    lg_uint mask_row_stride;
};

// moments_integer_any.comp and moments_float_any.comp: pixel by pixel.
LG_STRUCT(lg_moments_any_push)
{
    lg_device_walk walk;
    lg_device_totals totals; // [layer][channel]: tallies, or the words of moments_window.glsl
};

#endif
