// The palette and the pixels of an old graphics card.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_PARAMETERS(cga_colorspace)

// Only the first of equally near colours wins: black, white, cyan, magenta. All are opaque, so alpha
// adds the same to every distance.
LG_KERNEL(
    cga_colorspace,
    LG_FUNCTION point cga_colorspace_kernel(place at, cga_colorspace_params p) {
        LG_FLOAT x = floorf(at.x * 200.0f) * 0.005f;
        LG_FLOAT y = floorf(at.y * 320.0f) * 0.003125f;
        return xy(x, y);
    } LG_FUNCTION float cga_colorspace_distance(color c, float r, float g) {
        LG_FLOAT dr = c.r - r;
        LG_FLOAT dg = c.g - g;
        LG_FLOAT db = c.b - 1.0f;
        LG_FLOAT square = (dr * dr + dg * dg) + db * db;
        return square;
    } LG_FUNCTION color cga_colorspace_finish(color c, place at, cga_colorspace_params p) {
        LG_FLOAT best = (c.r * c.r + c.g * c.g) + c.b * c.b;
        LG_FLOAT white = cga_colorspace_distance(c, 1.0f, 1.0f);
        LG_FLOAT cyan = cga_colorspace_distance(c, 0.333333333f, 1.0f);
        LG_FLOAT magenta = cga_colorspace_distance(c, 1.0f, 0.333333333f);
        LG_COLOR y = rgba(0.0f, 0.0f, 0.0f, 1.0f);
        y.r = white < best ? 1.0f : y.r;
        y.g = white < best ? 1.0f : y.g;
        y.b = white < best ? 1.0f : y.b;
        best = fminf(best, white);
        y.r = cyan < best ? 0.333333333f : y.r;
        y.g = cyan < best ? 1.0f : y.g;
        y.b = cyan < best ? 1.0f : y.b;
        best = fminf(best, cyan);
        y.r = magenta < best ? 1.0f : y.r;
        y.g = magenta < best ? 0.333333333f : y.g;
        y.b = magenta < best ? 1.0f : y.b;
        return y;
    })

LG_WARP(cga_colorspace)
LG_FINISH(cga_colorspace)

LG_EXAMPLES(cga_colorspace, {"", .in = {0.25f, 0.25f, 0.25f, 0.5f}, .out = {0, 0, 0, 1}},
            {"", .in = {0.9f, 0.8f, 0.9f, 1}, .out = {1, 1, 1, 1}},
            {"", .in = {0.25f, 0.75f, 1, 1}, .out = {0.33333333f, 1, 1, 1}},
            {"", .in = {0.9f, 0.25f, 0.75f, 1}, .out = {1, 0.33333333f, 1, 1}})

LG_FILTER(cga_colorspace, WARP, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "the palette and the pixels of an old graphics card",
          .formula = "read at the corner of cells of 1/200 width and 1/320 height; the nearest of "
                     "black, white, cyan (1/3, 1, 1) and magenta (1, 1/3, 1)",
          .source = "GPUImageCGAColorspaceFilter",
          .notes = "200 cells across and 320 down, as in GPUImage");
