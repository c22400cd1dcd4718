// Red and blue change places.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(color_swizzle)

LG_PIPELINE(color_swizzle, 1, "map_channel:red=blue:blue=red",
            .summary = "red and blue change places", .formula = "r' = b, g' = g, b' = r, a' = a",
            .source = "ColorSwizzle of GPUImage2",
            .notes = "for pixels whose bytes are in the order BGRA; map_channel has all others");
