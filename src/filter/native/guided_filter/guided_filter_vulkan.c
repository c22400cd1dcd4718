// The guided filter on a Vulkan device.
#include "filter/native/guided_filter/guided_filter.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_guided_filter_fill[], lg_glsl_guided_filter_sum[],
    lg_glsl_guided_filter_solve[], lg_glsl_guided_filter_finish[];

typedef struct device_guided {
    lg_device_call *call;
    lg_guided g;
    uint64_t a, b; // addresses of cells
    const lg_vk_pipeline *fill, *sum, *solve, *finish;
} device_guided;

static lg_status make_kernel(const device_guided *d, const char *name, const char *text, int x,
                             int y, int extra, int span, const lg_vk_pipeline **out)
{
    const lg_device_image *views[] = {&d->call->in[0], &d->call->out};
    const lg_native_glsl kernel = {
        .name = name, .text = text, .group_x = x, .group_y = y, .extra = extra, .span = span};
    return lg_native_kernel(d->call, &kernel, views, 2, out, "%s", "");
}

static lg_status prepare(device_guided *d)
{
    const size_t bytes = d->g.numbers * sizeof(float);
    lg_vk_buffer *a, *b;
    lg_status status =
        make_kernel(d, "guided_filter_fill", lg_glsl_guided_filter_fill, 32, 4, 6, 4, &d->fill);
    if (!status)
        status =
            make_kernel(d, "guided_filter_sum", lg_glsl_guided_filter_sum, 64, 4, 9, 4, &d->sum);
    if (!status)
        status = make_kernel(d, "guided_filter_solve", lg_glsl_guided_filter_solve, 64, 1, 7, 4,
                             &d->solve);
    if (!status)
        status = make_kernel(d, "guided_filter_finish", lg_glsl_guided_filter_finish, 32, 4, 9, 4,
                             &d->finish);
    if (!status)
        status = lg_device_scratch(d->call, bytes, &a);
    if (!status)
        status = lg_device_scratch(d->call, bytes, &b);
    if (!status) {
        d->a = a->address;
        d->b = b->address;
    }
    return status;
}

static void record(const device_guided *d, const lg_vk_pipeline *pipeline, const uint32_t *words,
                   int count, uint32_t x, uint32_t y)
{
    const lg_device_image *views[] = {&d->call->in[0], &d->call->out};
    lg_vk_writes(d->call->commands, d->a, 0);
    lg_vk_writes(d->call->commands, d->b, 0);
    lg_device_dispatch(d->call, pipeline, views, 2, words, count, x, y, 1);
    lg_vk_barrier(d->call->commands);
}

static void sum(const device_guided *d, uint64_t from, uint64_t to, int numbers, bool down)
{
    const lg_guided *g = &d->g;
    const uint32_t words[] = {(uint32_t)from,       (uint32_t)(from >> 32), (uint32_t)to,
                              (uint32_t)(to >> 32), (uint32_t)numbers,      (uint32_t)g->columns,
                              (uint32_t)g->rows,    (uint32_t)g->radius,    down};
    record(d, d->sum, words, 9, lg_native_groups((int64_t)g->columns * numbers, 64),
           lg_native_groups(g->rows, 4));
}

static void run_layer(const device_guided *d, uint32_t z)
{
    const lg_guided *g = &d->g;
    const lg_image_params *s = &d->call->out.shape;
    const uint32_t cells = (uint32_t)g->columns * (uint32_t)g->rows;
    const uint32_t fill[] = {(uint32_t)d->a,    (uint32_t)(d->a >> 32), (uint32_t)g->columns,
                             (uint32_t)g->rows, (uint32_t)g->side,      z};
    record(d, d->fill, fill, 6, lg_native_groups(g->columns, 32), lg_native_groups(g->rows, 4));
    sum(d, d->a, d->b, LG_GUIDED_NUMBERS, false);
    sum(d, d->b, d->a, LG_GUIDED_NUMBERS, true);
    const uint32_t solve[] = {
        (uint32_t)d->a, (uint32_t)(d->a >> 32),    (uint32_t)d->b, (uint32_t)(d->b >> 32),
        cells,          lg_bits(g->inverse_count), lg_bits(g->eps)};
    record(d, d->solve, solve, 7, lg_native_groups(cells, 64), 1);
    sum(d, d->b, d->a, LG_GUIDED_LINE, false);
    sum(d, d->a, d->b, LG_GUIDED_LINE, true);
    const uint32_t finish[] = {
        (uint32_t)d->b,     (uint32_t)(d->b >> 32),   (uint32_t)g->columns,      (uint32_t)g->rows,
        (uint32_t)g->side,  lg_bits(g->inverse_side), lg_bits(g->inverse_count), z,
        (uint32_t)s->height};
    record(d, d->finish, finish, 9, lg_native_groups(s->width, 4 * 32),
           lg_native_groups(s->height, 4));
}

lg_status lg_guided_vulkan(lg_device_call *call)
{
    device_guided d = {.call = call};
    lg_status status =
        lg_guided_describe(call->filter, call->values, &call->in[0].shape, &d.g, call->error);
    if (!status)
        status = prepare(&d);
    for (int32_t z = 0; z < call->out.shape.layers && !status; z++)
        run_layer(&d, (uint32_t)z);
    return status;
}
