// Box blur: the mean over a square window, at a cost that does not grow with it.
#include "filter/native/box_blur/box_blur.h"
#include "filter/native/planes.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 4, 0, 4096,                                                           \
      "a window without width and height has 2 radius + 1 pixels on a side")                       \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_PASSES_PARAMETER(X)                                                                         \
    LG_WIDTH_PARAMETER(X)                                                                          \
    LG_HEIGHT_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, radius)                                                                  \
    X(ALIAS, kernel_size_x, width)                                                                 \
    X(ALIAS, kernel_size_y, height)

LG_ROWS(box_blur)

LG_CPU_DECLARE(lg_box_run_fn, box_bytes);
LG_CPU_DECLARE(lg_box_run_fn, box_integers);
LG_CPU_DECLARE(lg_separable_kernels, box_floats);

// Of the rows under a window, which are read twice: a share of the last-level cache. Long rows come faster
// than short pieces of them.
#define WINDOW_BYTES (4 << 20)

static lg_status run_integers(const lg_native_call *call, lg_border border, lg_window_side down,
                              lg_window_side along)
{
    const lg_pixels in = lg_layer_pixels(call->in[0], 0), out = lg_layer_pixels(call->out, 0);
    const lg_cpu_level level = call->context->cpu_level;
    const int64_t rows = lg_window_size(down), columns = lg_window_size(along);
    lg_box_job job = {.border = border,
                      .radius = down.after,
                      .down = down,
                      .along = along,
                      .past_caches = lg_writes_past_caches(&call->out->shape),
                      .rounded = lg_pixels_same_kind(&in, &out)};
    const double largest = job.rounded ? 1 : in.type == LG_U8 ? 255 : 65535;
    job.scale = (float)(1 / ((double)(rows * columns) * largest));
    const bool bytes = in.type == LG_U8 && in.channels != 2 && rows == columns && rows % 2 == 1 &&
                       down.after <= LG_BOX_BYTES_RADIUS;
    lg_pixel_tiles tiles = {
        .run = bytes ? *LG_CPU_SELECT(box_bytes, level) : *LG_CPU_SELECT(box_integers, level),
        .job = &job,
    };
    // What a tile reaches beyond its sides is small beside it.
    lg_pixel_tiles_cut(&tiles, call, rows, WINDOW_BYTES, 8 * columns, 4 * rows, border);
    tiles.scratch = lg_box_scratch((size_t)tiles.strip, along, in.channels);
    return lg_pixel_tiles_run(call, &tiles);
}

static lg_box_sums sums_of(lg_window_side side)
{
    lg_box_sums sums = {.size = lg_window_size(side)};
    while (sums.size >> (sums.levels + 1))
        sums.levels++;
    return sums;
}

static lg_status run_floats(const lg_native_call *call, lg_border border, lg_window_side down,
                            lg_window_side along)
{
    lg_box_floats f = {.down = sums_of(down), .along = sums_of(along)};
    f.scale = (float)(1 / ((double)f.down.size * f.along.size));
    const lg_separable filter = {.down = down,
                                 .along = along,
                                 .border = border,
                                 .state_rows = lg_box_state_rows(f.down.levels),
                                 .filter = &f,
                                 .kernels = LG_CPU_SELECT(box_floats, call->context->cpu_level)};
    return lg_separable_run(call, &filter);
}

static lg_status box_blur(const lg_native_call *call)
{
    const lg_window_side down = lg_window_side_get(call->filter, call->values, "height");
    const lg_window_side along = lg_window_side_get(call->filter, call->values, "width");
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_pixels in = lg_layer_pixels(call->in[0], 0);
    const bool integers = (in.type == LG_U8 || in.type == LG_U16) && !lg_pixels_have_alpha(&in);
    return integers ? run_integers(call, border, down, along)
                    : run_floats(call, border, down, along);
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    const lg_window_side down = lg_window_side_get(filter, values, "height");
    return lg_row_reach_sides(down.before, down.after);
}

static const lg_native box_blur_native = {.cpu = box_blur,
                                          .vulkan = LG_VULKAN(lg_box_blur_vulkan),
                                          .recorded = "radius width height",
                                          .reach = reach};

LG_NATIVE_FILTER(box_blur, &box_blur_native, 1, .summary = "mean over a square or a rectangle",
                 .formula =
                     "c' = mean of c over height rows, y - floor(height / 2) first, and width "
                     "columns, likewise; where there is alpha, of c a and a",
                 .source = "GPUImageBoxBlurFilter; width and height: aoce",
                 .notes = "the radius is not rounded to an even number; sums of 8-bit and "
                          "16-bit samples are exact. A window of even size reaches one pixel "
                          "further left and up, as in OpenCV");
