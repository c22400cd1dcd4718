// Windows whose sums of bytes are rounded once: samples are read as the whole numbers that they are, so that
// all products and sums are exact (docs/definitions.md, "Weighted sums of bytes").
#ifndef LG_STAGE_BYTE_SUMS_VULKAN_H
#define LG_STAGE_BYTE_SUMS_VULKAN_H

#include "graph/stage_vulkan.h"

#define LG_BYTE_SUMS_UNIT "#define LG_BYTE_UNIT 1.0\n" // in front of such a kernel

// The weights, in main behind the filter's parameters.
void lg_stage_write_weights(FILE *out, const lg_filter *filter);

// The pixel j of a row of results.
void lg_stage_write_byte_sum(FILE *out, const lg_image_params *in);

#endif
