// Kuwahara's smoothing on a Vulkan device: sums along rows, down columns, and the choice, band after band.
#include "filter/native/kuwahara/kuwahara.h"
#include "filter/native/native_vulkan.h"
#include "filter/native/planes.h"

extern const char lg_glsl_kuwahara_sums[], lg_glsl_kuwahara_choose[];

#define BAND_BYTES ((int64_t)256 << 20) // of the sums of a band

typedef struct passes {
    lg_device_call *call;
    int32_t radius, windows, planes;
    bool alpha, whole;
    lg_device_image rows, squares;
} passes;

static lg_status pass(const passes *p, const lg_native_glsl *text, int columns,
                      const lg_device_image *from, const lg_device_image *to, int32_t first,
                      int32_t rows)
{
    lg_device_call *call = p->call;
    const lg_device_image *views[] = {from, to};
    const int border = (int)lg_native_value(call->filter, call->values, "border");
    const int32_t size = p->radius + 1, width = call->out.shape.width;
    const int32_t layers = call->out.shape.layers;
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(call, text, views, 2, &pipeline,
                                              "#define BORDER %d\n#define PLANES %d\n#define ALPHA "
                                              "%d\n#define WHOLE %d\n#define COLUMNS %d\n",
                                              border, p->planes, p->alpha, p->whole, columns == 1);
    const uint32_t words[] = {(uint32_t)layers, (uint32_t)first, (uint32_t)rows,
                              (uint32_t)p->windows, (uint32_t)p->radius};
    const int64_t across = columns == 0   ? (p->windows + size - 1) / size
                           : columns == 1 ? p->windows
                                          : width;
    const int64_t down = columns == 1 ? (rows + size - 1) / size : rows;
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, words, LG_COUNT(words),
                           lg_native_groups(across, (int64_t)text->group_x * text->span),
                           lg_native_groups(down, text->group_y), lg_native_groups(layers, 1));
    return status;
}

static lg_status band(passes *p, int32_t first, int32_t rows)
{
    const lg_native_glsl sums = {.name = "kuwahara_sums",
                                 .text = lg_glsl_kuwahara_sums,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = 5,
                                 .span = 1};
    lg_native_glsl choose = sums;
    choose.name = "kuwahara_choose";
    choose.text = lg_glsl_kuwahara_choose;
    choose.span = LG_MAX(1, 4 / (int)lg_pixel_size(&p->call->out.shape));
    lg_vk_commands *commands = p->call->commands;
    lg_status status =
        pass(p, &sums, 0, &p->call->in[0], &p->rows, first - p->radius, rows + 2 * p->radius);
    lg_vk_barrier(commands);
    if (!status)
        status = pass(p, &sums, 1, &p->rows, &p->squares, 0, rows + p->radius);
    lg_vk_barrier(commands);
    p->call->shares = true;
    if (!status)
        status = pass(p, &choose, 2, &p->squares, &p->call->out, first, rows);
    p->call->shares = false;
    lg_vk_barrier(commands);
    return status;
}

lg_status lg_kuwahara_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_pixels kind = {.channels = s->channels, .type = s->type, .alpha = s->alpha};
    const int32_t radius = (int32_t)lg_native_value(call->filter, call->values, "radius");
    passes p = {.call = call,
                .radius = radius,
                .windows = s->width + radius,
                .planes = lg_plane_count(&kind),
                .alpha = lg_pixels_have_alpha(&kind)};
    p.whole = s->type == LG_U8 && !p.alpha;
    const int64_t size = (int64_t)radius + 1;
    const int64_t row = (int64_t)p.windows * (p.planes + 1) * 8 * s->layers;
    // Whole blocks, so that bands do not change sums.
    const int64_t fit = LG_MAX(BAND_BYTES / row / size, 4) * size;
    const int32_t rows = (int32_t)LG_MIN(fit, s->height);
    lg_image_params shape = lg_native_shape(s, LG_F32, 1, LG_ALPHA_NONE);
    shape.width = p.windows * (p.planes + 1);
    shape.height = rows + 2 * radius;
    lg_status status = lg_device_scratch_image(call, &shape, &p.rows);
    if (!status)
        status = lg_device_scratch_image(call, &shape, &p.squares);
    for (int32_t y = 0; y < s->height && !status; y += rows)
        status = band(&p, y, LG_MIN(rows, s->height - y));
    return status;
}
