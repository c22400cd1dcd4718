// Gamma: a power of every channel.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, gamma, "", 1, 0, 3, "exponent: above 1 darkens, 0 gives white")

LG_PARAMETERS(gamma)

LG_KERNEL(
    gamma,
    LG_FUNCTION float gamma_of(float v, float exponent) {
        return lg_choose(exponent == 1.0f, v, lg_power(v, exponent));
    } LG_FUNCTION color gamma_kernel(color c, place at, gamma_params p) {
        return rgba(gamma_of(c.r, p.gamma), gamma_of(c.g, p.gamma), gamma_of(c.b, p.gamma), c.a);
    })

LG_POINT(gamma)

LG_EXAMPLES(gamma, {"gamma=2", .in = {0.5f, 0.25f, 1, 0.5f}, .out = {0.25f, 0.0625f, 1, 0.5f}},
            {"gamma=0.5", .in = {0.25f, 0, -1, 1}, .out = {0.5f, 0, 0, 1}},
            {"gamma=0", .in = {0.25f, 0, 1, 1}, .out = {1, 1, 1, 1}})

LG_FILTER(gamma, POINT, 1, .flags = LG_FILTER_PER_CHANNEL, .summary = "a power of every channel",
          .formula = "c' = c^gamma; 0 where c < 0", .source = "GPUImageGammaFilter",
          .notes = "the exponent is gamma itself, not its inverse; gamma = 1 keeps every value, "
                   "also those outside 0..1",
          .neutral = "gamma=1");
