// Moments of u8 and u16 on a device.
#include "measure/moments/moments_push.h"
#include "measure/moments/moments_record.h"

extern const lg_spirv lg_spirv_moments_integer, lg_spirv_moments_integer_f16,
    lg_spirv_moments_integer_u16, lg_spirv_moments_integer_dot_f16,
    lg_spirv_moments_integer_dot_u16, lg_spirv_moments_integer_any;

#define SMALL_VECTORS    (1 << 23) // of 16 bytes
#define VECTORS_PER_LANE 4096      // so that 32-bit sums of squares cannot wrap
#define PIXELS_PER_LANE  65536     // likewise, one by one

static const lg_spirv *integer_module(const lg_vk_limits *limits)
{
    if (limits->integer_dot && limits->float16)
        return &lg_spirv_moments_integer_dot_f16;
    if (limits->integer_dot && limits->int16)
        return &lg_spirv_moments_integer_dot_u16;
    if (limits->float16)
        return &lg_spirv_moments_integer_f16;
    return limits->int16 ? &lg_spirv_moments_integer_u16 : &lg_spirv_moments_integer;
}

// Words that a lane leaves for the fold of its workgroup.
static uint32_t lane_figures(const lg_scan *scan)
{
    return (uint32_t)scan->channels * (scan->type == LG_U16 ? 4 : 3);
}

// Small images pay for each workgroup, large ones for too few loads in flight.
typedef struct integer_shape {
    uint32_t group, passes, per_unit;
} integer_shape;

static integer_shape integer_shape_of(const lg_context *context, const lg_scan *scan,
                                      uint64_t vectors)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    integer_shape shape =
        vectors < SMALL_VECTORS ? (integer_shape){512, 2, 1} : (integer_shape){256, 8, 8};
    while (shape.group > limits->max_workgroup_size ||
           shape.group * lane_figures(scan) * 4 + 4 * sizeof(lg_integer_tally) + 32 >
               limits->shared_memory)
        shape.group /= 2;
    return shape;
}

lg_status lg_moments_record_integer_rows(lg_context *context, const lg_scan *scan,
                                         const lg_vector_rows *rows, const lg_device_totals *totals,
                                         lg_vk_commands *commands, lg_error *error)
{
    const uint64_t vectors = (uint64_t)rows->rows * rows->vectors;
    const integer_shape shape = integer_shape_of(context, scan, vectors * (uint64_t)scan->layers);
    const uint32_t group = shape.group, vectors_at_once = group * shape.passes;
    const uint32_t constants[] = {group, (uint32_t)scan->channels, scan->type == LG_U16,
                                  shape.passes, group * lane_figures(scan)};
    const lg_vk_pipeline *pipeline;
    lg_status status =
        lg_vk_pipeline_get(context->vk, integer_module(lg_vk_get_limits(context->vk)), constants, 5,
                           0, &pipeline, error);
    if (status)
        return status;
    // Enough workgroups to fill the device, and so many that no lane's sums can wrap.
    const uint32_t layers = (uint32_t)scan->layers;
    const uint32_t wanted =
        lg_device_groups(context, (vectors + vectors_at_once - 1) / vectors_at_once,
                         shape.per_unit) /
        layers;
    const uint64_t least =
        LG_MAX(vectors / ((uint64_t)group * VECTORS_PER_LANE / 2), rows->rows / LG_MOMENTS_ROWS) +
        1;
    lg_vector_rows cut = *rows;
    const uint32_t groups = lg_vector_rows_cut(&cut, LG_MAX(wanted, (uint32_t)least));
    const lg_moments_rows_push push = {cut, *totals};
    lg_vk_reads(commands, cut.data, 0);
    lg_device_totals_adds(commands, totals);
    lg_vk_dispatch(commands, pipeline, &push, sizeof push, groups, layers, 1);
    return LG_OK;
}

lg_status lg_moments_record_integer_pixels(lg_context *context, const lg_scan *scan,
                                           const lg_device_walk *walk,
                                           const lg_device_totals *totals, lg_vk_commands *commands,
                                           lg_error *error)
{
    const uint32_t group = 256,
                   constants[] = {group, (uint32_t)scan->channels, scan->type == LG_U16};
    const lg_vk_pipeline *pipeline;
    lg_status status = lg_vk_pipeline_get(context->vk, &lg_spirv_moments_integer_any, constants, 3,
                                          0, &pipeline, error);
    if (status)
        return status;
    const uint64_t rows_per_lane =
        LG_MIN(LG_MAX(PIXELS_PER_LANE / ((uint64_t)scan->width / group + 1), 1u), LG_MOMENTS_ROWS);
    const uint64_t least = ((uint64_t)scan->height + rows_per_lane - 1) / rows_per_lane;
    const uint32_t groups =
        LG_MAX(lg_device_groups(context, (uint64_t)scan->height, 16), (uint32_t)least);
    const lg_moments_any_push push = {*walk, *totals};
    lg_device_walk_reads(commands, walk);
    lg_device_totals_adds(commands, totals);
    lg_vk_dispatch(commands, pipeline, &push, sizeof push, groups, (uint32_t)scan->layers, 1);
    return LG_OK;
}

static lg_u128 carry_limbs(const uint32_t *limbs, int count)
{
    lg_u128 value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = (value << 16) + limbs[i];
    return value;
}

lg_moments_state lg_moments_integer_state(const lg_scan *scan, bool dense,
                                          const lg_integer_tally *t)
{
    lg_moments_state state = lg_moments_state_empty(scan->type);
    const uint64_t n =
        dense ? (uint64_t)scan->width * (uint64_t)scan->height : (uint64_t)carry_limbs(t->count, 2);
    if (n > 0)
        state.integers = (lg_integer_moments){.n = n,
                                              .sum = carry_limbs(t->sum, 4),
                                              .squares = carry_limbs(t->square, 4),
                                              .min = ~t->low,
                                              .max = t->high};
    return state;
}
