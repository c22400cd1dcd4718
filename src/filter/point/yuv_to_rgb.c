// Colour from luma and two colour differences.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, matrix, 0, "601|601_full|709", "which standard, and range, the samples follow")

LG_PARAMETERS(yuv_to_rgb)

LG_KERNEL(
    yuv_to_rgb, LG_FUNCTION color yuv_to_rgb_kernel(color c, place at, yuv_to_rgb_params p) {
        float full = p.matrix == 1.0f ? 1.0f : 0.0f;
        float hd = p.matrix == 2.0f ? 1.0f : 0.0f;
        LG_FLOAT y = c.r * lg_choose(full > 0.0f, 1.0f, 1.164f) -
                     lg_choose(full > 0.0f, 0.0f, 0.0730352941f);
        LG_FLOAT u = c.g - 0.5f;
        LG_FLOAT v = c.b - 0.5f;
        LG_FLOAT r = y + v * lg_choose(hd > 0.0f, 1.793f, lg_choose(full > 0.0f, 1.4f, 1.596f));
        LG_FLOAT g =
            (y - u * lg_choose(hd > 0.0f, 0.213f, lg_choose(full > 0.0f, 0.343f, 0.392f))) -
            v * lg_choose(hd > 0.0f, 0.533f, lg_choose(full > 0.0f, 0.711f, 0.813f));
        LG_FLOAT b = y + u * lg_choose(hd > 0.0f, 2.112f, lg_choose(full > 0.0f, 1.765f, 2.017f));
        return rgba(r, g, b, c.a);
    })

LG_POINT(yuv_to_rgb)

// 1.164 (1/2 - 16/255) = 0.508964706
LG_EXAMPLES(yuv_to_rgb,
            {"", .in = {0.5f, 0.5f, 0.5f, 0.5f}, .out = {0.5089647f, 0.5089647f, 0.5089647f, 0.5f}},
            {"", .in = {0.5f, 0.75f, 0.5f, 1}, .out = {0.5089647f, 0.4109647f, 1.0132147f, 1}},
            {"matrix=601_full", .in = {0.5f, 0.5f, 0.75f, 1}, .out = {0.85f, 0.32225f, 0.5f, 1}},
            {"matrix=709", .in = {0.5f, 0.25f, 0.75f, 1},
             .out = {0.9572147f, 0.4289647f, -0.0190353f, 1}})

LG_FILTER(yuv_to_rgb, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_AFFINE,
          .summary = "colour from luma and colour differences (Y, Cb, Cr as r, g, b)",
          .formula =
              "601: Y = 1.164 (y - 16/255), R = Y + 1.596 v, G = Y - .392 u - .813 v, B = Y + "
              "2.017 u; 601_full: Y = y, R = Y + 1.4 v, G = Y - .343 u - .711 v, B = Y + 1.765 "
              "u; 709: R = Y + 1.793 v, G = Y - .213 u - .533 v, B = Y + 2.112 u; u = g - 1/2, v "
              "= b - 1/2",
          .source = "GPUImageColorConversion",
          .notes = "one image of three channels; GPUImage takes the planes of a camera");
