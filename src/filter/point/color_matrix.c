// A matrix on r, g, b, a.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(MATRIX4, matrix, "row k has the weights of r, g, b, a in output channel k")                  \
    X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")

LG_PARAMETERS(color_matrix)

LG_KERNEL(
    color_matrix,
    LG_FUNCTION float color_matrix_row(color c, float r, float g, float b, float a) {
        LG_FLOAT sum = ((r * c.r + g * c.g) + b * c.b) + a * c.a;
        return sum;
    } LG_FUNCTION color color_matrix_kernel(color c, place at, color_matrix_params p) {
        LG_FLOAT r = color_matrix_row(c, p.matrix[0], p.matrix[1], p.matrix[2], p.matrix[3]);
        LG_FLOAT g = color_matrix_row(c, p.matrix[4], p.matrix[5], p.matrix[6], p.matrix[7]);
        LG_FLOAT b = color_matrix_row(c, p.matrix[8], p.matrix[9], p.matrix[10], p.matrix[11]);
        LG_FLOAT a = color_matrix_row(c, p.matrix[12], p.matrix[13], p.matrix[14], p.matrix[15]);
        return rgba(lg_mix(c.r, r, p.intensity), lg_mix(c.g, g, p.intensity),
                    lg_mix(c.b, b, p.intensity), lg_mix(c.a, a, p.intensity));
    })

LG_POINT(color_matrix)

LG_EXAMPLES(color_matrix,
            {"matrix=0,1,0,0,0,0,1,0,1,0,0,0,0,0,0,1", .in = {0.25f, 0.5f, 0.75f, 1},
             .out = {0.5f, 0.75f, 0.25f, 1}},
            {"matrix=0.5,0.5,0,0,0,0,0,0.5,0,0,1,0,0,0,0,0.5:intensity=0.5",
             .in = {0.5f, 0.25f, 1, 1}, .out = {0.4375f, 0.375f, 1, 0.75f}})

LG_FILTER(color_matrix, POINT, 1,
          .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_AFFINE | LG_FILTER_AFFINE_ALPHA,
          .summary = "a 4 x 4 matrix on red, green, blue and alpha",
          .formula = "C' = intensity M C + (1 - intensity) C, C = (r, g, b, a)",
          .source = "GPUImageColorMatrixFilter",
          .notes = "row by row; GPUImage3 reads column by column. An offset can only come through "
                   "alpha. Alpha is stored where the image has it",
          .neutral = "matrix=1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1:intensity=1");
