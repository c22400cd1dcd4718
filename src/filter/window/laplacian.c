// Laplacian on mid grey.
#include "filter/kernel.h"

#define PARAMETERS(X) LG_BORDER_PARAMETER(X)

LG_PARAMETERS(laplacian)

LG_KERNEL(
    laplacian,
    LG_FUNCTION float laplacian_of(float corners, float sides, float c) {
        LG_FLOAT y = ((0.5f * corners + sides) - 6.0f * c) + 0.5f;
        return y;
    } LG_FUNCTION color laplacian_kernel(window w, place at, laplacian_params p) {
        return rgba(laplacian_of((w.tl.r + w.tr.r) + (w.bl.r + w.br.r),
                                 (w.t.r + w.b.r) + (w.l.r + w.r.r), w.c.r),
                    laplacian_of((w.tl.g + w.tr.g) + (w.bl.g + w.br.g),
                                 (w.t.g + w.b.g) + (w.l.g + w.r.g), w.c.g),
                    laplacian_of((w.tl.b + w.tr.b) + (w.bl.b + w.br.b),
                                 (w.t.b + w.b.b) + (w.l.b + w.r.b), w.c.b),
                    w.c.a);
    })

LG_WINDOW(laplacian)

// Corners 0.5, sides 1.25: 0.25 + 1.25 - 1.5 + 0.5. Flat: 2 c + 4 c - 6 c.
LG_EXAMPLES(laplacian,
            {"", .window = {0.25f, 0.5f, 0, 0.25f, 0.25f, 0.25f, 0, 0.25f, 0.25f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"", .window = {0, 0, 0, 0, 0.25f, 0, 0, 0, 0}, .out = {-1, -1, -1, 1}},
            {"", .window = {0, 0, 0.5f, 1, 0, 0, 0, 0, 0}, .out = {1.75f, 1.75f, 1.75f, 1}})

LG_FILTER(laplacian, WINDOW, 1, .summary = "the Laplacian on mid grey",
          .formula = "kernel (1/2 1 1/2; 1 -6 1; 1/2 1 1/2), plus 1/2",
          .source = "GPUImageLaplacianFilter");
