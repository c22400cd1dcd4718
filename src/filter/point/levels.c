// Levels: a range of every channel stretched over another, with a curve between.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, min, 0, 0, 0, 1, "what becomes min_out, per channel; may be measured")                \
    X(RANGED_COLOR, gamma, 1, 1, 1, 1, 0.01f, 10, "above 1 brightens the middle")                  \
    X(COLOR, max, 1, 1, 1, 1, "what becomes max_out; may be measured")                             \
    X(RANGED_COLOR, min_out, 0, 0, 0, 1, -16, 16, "darkest output")                                \
    X(RANGED_COLOR, max_out, 1, 1, 1, 1, -16, 16, "lightest output")

LG_PARAMETERS(levels)

LG_KERNEL(
    levels,
    LG_FUNCTION float levels_of(float v, float low, float gamma, float high, float to_low,
                                float to_high) {
        LG_FLOAT span = high - low;
        LG_FLOAT ratio = lg_div(v - low, lg_choose(span > 0.0f, span, 1.0f));
        LG_FLOAT t = lg_clamp01(ratio);
        // Without a curve there is no power to compute.
        LG_FLOAT curved = t;
        if (gamma != 1.0f)
            curved = lg_power(t, lg_div(1.0f, gamma));
        LG_FLOAT stretched = lg_mix(to_low, to_high, curved);
        return lg_choose(span > 0.0f, stretched, v);
    } LG_FUNCTION color levels_kernel(color c, place at, levels_params p) {
        return rgba(levels_of(c.r, p.min.r, p.gamma.r, p.max.r, p.min_out.r, p.max_out.r),
                    levels_of(c.g, p.min.g, p.gamma.g, p.max.g, p.min_out.g, p.max_out.g),
                    levels_of(c.b, p.min.b, p.gamma.b, p.max.b, p.min_out.b, p.max_out.b), c.a);
    })

LG_POINT(levels)

// Where the numbers are given, equal ends are a mistake; where they are
// measured, an image without spread.
static lg_status levels_rule(const float *values, const bool *measured, lg_error *error)
{
    enum { MIN = 0, MAX = 8 };
    static const char *const names[] = {"red", "green", "blue"};
    for (int c = 0; c < 3; c++)
        if (!measured[MIN + c] && !measured[MAX + c] && values[MAX + c] <= values[MIN + c]) {
            char least[LG_FLOAT_TEXT], most[LG_FLOAT_TEXT];
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "levels: max=%s is not above min=%s in %s; threshold makes a step, "
                           "color_invert turns dark and light round",
                           lg_float_text(values[MAX + c], most),
                           lg_float_text(values[MIN + c], least), names[c]);
        }
    return LG_OK;
}

// (0.5 - 0.25) / 0.5 = 0.5; 0.25^(1/2) = 0.5
LG_EXAMPLES(levels, {"min=0.25:max=0.75", .in = {0.25f, 0.5f, 1, 0.5f}, .out = {0, 0.5f, 1, 0.5f}},
            {"gamma=1,2,0.5", .in = {0.25f, 0.25f, 0.25f, 1}, .out = {0.25f, 0.5f, 0.0625f, 1}},
            {"min_out=0.25:max_out=0.5", .in = {0, 0.5f, 2, 1}, .out = {0.25f, 0.375f, 0.5f, 1}},
            {"min=@min:max=@max", .in = {0.25f, 0.5f, 0.75f, 1}, .out = {0.25f, 0.5f, 0.75f, 1}})

LG_FILTER_RULED(
    levels, POINT, 1, levels_rule, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_PER_CHANNEL,
    .summary = "stretches a range of every channel over another",
    .formula = "t = clamp((c - min) / (max - min)), c' = min_out + (max_out - min_out) "
               "t^(1/gamma)",
    .source = "GPUImageLevelsFilter",
    .notes = "a channel whose measured max is not above its min has no spread and stays as it "
             "is; GPUImage divides by 0 there. Numbers with max <= min are refused",
    .neutral = "min=0:gamma=1:max=1:min_out=0:max_out=1");
