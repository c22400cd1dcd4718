// The first image, away from the second.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, amount, "", 1.5f, -10, 10,                                                           \
      "of the first image: 0 is the second, 1 the first, above 1 what differs grows")              \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(extrapolate)

LG_KERNEL(
    extrapolate,
    LG_FUNCTION color extrapolate_kernel(color b, color o, place at, extrapolate_params p) {
        return rgba(lg_mix(o.r, b.r, p.amount), lg_mix(o.g, b.g, p.amount),
                    lg_mix(o.b, b.b, p.amount), b.a);
    })

LG_BLEND(extrapolate)

LG_EXAMPLES(extrapolate,
            {"", .in = {0.5f, 0.25f, 1, 0.5f}, .over = {0.25f, 0.5f, 1, 1},
             .out = {0.625f, 0.125f, 1, 0.5f}},
            {"amount=-1", .in = {0.5f, 0.25f, 1, 1}, .over = {0.25f, 0.5f, 1, 1},
             .out = {0, 0.75f, 1, 1}})

LG_FILTER(extrapolate, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the first image, away from the second",
          .formula = "c' = b amount + o (1 - amount); alpha of b",
          .source = "P. Haeberli and D. Voorhies, Image processing by interpolation and "
                    "extrapolation, 1994; the last step of GPUImageUnsharpMaskFilter",
          .notes = "with a blurred image as the second it sharpens, with a grey one it saturates");
