// How far apart two images are.
#include "filter/kernel.h"

#define PARAMETERS(X) LG_FIT_PARAMETER(X)

LG_PARAMETERS(absolute_difference)

LG_KERNEL(
    absolute_difference,
    LG_FUNCTION color absolute_difference_kernel(color b, color o, place at,
                                                 absolute_difference_params p) {
        LG_FLOAT x = fabsf(b.r - o.r);
        LG_FLOAT y = fabsf(b.g - o.g);
        LG_FLOAT z = fabsf(b.b - o.b);
        return rgba(x, y, z, b.a);
    })

LG_BLEND(absolute_difference)

// The floats of two bytes, their difference and its 255 fold are off by a few 2^-24 of 255 at most, so
// that rounding gives the difference of the bytes.
LG_FUNCTION uint8_t absolute_difference_byte(uint8_t b, uint8_t o)
{
    const uint8_t less = b < o ? b : o, more = b < o ? o : b;
    return (uint8_t)(more - less);
}

LG_BLEND_BYTES(absolute_difference)

LG_EXAMPLES(absolute_difference,
            {"", .in = {0.25f, 1, 0.5f, 1}, .over = {0.75f, 0.25f, 0.5f, 1},
             .out = {0.5f, 0.75f, 0, 1}},
            {"", .in = {0.25f, 1, 0.5f, 0.5f}, .over = {0, 0, 0, 0.25f},
             .out = {0.25f, 1, 0.5f, 0.5f}})

LG_FILTER(absolute_difference, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "how far apart two images are", .formula = "c' = |b - o|; alpha of b",
          .source = "pixel arithmetic", .notes = "alpha does not weigh");
