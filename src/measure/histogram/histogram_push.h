// Push constants of the kernels that count, one text for the host and the kernels.
#ifndef LG_HISTOGRAM_PUSH_H
#define LG_HISTOGRAM_PUSH_H

#include "kernel/device_memory.h"

// histogram_u8.comp
LG_STRUCT(lg_histogram_bytes_push)
{
    lg_vector_rows rows;
    lg_device_totals
        totals; // u32 [layer][channel][256]; [layer][workgroup][channel][256] if PARTIAL
    lg_uint luma_rg, luma_b; // luma weights in 1/65536, red in the low half
};

// histogram_dense.comp
LG_STRUCT(lg_histogram_dense_push)
{
    lg_vector_rows rows;
    lg_device_totals totals; // u32 [layer][WORDS]; [layer][workgroup][WORDS] if PARTIAL
    lg_address rules;
};

// histogram_any.comp
LG_STRUCT(lg_histogram_any_push)
{
    lg_device_walk walk;
    lg_device_totals totals; // u32 [layer][WORDS]; [layer][workgroup][WORDS] if PARTIAL
    lg_address rules;
};

// histogram_merge.comp
LG_STRUCT(lg_histogram_merge_push)
{
    lg_address partials; // u32 [layer][part][words]
    lg_address counts;   // u32 [layer][words]
    lg_uint words, parts;
};

// How samples find their bins, in device memory.
LG_STRUCT(lg_histogram_rules)
{
    float lo[5], hi[5], factor[5], start[5], scale[5];
    float luma_float[3];
    lg_uint luma[3];
    float sample_scale;
};

#endif
