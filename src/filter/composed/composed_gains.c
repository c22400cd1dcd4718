// Neighbouring filters that treat each channel alone: a factor and a term for each.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, gain, 1, 1, 1, 1, "factors of red, green and blue")                                   \
    X(COLOR, term, 0, 0, 0, 0, "added to them")

LG_PARAMETERS(composed_gains)

LG_KERNEL(
    composed_gains,
    LG_FUNCTION color composed_gains_kernel(color c, place at, composed_gains_params p) {
        LG_COLOR y = c;
        y.r = c.r * p.gain.r + p.term.r;
        y.g = c.g * p.gain.g + p.term.g;
        y.b = c.b * p.gain.b + p.term.b;
        return y;
    })

LG_POINT(composed_gains)

LG_EXAMPLES(composed_gains, {"gain=2,1,0.5:term=0,0.25,0.5", .in = {0.25f, 0.5f, 1, 0.5f},
                             .out = {0.5f, 0.75f, 1, 0.5f}})

LG_FILTER(composed_gains, POINT, 1, .flags = LG_FILTER_PER_CHANNEL | LG_FILTER_AFFINE,
          .summary = "neighbouring filters of channels alone", .formula = "c' = gain c + term",
          .source = "composed by plans");
