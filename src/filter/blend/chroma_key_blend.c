// Pixels of one colour show the second image.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, color_to_replace, 0, 1, 0, 1, "the key; may be measured, such as @pick")              \
    X(NUMBER, threshold_sensitivity, "", 0.4f, 0, 1, "distance up to which pixels are replaced")   \
    X(NUMBER, smoothing, "", 0.1f, 0, 1, "width of the soft edge above it")                        \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(chroma_key_blend)

LG_KERNEL(
    chroma_key_blend, LG_FUNCTION color chroma_key_blend_kernel(color b, color o, place at,
                                                                chroma_key_blend_params p) {
        LG_FLOAT d = lg_chroma_distance(b, p.color_to_replace);
        LG_FLOAT end = p.threshold_sensitivity + p.smoothing;
        LG_FLOAT share = 1.0f - lg_smoothstep(p.threshold_sensitivity, end, d);
        return lg_fade(b, o, share);
    })

LG_BLEND(chroma_key_blend)

// White from green: see chroma_key; 1 - 0.2631644 of the second image.
LG_EXAMPLES(chroma_key_blend,
            {"", .in = {0, 1, 0, 1}, .over = {0.25f, 0.5f, 0.75f, 0.5f},
             .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"", .in = {1, 1, 1, 1}, .over = {0, 0, 0, 1}, .out = {1, 1, 1, 1}},
            {"threshold_sensitivity=0.5", .in = {1, 1, 1, 1}, .over = {0, 0.5f, 1, 1},
             .out = {0.2631644f, 0.6315822f, 1, 1}})

LG_FILTER(chroma_key_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR | LG_FILTER_TAKES_ALPHA,
          .summary = "pixels of one colour show the second image",
          .formula = "d as in chroma_key, t = 1 - smoothstep(threshold_sensitivity, "
                     "threshold_sensitivity + smoothing, d); from the first image at t = 0 to the "
                     "second at t = 1, as dissolve_blend does",
          .source = "GPUImageChromaKeyBlendFilter");
