// What is hardly there becomes transparent.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, threshold, "", 0.5f, 0, 1, "least alpha that stays")

LG_PARAMETERS(alpha_test)

LG_KERNEL(
    alpha_test, LG_FUNCTION color alpha_test_kernel(color c, place at, alpha_test_params p) {
        LG_COLOR y = c;
        y.r = c.a < p.threshold ? 0.0f : c.r;
        y.g = c.a < p.threshold ? 0.0f : c.g;
        y.b = c.a < p.threshold ? 0.0f : c.b;
        y.a = c.a < p.threshold ? 0.0f : c.a;
        return y;
    })

LG_POINT(alpha_test)

LG_EXAMPLES(alpha_test, {"", .in = {0.25f, 0.5f, 1, 0.5f}, .out = {0.25f, 0.5f, 1, 0.5f}},
            {"", .in = {0.25f, 0.5f, 1, 0.25f}, .out = {0, 0, 0, 0}},
            {"threshold=0.25", .in = {0.25f, 0.5f, 1, 0.25f}, .out = {0.25f, 0.5f, 1, 0.25f}})

LG_FILTER(alpha_test, POINT, 1, .summary = "makes what is hardly opaque transparent",
          .formula = "C' = 0 where a < threshold, else C",
          .source = "the alpha test of GPUImage2, which has 0.5",
          .notes = "alpha above the threshold stays as it is. Nothing changes without alpha",
          .neutral = "threshold=0");
