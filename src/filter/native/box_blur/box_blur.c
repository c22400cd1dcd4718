// Box blur: the mean over a square window, at a cost that does not grow with it.
#include "filter/native/box_blur/box_blur.h"
#include "filter/native/planes.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 4, 0, 4096, "the window has 2 radius + 1 pixels on a side")           \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_PASSES_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, radius)

LG_ROWS(box_blur)

LG_CPU_DECLARE(lg_box_run_fn, box_bytes);
LG_CPU_DECLARE(lg_box_run_fn, box_integers);
LG_CPU_DECLARE(lg_separable_kernels, box_floats);

// Of the rows under a window, which are read twice: a share of the last-level cache. Long rows come faster
// than short pieces of them.
#define WINDOW_BYTES (4 << 20)

static lg_status run_integers(const lg_native_call *call, lg_border border, int radius)
{
    const lg_pixels in = lg_layer_pixels(call->in[0], 0), out = lg_layer_pixels(call->out, 0);
    const lg_cpu_level level = call->context->cpu_level;
    const double size = 2 * radius + 1;
    lg_box_job job = {border, radius, lg_pixels_same_kind(&in, &out), 0};
    const double largest = job.rounded ? 1 : in.type == LG_U8 ? 255 : 65535;
    job.scale = (float)(1 / (size * size * largest));
    const bool bytes = in.type == LG_U8 && in.channels != 2 && radius <= LG_BOX_BYTES_RADIUS;
    lg_pixel_tiles tiles = {
        .run = bytes ? *LG_CPU_SELECT(box_bytes, level) : *LG_CPU_SELECT(box_integers, level),
        .job = &job,
    };
    // What a tile reaches beyond its sides is small beside it.
    lg_pixel_tiles_cut(&tiles, call, (int64_t)size, WINDOW_BYTES, 8 * (int64_t)size,
                       4 * (int64_t)size, border);
    tiles.scratch = lg_box_scratch((size_t)tiles.strip, radius, in.channels);
    return lg_pixel_tiles_run(call, &tiles);
}

static lg_status run_floats(const lg_native_call *call, lg_border border, int radius)
{
    lg_box_floats f = {.size = 2 * radius + 1};
    while (f.size >> (f.levels + 1))
        f.levels++;
    f.scale = (float)(1 / ((double)f.size * f.size));
    const lg_separable filter = {.radius = radius,
                                 .border = border,
                                 .state_rows = lg_box_state_rows(f.levels),
                                 .filter = &f,
                                 .kernels = LG_CPU_SELECT(box_floats, call->context->cpu_level)};
    return lg_separable_run(call, &filter);
}

static lg_status box_blur(const lg_native_call *call)
{
    const int radius = (int)lg_native_value(call->filter, call->values, "radius");
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_pixels in = lg_layer_pixels(call->in[0], 0);
    const bool integers = (in.type == LG_U8 || in.type == LG_U16) && !lg_pixels_have_alpha(&in);
    return integers ? run_integers(call, border, radius) : run_floats(call, border, radius);
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of((int64_t)lg_native_value(filter, values, "radius"));
}

static const lg_native box_blur_native = {
    .cpu = box_blur, .vulkan = LG_VULKAN(lg_box_blur_vulkan), .recorded = "radius", .reach = reach};

LG_NATIVE_FILTER(box_blur, &box_blur_native, 1, .summary = "mean over a square",
                 .formula = "c' = mean of c over 2 radius + 1 rows and columns; where there is "
                            "alpha, of c a and a",
                 .source = "GPUImageBoxBlurFilter",
                 .notes = "the radius is not rounded to an even number; sums of 8-bit and "
                          "16-bit samples are exact");
