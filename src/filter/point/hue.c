// Hue: chroma turned around the grey axis, in YIQ.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, hue, "degrees", 90, -360, 360, "turn; 0 leaves the image as it is")

LG_PARAMETERS(hue)

// Works on differences, so that greys and a turn of 0 change nothing at all.
LG_KERNEL(
    hue, LG_FUNCTION color hue_kernel(color c, place at, hue_params p) {
        LG_FLOAT turns = lg_div(p.hue, 360.0f);
        LG_FLOAT cosine = lg_cos_turns(turns);
        LG_FLOAT sine = lg_sin_turns(turns);
        LG_FLOAT red = c.r - c.g;
        LG_FLOAT blue = c.b - c.g;
        LG_FLOAT i = 0.595716f * red - 0.321263f * blue;
        LG_FLOAT q = 0.211456f * red + 0.311135f * blue;
        LG_FLOAT di = i * (cosine - 1.0f) + q * sine;
        LG_FLOAT dq = q * (cosine - 1.0f) - i * sine;
        LG_COLOR y = c;
        y.r = c.r + (0.95629572f * di + 0.62102442f * dq);
        y.g = c.g - (0.27212210f * di + 0.64738060f * dq);
        y.b = c.b + (1.70461500f * dq - 1.10698902f * di);
        return y;
    })

LG_POINT(hue)

// Half a turn mirrors a colour at its grey Y = 0.299 r + 0.587 g + 0.114 b: c' = 2 Y - c. A quarter
// turn of red: I' = Q = 0.211456, Q' = -I = -0.595716.
LG_EXAMPLES(hue, {"hue=180", .in = {1, 0, 0, 0.5f}, .out = {-0.402f, 0.598f, 0.598f, 0.5f}},
            {"hue=180", .in = {0.25f, 0.5f, 0.75f, 1}, .out = {0.6575f, 0.4075f, 0.1575f, 1}},
            {"hue=90", .in = {1, 0, 0, 1}, .out = {0.1312603f, 0.6271131f, -0.9505459f, 1}},
            {"hue=270", .in = {0.4f, 0.4f, 0.4f, 1}, .out = {0.4f, 0.4f, 0.4f, 1}})

LG_FILTER(
    hue, POINT, 1, .flags = LG_FILTER_PREPARES | LG_FILTER_AFFINE, .summary = "turns all hues",
    .formula = "I = .595716 r - .274453 g - .321263 b, Q = .211456 r - .522591 g + .311135 b; "
               "I' = I cos h + Q sin h, Q' = Q cos h - I sin h; c' = c + M (I' - I, Q' - Q), M "
               "= inverse of RGB to YIQ",
    .source = "GPUImageHueFilter",
    .notes = "degrees, as in GPUImage; GPUImage2 and 3 take them for radians. GPUImage's .31135 "
             "for blue in Q, which tints greys by 0.0002, and its rounded inverse are corrected");
