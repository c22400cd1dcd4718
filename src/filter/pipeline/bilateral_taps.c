// GPUImage's bilateral filter: two passes of nine taps.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, texel_spacing_multiplier, "px", 4, 1, 64, "between two taps")                       \
    X(NUMBER, distance_normalization_factor, "", 8, 0, 1000,                                       \
      "1 / the distance of colours from which on a tap does not count; 0: a plain blur")           \
    LG_BORDER_PARAMETER(X)

LG_ROWS(bilateral_taps)

LG_PIPELINE(bilateral_taps, 1,
            "bilateral_pass:direction=columns:texel_spacing_multiplier={texel_spacing_multiplier}:"
            "distance_normalization_factor={distance_normalization_factor}:border={border} | "
            "bilateral_pass:direction=rows:texel_spacing_multiplier={texel_spacing_multiplier}:"
            "distance_normalization_factor={distance_normalization_factor}:border={border}",
            .summary = "GPUImage's bilateral filter: two passes of nine taps",
            .formula = "bilateral_pass down the columns, then along the rows",
            .source = "GPUImageBilateralFilter",
            .notes = "not a bilateral filter of two dimensions, which `bilateral` is. Nothing is "
                     "rounded between the passes; GPUImage takes fractions of pixels as spacing");
