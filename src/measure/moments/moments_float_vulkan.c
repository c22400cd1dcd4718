// Moments of f16 and f32 on a device.
#include "measure/moments/moments_push.h"
#include "measure/moments/moments_record.h"

extern const lg_spirv lg_spirv_moments_float, lg_spirv_moments_float_words,
    lg_spirv_moments_float_any, lg_spirv_moments_float_any_words;

#define SEGMENT_SPANS   2
#define FLOATS_PER_LANE (1 << 16) // so that 64-bit sums cannot wrap: samples have 46 bits
#define FLOAT_GROUPS    16384     // at most: totals have 32 bits for a digit, and a group adds 18

// Rows of adjacent samples. A lane loads `samples` of them before it adds them up, and the registers that
// takes are for `per_unit` workgroups: docs/notes/moments.md.
typedef struct float_shape {
    uint32_t group, samples, per_unit;
} float_shape;

typedef struct float_kernel {
    const lg_vk_pipeline *pipeline;
    float_shape shape;
    uint32_t span; // samples that a workgroup loads before it adds them up
} float_kernel;

#define LARGE_IMAGE (1 << 22) // samples

static float_shape choose_shape(const lg_vk_limits *limits, const lg_moments_floats_push *push,
                                bool vectors, bool half)
{
    const float_shape large = {512, 32, 2}, small = {256, 8, 6};
    const uint64_t all = (uint64_t)push->rows * push->samples;
    const uint32_t span = large.group * large.samples;
    // What is behind a row's last whole span costs as much as a span.
    const bool long_rows = push->rows == 1 || push->samples >= 8 * span;
    float_shape shape = all >= LARGE_IMAGE && long_rows ? large : small;
    if (limits->short_kernels)
        shape.samples = !vectors ? 1 : half ? 8 : 4;
    shape.group = LG_MIN(shape.group, limits->max_workgroup_size);
    return shape;
}

static lg_status rows_kernel(lg_context *context, const lg_scan *scan,
                             const lg_moments_floats_push *push, float_kernel *out, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const lg_spirv *module =
        limits->int64 ? &lg_spirv_moments_float : &lg_spirv_moments_float_words;
    const uint64_t places = push->data | (push->rows > 1 ? push->row_stride : 0) |
                            (scan->layers > 1 ? push->layer_stride : 0);
    const uint64_t masks = push->mask | (push->rows > 1 ? push->mask_row_stride : 0) |
                           (scan->layers > 1 ? push->mask_layer_stride : 0);
    const bool half = scan->type == LG_F16;
    const bool vectors = scan->channels == 1 && places % 16 == 0 && masks % 4 == 0;
    out->shape = choose_shape(limits, push, vectors, half);
    out->span = out->shape.group * out->shape.samples;
    const uint32_t constants[] = {
        out->shape.group, (uint32_t)scan->channels, half,           out->shape.samples,
        vectors,          limits->nan_preserve,     push->mask != 0};
    return lg_vk_pipeline_get(context->vk, module, constants, LG_COUNT(constants), 0,
                              &out->pipeline, error);
}

// Workgroups of a layer: enough to fill the device, and so many that no lane takes too many of `samples`.
static uint32_t float_groups(const lg_context *context, const lg_scan *scan, uint64_t pieces,
                             uint32_t per_unit, uint64_t samples, uint32_t group)
{
    const uint32_t layers = (uint32_t)scan->layers;
    const uint32_t filling = lg_device_groups(context, pieces * layers, per_unit) / layers;
    const uint64_t least = samples / ((uint64_t)group * FLOATS_PER_LANE / 2) + 1;
    return LG_MIN(LG_MAX(filling, (uint32_t)least), FLOAT_GROUPS);
}

// Rows that follow each other without a gap become one.
static void join_rows(lg_moments_floats_push *push, const lg_scan *scan)
{
    const uint64_t all = (uint64_t)push->rows * push->samples;
    const bool masks = !push->mask || push->mask_row_stride == (uint64_t)scan->width;
    if (push->row_stride == push->samples * lg_type_size(scan->type) && masks && all <= INT32_MAX) {
        push->samples = (uint32_t)all;
        push->rows = 1;
    }
}

