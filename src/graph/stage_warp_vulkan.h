// The kernels of warps: how they read their image, and which pixels a lane computes.
#ifndef LG_STAGE_WARP_VULKAN_H
#define LG_STAGE_WARP_VULKAN_H

#include "filter/device_glsl.h"
#include "graph/stage_vulkan.h"

#define LG_WARP_ACROSS (LG_STAGE_GROUP / 4) // lanes of a workgroup beside each other
#define LG_WARP_DOWN   16                   // rows of a workgroup
#define LG_WARP_STEP   4                    // rows between those of a lane

#define LG_WARP_EXTENSIONS                                                                         \
    "#extension GL_EXT_shader_8bit_storage : require\n"                                            \
    "#extension GL_EXT_shader_16bit_storage : require\n"

extern const char lg_glsl_stage_warp[];

// lg_source_at, lg_source_place and lg_sample of filter/stage_warp.glsl for view 0.
void lg_stage_write_sampling(FILE *out, const lg_format *view, int border);

// The colour `c` of a pixel at `at`: what a warp reads, finished.
void lg_stage_write_reading(FILE *out, const lg_filter *warp);

// x0, y, end and z of a lane: it computes LG_SPAN pixels from x0 on of each LG_WARP_STEP-th row from y
// to end - 1.
void lg_stage_write_lanes(FILE *out);

#endif
