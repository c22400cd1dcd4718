// The bilateral grid on a Vulkan device: sums with their levels blurred, blurring along y and x, looking up.
#include "filter/native/bilateral/bilateral_device.h"
#include "filter/native/bilateral/bilateral_grid.h"
#include "filter/native/bilateral/bilateral_grid_math.h"

#include <stdio.h>

extern const char lg_glsl_bilateral_grid_sum[], lg_glsl_bilateral_grid_bytes[],
    lg_glsl_bilateral_grid_blur[], lg_glsl_bilateral_grid_look[];

#define SUM_THREADS  128 // at most
#define COUNT_COPIES 4
#define COUNT_BYTES  8192 // that copies of counts may take
#define LOOK_X       16
#define LOOK_Y       8
#define BLUR_THREADS 256

typedef struct device_grid {
    lg_device_call *call;
    lg_bilateral_grid g;
    uint64_t cells, blurred;
    int capacity, copies; // levels and copies of them in shared memory
    char lines[LG_BILATERAL_LINES + 40], sum_lines[LG_BILATERAL_LINES + 100];
} device_grid;

static void run(const device_grid *d, lg_pass pass, uint32_t x, uint32_t y, const char *lines)
{
    pass.views[0] = &d->call->in[0];
    pass.views[1] = &d->call->out;
    pass.writes[0] = d->cells;
    pass.writes[1] = d->blurred;
    pass.groups[0] = x;
    pass.groups[1] = y;
    pass.groups[2] = 1;
    lg_pass_run(d->call, &pass, "%s", lines);
}

static void choose_memory(device_grid *d)
{
    const lg_bilateral_grid *g = &d->g;
    int capacity = 32, copies = COUNT_COPIES;
    while (capacity < g->levels)
        capacity *= 2;
    capacity = LG_MIN(capacity, LG_MAX(1024, g->levels)); // the last texts are for one number each
    const size_t level = (size_t)g->values * sizeof(float);
    while (copies > 1 && (size_t)capacity * (size_t)copies * level > COUNT_BYTES)
        copies /= 2;
    const size_t staged = g->kind.bytes
                              ? (size_t)capacity * (size_t)copies * level
                              : (size_t)(LG_BILATERAL_GRID_TILE * LG_BILATERAL_GRID_TILE) *
                                    (size_t)(g->kind.planes + 2) * sizeof(float);
    const size_t shared = (size_t)(capacity + 4) * level + staged;
    const uint32_t max = lg_vk_get_limits(d->call->context->vk)->shared_memory;
    if (shared > max)
        d->call->status = lg_fail(d->call->error, LG_ERROR_UNSUPPORTED,
                                  "bilateral: the levels of a cell take %zu bytes; workgroups have "
                                  "%u",
                                  shared, max);
    d->capacity = capacity;
    d->copies = copies;
}

static void write_lines(device_grid *d)
{
    char lines[LG_BILATERAL_LINES];
    lg_bilateral_lines(d->call, &d->g.kind, lines);
    snprintf(d->lines, sizeof d->lines, "%s#define GREY %d\n#define BITS %d\n", lines, d->g.grey,
             d->g.bits);
    snprintf(d->sum_lines, sizeof d->sum_lines, "%s#define CAPACITY %d\n#define COPIES %d\n",
             d->lines, d->capacity, d->copies);
}

static void blur(const device_grid *d, uint64_t from, uint64_t to, bool along_x)
{
    const lg_bilateral_grid *g = &d->g;
    const uint32_t size = (uint32_t)g->row, column = (uint32_t)(g->levels * g->values);
    const lg_pass pass = {LG_PASS_TEXT(bilateral_grid_blur), .group_x = BLUR_THREADS, .group_y = 1,
                          .words = LG_WORDS(LG_ADDRESS(from), LG_ADDRESS(to), size, g->rows,
                                            along_x ? column : size, 2, along_x ? 2 * column : 0,
                                            lg_bits(g->space[0]), lg_bits(g->space[1]),
                                            lg_bits(g->space[2]))};
    run(d, pass, lg_native_groups(size, BLUR_THREADS), lg_native_groups(g->rows - 4, 1), "");
}

static void run_layer(const device_grid *d, int32_t z)
{
    const lg_bilateral_grid *g = &d->g;
    const lg_image_params *s = &d->call->out.shape;
    const bool bytes = g->kind.bytes;
    const lg_pass sum = {.name = bytes ? "bilateral_grid_bytes" : "bilateral_grid_sum",
                         .text = bytes ? lg_glsl_bilateral_grid_bytes : lg_glsl_bilateral_grid_sum,
                         .group_x = !bytes                      ? LG_MIN(d->capacity, SUM_THREADS)
                                    : g->cell * g->cell <= 1024 ? 64
                                                                : 128,
                         .group_y = 1,
                         .span = 4,
                         .shared = lg_glsl_bilateral_pixels,
                         .words = LG_WORDS(LG_ADDRESS(d->cells), g->columns, g->rows, g->levels,
                                           g->cell, lg_bits(g->per_level), lg_bits(g->inverse), z)};
    const lg_pass look = {LG_PASS_TEXT(bilateral_grid_look),
                          .group_x = LOOK_X,
                          .group_y = LOOK_Y,
                          .span = 4,
                          .shared = lg_glsl_bilateral_pixels,
                          .words =
                              LG_WORDS(LG_ADDRESS(d->cells), g->columns, g->levels, g->cell,
                                       lg_bits(g->per_level), lg_bits(g->inverse), z, s->height)};
    run(d, sum, lg_native_groups(g->columns, 1), lg_native_groups(g->rows, 1), d->sum_lines);
    blur(d, d->cells, d->blurred, false);
    blur(d, d->blurred, d->cells, true);
    run(d, look, lg_native_groups(s->width, 4 * LOOK_X), lg_native_groups(s->height, LOOK_Y),
        d->lines);
}

void lg_bilateral_grid_vulkan(lg_device_call *call)
{
    const lg_pixels in = lg_bilateral_device_pixels(&call->in[0]);
    const lg_pixels out = lg_bilateral_device_pixels(&call->out);
    device_grid d = {.call = call};
    call->status =
        lg_bilateral_grid_describe(call->filter, call->values, &in, &out, &d.g, call->error);
    if (call->status)
        return;
    const size_t bytes = d.g.row * (size_t)d.g.rows * sizeof(float);
    choose_memory(&d);
    write_lines(&d);
    d.cells = lg_device_memory(call, bytes);
    d.blurred = lg_device_memory(call, bytes);
    for (int32_t z = 0; z < call->out.shape.layers && !call->status; z++)
        run_layer(&d, z);
}
