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

enum { ROWS_OF_SUMS, COLUMNS_OF_SUMS, CHOICE };

static void run(const passes *p, int kind, const lg_device_image *from, const lg_device_image *to,
                int32_t first, int32_t rows)
{
    lg_device_call *call = p->call;
    const int border = (int)lg_native_value(call->filter, call->values, "border");
    const int32_t size = p->radius + 1;
    const lg_image_params *s = &call->out.shape;
    const int span = kind == CHOICE ? LG_MAX(1, 4 / (int)lg_pixel_size(s)) : 1;
    const int64_t across = kind == ROWS_OF_SUMS      ? (p->windows + size - 1) / size
                           : kind == COLUMNS_OF_SUMS ? p->windows
                                                     : s->width;
    const int64_t down = kind == COLUMNS_OF_SUMS ? (rows + size - 1) / size : rows;
    const lg_pass pass = {.name = kind == CHOICE ? "kuwahara_choose" : "kuwahara_sums",
                          .text = kind == CHOICE ? lg_glsl_kuwahara_choose : lg_glsl_kuwahara_sums,
                          .span = span,
                          .views = {from, to},
                          .words = LG_WORDS(s->layers, first, rows, p->windows, p->radius),
                          .groups = {lg_native_groups(across, (int64_t)32 * span),
                                     lg_native_groups(down, 4), lg_native_groups(s->layers, 1)}};
    lg_pass_run(call, &pass,
                "#define BORDER %d\n#define PLANES %d\n#define ALPHA %d\n#define WHOLE %d\n"
                "#define COLUMNS %d\n",
                border, p->planes, p->alpha, p->whole, kind == COLUMNS_OF_SUMS);
}

static void band(const passes *p, int32_t first, int32_t rows)
{
    run(p, ROWS_OF_SUMS, &p->call->in[0], &p->rows, first - p->radius, rows + 2 * p->radius);
    run(p, COLUMNS_OF_SUMS, &p->rows, &p->squares, 0, rows + p->radius);
    run(p, CHOICE, &p->squares, &p->call->out, first, rows);
}

void lg_kuwahara_vulkan(lg_device_call *call)
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
    p.rows = lg_device_scratch_image(call, &shape);
    p.squares = lg_device_scratch_image(call, &shape);
    for (int32_t y = 0; y < s->height && !call->status; y += rows)
        band(&p, y, LG_MIN(rows, s->height - y));
}
