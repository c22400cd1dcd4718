// Push constants of the kernels that are put together at run time, one text for the host and the kernels.
#ifndef LG_STAGE_PUSH_H
#define LG_STAGE_PUSH_H

#include "kernel/subset.h"

// A kernel's text says how many views it has and how many words of its own, which lie behind them; on the
// host there is room for what 128 bytes hold (lg_stage_push_own).
#ifndef VULKAN
#define LG_VIEWS 6
#define LG_EXTRA 4
#endif

// Where an image lies.
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
