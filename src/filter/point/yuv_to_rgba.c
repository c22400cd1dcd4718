// Colour from luma and colour differences, by the definitions of the standards.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, matrix, 0, "601_full|709_full|601|709",                                              \
      "which standard, and range, the samples follow")

LG_PARAMETERS(yuv_to_rgba)

// 2 - 2 Kr, 2 - 2 Kb, and both times Kr / Kg and Kb / Kg.
LG_KERNEL(
    yuv_to_rgba, LG_FUNCTION color yuv_to_rgba_kernel(color c, place at, yuv_to_rgba_params p) {
        float hd = p.matrix == 1.0f || p.matrix == 3.0f ? 1.0f : 0.0f;
        float video = p.matrix >= 2.0f ? 1.0f : 0.0f;
        LG_FLOAT y = (c.r - lg_choose(video > 0.0f, 0.0627450980f, 0.0f)) *
                     lg_choose(video > 0.0f, 1.16438356f, 1.0f);
        LG_FLOAT range = lg_choose(video > 0.0f, 1.13839286f, 1.0f);
        LG_FLOAT u = (c.g - 0.501960784f) * range;
        LG_FLOAT v = (c.b - 0.501960784f) * range;
        LG_FLOAT r = y + v * lg_choose(hd > 0.0f, 1.5748f, 1.402f);
        LG_FLOAT g = (y - u * lg_choose(hd > 0.0f, 0.187324273f, 0.344136286f)) -
                     v * lg_choose(hd > 0.0f, 0.468124273f, 0.714136286f);
        LG_FLOAT b = y + u * lg_choose(hd > 0.0f, 1.8556f, 1.772f);
        return rgba(r, g, b, c.a);
    })

LG_POINT(yuv_to_rgba)

// Cb = 3/4 - 128/255 = 0.248039216; 255/219 (1/2 - 16/255) = 0.509132420.
LG_EXAMPLES(yuv_to_rgba,
            {"", .in = {0.5f, 0.75f, 0.501960784f, 0.5f},
             .out = {0.5f, 0.41464071f, 0.93952549f, 0.5f}},
            {"matrix=709_full", .in = {0.5f, 0.501960784f, 0.75f, 1},
             .out = {0.89061216f, 0.38388682f, 0.5f, 1}},
            {"matrix=601", .in = {0.5f, 0.501960784f, 0.501960784f, 1},
             .out = {0.50913242f, 0.50913242f, 0.50913242f, 1}})

LG_FILTER(yuv_to_rgba, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_AFFINE,
          .summary = "colour from luma and colour differences (Y, Cb, Cr as r, g, b), exactly",
          .formula =
              "r = Y + (2 - 2 Kr) Cr, b = Y + (2 - 2 Kb) Cb, g = (Y - Kr r - Kb b) / Kg; Cb = "
              "g - 128/255, Cr = b - 128/255 of the image; Kr, Kb = 0.299, 0.114 (601) or "
              "0.2126, 0.0722 (709). 601 and 709 without full: Y = 255/219 (r - 16/255), "
              "and 255/224 of the differences",
          .source = "VkYUV2RGBALayer of aoce; ITU-R BT.601, BT.709",
          .notes = "the inverse of rgba_to_yuv. aoce has 1/2 for no colour, which tints the greys "
                   "of 8-bit files; yuv_to_rgb has GPUImage's rounded factors");
