// Push constants for pixels and counters in device memory. One text for host and kernels.
#ifndef LG_DEVICE_MEMORY_H
#define LG_DEVICE_MEMORY_H

#include "kernel/subset.h"

// Counters to which every workgroup adds: zero at the start, in several copies to reduce
// contention.
LG_STRUCT(lg_device_totals)
{
    lg_address counters; // u32 [copies][copy_words]
    lg_uint copies;      // a power of two
    lg_uint copy_words;
};

// The selected pixels of a scan, one by one.
LG_STRUCT(lg_device_walk)
{
    lg_address data, layer_stride;      // first selected pixel; bytes
    lg_address mask, mask_layer_stride; // likewise of the mask
    lg_uint row_stride;                 // bytes between selected rows
    lg_uint mask_row_stride;
    lg_uint step;          // bytes between selected pixels
    lg_uint mask_step;     // likewise in the mask; 0: no mask
    lg_int alpha;          // channel whose zero leaves a pixel out; -1: none
    lg_uint width, height; // of the selection
    lg_uint zero;          // 0, unknown to the compiler
};

// The rows of a dense region as vectors of 16 bytes.
LG_STRUCT(lg_vector_rows)
{
    lg_address data;         // first sample of the region, aligned down to 16 bytes
    lg_address layer_stride; // bytes
    lg_uint row_stride;      // vectors
    lg_uint rows;
    lg_uint vectors;    // of a row
    lg_uint first_skip; // bytes of a row's first vector before the region
    lg_uint last_keep;  // bytes of a row's last vector inside the region, 1 .. 16
    lg_uint segments;   // equal parts of a row; a workgroup takes one at a time
};

#endif
