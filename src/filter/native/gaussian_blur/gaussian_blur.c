// Gaussian blur: separable, with every tap of the window, or by way of smaller images.
#include "filter/native/gaussian_blur/gaussian_pyramid.h"
#include "filter/native/planes.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, 256, "standard deviation; 0 leaves the image as it is")           \
    X(INTEGER, radius, "px", 0, 0, 4096, "half the window, which is 2 radius + 1; 0: see rule")    \
    X(CHOICE, rule, 0, "auto|exact|gpuimage",                                                      \
      "window: about 3 sigma, from sigma 5 on by smaller images; exact: all weights of 3 sigma; "  \
      "gpuimage: GPUImage's window, sigma rounded to a whole number")                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_PASSES_PARAMETER(X)                                                                         \
    X(INTEGER, texel_spacing_multiplier, "px", 1, 1, LG_GAUSSIAN_SPACING,                          \
      "from weight to weight; above 1 all weights of the window, as with rule=exact")              \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(gaussian_blur)

LG_CPU_DECLARE(lg_gaussian_bytes_table, gaussian_bytes);
LG_CPU_DECLARE(lg_separable_kernels, gaussian_floats);

#define ROWS_BYTES (256 << 10) // of a tile: half of a second-level cache

static lg_status run_bytes(const lg_native_call *call, const lg_gaussian *g, lg_border border,
                           bool mixed, float amount)
{
    const lg_pixels in = lg_layer_pixels(call->in[0], 0), out = lg_layer_pixels(call->out, 0);
    const lg_gaussian_bytes job = {.g = g,
                                   .border = border,
                                   .rounded = lg_pixels_same_kind(&in, &out),
                                   .scale = lg_gaussian_scale(g),
                                   .mixed = mixed,
                                   .amount = amount};
    lg_pixel_tiles tiles = {.run = LG_CPU_SELECT(gaussian_bytes, call->context->cpu_level)->run,
                            .job = &job};
    const int64_t size = 2 * (int64_t)g->radius + 1;
    lg_pixel_tiles_cut(&tiles, call, 2 * (int64_t)lg_gaussian_state_rows(g), ROWS_BYTES, 8 * size,
                       4 * size, border);
    tiles.scratch = lg_gaussian_scratch(g, (size_t)tiles.strip, in.channels);
    return lg_pixel_tiles_run(call, &tiles);
}

lg_status lg_gaussian_mix_bytes(const lg_native_call *call, const lg_gaussian *g, lg_border border,
                                float amount)
{
    return run_bytes(call, g, border, true, amount);
}

static lg_status run_floats(const lg_native_call *call, const lg_gaussian *g, lg_border border)
{
    const lg_separable filter = {
        .down = lg_window_side_of(g->radius),
        .along = lg_window_side_of(g->radius),
        .border = border,
        .state_rows = lg_gaussian_state_rows(g),
        .filter = g,
        .kernels = LG_CPU_SELECT(gaussian_floats, call->context->cpu_level),
    };
    return lg_separable_run(call, &filter);
}

static lg_status run_levels(const lg_native_call *call, const lg_gaussian *g, lg_border border)
{
    lg_status status = LG_OK;
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        const lg_pixels in = lg_layer_pixels(call->in[0], z), out = lg_layer_pixels(call->out, z);
        status = lg_gaussian_blur_layer(call->context, g, border, LG_GAUSSIAN_PIXELS, &in, &out,
                                        call->error);
    }
    return status;
}

lg_status lg_gaussian_create_of(const lg_filter *filter, const float *values, lg_gaussian *out,
                                lg_error *error)
{
    return lg_gaussian_create_spaced(
        lg_native_value(filter, values, "sigma"), (int)lg_native_value(filter, values, "radius"),
        (lg_gaussian_rule)lg_native_value(filter, values, "rule"),
        (int)lg_native_value(filter, values, "texel_spacing_multiplier"), out, error);
}

static lg_status gaussian_blur(const lg_native_call *call)
{
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_pixels in = lg_layer_pixels(call->in[0], 0);
    lg_gaussian g;
    lg_status status = lg_gaussian_create_of(call->filter, call->values, &g, call->error);
    if (status)
        return status;
    const bool bytes = in.type == LG_U8 && !lg_pixels_have_alpha(&in);
    status = g.levels ? run_levels(call, &g, border)
             : bytes  ? run_bytes(call, &g, border, false, 0)
                      : run_floats(call, &g, border);
    lg_gaussian_destroy(&g);
    return status;
}

// Levels have their places from the first row of an image on.
static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    int levels;
    const int radius = lg_gaussian_reach(
        lg_native_value(filter, values, "sigma"), (int)lg_native_value(filter, values, "radius"),
        (lg_gaussian_rule)lg_native_value(filter, values, "rule"),
        (int)lg_native_value(filter, values, "texel_spacing_multiplier"), &levels);
    lg_row_reach r = lg_row_reach_of(radius);
    if (levels) {
        r.step = (int64_t)1 << levels;
        r.above += r.step - 1;
    }
    return r;
}

static const lg_native gaussian_blur_native = {.cpu = gaussian_blur,
                                               .vulkan = LG_VULKAN(lg_gaussian_blur_vulkan),
                                               .recorded = "sigma radius texel_spacing_multiplier",
                                               .reach = reach};

LG_NATIVE_FILTER(gaussian_blur, &gaussian_blur_native, 1, .summary = "convolution with a Gaussian",
                 .formula = "c' = sum of w(i) w(j) c(x + m i, y + m j), w(i) proportional to "
                            "exp(-i^2 / (2 sigma^2)), sum of w = 1, m = texel_spacing_multiplier; "
                            "where there is alpha, of c a "
                            "and a",
                 .source = "GPUImageGaussianBlurFilter",
                 .notes = "sigma is not rounded, the window reaches 3 sigma or more, and nothing "
                          "is rounded to 8 bits between the passes");
