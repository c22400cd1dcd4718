// The bilateral grid on a Vulkan device: sums with their levels blurred, blurring along y and x, looking up.
#include "filter/native/bilateral/bilateral_device.h"
#include "filter/native/bilateral/bilateral_grid.h"
#include "filter/native/bilateral/bilateral_grid_math.h"

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
    uint64_t cells, blurred; // addresses
    const lg_vk_pipeline *sum, *blur, *look_up;
} device_grid;

static lg_status make_sum(device_grid *d, const char *lines)
{
    const lg_bilateral_grid *g = &d->g;
    const lg_device_image *views[] = {&d->call->in[0], &d->call->out};
    const bool bytes = g->kind.bytes;
    int capacity = 32, copies = COUNT_COPIES;
    while (capacity < g->levels)
        capacity *= 2;
    capacity = LG_MIN(capacity, LG_MAX(1024, g->levels)); // the last texts are for one number each
    const size_t level = (size_t)g->values * sizeof(float);
    while (copies > 1 && (size_t)capacity * (size_t)copies * level > COUNT_BYTES)
        copies /= 2;
    const size_t staged = bytes ? (size_t)capacity * (size_t)copies * level
                                : (size_t)(LG_BILATERAL_GRID_TILE * LG_BILATERAL_GRID_TILE) *
                                      (size_t)(g->kind.planes + 2) * sizeof(float);
    const size_t shared = (size_t)(capacity + 4) * level + staged;
    const uint32_t max = lg_vk_get_limits(d->call->context->vk)->shared_memory;
    if (shared > max)
        return lg_fail(d->call->error, LG_ERROR_UNSUPPORTED,
                       "bilateral: the levels of a cell take %zu bytes; workgroups have %u", shared,
                       max);
    const int pixels = g->cell * g->cell;
    const lg_native_glsl text = {
        .name = bytes ? "bilateral_grid_bytes" : "bilateral_grid_sum",
        .text = bytes ? lg_glsl_bilateral_grid_bytes : lg_glsl_bilateral_grid_sum,
        .group_x = bytes ? (pixels <= 1024 ? 64 : 128) : LG_MIN(capacity, SUM_THREADS),
        .group_y = 1,
        .extra = 9,
        .span = 4,
        .shared = lg_glsl_bilateral_pixels};
    return lg_native_kernel(
        d->call, &text, views, 2, &d->sum,
        "%s#define CAPACITY %d\n#define COPIES %d\n#define GREY %d\n#define BITS %d\n", lines,
        capacity, copies, g->grey, g->bits);
}

static lg_status make_kernels(device_grid *d)
{
    const lg_bilateral_grid *g = &d->g;
    const lg_device_image *views[] = {&d->call->in[0], &d->call->out};
    char lines[LG_BILATERAL_LINES];
    lg_bilateral_lines(d->call, &g->kind, lines);
    lg_status status = make_sum(d, lines);
    lg_native_glsl text = {.name = "bilateral_grid_blur",
                           .text = lg_glsl_bilateral_grid_blur,
                           .group_x = BLUR_THREADS,
                           .group_y = 1,
                           .extra = 12};
    if (!status)
        status = lg_native_kernel(d->call, &text, views, 2, &d->blur, "%s", "");
    text = (lg_native_glsl){.name = "bilateral_grid_look",
                            .text = lg_glsl_bilateral_grid_look,
                            .group_x = LOOK_X,
                            .group_y = LOOK_Y,
                            .extra = 9,
                            .span = 4,
                            .shared = lg_glsl_bilateral_pixels};
    if (!status)
        status = lg_native_kernel(d->call, &text, views, 2, &d->look_up,
                                  "%s#define GREY %d\n#define BITS %d\n", lines, g->grey, g->bits);
    return status;
}

static lg_status make_cells(device_grid *d)
{
    const size_t bytes = d->g.row * (size_t)d->g.rows * sizeof(float);
    lg_vk_buffer *cells, *blurred;
    lg_status status = lg_device_scratch(d->call, bytes, &cells);
    if (!status)
        status = lg_device_scratch(d->call, bytes, &blurred);
    if (!status) {
        d->cells = cells->address;
        d->blurred = blurred->address;
    }
    return status;
}

static void record(const device_grid *d, const lg_vk_pipeline *pipeline, const uint32_t *words,
                   int count, uint32_t x, uint32_t y)
{
    const lg_device_image *views[] = {&d->call->in[0], &d->call->out};
    lg_vk_writes(d->call->commands, d->cells, 0);
    lg_vk_writes(d->call->commands, d->blurred, 0);
    lg_device_dispatch(d->call, pipeline, views, 2, words, count, x, y, 1);
    lg_vk_barrier(d->call->commands);
}

static void blur(const device_grid *d, uint64_t from, uint64_t to, bool along_x)
{
    const lg_bilateral_grid *g = &d->g;
    const uint32_t size = (uint32_t)g->row, column = (uint32_t)(g->levels * g->values);
    const uint32_t words[] = {(uint32_t)from,
                              (uint32_t)(from >> 32),
                              (uint32_t)to,
                              (uint32_t)(to >> 32),
                              size,
                              (uint32_t)g->rows,
                              along_x ? column : size,
                              2,
                              along_x ? 2 * column : 0,
                              lg_bits(g->space[0]),
                              lg_bits(g->space[1]),
                              lg_bits(g->space[2])};
    record(d, d->blur, words, 12, lg_native_groups(size, BLUR_THREADS),
           lg_native_groups(g->rows - 4, 1));
}

static void run_layer(const device_grid *d, uint32_t z)
{
    const lg_bilateral_grid *g = &d->g;
    const lg_image_params *s = &d->call->out.shape;
    const uint32_t sum[] = {(uint32_t)d->cells,    (uint32_t)(d->cells >> 32), (uint32_t)g->columns,
                            (uint32_t)g->rows,     (uint32_t)g->levels,        (uint32_t)g->cell,
                            lg_bits(g->per_level), lg_bits(g->inverse),        z};
    record(d, d->sum, sum, 9, lg_native_groups(g->columns, 1), lg_native_groups(g->rows, 1));
    blur(d, d->cells, d->blurred, false);
    blur(d, d->blurred, d->cells, true);
    const uint32_t look[] = {
        (uint32_t)d->cells, (uint32_t)(d->cells >> 32), (uint32_t)g->columns, (uint32_t)g->levels,
        (uint32_t)g->cell,  lg_bits(g->per_level),      lg_bits(g->inverse),  z,
        (uint32_t)s->height};
    record(d, d->look_up, look, 9, lg_native_groups(s->width, 4 * LOOK_X),
           lg_native_groups(s->height, LOOK_Y));
}

lg_status lg_bilateral_grid_vulkan(lg_device_call *call)
{
    const lg_pixels in = lg_bilateral_device_pixels(&call->in[0]);
    const lg_pixels out = lg_bilateral_device_pixels(&call->out);
    device_grid d = {.call = call};
    lg_status status =
        lg_bilateral_grid_describe(call->filter, call->values, &in, &out, &d.g, call->error);
    if (!status)
        status = make_kernels(&d);
    if (!status)
        status = make_cells(&d);
    for (int32_t z = 0; z < call->out.shape.layers && !status; z++)
        run_layer(&d, (uint32_t)z);
    return status;
}
