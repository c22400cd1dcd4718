// Weak pixels beside strong ones become white: GPUImage's hysteresis.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(weak_pixel_inclusion)

LG_KERNEL(
    weak_pixel_inclusion,
    LG_FUNCTION float weak_pixel_inclusion_value(color c) {
        return c.r;
    } LG_FUNCTION color weak_pixel_inclusion_kernel(neighborhood n, color c, place at,
                                                    weak_pixel_inclusion_params p) {
        LG_FLOAT corners = (n.tl + n.tr) + (n.bl + n.br);
        LG_FLOAT sides = (n.t + n.b) + (n.l + n.r);
        LG_FLOAT sum = (corners + sides) + n.c;
        LG_FLOAT enough = lg_step(1.5f, sum);
        LG_FLOAT y = n.c >= 0.01f ? enough : 0.0f;
        return rgba(y, y, y, c.a);
    })

LG_WINDOW_OF_VALUES(weak_pixel_inclusion)

// 0.25 + 1 + 0.25 = 1.5; 1.25; nothing at the centre.
LG_EXAMPLES(weak_pixel_inclusion,
            {"", .window = {0.25f, 0, 0, 0, 0.25f, 1, 0, 0, 0}, .out = {1, 1, 1, 1}},
            {"", .window = {0, 0, 0, 0, 0.25f, 1, 0, 0, 0}, .out = {0, 0, 0, 1}},
            {"", .window = {1, 0, 0, 0, 0, 1, 0, 0, 0}, .out = {0, 0, 0, 1}})

LG_FILTER(weak_pixel_inclusion, WINDOW, 1,
          .summary = "white where a pixel and those around it are strong enough, by their red",
          .formula = "c' = 1 where red >= 0.01 and the sum of red over 3 x 3 pixels >= 1.5, else 0",
          .source = "GPUImageWeakPixelInclusionFilter",
          .notes = "alpha is the centre's. The last step of GPUImage's Canny, which looks no "
                   "further than one pixel; canny_edge_detection follows edges");
