// A matte from a key colour, with the key's light on the foreground taken away.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, chroma_color, 0, 1, 0, 1, "the key; may be measured, such as @pick")                  \
    X(NUMBER, luma_mask, "", 1, 0.01f, 10, "larger counts dark pixels as grey up to more light")   \
    X(NUMBER, alpha_cutoff_min, "", 0.2f, 0, 1, "distance up to which pixels vanish")              \
    X(NUMBER, alpha_scale, "", 10, 0, 20, "how fast they come back above it")                      \
    X(NUMBER, alpha_exponent, "", 0.1f, 0, 10, "shape of the edge; 0 makes it hard")               \
    X(NUMBER, despill_scale, "", 0, 0, 10, "how much of the key's light is taken away")            \
    X(NUMBER, despill_exponent, "", 0.1f, 0, 10, "how far from the key that reaches")              \
    X(NUMBER, ambient_scale, "", 0, 0, 10, "light that is put in its place")                       \
    X(COLOR, ambient_color, 0, 0, 0, 1, "of that light")

LG_PARAMETERS(chroma_key_matting)

LG_KERNEL(
    chroma_key_matting,
    LG_FUNCTION color chroma_key_matting_chroma(color c, float luma_mask) {
        LG_FLOAT l = (c.r + c.g) + c.b;
        // e^(-2 pi l / luma_mask): 1 for black, which therefore is grey.
        LG_FLOAT grey = lg_exp2(lg_div(l * -9.06472028f, luma_mask));
        LG_FLOAT sum = l * (1.0f + 2.0f * grey);
        LG_FLOAT half_share = lg_div(0.5f, l > 1e-6f ? sum : 1.0f);
        LG_COLOR y = c;
        y.r = l > 1e-6f ? lg_mix(c.r, l, grey) * half_share : 0.166666667f;
        y.g = l > 1e-6f ? lg_mix(c.g, l, grey) * half_share : 0.166666667f;
        y.b = l > 1e-6f ? lg_mix(c.b, l, grey) * half_share : 0.166666667f;
        return y;
    } LG_FUNCTION float chroma_key_matting_edge(float t, float exponent) {
        return t > 0.0f ? lg_clamp01(lg_power(t, exponent)) : 0.0f;
    } LG_FUNCTION color chroma_key_matting_kernel(color c, place at, chroma_key_matting_params p) {
        LG_COLOR own = chroma_key_matting_chroma(c, p.luma_mask);
        LG_COLOR key = chroma_key_matting_chroma(p.chroma_color, p.luma_mask);
        LG_FLOAT r = own.r - key.r;
        LG_FLOAT g = own.g - key.g;
        LG_FLOAT b = own.b - key.b;
        LG_FLOAT square = (r * r + g * g) + b * b;
        LG_FLOAT t = (lg_sqrt(square) - p.alpha_cutoff_min) * p.alpha_scale;
        LG_FLOAT spill = 1.0f - chroma_key_matting_edge(t, p.despill_exponent);
        LG_FLOAT away = spill * p.despill_scale;
        LG_FLOAT light = spill * p.ambient_scale;
        LG_COLOR y = c;
        y.r = (c.r - (c.r * p.chroma_color.r) * away) + ((0.3f * c.r) * p.ambient_color.r) * light;
        y.g = (c.g - (c.g * p.chroma_color.g) * away) + ((0.59f * c.g) * p.ambient_color.g) * light;
        y.b = (c.b - (c.b * p.chroma_color.b) * away) + ((0.11f * c.b) * p.ambient_color.b) * light;
        y.a = c.a * chroma_key_matting_edge(t, p.alpha_exponent);
        return y;
    })

LG_POINT(chroma_key_matting)

// With luma_mask 0.01 the colours keep their chroma: E(key) = (0, 0.5, 0), E(c) = (0.125, 0.25, 0.125), d
// = sqrt(6) / 8 = 0.3061862, t = 0.4247449, s = 0.5752551. Spill: g = 0.5 - 0.5 0.5 s = 0.3561862;
// ambient: r
// gets 0.075 s = 0.0431441, g 0.1475 s = 0.0848501.
LG_EXAMPLES(chroma_key_matting, {"", .in = {0, 1, 0, 1}, .out = {0, 1, 0, 0}},
            {"", .in = {1, 1, 1, 0.5f}, .out = {1, 1, 1, 0.5f}},
            {"luma_mask=0.01:alpha_scale=4:alpha_exponent=1:despill_exponent=1:despill_scale=0.5:"
             "ambient_scale=1:ambient_color=1,0.5,0",
             .in = {0.25f, 0.5f, 0.25f, 1}, .out = {0.2931441f, 0.4410363f, 0.25f, 0.4247449f}},
            {"alpha_exponent=0", .in = {0, 1, 0, 1}, .out = {0, 1, 0, 0}})

LG_FILTER(
    chroma_key_matting, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA,
    .summary = "a matte from a key colour, with spill taken away",
    .formula = "l = r + g + b, m = e^(-2 pi l / luma_mask), E = mix(c, l, m) / (2 l (1 + 2 m)), "
               "d = |E(key) - E(c)|, t = max((d - alpha_cutoff_min) alpha_scale, 0), a' = a "
               "clamp(t^alpha_exponent), s = 1 - clamp(t^despill_exponent), c' = c - c key s "
               "despill_scale + (.3 r, .59 g, .11 b) ambient_color ambient_scale s",
    .source = "aoce, VkChromaKeyLayer, after Epic's material",
    .notes = "black counts as grey and the key itself is transparent, where aoce computes 0/0 and "
             "0^0; the input's alpha counts; the default key is green");
