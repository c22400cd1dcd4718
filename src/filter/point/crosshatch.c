// Luminance as hatching.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, cross_hatch_spacing, "widths", 0.03f, 0.001f, 1, "from line to line")                \
    X(NUMBER, line_width, "widths", 0.003f, 0, 1, "of a line")

LG_PARAMETERS(crosshatch)

LG_KERNEL(
    crosshatch,
    LG_FUNCTION float crosshatch_line(float along, float spacing, float width) {
        return lg_mod(along, spacing) <= width ? 1.0f : 0.0f;
    } LG_FUNCTION color crosshatch_kernel(color c, place at, crosshatch_params p) {
        LG_FLOAT l = lg_luminance(c);
        LG_FLOAT spacing = fmaxf(p.cross_hatch_spacing, lg_div(1.0f, at.width));
        LG_FLOAT sum = at.x + at.y;
        LG_FLOAT difference = at.x - at.y;
        LG_FLOAT shift = spacing * 0.5f;
        LG_FLOAT ink = l < 1.0f ? crosshatch_line(sum, spacing, p.line_width) : 0.0f;
        ink = fmaxf(ink, l < 0.75f ? crosshatch_line(difference, spacing, p.line_width) : 0.0f);
        ink = fmaxf(ink, l < 0.5f ? crosshatch_line(sum - shift, spacing, p.line_width) : 0.0f);
        ink = fmaxf(ink,
                    l < 0.3f ? crosshatch_line(difference - shift, spacing, p.line_width) : 0.0f);
        LG_FLOAT v = 1.0f - ink;
        return rgba(v, v, v, c.a);
    })

LG_POINT(crosshatch)

// x + y = 0.75 = 18 0.04 + 0.03, x - y = 0.25 = 6 0.04 + 0.01, less 0.02: 0.01 and 0.03.
LG_EXAMPLES(crosshatch,
            {"cross_hatch_spacing=0.04:line_width=0.02", .in = {0.8f, 0.8f, 0.8f, 1},
             .out = {1, 1, 1, 1}, .x = 0.5f, .y = 0.25f},
            {"cross_hatch_spacing=0.04:line_width=0.02", .in = {0.6f, 0.6f, 0.6f, 0.5f},
             .out = {0, 0, 0, 0.5f}, .x = 0.5f, .y = 0.25f},
            {"cross_hatch_spacing=0.04:line_width=0.035", .in = {0.8f, 0.8f, 0.8f, 1},
             .out = {0, 0, 0, 1}, .x = 0.5f, .y = 0.25f})

LG_FILTER(crosshatch, POINT, 1, .summary = "luminance as hatching",
          .formula =
              "black where l < 1 and (x + y) mod s <= line_width, l < .75 and (x - y) mod s <= "
              "line_width, l < .5 and (x + y - s/2) mod s <= ..., l < .3 and (x - y - s/2) mod "
              "s <= ...; else white; s = cross_hatch_spacing, at least a pixel; x, y in 0..1",
          .source = "GPUImageCrosshatchFilter",
          .notes = "in fractions of width and height, as in GPUImage: lines run at 45 degrees on "
                   "square images only.; alpha is kept");
