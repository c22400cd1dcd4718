// White balance: temperature and tint.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, temperature, "kelvin", 5000, 2500, 10000, "below 5000 cooler, above warmer")         \
    X(NUMBER, tint, "", 0, -200, 200, "below 0 greener, above more magenta")                       \
    X(FLAG, transposed, 0, "tint as GPUImage computes it, with both matrices transposed")

LG_PARAMETERS(white_balance)

LG_KERNEL(
    white_balance,
    LG_FUNCTION float white_balance_warm(float v, float warm, float t) {
        LG_FLOAT dark = (2.0f * v) * warm;
        LG_FLOAT light = 1.0f - (2.0f * (1.0f - v)) * (1.0f - warm);
        return lg_mix(v, v < 0.5f ? dark : light, t);
    } LG_FUNCTION color white_balance_kernel(color c, place at, white_balance_params p) {
        LG_FLOAT red = p.transposed > 0.0f ? 0.114f : 0.212f;
        LG_FLOAT all = p.transposed > 0.0f ? 0.103f : 0.0f;
        LG_FLOAT q = (red * (c.r - c.g) + 0.311f * (c.b - c.g)) + all * c.g;
        LG_FLOAT shifted = lg_clamp(q + p.tint * 0.0005226f, -0.5226f, 0.5226f);
        LG_FLOAT d = shifted - lg_clamp(q, -0.5226f, 0.5226f);
        LG_FLOAT r = c.r + (p.transposed > 0.0f ? 1.0f : 0.621f) * d;
        LG_FLOAT g = c.g + (p.transposed > 0.0f ? -1.105f : -0.647f) * d;
        LG_FLOAT b = c.b + 1.702f * d;
        LG_FLOAT t = (p.temperature < 5000.0f ? 0.0004f : 0.00006f) * (p.temperature - 5000.0f);
        return rgba(white_balance_warm(r, 0.93f, t), white_balance_warm(g, 0.54f, t),
                    white_balance_warm(b, 0.0f, t), c.a);
    })

LG_POINT(white_balance)

// 7500 K: t = 0.15. 4000 K: t = -0.4. Tint 100 shifts Q by 0.05226.
// 0.25: 0.25 0.85 + 0.15 (0.465, 0.27, 0). 0.75: the overlay is 1 - 0.5 (1 - w) = (0.965, 0.77, 0.5).
LG_EXAMPLES(white_balance,
            {"temperature=7500", .in = {0.25f, 0.25f, 0.25f, 0.5f},
             .out = {0.28225f, 0.253f, 0.2125f, 0.5f}},
            {"temperature=4000", .in = {0.75f, 0.75f, 0.75f, 1}, .out = {0.664f, 0.742f, 0.85f, 1}},
            {"tint=100", .in = {0.5f, 0.5f, 0.5f, 1},
             .out = {0.53245346f, 0.46618778f, 0.58894652f, 1}},
            {"tint=100:transposed=yes", .in = {0.5f, 0.5f, 0.5f, 1},
             .out = {0.55226f, 0.4422527f, 0.58894652f, 1}})

LG_FILTER(
    white_balance, POINT, 1, .flags = LG_FILTER_MAKES_COLOR,
    .summary = "warmer or cooler, greener or more magenta",
    .formula = "Q = .212 r - .523 g + .311 b, dQ = clamp(Q + .0005226 tint) - clamp(Q) to "
               "+-.5226, x = c + (.621, -.647, 1.702) dQ; o = overlay of x with (.93, .54, 0); "
               "c' = x + (o - x) k (temperature - 5000), k = .0004 below 5000, .00006 above",
    .source = "GPUImageWhiteBalanceFilter",
    .notes =
        "the tint works on Q; GPUImage hands its matrices over transposed, which transposed=yes "
        "repeats",
    .neutral = "temperature=5000:tint=0");
