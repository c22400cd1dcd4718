// One of the two passes of GPUImage's bilateral filter: the entry.
#include "filter/native/bilateral_pass/bilateral_pass.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_pixel_tiles, bilateral_pass);

#define PARAMETERS(X)                                                                              \
    X(CHOICE, direction, 0, "columns|rows", "along which the taps lie")                            \
    X(INTEGER, texel_spacing_multiplier, "px", 4, 1, LG_PASS_SPACING, "between two taps")          \
    X(NUMBER, distance_normalization_factor, "", 8, 0, 1000,                                       \
      "1 / the distance of colours from which on a tap does not count; 0: a plain blur")           \
    LG_BORDER_PARAMETER(X)

lg_bilateral_pass lg_bilateral_pass_of(const lg_filter *filter, const float *values,
                                       const lg_image_params *in)
{
    const bool alpha = in->channels % 2 == 0 &&
                       (in->alpha == LG_ALPHA_STRAIGHT || in->alpha == LG_ALPHA_PREMULTIPLIED);
    return (lg_bilateral_pass){
        .down = (int)lg_native_value(filter, values, "direction") == 0,
        .alpha = alpha,
        .spacing = (int)lg_native_value(filter, values, "texel_spacing_multiplier"),
        .factor = lg_native_value(filter, values, "distance_normalization_factor"),
        .border = (lg_border)lg_native_value(filter, values, "border")};
}

static lg_status bilateral_pass_cpu(const lg_native_call *call)
{
    const lg_bilateral_pass pass =
        lg_bilateral_pass_of(call->filter, call->values, &call->in[0]->shape);
    lg_pixel_tiles tiles = *LG_CPU_SELECT(bilateral_pass, call->context->cpu_level);
    tiles.job = &pass;
    tiles.strip = LG_PASS_STRIP;
    tiles.band = 32;
    // The taps' rows, the sums and their weights.
    tiles.scratch = (size_t)(4 * 9 + 5) * (LG_PASS_STRIP + 8 * LG_PASS_SPACING) * sizeof(float);
    return lg_pixel_tiles_run(call, &tiles);
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    const lg_bilateral_pass pass = lg_bilateral_pass_of(filter, values, in);
    return lg_row_reach_of(pass.down ? (int64_t)4 * pass.spacing : 0);
}

static double cost(const lg_filter *filter, const float *values)
{
    return 4; // nanoseconds
}

LG_ROWS(bilateral_pass)

static const lg_native bilateral_pass_native = {.cpu = bilateral_pass_cpu,
                                                .vulkan = LG_VULKAN(lg_bilateral_pass_vulkan),
                                                .recorded = "direction texel_spacing_multiplier",
                                                .reach = reach,
                                                .cost = cost};

LG_NATIVE_FILTER(
    bilateral_pass, &bilateral_pass_native, 1, .summary = "one pass of GPUImage's bilateral filter",
    .formula = "c' = sum of w c / sum of w over nine pixels k = -4 .. 4 spacing apart in a column "
               "or row, w = t(k) (1 - min(factor |c_k - c_0|, 1)), t = .05 .09 .12 .15 .18 .15 .12 "
               ".09 .05; |.| is the length of a difference of r, g, b, a",
    .source = "GPUImageBilateralFilter",
    .notes = "where there is alpha, of c a and a. bilateral_taps is both passes");
