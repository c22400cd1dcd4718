// A look: warm, with the contrast of film.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")

LG_PARAMETERS(amatorka)

LG_KERNEL(
    amatorka,
    // Twice the curve.
    LG_FUNCTION float amatorka_curve(float x) {
        LG_FLOAT y = x + (x * x) * (3.0f - 2.0f * x);
        return y;
    }
    // Of components in 0 .. 1. The shares of 0.9 for the colour and of 0.1 for its luminance are halved,
    // which rounds nothing; 0.1 is 1 - 0.9 in floats, which not all compilers compute.
    LG_FUNCTION color amatorka_whole(color c) {
        LG_COLOR twice = rgba(amatorka_curve(c.r), amatorka_curve(c.g), amatorka_curve(c.b), c.a);
        LG_FLOAT grey = lg_luminance(twice) * 0.050000012f;
        LG_COLOR k = twice;
        k.r = grey + twice.r * 0.45f;
        k.g = grey + twice.g * 0.45f;
        k.b = grey + twice.b * 0.45f;
        LG_COLOR y = k;
        y.r = k.r + (0.08f * k.r) * (1.0f - k.r);
        y.g = k.g + (0.02f * k.g) * (1.0f - k.g);
        LG_FLOAT rest = 1.0f - k.b;
        y.b = (k.b - (0.1f * k.b) * rest) + (0.03f * rest) * rest;
        return y;
    } LG_FUNCTION color amatorka_kernel(color c, place at, amatorka_params p) {
        LG_COLOR y = amatorka_whole(rgba(lg_clamp01(c.r), lg_clamp01(c.g), lg_clamp01(c.b), c.a));
        return lg_mix_rgb(c, y, p.intensity);
    })

LG_POINT(amatorka)
LG_PIXELS_WHOLE(amatorka)

// 1/2: the curve leaves it. 1/4: 5/32, so (1/4 + 5/32) / 2 = 0.203125.
LG_EXAMPLES(amatorka, {"", .in = {0.5f, 0.5f, 0.5f, 0.5f}, .out = {0.52f, 0.505f, 0.4825f, 0.5f}},
            {"", .in = {0.25f, 0.25f, 0.25f, 1}, .out = {0.21607422f, 0.20636230f, 0.20598877f, 1}},
            {"", .in = {1, 0, 0, 1}, .out = {0.92705388f, 0.02166597f, 0.04790870f, 1}},
            {"intensity=0.5", .in = {0, 0, 0, 1}, .out = {0, 0, 0.015f, 1}})

LG_FILTER(amatorka, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_LOOK,
          .summary = "a look: warm, with the contrast of film",
          .formula =
              "x = clamp(c), k = (x + 3 x^2 - 2 x^3) / 2, k = l(k) + 0.9 (k - l(k)); r = k + .08 k "
              "(1 - k), g = k + .02 k (1 - k), b = k - .1 k (1 - k) + .03 (1 - k)^2; c' = c + "
              "(rgb - c) intensity",
          .source = "ours, under the name of GPUImageAmatorkaFilter",
          .notes =
              "GPUImage's table is a picture under a licence of its own; this look is ours, given "
              "by the formula. over=#NAME takes a picture or .cube file instead, as lookup does; "
              "`lookup_identity | amatorka` is our table as a picture");
