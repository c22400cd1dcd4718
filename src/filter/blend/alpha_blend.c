// The second image over the first, inside it.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, mix, "", 0.5f, 0, 1,                                                                 \
      "factor of the second image's alpha: 0 leaves the first as it is")                           \
    X(ALIAS, opacity, mix)                                                                         \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(alpha_blend)

LG_KERNEL(
    alpha_blend,
    LG_FUNCTION color alpha_blend_kernel(color b, color o, place at, alpha_blend_params p) {
        LG_FLOAT t = o.a * p.mix;
        LG_COLOR y = lg_mix_rgb(b, o, t);
        y.r = t > 0.0f ? y.r : b.r;
        y.g = t > 0.0f ? y.g : b.g;
        y.b = t > 0.0f ? y.b : b.b;
        return y;
    })

LG_BLEND(alpha_blend)

LG_EXAMPLES(alpha_blend,
            {"", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1}, .out = {0.5f, 0.375f, 0.5f, 1}},
            {"mix=1", .in = {1, 0.5f, 0, 0.5f}, .over = {0, 0.25f, 1, 0.25f},
             .out = {0.75f, 0.4375f, 0.25f, 0.5f}})

LG_FILTER(alpha_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the second image over the first, inside the first",
          .formula = "c = b (1 - ao mix) + o ao mix, a = ab: Porter and Duff's source atop",
          .source = "GPUImageAlphaBlendFilter");
