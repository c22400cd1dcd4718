// Gaussian blur: separable, with every tap of the window.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/planes.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, 256, "standard deviation; 0 leaves the image as it is")           \
    X(INTEGER, radius, "px", 0, 0, 4096, "half the window, which is 2 radius + 1; 0: see rule")    \
    X(CHOICE, rule, 0, "auto|gpuimage",                                                            \
      "radius 0: ceil(3 sigma); or GPUImage's window, and sigma rounded to a whole number")        \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(gaussian_blur)

LG_CPU_DECLARE(lg_gaussian_run_fn, gaussian_bytes);
LG_CPU_DECLARE(lg_separable_kernels, gaussian_floats);

static int32_t pair(const lg_gaussian *g, int first)
{
    const int size = 2 * g->radius + 1;
    const uint32_t low = first >= 0 && first < size ? (uint32_t)g->whole[first] : 0;
    const uint32_t high = first + 1 >= 0 && first + 1 < size ? (uint32_t)g->whole[first + 1] : 0;
    return (int32_t)(low | high << 16);
}

static lg_status run_bytes(const lg_native_call *call, const lg_gaussian *g, lg_border border)
{
    const lg_pixels in = lg_layer_pixels(call->in[0], 0), out = lg_layer_pixels(call->out, 0);
    const int pairs = g->radius + 1 + 2 * LG_GAUSSIAN_ZEROS;
    int32_t *words = lg_alloc_array((size_t)pairs * 2, sizeof *words);
    if (!words)
        return lg_fail_memory(call->error, (size_t)pairs * 8, "the weights of gaussian_blur");
    for (int j = 0; j < pairs; j++) {
        words[j] = pair(g, 2 * (j - LG_GAUSSIAN_ZEROS));
        words[pairs + j] = pair(g, 2 * (j - LG_GAUSSIAN_ZEROS) - 1);
    }
    const lg_gaussian_bytes job = {
        .weights = g,
        .border = border,
        .even = words + LG_GAUSSIAN_ZEROS,
        .odd = words + pairs + LG_GAUSSIAN_ZEROS,
        .rounded = lg_pixels_same_kind(&in, &out),
        .scale = (float)(1 / (255.0 * (double)((int64_t)1 << (g->shift + LG_GAUSSIAN_FRACTION)))),
    };
    lg_tiles tiles = {.run = *LG_CPU_SELECT(gaussian_bytes, call->context->cpu_level), .job = &job};
    const int64_t size = 2 * (int64_t)g->radius + 1;
    lg_tiles_cut(&tiles, call, size, 8 * size, 2 * size, border);
    tiles.scratch = lg_gaussian_scratch((size_t)tiles.strip, g->radius, in.channels);
    const lg_status status = lg_tiles_run(call, &tiles);
    lg_free(words);
    return status;
}

static lg_status run_floats(const lg_native_call *call, const lg_gaussian *g, lg_border border)
{
    const lg_separable filter = {
        .radius = g->radius,
        .border = border,
        .state_rows = 2 * (size_t)g->radius + 1,
        .filter = g,
        .kernels = LG_CPU_SELECT(gaussian_floats, call->context->cpu_level),
    };
    return lg_separable_run(call, &filter);
}

static lg_status gaussian_blur(const lg_native_call *call)
{
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_pixels in = lg_layer_pixels(call->in[0], 0);
    lg_gaussian g;
    lg_status status = lg_gaussian_create(
        lg_native_value(call->filter, call->values, "sigma"),
        (int)lg_native_value(call->filter, call->values, "radius"),
        (int)lg_native_value(call->filter, call->values, "rule"), &g, call->error);
    if (status)
        return status;
    const bool bytes = in.type == LG_U8 && !lg_pixels_have_alpha(&in);
    status = bytes ? run_bytes(call, &g, border) : run_floats(call, &g, border);
    lg_gaussian_destroy(&g);
    return status;
}

static const lg_native gaussian_blur_native = {.cpu = gaussian_blur};

LG_NATIVE_FILTER(gaussian_blur, &gaussian_blur_native, 1, .summary = "convolution with a Gaussian",
                 .formula = "c' = sum of w(i) w(j) c(x + i, y + j), w(i) proportional to "
                            "exp(-i^2 / (2 sigma^2)), sum of w = 1; where there is alpha, of c a "
                            "and a",
                 .source = "GPUImageGaussianBlurFilter",
                 .notes = "sigma is not rounded, the window reaches 3 sigma, and nothing is "
                          "rounded to 8 bits between the passes; rule=gpuimage is GPUImage's");
