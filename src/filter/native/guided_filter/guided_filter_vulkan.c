// The guided filter on a Vulkan device.
#include "filter/native/guided_filter/guided_filter.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_guided_filter_fill[], lg_glsl_guided_filter_sum[],
    lg_glsl_guided_filter_solve[], lg_glsl_guided_filter_finish[];

// Cells in two pieces of memory, which take turns.
typedef struct device_guided {
    lg_device_call *call;
    lg_guided g;
    uint64_t a, b;
} device_guided;

static void run(const device_guided *d, lg_pass pass, uint32_t x, uint32_t y)
{
    pass.span = 4;
    pass.views[0] = &d->call->in[0];
    pass.views[1] = &d->call->out;
    pass.writes[0] = d->a;
    pass.writes[1] = d->b;
    pass.groups[0] = x;
    pass.groups[1] = y;
    pass.groups[2] = 1;
    lg_pass_run(d->call, &pass, "%s", "");
}

static void sum(const device_guided *d, uint64_t from, uint64_t to, int numbers, bool down)
{
    const lg_guided *g = &d->g;
    const lg_pass pass = {LG_PASS_TEXT(guided_filter_sum), .group_x = 64,
                          .words = LG_WORDS(LG_ADDRESS(from), LG_ADDRESS(to), numbers, g->columns,
                                            g->rows, g->radius, down)};
    run(d, pass, lg_native_groups((int64_t)g->columns * numbers, 64), lg_native_groups(g->rows, 4));
}

static void run_layer(const device_guided *d, int32_t z)
{
    const lg_guided *g = &d->g;
    const lg_image_params *s = &d->call->out.shape;
    const uint32_t cells = (uint32_t)g->columns * (uint32_t)g->rows;
    const lg_pass fill = {LG_PASS_TEXT(guided_filter_fill),
                          .words = LG_WORDS(LG_ADDRESS(d->a), g->columns, g->rows, g->side, z)};
    const lg_pass solve = {LG_PASS_TEXT(guided_filter_solve), .group_x = 64, .group_y = 1,
                           .words = LG_WORDS(LG_ADDRESS(d->a), LG_ADDRESS(d->b), cells,
                                             lg_bits(g->inverse_count), lg_bits(g->eps))};
    const lg_pass finish = {LG_PASS_TEXT(guided_filter_finish),
                            .words = LG_WORDS(LG_ADDRESS(d->b), g->columns, g->rows, g->side,
                                              lg_bits(g->inverse_side), lg_bits(g->inverse_count),
                                              z, s->height)};
    run(d, fill, lg_native_groups(g->columns, 32), lg_native_groups(g->rows, 4));
    sum(d, d->a, d->b, LG_GUIDED_NUMBERS, false);
    sum(d, d->b, d->a, LG_GUIDED_NUMBERS, true);
    run(d, solve, lg_native_groups(cells, 64), 1);
    sum(d, d->b, d->a, LG_GUIDED_LINE, false);
    sum(d, d->a, d->b, LG_GUIDED_LINE, true);
    run(d, finish, lg_native_groups(s->width, 4 * 32), lg_native_groups(s->height, 4));
}

void lg_guided_vulkan(lg_device_call *call)
{
    device_guided d = {.call = call};
    call->status =
        lg_guided_describe(call->filter, call->values, &call->in[0].shape, &d.g, call->error);
    const size_t bytes = d.g.numbers * sizeof(float);
    d.a = lg_device_memory(call, bytes);
    d.b = lg_device_memory(call, bytes);
    for (int32_t z = 0; z < call->out.shape.layers && !call->status; z++)
        run_layer(&d, z);
}
