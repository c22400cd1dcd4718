// Colours divided by alpha.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_PARAMETERS(unpremultiply)

LG_KERNEL(
    unpremultiply,
    LG_FUNCTION color unpremultiply_kernel(color c, place at, unpremultiply_params p) {
        LG_FLOAT inverse = lg_div(1.0f, c.a > 1e-12f ? c.a : 1.0f);
        LG_FLOAT share = c.a > 1e-12f ? inverse : 0.0f;
        return rgba(c.r * share, c.g * share, c.b * share, c.a);
    })

LG_POINT(unpremultiply)

LG_EXAMPLES(unpremultiply, {"", .in = {0.125f, 0.25f, 0.5f, 0.5f}, .out = {0.25f, 0.5f, 1, 0.5f}},
            {"", .in = {0.25f, 0.5f, 1, 0}, .out = {0, 0, 0, 0}},
            {"", .in = {0.25f, 0.5f, 1, 1}, .out = {0.25f, 0.5f, 1, 1}})

LG_FILTER(unpremultiply, POINT, 1, .summary = "colours divided by alpha",
          .formula = "c' = c / a, 0 where a = 0; a' = a",
          .source = "Porter and Duff, Compositing Digital Images",
          .notes = "for files whose colours were multiplied by alpha though they do not say so; it "
                   "comes first");
