// Windows whose sums of bytes are rounded once: samples are read as the whole numbers that they are, so that
// all products and sums are exact (docs/definitions.md, "Weighted sums of bytes").
#ifndef LG_STAGE_BYTE_SUMS_VULKAN_H
#define LG_STAGE_BYTE_SUMS_VULKAN_H

#include "graph/stage_vulkan.h"

#define LG_BYTE_SUMS_UNIT "#define LG_BYTE_UNIT 1.0\n" // in front of such a kernel

#define LG_SUMMED (1u << 9)

// 0 for other stages. Bit i: weight i is not 0, so that the kernel has a product for it; and LG_SUMMED.
unsigned lg_stage_summed(const lg_plan *plan, const lg_plan_stage *stage);

// The weights, in main behind the filter's parameters.
void lg_stage_write_weights(FILE *out, const lg_filter *filter, unsigned summed);

// The pixel j of a row of results.
void lg_stage_write_byte_sum(FILE *out, const lg_image_params *in, unsigned summed);

#endif
