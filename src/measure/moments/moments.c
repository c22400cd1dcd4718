#include "measure/moments/moments.h"

#include "core/pixel_planes.h"
#include "device/dispatch.h"
#include "engine/tile.h"

#include "measure/moments/moments_kernels.h"

#include <stdio.h>
#include <string.h>

LG_CPU_DECLARE(lg_moments_integer_table, moments_integer);

lg_moments_state lg_moments_state_empty(lg_type type)
{
    lg_moments_state state = {.integer = type == LG_U8 || type == LG_U16};
    if (state.integer)
        state.integers.min = UINT32_MAX;
    else
        state.floats = lg_float_sums_empty();
    return state;
}

void lg_moments_state_merge(lg_moments_state *into, const lg_moments_state *more)
{
    if (!into->integer) {
        lg_float_sums_merge(&into->floats, &more->floats);
        return;
    }
    lg_integer_moments *a = &into->integers;
    const lg_integer_moments *b = &more->integers;
    a->n += b->n;
    a->sum += b->sum;
    a->squares += b->squares;
    a->min = LG_MIN(a->min, b->min);
    a->max = LG_MAX(a->max, b->max);
}

typedef struct task {
    const lg_scan *scan;
    bool stack;
    lg_moments_state *out;
} task;

#ifdef LG_HAVE_VULKAN
static lg_status moments_on_device(lg_context *context, void *arg, lg_error *error)
{
    const task *t = arg;
    return lg_moments_vulkan(context, t->scan, t->stack, t->out, error);
}
#endif

static lg_status moments_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const task *t = arg;
    lg_host_view view;
    lg_scan scan = *t->scan;
    const double start = lg_time_seconds();
    lg_status status = lg_host_view_open(scan.image, &view, error);
    if (status)
        return status;
    scan.image = &view.image.image;
    status = lg_moments_cpu(context, &scan, t->stack, t->out, error);
    lg_host_view_close(&view);
    context->report.compute = lg_time_seconds() - start;
    snprintf(context->report.variant, sizeof context->report.variant, "cpu-%s",
             lg_cpu_level_name(context->cpu_level));
    return status;
}

lg_status lg_moments_run(lg_context *context, const lg_scan *scan, bool stack,
                         lg_moments_state *out, lg_error *error)
{
    static const lg_backend_row row = {"moments", LG_VULKAN(moments_on_device), moments_on_cpu};
    task t = {scan, stack, out};
    return lg_dispatch(context, &row, &t, error);
}

// Of all pixels of the scan.
static lg_status measure(lg_context *context, const lg_scan *scan, const lg_moments_params *params,
                         lg_moments *out, size_t capacity, lg_error *error)
{
    const size_t count = (size_t)(params->stack ? 1 : scan->layers) * (size_t)scan->measured;
    if (capacity < count)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is room for %zu figures; %d channels of %d layers need %zu", capacity,
                       scan->measured, params->stack ? 1 : scan->layers, count);

    lg_status status = LG_OK;
    lg_moments_state *states = lg_alloc_array(count, sizeof *states);
    lg_moments *figures = lg_alloc_array(count, sizeof *figures);
    if (states && figures)
        status = lg_moments_run(context, scan, params->stack, states, error);
    else
        status = lg_fail_memory(error, count * (sizeof *states + sizeof *figures), "moments");
    for (size_t i = 0; status == LG_OK && i < count; i++)
        status = lg_moments_finish(&states[i], scan->nan, &figures[i], error);
    if (status == LG_OK)
        memcpy(out, figures, count * sizeof *figures);
    lg_free(states);
    lg_free(figures);
    return status;
}

// ---- colours of planes ----------------------------------------------------------------------------

typedef struct coloring {
    lg_planar planar;
    lg_image_private colors; // without pixels where they are only measured
    void (*read)(const lg_planar *planes, int32_t x, int32_t y, int count, void *out);
} coloring;

static lg_status color_rows(void *arg, const lg_tile *t)
{
    const coloring *c = arg;
    const lg_image *image = &c->colors.image;
    const size_t pixel = lg_pixel_size(&image->shape);
    for (int64_t y = t->y; y < t->y_end; y++)
        for (int32_t x = 0; x < image->shape.width; x += LG_PLANAR_SPAN)
            c->read(&c->planar, x, (int32_t)y, LG_MIN(LG_PLANAR_SPAN, image->shape.width - x),
                    (char *)image->data + (size_t)y * image->shape.row_stride + (size_t)x * pixel);
    return LG_OK;
}

// A device, and whoever leaves pixels out, gets an image of the colours.
static lg_status measure_image(lg_context *context, coloring *c, const lg_moments_params *params,
                               lg_moments *out, size_t capacity, lg_error *error)
{
    lg_image *image = NULL;
    const lg_tiling tiling = {.height = c->colors.image.shape.height,
                              .band = 64,
                              .what = "colours of planes",
                              .run = color_rows,
                              .job = c};
    lg_status status = lg_image_create_uninit(context, &c->colors.image.shape, &image, error);
    if (status)
        return status;
    c->colors.image = *image;
    status = lg_tiling_run(context->pool, &tiling, error);
    if (!status)
        status = lg_measure_moments(context, image, params, out, capacity, error);
    lg_image_destroy(&image);
    return status;
}

static lg_status measure_planes(lg_context *context, const lg_image *image,
                                const lg_moments_params *params, lg_moments *out, size_t capacity,
                                lg_error *error)
{
    const lg_select *select = &params->select;
    const lg_image_private *from = (const lg_image_private *)image;
    void *data[LG_MAX_PLANES] = {NULL};
    size_t rows[LG_MAX_PLANES] = {0};
    for (int i = 0; i < lg_planes_count(image->shape.planes); i++) {
        data[i] = from->plane[i]->image.data;
        rows[i] = from->plane[i]->image.shape.row_stride;
        if (!data[i])
            return lg_fail(
                error, LG_ERROR_ARGUMENT,
                "the image has no host pixels; download it before measuring its colours");
    }
    coloring c = {.colors = {.image = {.shape = image->shape, .data = data[0]}}};
    c.colors.image.shape.planes = NULL;
    c.planar = lg_planar_of(image->shape.planes, image->shape.width, image->shape.height, data,
                            rows, image->shape.type);
    c.read = LG_CPU_SELECT(moments_integer, context->cpu_level)->colors;
    if (context->attached || select->region || select->mask || select->step != 1)
        return measure_image(context, &c, params, out, capacity, error);
    lg_scan scan;
    const lg_status status = lg_scan_init(&scan, &c.colors.image, select, error);
    scan.planar = &c.planar;
    return status ? status : measure(context, &scan, params, out, capacity, error);
}

lg_status lg_measure_moments(lg_context *context, const lg_image *image,
                             const lg_moments_params *params, lg_moments *out, size_t capacity,
                             lg_error *error)
{
    lg_moments_params taken = lg_moments_params_default();
    lg_scan scan;
    lg_status status = lg_context_check(context, error);
    if (!status)
        status = lg_params_take(params, &LG_PARAMS_TYPE(lg_moments_params, stack), &taken, error);
    if (status)
        return status;
    if (!out)
        return lg_fail_null(error, "room for the moments");
    if (image && image->shape.planes)
        return measure_planes(context, image, &taken, out, capacity, error);
    status = lg_scan_init(&scan, image, &taken.select, error);
    return status ? status : measure(context, &scan, &taken, out, capacity, error);
}
