#include "measure/moments/moments.h"

#include "device/dispatch.h"

#include <stdio.h>

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
    params = &taken;
    if (!out)
        return lg_fail_null(error, "room for the moments");
    status = lg_scan_init(&scan, image, &params->select, error);
    if (status != LG_OK)
        return status;
    const size_t count = (size_t)(params->stack ? 1 : scan.layers) * (size_t)scan.measured;
    if (capacity < count)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is room for %zu figures; %d channels of %d layers need %zu", capacity,
                       scan.measured, params->stack ? 1 : scan.layers, count);

    lg_moments_state *states = lg_alloc_array(count, sizeof *states);
    lg_moments *figures = lg_alloc_array(count, sizeof *figures);
    if (states && figures)
        status = lg_moments_run(context, &scan, params->stack, states, error);
    else
        status = lg_fail_memory(error, count * (sizeof *states + sizeof *figures), "moments");
    for (size_t i = 0; status == LG_OK && i < count; i++)
        status = lg_moments_finish(&states[i], scan.nan, &figures[i], error);
    if (status == LG_OK)
        memcpy(out, figures, count * sizeof *figures);
    lg_free(states);
    lg_free(figures);
    return status;
}
