// Pixels of one colour become transparent.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, color_to_replace, 0, 1, 0, 1, "the key; may be measured, such as @pick")              \
    X(NUMBER, threshold_sensitivity, "", 0.4f, 0, 1, "distance up to which pixels vanish")         \
    X(NUMBER, smoothing, "", 0.1f, 0, 1, "width of the soft edge above it")

LG_PARAMETERS(chroma_key)

LG_KERNEL(
    chroma_key, LG_FUNCTION color chroma_key_kernel(color c, place at, chroma_key_params p) {
        LG_FLOAT d = lg_chroma_distance(c, p.color_to_replace);
        LG_FLOAT end = p.threshold_sensitivity + p.smoothing;
        LG_COLOR y = c;
        y.a = c.a * lg_smoothstep(p.threshold_sensitivity, end, d);
        return y;
    })

LG_POINT(chroma_key)

// White from green: Y = 0.4134, Cr = 0.7132 0.5866, Cb = 0.5647 0.5866, so d = 0.5866
// sqrt(0.7132^2 + 0.5647^2) = 0.5336256. From 0.5 on, smoothing 0.1: t = 0.336256, t^2 (3 - 2 t) =
// 0.2631644.
LG_EXAMPLES(chroma_key, {"", .in = {0, 1, 0, 1}, .out = {0, 1, 0, 0}},
            {"", .in = {1, 1, 1, 0.5f}, .out = {1, 1, 1, 0.5f}},
            {"threshold_sensitivity=0.5", .in = {1, 1, 1, 1}, .out = {1, 1, 1, 0.2631644f}},
            {"threshold_sensitivity=0.5:smoothing=0", .in = {1, 1, 1, 0.5f},
             .out = {1, 1, 1, 0.5f}})

LG_FILTER(chroma_key, POINT, 1, .flags = LG_FILTER_MAKES_ALPHA,
          .summary = "makes pixels of one colour transparent",
          .formula = "Y = .2989 r + .5866 g + .1145 b, Cr = .7132 (r - Y), Cb = .5647 (b - Y); d = "
                     "distance to the key in (Cr, Cb); a' = a smoothstep(threshold_sensitivity, "
                     "threshold_sensitivity + smoothing, d)",
          .source = "GPUImageChromaKeyFilter",
          .notes = "the key's light stays on edges; chroma_key_matting takes it away");
