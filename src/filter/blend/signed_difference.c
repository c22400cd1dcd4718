// The difference of two images with its sign.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(FLAG, reversed, 0, "the second less the first")                                              \
    X(FLAG, red, 0, "of red alone, as opaque grey")                                                \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(signed_difference)

LG_KERNEL(
    signed_difference, LG_FUNCTION color signed_difference_kernel(color b, color o, place at,
                                                                  signed_difference_params p) {
        bool reversed = p.reversed > 0.0f;
        LG_FLOAT r = lg_choose(reversed, o.r, b.r) - lg_choose(reversed, b.r, o.r);
        LG_FLOAT y = lg_choose(reversed, o.g, b.g) - lg_choose(reversed, b.g, o.g);
        LG_FLOAT z = lg_choose(reversed, o.b, b.b) - lg_choose(reversed, b.b, o.b);
        y = lg_choose(p.red > 0.0f, r, y);
        z = lg_choose(p.red > 0.0f, r, z);
        return rgba(r, y, z, lg_choose(p.red > 0.0f, 1.0f, b.a));
    })

LG_BLEND(signed_difference)

LG_EXAMPLES(signed_difference,
            {"", .in = {0.5f, 0.25f, 1, 0.5f}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.25f, -0.5f, 0.5f, 0.5f}},
            {"reversed=1", .in = {0.5f, 0.25f, 1, 0.5f}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {-0.25f, 0.5f, -0.5f, 0.5f}},
            {"red=1", .in = {0.5f, 0.25f, 1, 0.5f}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.25f, 0.25f, 0.25f, 1}})

LG_FILTER(signed_difference, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the first less the second, with its sign",
          .formula = "c' = b - o, or o - b when reversed; alpha of b, or 1 for red",
          .source = "pixel arithmetic",
          .notes = "alpha does not weigh; integer formats hold no sign and make 0 of what is "
                   "below it");
