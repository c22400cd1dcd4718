// Push constants of kernels whose text is assembled at run time. Host and kernels share this text.
#ifndef LG_STAGE_PUSH_H
#define LG_STAGE_PUSH_H

#include "kernel/subset.h"

// A kernel's text defines its number of views and of own words, which follow the views. The host
// has room for 128 bytes in all (lg_stage_push_own).
#ifndef VULKAN
#define LG_VIEWS 6
#define LG_EXTRA 4
#endif

// The address and strides of an image.
LG_STRUCT(lg_view)
{
    lg_address data;
    lg_uint row_stride;   // bytes
    lg_uint layer_stride; // in units of 16 bytes
};

LG_STRUCT(lg_stage_push)
{
    lg_address values; // numbers of the stage: see lg_place_at and the parameters behind it
    lg_uint width;     // of the output, pixels
    lg_uint first_row; // that this dispatch computes
    lg_view views[LG_VIEWS];
    lg_uint extra[LG_EXTRA];
};

#endif
