// The first image within a band, the second outside.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, top, "heights", 0.4f, -2, 2, "where the band begins")                                \
    X(NUMBER, bottom, "heights", 0.6f, -2, 2, "where it ends; below the top")                      \
    X(NUMBER, fade, "heights", 0.2f, 0, 2, "how far outside there is only the second image")       \
    X(NUMBER, angle, "degrees", 0, -360, 360, "of the band, clockwise around the middle")          \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(band_mix)

LG_KERNEL(
    band_mix, LG_FUNCTION color band_mix_kernel(color b, color o, place at, band_mix_params p) {
        LG_FLOAT turns = p.angle * 0.00277777778f;
        LG_FLOAT cosine = lg_cos_turns(turns);
        LG_FLOAT sine = lg_sin_turns(turns) * lg_div(1.0f, at.aspect);
        LG_FLOAT down = 0.5f + ((at.y - 0.5f) * cosine - (at.x - 0.5f) * sine);
        LG_FLOAT above = 1.0f - lg_smoothstep(p.top - p.fade, p.top, down);
        LG_FLOAT below = lg_smoothstep(p.bottom, p.bottom + p.fade, down);
        return lg_fade(b, o, fminf(above + below, 1.0f));
    })

LG_BLEND(band_mix)

// The row in the middle is half of the way from 0.75 up to 0.25, and half of the way from 0.25 down to 0.75;
// turned by 90 degrees, the column in the middle is.
LG_EXAMPLES(band_mix,
            {"top=0.75:bottom=1:fade=0.5", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1},
             .out = {0.5f, 0.375f, 0.5f, 1}, .x = 0.5f, .y = 0.5f},
            {"top=0:bottom=0.25:fade=0.5:angle=90", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1},
             .out = {0.5f, 0.375f, 0.5f, 1}, .x = 0.5f, .y = 0.5f},
            {"", .in = {1, 0.5f, 0, 0.5f}, .over = {0, 0.25f, 1, 1}, .out = {1, 0.5f, 0, 0.5f},
             .x = 0.5f, .y = 0.5f})

LG_FILTER_LIMITED(
    band_mix, BLEND, 2, "top < bottom", .flags = LG_FILTER_TAKES_COLOR | LG_FILTER_TAKES_ALPHA,
    .summary = "the first image within a band, the second outside",
    .formula = "dissolve_blend with mix = 1 - smoothstep(top - fade, top, v) + "
               "smoothstep(bottom, bottom + fade, v), at most 1; v = 1/2 + (y - 1/2) cos angle "
               "- (x - 1/2) width / height sin angle",
    .source = "the last step of GPUImageTiltShiftFilter; the angle is ours");
