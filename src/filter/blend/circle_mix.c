// The first image within a circle, the second outside.
#include "filter/kernel.h"
#include "kernel/cell_math.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, center, 0.5f, 0.5f, "of the circle")                                                  \
    X(NUMBER, radius, "widths", 0.25f, 0, 2, "from where on there is only the second image")       \
    X(NUMBER, fade, "widths", 0.1f, 0, 2, "how far inside the second image begins; 0: hard edge")  \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(circle_mix)

LG_KERNEL(
    circle_mix,
    LG_FUNCTION color circle_mix_kernel(color b, color o, place at, circle_mix_params p) {
        LG_FLOAT d = lg_sqrt(lg_square_from(at, p.center));
        return lg_fade(b, o, lg_smoothstep(p.radius - p.fade, p.radius, d));
    })

LG_BLEND(circle_mix)

// 0.5 from the centre, half of the way from 0.25 to 0.75: one half; and a quarter of the way from 0.375 to
// 0.875: 5/32.
LG_EXAMPLES(circle_mix,
            {"center=0,0.5:radius=0.75:fade=0.5", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1},
             .out = {0.5f, 0.375f, 0.5f, 1}, .x = 0.5f, .y = 0.5f},
            {"center=0,0.5:radius=0.875:fade=0.5", .in = {1, 0.5f, 0, 1}, .over = {0, 0.5f, 1, 1},
             .out = {0.84375f, 0.5f, 0.15625f, 1}, .x = 0.5f, .y = 0.5f},
            {"center=0,0.5:radius=0.25", .in = {1, 0.5f, 0, 0.5f}, .over = {0, 0.25f, 1, 1},
             .out = {0, 0.25f, 1, 1}, .x = 0.5f, .y = 0.5f})

LG_FILTER(circle_mix, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR | LG_FILTER_TAKES_ALPHA,
          .summary = "the first image within a circle, the second outside",
          .formula =
              "dissolve_blend with mix = smoothstep(radius - fade, radius, d), d = |(x - cx, "
              "(y - cy) height / width)|",
          .source = "the last step of GPUImageGaussianSelectiveBlurFilter");
