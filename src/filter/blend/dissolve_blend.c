// From one image to the other.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, mix, "", 0.5f, 0, 1, "0 is the first image, 1 the second")                           \
    X(ALIAS, opacity, mix)                                                                         \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(dissolve_blend)

LG_KERNEL(
    dissolve_blend,
    LG_FUNCTION color dissolve_blend_kernel(color b, color o, place at, dissolve_blend_params p) {
        return lg_fade(b, o, p.mix);
    })

LG_BLEND(dissolve_blend)

// With alphas 1 and 1/2 the first counts twice.
LG_EXAMPLES(dissolve_blend,
            {"", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1}, .out = {0.5f, 0.375f, 0.5f, 1}},
            {"mix=0.25", .in = {1, 0.5f, 0, 1}, .over = {0, 0.5f, 1, 1},
             .out = {0.75f, 0.5f, 0.25f, 1}},
            {"", .in = {0.75f, 0, 0.75f, 1}, .over = {0, 0.75f, 0.75f, 0.5f},
             .out = {0.5f, 0.25f, 0.75f, 0.75f}})

LG_FILTER(
    dissolve_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR | LG_FILTER_TAKES_ALPHA,
    .summary = "from one image to the other",
    .formula = "a = ab (1 - mix) + ao mix, c = (b ab (1 - mix) + o ao mix) / a",
    .source = "GPUImageDissolveBlendFilter",
    .notes = "a cross-fade, as in GPUImage, on straight colours: what is transparent counts less");