lg_status lg_moments_record_float_rows(lg_context *context, const lg_scan *scan,
                                       const lg_device_view *view, const lg_device_walk *walk,
                                       const lg_device_totals *totals, lg_vk_commands *commands,
                                       lg_error *error)
{
    const uint64_t pixels = (uint64_t)scan->width * (uint64_t)scan->height;
    const uint64_t samples = pixels * (uint64_t)scan->channels;
    lg_moments_floats_push push = {.data = view->first,
                                   .layer_stride = view->layer_stride,
                                   .row_stride = (uint32_t)view->row_stride,
                                   .rows = (uint32_t)scan->height,
                                   .samples = (uint32_t)(scan->width * scan->channels),
                                   .totals = *totals,
                                   .mask = walk->mask,
                                   .mask_row_stride = walk->mask_row_stride,
                                   .mask_layer_stride = walk->mask_layer_stride};
    join_rows(&push, scan);
    float_kernel kernel;
    const lg_status status = rows_kernel(context, scan, &push, &kernel, error);
    if (status)
        return status;
    // Segments are short, so that all workgroups read near each other: pages of memory that are far apart
    // cost more than their samples.
    push.part = kernel.span * SEGMENT_SPANS;
    push.segments = (push.samples - 1) / push.part + 1;
    const uint32_t groups = float_groups(context, scan, (uint64_t)push.rows * push.segments,
                                         kernel.shape.per_unit, samples, kernel.shape.group);
    lg_device_walk_reads(commands, walk);
    lg_device_totals_adds(commands, totals);
    lg_vk_dispatch(commands, kernel.pipeline, &push, sizeof push, groups, (uint32_t)scan->layers,
                   1);
    return LG_OK;
}

lg_status lg_moments_record_float_pixels(lg_context *context, const lg_scan *scan,
                                         const lg_device_walk *walk, const lg_device_totals *totals,
                                         lg_vk_commands *commands, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const lg_spirv *module =
        limits->int64 ? &lg_spirv_moments_float_any : &lg_spirv_moments_float_any_words;
    const uint32_t group = LG_MIN(256u, limits->max_workgroup_size);
    const uint32_t constants[] = {group, (uint32_t)scan->channels, scan->type == LG_F16};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_vk_pipeline_get(context->vk, module, constants, LG_COUNT(constants),
                                                0, &pipeline, error);
    if (status)
        return status;
    const uint64_t pixels = (uint64_t)scan->width * (uint64_t)scan->height;
    const lg_moments_any_push push = {*walk, *totals};
    lg_device_walk_reads(commands, walk);
    lg_device_totals_adds(commands, totals);
    lg_vk_dispatch(commands, pipeline, &push, sizeof push,
                   float_groups(context, scan, pixels / group + 1, 16,
                                pixels * (uint64_t)scan->channels, group),
                   (uint32_t)scan->layers, 1);
    return LG_OK;
}

static uint64_t carry_count(const uint32_t *digits)
{
    return digits[0] + ((uint64_t)digits[1] << 16);
}

lg_moments_state lg_moments_float_state(const lg_float_tally *t)
{
    lg_float_sums r = lg_float_sums_empty();
    r.nans = carry_count(t->nan);
    r.pinfs = carry_count(t->positive);
    r.ninfs = carry_count(t->negative);
    r.n = carry_count(t->count) - r.nans - r.pinfs - r.ninfs;
    if (r.n > 0) {
        r.min = lg_key_float(~t->low);
        r.max = lg_key_float(t->high);
    }
    for (int i = 0; i < LG_SUM_DIGITS; i++)
        lg_float_sums_add(&r, (int64_t)t->plus[i] - (int64_t)t->minus[i], LG_SUM_UNIT + 16 * i);
    for (int i = 0; i < LG_SQUARES_DIGITS; i++)
        lg_float_sums_add_squares(&r, t->squares[i], LG_SQUARES_UNIT + 16 * i);
    return (lg_moments_state){.integer = false, .floats = r};
}
