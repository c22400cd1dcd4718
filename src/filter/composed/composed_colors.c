// Neighbouring filters that mix red, green and blue: a matrix and a term for each row.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(MATRIX3, matrix, "row k has the weights of r, g, b in output channel k")                     \
    X(COLOR, term, 0, 0, 0, 0, "added to red, green and blue")

LG_PARAMETERS(composed_colors)

LG_KERNEL(
    composed_colors,
    LG_FUNCTION color composed_colors_kernel(color c, place at, composed_colors_params p) {
        LG_FLOAT r = ((p.matrix[0] * c.r + p.matrix[1] * c.g) + p.matrix[2] * c.b) + p.term.r;
        LG_FLOAT g = ((p.matrix[3] * c.r + p.matrix[4] * c.g) + p.matrix[5] * c.b) + p.term.g;
        LG_FLOAT b = ((p.matrix[6] * c.r + p.matrix[7] * c.g) + p.matrix[8] * c.b) + p.term.b;
        return rgba(r, g, b, c.a);
    })

LG_POINT(composed_colors)
LG_PIXELS(composed_colors)

LG_EXAMPLES(composed_colors, {"matrix=0,1,0,0,0,1,1,0,0:term=0.25,0,0",
                              .in = {0.25f, 0.5f, 1, 0.5f}, .out = {0.75f, 1, 0.25f, 0.5f}})

LG_FILTER(composed_colors, POINT, 1, .flags = LG_FILTER_AFFINE,
          .summary = "neighbouring filters of colours", .formula = "(r, g, b)' = M (r, g, b) + t",
          .source = "composed by plans");
