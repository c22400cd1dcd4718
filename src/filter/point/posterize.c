// Few levels per channel.
#include "filter/kernel.h"

#define PARAMETERS(X) X(INTEGER, color_levels, "", 10, 1, 256, "steps between 0 and 1")

LG_PARAMETERS(posterize)

LG_KERNEL(
    posterize,
    LG_FUNCTION float posterize_of(float v, float levels) {
        LG_FLOAT scaled = v * levels + 0.5f;
        return lg_div(floorf(scaled), levels);
    } LG_FUNCTION color posterize_kernel(color c, place at, posterize_params p) {
        return rgba(posterize_of(c.r, p.color_levels), posterize_of(c.g, p.color_levels),
                    posterize_of(c.b, p.color_levels), posterize_of(c.a, p.color_levels));
    })

LG_POINT(posterize)

LG_EXAMPLES(posterize, {"color_levels=2", .in = {0.2f, 0.25f, 0.74f, 1}, .out = {0, 0.5f, 0.5f, 1}},
            {"", .in = {0.14f, 0.16f, 1, 0.49f}, .out = {0.1f, 0.2f, 1, 0.5f}})

LG_FILTER(posterize, POINT, 1, .summary = "few levels per channel",
          .formula = "C' = floor(C color_levels + 1/2) / color_levels for r, g, b, a",
          .source = "GPUImagePosterizeFilter",
          .notes = "color_levels + 1 different values, as in GPUImage");
