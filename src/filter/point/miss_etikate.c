// A look: cool and faded.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")

LG_PARAMETERS(miss_etikate)

LG_KERNEL(
    miss_etikate, LG_FUNCTION color miss_etikate_kernel(color c, place at, miss_etikate_params p) {
        LG_COLOR x = rgba(lg_clamp01(c.r), lg_clamp01(c.g), lg_clamp01(c.b), c.a);
        LG_FLOAT l = lg_luminance(x);
        LG_COLOR k = lg_mix_rgb(rgba(l, l, l, c.a), x, 0.7f);
        LG_COLOR y = k;
        y.r = 0.06f + 0.84f * k.r;
        y.g = (0.08f + 0.84f * k.g) + (0.02f * k.g) * (1.0f - k.g);
        y.b = (0.16f + 0.76f * k.b) + (0.08f * k.b) * (1.0f - k.b);
        return lg_mix_rgb(c, y, p.intensity);
    })

LG_POINT(miss_etikate)

LG_EXAMPLES(miss_etikate, {"", .in = {0, 0, 0, 0.5f}, .out = {0.06f, 0.08f, 0.16f, 0.5f}},
            {"", .in = {0.5f, 0.5f, 0.5f, 1}, .out = {0.48f, 0.505f, 0.56f, 1}},
            {"", .in = {1, 0, 0, 1}, .out = {0.70155f, 0.13474371f, 0.21322487f, 1}},
            {"intensity=0.5", .in = {1, 1, 1, 1}, .out = {0.95f, 0.96f, 0.96f, 1}})

LG_FILTER(
    miss_etikate, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_LOOK,
    .summary = "a look: cool and faded",
    .formula = "x = clamp(c), k = l(x) + 0.7 (x - l(x)); r = .06 + .84 k, g = .08 + .84 k + .02 k "
               "(1 - k), b = .16 + .76 k + .08 k (1 - k); c' = c + (rgb - c) intensity",
    .source = "ours, under the name of GPUImageMissEtikateFilter",
    .notes = "GPUImage's table is a picture under a licence of its own; this look is ours, given "
             "by the formula. over=#NAME takes a picture or .cube file instead, as lookup does; "
             "`lookup_identity | miss_etikate` is our table as a picture");
