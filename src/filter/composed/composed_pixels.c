// Neighbouring filters that mix colours and alpha: a matrix and a term for each row.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(MATRIX4, matrix, "row k has the weights of r, g, b, a in output channel k")                  \
    X(COLOR, term, 0, 0, 0, 0, "added to them")

LG_PARAMETERS(composed_pixels)

LG_KERNEL(
    composed_pixels,
    LG_FUNCTION float composed_pixels_row(color c, float r, float g, float b, float a, float t) {
        LG_FLOAT sum = (((r * c.r + g * c.g) + b * c.b) + a * c.a) + t;
        return sum;
    } LG_FUNCTION color composed_pixels_kernel(color c, place at, composed_pixels_params p) {
        return rgba(
            composed_pixels_row(c, p.matrix[0], p.matrix[1], p.matrix[2], p.matrix[3], p.term.r),
            composed_pixels_row(c, p.matrix[4], p.matrix[5], p.matrix[6], p.matrix[7], p.term.g),
            composed_pixels_row(c, p.matrix[8], p.matrix[9], p.matrix[10], p.matrix[11], p.term.b),
            composed_pixels_row(c, p.matrix[12], p.matrix[13], p.matrix[14], p.matrix[15],
                                p.term.a));
    })

LG_POINT(composed_pixels)

LG_EXAMPLES(composed_pixels, {"matrix=0,1,0,0,0,0,1,0,1,0,0,0,0,0,0,0.5:term=0,0,0,0.25",
                              .in = {0.25f, 0.5f, 0.75f, 1}, .out = {0.5f, 0.75f, 0.25f, 0.75f}})

LG_FILTER(composed_pixels, POINT, 1, .flags = LG_FILTER_AFFINE | LG_FILTER_AFFINE_ALPHA,
          .summary = "neighbouring filters of colours and alpha", .formula = "C' = M C + t",
          .source = "composed by plans");
