// Push constants of the kernels of thresholds, one text for the host and the kernels.
#ifndef LG_THRESHOLD_PUSH_H
#define LG_THRESHOLD_PUSH_H

#include "kernel/device_memory.h"

// Where the level of threshold.comp comes from.
LG_NUMBER(LG_METHOD_OTSU, 0)
LG_NUMBER(LG_METHOD_MEAN, 1)
LG_NUMBER(LG_METHOD_VALUE, 2) // the given cut

// Weights of luma: of floats, and of integers.
LG_STRUCT(lg_luma_weights)
{
    float real[3];
    lg_uint rg, b; // in 1/65536, red in the low half
};

// threshold.comp
LG_STRUCT(lg_threshold_push)
{
    lg_address data, layer_stride; // first pixel of the region; bytes
    lg_address mask, mask_layer_stride;
    lg_address counts;                   // u32 [copy][layer][...]; see lg_histogram_device
    lg_address results;                  // lg_threshold_result [layer]
    lg_uint row_stride, mask_row_stride; // bytes
    lg_uint width, height;
    lg_uint copies, copy_words, layer_words, table;
    lg_uint layers;          // layers whose counts give one level: 1, or all of a stack
    lg_uint cut;             // LG_METHOD_VALUE
    lg_uint luma_rg, luma_b; // weights in 1/65536, red in the low half
};

// The result of threshold.comp for a layer.
LG_STRUCT(lg_threshold_result)
{
    lg_uint cut, foreground;
    lg_uint unused[2];
};

// threshold_compare.comp
LG_STRUCT(lg_threshold_compare_push)
{
    lg_address data, layer_stride; // first pixel of the region; bytes
    lg_address mask, mask_layer_stride;
    lg_address cuts;    // of each layer, 4 or 8: a value above cut k is above level k
    lg_address results; // u32 [layer]: pixels above all levels
    lg_uint row_stride, mask_row_stride;
    lg_uint width, height;
    lg_uint steps[2]; // a byte per level: added to the output where it is passed
    lg_luma_weights weights;
};

// threshold_luma.comp
LG_STRUCT(lg_threshold_luma_push)
{
    lg_device_walk walk;
    lg_address luma, mask;                    // mask 0: every pixel counts
    lg_uint luma_row_stride, mask_row_stride; // bytes; layers lie behind each other
    lg_luma_weights weights;
};

#endif
