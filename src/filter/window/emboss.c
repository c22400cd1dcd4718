// Emboss: light from the top left.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, intensity, "", 1, 0, 4, "depth; 0 leaves the image as it is")                        \
    LG_BORDER_PARAMETER(X)

LG_PARAMETERS(emboss)

LG_KERNEL(
    emboss,
    LG_FUNCTION float emboss_of(float tl, float t, float l, float c, float r, float b, float br,
                                float intensity) {
        LG_FLOAT slope = (2.0f * (br - tl) + (b - t)) + (r - l);
        LG_FLOAT y = c + slope * intensity;
        return y;
    } LG_FUNCTION color emboss_kernel(window w, place at, emboss_params p) {
        return rgba(emboss_of(w.tl.r, w.t.r, w.l.r, w.c.r, w.r.r, w.b.r, w.br.r, p.intensity),
                    emboss_of(w.tl.g, w.t.g, w.l.g, w.c.g, w.r.g, w.b.g, w.br.g, p.intensity),
                    emboss_of(w.tl.b, w.t.b, w.l.b, w.c.b, w.r.b, w.b.b, w.br.b, p.intensity),
                    w.c.a);
    })

LG_WINDOW(emboss)

// 0.5 + 2 (0.25 - 0.125) + (0.25 - 0.25) + (0.5 - 0.75) = 0.5
LG_EXAMPLES(emboss,
            {"", .window = {0.125f, 0.25f, 1, 0.75f, 0.5f, 0.5f, 0, 0.25f, 0.25f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"intensity=0.5", .window = {1, 0, 0, 0, 0.5f, 0, 0, 0, 0},
             .out = {-0.5f, -0.5f, -0.5f, 1}})

LG_FILTER(emboss, WINDOW, 1, .summary = "a relief, lit from the top left",
          .formula = "kernel (-2i -i 0; -i 1 i; 0 i 2i), i = intensity; alpha is the centre's",
          .source = "GPUImageEmbossFilter");
