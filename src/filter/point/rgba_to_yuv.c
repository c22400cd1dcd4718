// Luma and colour differences from colour.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, matrix, 0, "601_full|709_full|601|709", "which standard, and range, to make")

LG_PARAMETERS(rgba_to_yuv)

// 1/2 / (1 - Kb) and 1/2 / (1 - Kr), with Kr, Kb of BT.601 and BT.709.
LG_KERNEL(
    rgba_to_yuv, LG_FUNCTION color rgba_to_yuv_kernel(color c, place at, rgba_to_yuv_params p) {
        float hd = p.matrix == 1.0f || p.matrix == 3.0f ? 1.0f : 0.0f;
        float video = p.matrix >= 2.0f ? 1.0f : 0.0f;
        LG_FLOAT y = (c.r * lg_choose(hd > 0.0f, 0.2126f, 0.299f) +
                      c.g * lg_choose(hd > 0.0f, 0.7152f, 0.587f)) +
                     c.b * lg_choose(hd > 0.0f, 0.0722f, 0.114f);
        LG_FLOAT u = (c.b - y) * lg_choose(hd > 0.0f, 0.538909248f, 0.564334086f);
        LG_FLOAT v = (c.r - y) * lg_choose(hd > 0.0f, 0.635001270f, 0.713266762f);
        LG_FLOAT luma_range = lg_choose(video > 0.0f, 0.858823529f, 1.0f);
        LG_FLOAT chroma_range = lg_choose(video > 0.0f, 0.878431373f, 1.0f);
        LG_FLOAT black = lg_choose(video > 0.0f, 0.0627450980f, 0.0f);
        return rgba(y * luma_range + black, u * chroma_range + 0.501960784f,
                    v * chroma_range + 0.501960784f, c.a);
    })

LG_POINT(rgba_to_yuv)

// Y = .299 + .587 / 2 = 0.5925, Cb = -0.5925 / 1.772, Cr = 0.4075 / 1.402. Red in 709: Cb = -.2126 /
// 1.8556, Cr = 1/2. White in 601: 235 / 255.
LG_EXAMPLES(rgba_to_yuv,
            {"", .in = {1, 0.5f, 0, 0.5f}, .out = {0.5925f, 0.16759283f, 0.79261698f, 0.5f}},
            {"matrix=709_full", .in = {1, 0, 0, 1}, .out = {0.2126f, 0.38738868f, 1.00196078f, 1}},
            {"matrix=601", .in = {1, 1, 1, 1}, .out = {0.92156863f, 0.50196078f, 0.50196078f, 1}})

LG_FILTER(rgba_to_yuv, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_AFFINE,
          .summary = "luma and colour differences (Y, Cb, Cr as r, g, b) from colour",
          .formula = "Y = Kr r + Kg g + Kb b, Cb = (b - Y) / (2 - 2 Kb) + 128/255, Cr = (r - Y) / "
                     "(2 - 2 Kr) + 128/255; Kr, Kb = 0.299, 0.114 (601) or 0.2126, 0.0722 (709). "
                     "601 and 709 without full: 16/255 + 219/255 Y and 224/255 of the differences",
          .source = "VkRGBA2YUVLayer of aoce; ITU-R BT.601, BT.709; JPEG's JFIF is 601_full",
          .notes =
              "no colour is 128/255, as in 8-bit files, so that greys come back as greys; aoce "
              "has 1/2. Every pixel has its own Cb, Cr. yuv_to_rgba is the inverse");
