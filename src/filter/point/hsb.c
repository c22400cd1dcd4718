// Hue, saturation, brightness: one matrix that keeps greys grey.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, hue, "degrees", 0, -360, 360, "turn around the grey axis")                           \
    X(NUMBER, saturation, "", 1, 0, 2, "factor: 0 gives grey")                                     \
    X(NUMBER, brightness, "", 1, 0, 2, "factor: 0 gives black")

LG_PARAMETERS(hsb)

// The turn is Haeberli's: around (1, 1, 1), sheared so that luminance stays. Greys have no chroma, so
// they do not move.
LG_KERNEL(
    hsb, LG_FUNCTION color hsb_kernel(color c, place at, hsb_params p) {
        LG_FLOAT turns = lg_div(p.hue, 360.0f);
        LG_FLOAT shrink = lg_cos_turns(turns) - 1.0f;
        LG_FLOAT across = lg_sin_turns(turns) * 0.577350269f;
        LG_FLOAT red = c.r - c.g;
        LG_FLOAT blue = c.b - c.g;
        LG_FLOAT mean = (red + blue) * 0.333333333f;
        LG_FLOAT dr = (red - mean) * shrink + blue * across;
        LG_FLOAT dg = across * (red - blue) - mean * shrink;
        LG_FLOAT db = (blue - mean) * shrink - red * across;
        LG_FLOAT shear = (0.3f * dr + 0.59f * dg) + 0.11f * db;
        LG_COLOR turned = c;
        turned.r = c.r + (dr - shear);
        turned.g = c.g + (dg - shear);
        turned.b = c.b + (db - shear);
        LG_FLOAT l = lg_luma_float(turned.r, turned.g, turned.b, 0.3f, 0.59f, 0.11f);
        LG_COLOR y = lg_mix_rgb(rgba(l, l, l, c.a), turned, p.saturation);
        y.r = y.r * p.brightness;
        y.g = y.g * p.brightness;
        y.b = y.b * p.brightness;
        return y;
    })

LG_POINT(hsb)

// A third of a turn takes red to green, less 0.59 - 0.3 so that the luminance stays 0.3.
LG_EXAMPLES(hsb, {"hue=120", .in = {1, 0, 0, 0.5f}, .out = {-0.29f, 0.71f, -0.29f, 0.5f}},
            {"hue=-120", .in = {1, 0, 0, 1}, .out = {0.19f, 0.19f, 1.19f, 1}},
            {"saturation=0.5:brightness=0.5", .in = {0, 1, 0, 1},
             .out = {0.1475f, 0.3975f, 0.1475f, 1}})

LG_FILTER(hsb, POINT, 1, .flags = LG_FILTER_PREPARES | LG_FILTER_AFFINE,
          .summary = "hue, saturation and brightness by one matrix",
          .formula =
              "turn by hue around (1, 1, 1) keeping l = 0.3 r + 0.59 g + 0.11 b, then c l (1 - "
              "saturation) + c saturation, then times brightness",
          .source = "GPUImageHSBFilter, after P. Haeberli, Matrix Operations for Image Processing",
          .notes = "three parameters in place of a list of operations; they apply in this order",
          .neutral = "hue=0:saturation=1:brightness=1");
