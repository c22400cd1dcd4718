#include "device/workspace.h"
#include "measure/moments/moments.h"
#include "measure/moments/moments_device.h"

#include <stdio.h>
#include <string.h>

extern const lg_spirv lg_spirv_moments_integer, lg_spirv_moments_integer_f16,
    lg_spirv_moments_integer_u16, lg_spirv_moments_integer_dot_f16,
    lg_spirv_moments_integer_dot_u16, lg_spirv_moments_integer_any, lg_spirv_moments_float,
    lg_spirv_moments_ragged, lg_spirv_moments_general;

// ---- what the kernels read: push constants, byte for byte ----

typedef struct integer_push {
    lg_vector_rows rows;
    lg_device_totals totals;
} integer_push;

typedef struct any_push {
    lg_device_walk walk;
    lg_device_totals totals;
} any_push;

typedef struct float_push {
    lg_device_walk walk;
    uint64_t marks, reciprocals;
    uint32_t leaves_x, leaves_y, whole_x, whole_y;
    lg_device_totals totals;
    uint32_t all;
} float_push;

// What the kernels leave for a channel of integer samples: limbs of 16 bits, not yet carried.
typedef struct tally {
    uint32_t count[2], sum[4], square[4];
    uint32_t low; // the complement of the minimum
    uint32_t high, unused[4];
} tally;

// What the kernels of floats leave for a channel: words that workgroups added to modulo 2^32, of
// which each is a signed number; counters and sums are digits of 16 bits.
#define SUM_DIGITS     24
#define SQUARES_DIGITS 44
typedef struct float_tally {
    uint32_t count[2], nan[2], positive[2], negative[2];
    uint32_t low; // the complement of the minimum's key
    uint32_t high, marks, unused[5];
    uint32_t sum[SUM_DIGITS], squares[SQUARES_DIGITS];
} float_tally;

#define SMALL_VECTORS    (1 << 23) // of 16 bytes
#define VECTORS_PER_LANE 4096      // so that 32-bit sums of squares cannot wrap
#define PIXELS_PER_LANE  65536     // likewise, one by one
#define WHOLE_GROUP      128       // at least 128: the strips of a leaf lie side by side
#define FLOAT_GROUP      128
#define LEAF_LANES       32
#define LEAVES_PER_GROUP 16384 // at most, and no more workgroups than this: then no digit wraps
#define GROUPS_PER_UNIT  10

// ---- integers ----

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

static size_t tallies_size(const lg_scan *scan)
{
    return (size_t)scan->layers * (size_t)scan->channels * sizeof(tally);
}

// Copies of the tallies: many for few, since all workgroups add to them at the same time.
static uint32_t tally_copies(const lg_scan *scan)
{
    uint32_t copies = 16;
    while (copies > 1 && copies * tallies_size(scan) > 16384)
        copies /= 2;
    return copies;
}

static lg_status integer_totals(lg_context *context, const lg_scan *scan, lg_device_totals *out,
                                lg_error *error)
{
    lg_vk_buffer *host;
    const uint32_t copies = tally_copies(scan);
    lg_status status =
        lg_workspace_slot(context, LG_SLOT_READBACK, copies * tallies_size(scan), &host, error);
    return status ? status
                  : lg_workspace_totals(context, tallies_size(scan) / 4, copies, out, error);
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
           shape.group * lane_figures(scan) * 4 + 4 * sizeof(tally) + 32 > limits->shared_memory)
        shape.group /= 2;
    return shape;
}

// Whole vectors: nothing is left out.
static lg_status record_integer(lg_context *context, const lg_scan *scan,
                                const lg_vector_rows *rows, lg_vk_commands *commands,
                                lg_device_totals *totals, lg_error *error)
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
    if (!status)
        status = integer_totals(context, scan, totals, error);
    if (status)
        return status;
    // Enough workgroups to fill the device, and so many that no lane's sums can wrap.
    const uint32_t layers = (uint32_t)scan->layers;
    const uint32_t wanted =
        lg_device_groups(context, (vectors + vectors_at_once - 1) / vectors_at_once,
                         shape.per_unit) /
        layers;
    const uint64_t least = vectors / ((uint64_t)group * VECTORS_PER_LANE / 2) + 1;
    lg_vector_rows cut = *rows;
    const uint32_t groups = lg_vector_rows_cut(&cut, LG_MAX(wanted, (uint32_t)least));
    const integer_push push = {cut, *totals};
    lg_vk_dispatch(commands, pipeline, &push, sizeof push, groups, layers, 1);
    return LG_OK;
}

// Pixel by pixel.
static lg_status record_integer_any(lg_context *context, const lg_scan *scan,
                                    const lg_device_walk *walk, lg_vk_commands *commands,
                                    lg_device_totals *totals, lg_error *error)
{
    const uint32_t group = 256,
                   constants[] = {group, (uint32_t)scan->channels, scan->type == LG_U16};
    const lg_vk_pipeline *pipeline;
    lg_status status = lg_vk_pipeline_get(context->vk, &lg_spirv_moments_integer_any, constants, 3,
                                          0, &pipeline, error);
    if (!status)
        status = integer_totals(context, scan, totals, error);
    if (status)
        return status;
    const uint64_t rows_per_lane =
        LG_MAX(PIXELS_PER_LANE / ((uint64_t)scan->width / group + 1), 1u);
    const uint64_t least = ((uint64_t)scan->height + rows_per_lane - 1) / rows_per_lane;
    const uint32_t groups =
        LG_MAX(lg_device_groups(context, (uint64_t)scan->height, 16), (uint32_t)least);
    const any_push push = {*walk, *totals};
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

static lg_moments_state tally_state(const lg_scan *scan, bool counted, const tally *t)
{
    lg_moments_state state = lg_moments_state_empty(scan->type);
    const uint64_t n = counted ? (uint64_t)carry_limbs(t->count, 2)
                               : (uint64_t)scan->width * (uint64_t)scan->height;
    if (n > 0)
        state.integers = (lg_integer_moments){.n = n,
                                              .sum = carry_limbs(t->sum, 4),
                                              .squares = carry_limbs(t->square, 4),
                                              .min = ~t->low,
                                              .max = t->high};
    return state;
}

// Adds the copies up, in place, into the first.
static void add_copies(const lg_scan *scan, tally *from)
{
    const size_t records = tallies_size(scan) / sizeof(tally);
    for (size_t i = records; i < records * tally_copies(scan); i++) {
        tally *to = &from[i % records];
        for (int k = 0; k < 2; k++)
            to->count[k] += from[i].count[k];
        for (int k = 0; k < 4; k++) {
            to->sum[k] += from[i].sum[k];
            to->square[k] += from[i].square[k];
        }
        to->low = LG_MAX(to->low, from[i].low);
        to->high = LG_MAX(to->high, from[i].high);
    }
}

static void take_tallies(const lg_scan *scan, bool counted, bool stack, tally *from,
                         lg_moments_state *out)
{
    const size_t channels = (size_t)scan->measured;
    add_copies(scan, from);
    for (int32_t layer = 0; layer < scan->layers; layer++) {
        for (size_t c = 0; c < channels; c++) {
            const size_t record = (size_t)layer * (size_t)scan->channels + c;
            const lg_moments_state state = tally_state(scan, counted, &from[record]);
            lg_moments_state *to = &out[stack ? c : (size_t)layer * channels + c];
            if (stack && layer > 0)
                lg_moments_state_merge(to, &state);
            else
                *to = state;
        }
    }
}

// Says whether every pixel counted, so that nobody counted them; the caller closes the mask.
static lg_status record_integers(lg_context *context, const lg_scan *scan,
                                 const lg_device_view *view, lg_vk_commands *commands,
                                 lg_device_view *mask, lg_device_totals *totals, bool *dense,
                                 lg_error *error)
{
    lg_vector_rows rows;
    lg_device_walk walk;
    *dense = !scan->selective && scan->step == 1 &&
             lg_vector_rows_init(&rows, view, scan->width, scan->height,
                                 lg_pixel_size(&scan->image->shape));
    if (*dense)
        return record_integer(context, scan, &rows, commands, totals, error);
    const lg_status status = lg_device_walk_open(context, scan, view, mask, &walk, error);
    return status ? status : record_integer_any(context, scan, &walk, commands, totals, error);
}

static lg_status integer_moments(lg_context *context, const lg_scan *scan,
                                 const lg_device_view *view, bool stack, lg_moments_state *out,
                                 lg_error *error)
{
    lg_workspace *work;
    lg_status status = lg_workspace_get(context, &work, error);
    lg_device_view mask;
    lg_device_totals totals;
    bool dense = false;
    if (status)
        return status;
    mask = (lg_device_view){0};
    lg_vk_begin(work->commands);
    lg_vk_timestamp(work->commands, 0);
    status = record_integers(context, scan, view, work->commands, &mask, &totals, &dense, error);
    lg_vk_timestamp(work->commands, 1);
    if (!status) {
        lg_workspace_record_readback(work, work->slot[LG_SLOT_TOTALS],
                                     tally_copies(scan) * tallies_size(scan));
        lg_workspace_clear_totals(work, &totals);
        status = lg_workspace_run(context, work, error);
    }
    if (!status)
        take_tallies(scan, !dense, stack, work->slot[LG_SLOT_READBACK]->map, out);
    lg_device_view_close(context, &mask);
    return status;
}

// ---- floats ----

static lg_status upload_reciprocals(lg_context *context, lg_workspace *work, lg_vk_buffer **out,
                                    lg_error *error)
{
    lg_status status =
        lg_workspace_slot(context, LG_SLOT_RECIPROCALS, LG_RECIPROCALS * sizeof(float), out, error);
    if (status || work->reciprocals_ready)
        return status;
    float table[LG_RECIPROCALS];
    lg_moments_reciprocals(table);
    status = lg_vk_upload(context->vk, *out, 0, sizeof table, table, sizeof table, sizeof table, 1,
                          error);
    work->reciprocals_ready = status == LG_OK;
    return status;
}

typedef struct float_plan {
    const lg_vk_pipeline *whole, *last, *ragged, *general; // last may be NULL
    uint32_t leaves_x, leaves_y, whole_x, whole_y, channels, layers, lines;
    uint32_t leaves_per_group;
    uint32_t last_rows; // 8, 16 or 24 when the last leaf row has so many, else 0
    bool all;           // every leaf goes to the general kernel
    lg_vk_buffer *marks, *reciprocals;
    lg_device_totals totals;
} float_plan;

// How lanes exchange values: 2 in subgroups of 32, 1 in larger ones, 0 through shared memory.
static uint32_t shuffle_mode(const lg_vk_limits *limits)
{
    if (limits->subgroup_size < LEAF_LANES)
        return 0;
    return limits->subgroup_size == LEAF_LANES ? 2 : 1;
}

static lg_status float_pipelines(lg_context *context, const lg_scan *scan,
                                 const lg_device_view *view, float_plan *plan, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const size_t lane_bytes = 4 * lg_type_size(scan->type);
    const bool aligned = view->first % lane_bytes == 0 && view->row_stride % lane_bytes == 0 &&
                         view->layer_stride % lane_bytes == 0;
    const uint32_t shuffle = shuffle_mode(limits), small = shuffle ? FLOAT_GROUP : LEAF_LANES;
    const struct {
        const lg_spirv *module;
        const lg_vk_pipeline **pipeline;
        uint32_t group; // where lanes meet in shared memory, groups that part ways need their own
        uint32_t rows, last;
        bool wanted;
    } kernels[] = {{&lg_spirv_moments_float, &plan->whole, WHOLE_GROUP, 32, 0, !plan->all},
                   {&lg_spirv_moments_float, &plan->last, WHOLE_GROUP, plan->last_rows, 1,
                    plan->last_rows > 0},
                   {&lg_spirv_moments_ragged, &plan->ragged, small, 0, 0, !plan->all},
                   {&lg_spirv_moments_general, &plan->general, small, 0, 0, true}};
    lg_status status = LG_OK;
    for (size_t i = 0; i < LG_COUNT(kernels) && !status; i++) {
        const uint32_t constants[] = {
            kernels[i].group, (uint32_t)scan->channels, scan->type == LG_F16, aligned,
            shuffle,          kernels[i].rows,          kernels[i].last};
        if (kernels[i].wanted)
            status = lg_vk_pipeline_get(context->vk, kernels[i].module, constants,
                                        kernels[i].rows ? 7 : 5, limits->subgroup_size,
                                        kernels[i].pipeline, error);
    }
    plan->leaves_per_group = small / LEAF_LANES;
    return status;
}

static uint32_t float_copies(const float_plan *plan)
{
    return plan->lines <= 4 ? 4 : 1;
}

static lg_status float_slots(lg_context *context, lg_workspace *work, float_plan *plan,
                             lg_error *error)
{
    const size_t leaves = plan->all ? 0 : (size_t)plan->lines * plan->leaves_x * plan->leaves_y;
    const size_t totals = plan->lines * sizeof(float_tally);
    lg_vk_buffer *host;
    lg_status status = lg_workspace_slot(context, LG_SLOT_PARTIALS, leaves * sizeof(uint32_t),
                                         &plan->marks, error);
    if (!status)
        status =
            lg_workspace_slot(context, LG_SLOT_READBACK, float_copies(plan) * totals, &host, error);
    if (!status)
        status = lg_workspace_totals(context, totals / 4, float_copies(plan), &plan->totals, error);
    return status ? status : upload_reciprocals(context, work, &plan->reciprocals, error);
}

// Workgroups of a layer for `leaves` leaves of which each takes `at_once` at a time: no more than run
// side by side, since each adds its sums to the totals.
static uint32_t leaf_groups(lg_context *context, const float_plan *plan, uint64_t leaves,
                            uint64_t at_once)
{
    const uint64_t pieces = (leaves + at_once - 1) / at_once;
    const uint32_t filling =
        lg_device_groups(context, pieces * plan->layers, GROUPS_PER_UNIT) / plan->layers;
    return LG_MAX(filling, (uint32_t)(leaves / LEAVES_PER_GROUP) + 1);
}

static void record_leaves(lg_context *context, const float_plan *plan, float_push push,
                          lg_vk_commands *c)
{
    const uint64_t whole = (uint64_t)plan->whole_x * plan->whole_y;
    const uint64_t at_once = WHOLE_GROUP / LEAF_LANES / plan->channels;
    uint64_t rest = (uint64_t)plan->leaves_x * plan->leaves_y - whole;
    if (whole)
        lg_vk_dispatch(c, plan->whole, &push, sizeof push,
                       leaf_groups(context, plan, whole, at_once), plan->layers, 1);
    if (plan->last) {
        lg_vk_dispatch(c, plan->last, &push, sizeof push,
                       leaf_groups(context, plan, plan->whole_x, at_once), plan->layers, 1);
        push.whole_y = plan->leaves_y; // as far as the ragged kernel is concerned
        rest -= plan->whole_x;
    }
    if (rest)
        lg_vk_dispatch(c, plan->ragged, &push, sizeof push,
                       leaf_groups(context, plan, rest, plan->leaves_per_group), plan->layers, 1);
}

static void record_general(lg_context *context, const float_plan *plan, const float_push *push,
                           lg_vk_commands *c)
{
    const uint64_t leaves = (uint64_t)plan->leaves_x * plan->leaves_y;
    const uint64_t at_once = plan->leaves_per_group * (plan->all ? 1 : LEAF_LANES);
    const uint64_t pieces = (leaves + at_once - 1) / at_once * plan->channels;
    lg_vk_dispatch(c, plan->general, push, sizeof *push,
                   LG_MAX(leaf_groups(context, plan, pieces, 1) / plan->channels,
                          (uint32_t)(leaves / LEAVES_PER_GROUP)) +
                       1,
                   plan->lines, 1);
}

static float_push make_float_push(const float_plan *plan, const lg_device_walk *walk)
{
    return (float_push){*walk,          plan->marks->address, plan->reciprocals->address,
                        plan->leaves_x, plan->leaves_y,       plan->whole_x,
                        plan->whole_y,  plan->totals,         plan->all};
}

// Runs the kernels of ordinary leaves, or the general one, and waits for the tallies.
static lg_status run_float(lg_context *context, const float_plan *plan, const lg_device_walk *walk,
                           lg_workspace *work, bool general, lg_error *error)
{
    lg_vk_commands *c = work->commands;
    const float_push push = make_float_push(plan, walk);
    lg_vk_begin(c);
    lg_vk_timestamp(c, 0);
    if (general)
        record_general(context, plan, &push, c);
    else
        record_leaves(context, plan, push, c);
    lg_vk_timestamp(c, 1);
    lg_workspace_record_readback(work, work->slot[LG_SLOT_TOTALS],
                                 plan->totals.copies * plan->lines * sizeof(float_tally));
    lg_workspace_clear_totals(work, &plan->totals);
    return lg_workspace_run(context, work, error);
}

// words = Σ digits[i] * 2^(16 i), two's complement.
static void carry_digits(const uint32_t *digits, int count, uint64_t *words)
{
    int64_t carry = 0;
    for (int i = 0; i < count; i++) {
        carry += (int32_t)digits[i];
        words[i / 4] |= (uint64_t)(carry & 0xffff) << 16 * (i % 4);
        carry >>= 16;
    }
    for (int i = count / 4; count == SUM_DIGITS && i < LG_SUM_WORDS; i++)
        words[i] = (uint64_t)carry;
}

static uint64_t carry_count(const uint32_t *digits)
{
    return digits[0] + ((uint64_t)digits[1] << 16);
}

static lg_moments_state float_state(const float_tally *t)
{
    lg_float_sums r = lg_float_sums_empty();
    r.n = carry_count(t->count);
    r.nans = carry_count(t->nan);
    r.pinfs = carry_count(t->positive);
    r.ninfs = carry_count(t->negative);
    if (r.n > 0) {
        r.min = lg_key_float(~t->low);
        r.max = lg_key_float(t->high);
    }
    carry_digits(t->sum, SUM_DIGITS, r.sum);
    carry_digits(t->squares, SQUARES_DIGITS, r.squares);
    return (lg_moments_state){.integer = false, .floats = r};
}

// Adds the tallies to out. Returns whether leaves were left to the general kernel.
static bool take_float_tallies(const lg_scan *scan, const float_plan *plan, bool stack,
                               const float_tally *from, lg_moments_state *out)
{
    const size_t measured = (size_t)scan->measured;
    bool marks = false;
    for (size_t copy = 0; copy < plan->totals.copies; copy++) {
        for (size_t line = 0; line < plan->lines; line++, from++) {
            const size_t layer = line / plan->channels, channel = line % plan->channels;
            if (channel >= measured)
                continue;
            const lg_moments_state state = float_state(from);
            lg_moments_state_merge(&out[(stack ? 0 : layer * measured) + channel], &state);
            marks |= from->marks != 0;
        }
    }
    return marks;
}

static lg_status plan_floats(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                             float_plan *plan, lg_error *error)
{
    const uint64_t leaves_x = (uint64_t)(scan->width + LG_LEAF_WIDTH - 1) / LG_LEAF_WIDTH;
    const uint64_t leaves_y = (uint64_t)(scan->height + LG_LEAF_HEIGHT - 1) / LG_LEAF_HEIGHT;
    const uint64_t lines = (uint64_t)scan->layers * (uint64_t)scan->channels;
    if (leaves_x * leaves_y * lines > UINT32_MAX / 4 ||
        lines > lg_vk_get_limits(context->vk)->max_workgroups[1])
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "too many leaves for one dispatch");
    *plan = (float_plan){.leaves_x = (uint32_t)leaves_x,
                         .leaves_y = (uint32_t)leaves_y,
                         .whole_x = (uint32_t)(scan->width / LG_LEAF_WIDTH),
                         .whole_y = (uint32_t)(scan->height / LG_LEAF_HEIGHT),
                         .channels = (uint32_t)scan->channels,
                         .layers = (uint32_t)scan->layers,
                         .lines = (uint32_t)lines,
                         .all = scan->selective || scan->step > 1};
    if (!plan->all && plan->whole_x > 0 && scan->height % 8 == 0)
        plan->last_rows = (uint32_t)(scan->height % LG_LEAF_HEIGHT);
    lg_workspace *work;
    lg_status status = lg_workspace_get(context, &work, error);
    if (!status)
        status = float_pipelines(context, scan, view, plan, error);
    return status ? status : float_slots(context, work, plan, error);
}

static lg_status float_moments(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                               bool stack, lg_moments_state *out, lg_error *error)
{
    float_plan plan;
    lg_workspace *work;
    lg_device_walk walk;
    lg_device_view mask;
    lg_status status = lg_workspace_get(context, &work, error);
    if (!status)
        status = plan_floats(context, scan, view, &plan, error);
    if (!status)
        status = lg_device_walk_open(context, scan, view, &mask, &walk, error);
    if (status)
        return status;
    for (int64_t i = 0; i < (stack ? 1 : scan->layers) * scan->measured; i++)
        out[i] = lg_moments_state_empty(scan->type);
    bool general = plan.all, more = true;
    while (!status && more) {
        status = run_float(context, &plan, &walk, work, general, error);
        if (!status)
            more = take_float_tallies(scan, &plan, stack, work->slot[LG_SLOT_READBACK]->map, out);
        general = true;
    }
    lg_device_view_close(context, &mask);
    return status;
}

// Bit-equality of floats needs these; without them the CPU does the floats.
static bool exact_floats(const lg_vk_limits *limits)
{
    return limits->rounding_rte;
}

lg_status lg_moments_vulkan(lg_context *context, const lg_scan *scan, bool stack,
                            lg_moments_state *out, lg_error *error)
{
    const bool integer = scan->type == LG_U8 || scan->type == LG_U16;
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    if (!integer && !exact_floats(limits))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "this device does not promise to round to nearest");
    if ((uint64_t)scan->width * (uint64_t)scan->height > UINT32_MAX ||
        (uint32_t)scan->layers > limits->max_workgroups[1])
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "a layer of more than 2^32 pixels");
    lg_device_view view;
    context->report.upload = context->report.compute = context->report.download = -1;
    snprintf(context->report.variant, sizeof context->report.variant, "totals");
    lg_status status = lg_device_view_open(context, scan->image, scan->x, scan->y, &view, error);
    if (status)
        return status;
    status = integer ? integer_moments(context, scan, &view, stack, out, error)
                     : float_moments(context, scan, &view, stack, out, error);
    lg_device_view_close(context, &view);
    return status;
}

// ---- for the next kernel ------------------------------------------------------------------------

lg_status lg_moments_reserve(lg_context *context, const lg_image_params *shape, lg_error *error)
{
    const size_t leaves_x = ((size_t)shape->width + LG_LEAF_WIDTH - 1) / LG_LEAF_WIDTH;
    const size_t leaves_y = ((size_t)shape->height + LG_LEAF_HEIGHT - 1) / LG_LEAF_HEIGHT;
    const size_t lines = (size_t)shape->layers * 4;
    lg_workspace *work;
    lg_vk_buffer *buffer;
    lg_status status = lg_workspace_get(context, &work, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SLOT_PARTIALS, lines * leaves_x * leaves_y * 4,
                                   &buffer, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SLOT_TOTALS,
                                   LG_MAX(lines * 4 * sizeof(float_tally), (size_t)65536), &buffer,
                                   error);
    return status ? status : upload_reciprocals(context, work, &buffer, error);
}

static lg_status record_floats(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                               lg_vk_commands *commands, lg_device_totals *totals, lg_error *error)
{
    float_plan plan;
    lg_device_walk walk;
    lg_device_view mask = {0};
    lg_status status = plan_floats(context, scan, view, &plan, error);
    if (!status)
        status = lg_device_walk_open(context, scan, view, &mask, &walk, error);
    if (status)
        return status;
    // Which leaves are left to the general kernel, nobody waits to know.
    const float_push push = make_float_push(&plan, &walk);
    record_leaves(context, &plan, push, commands);
    lg_vk_barrier(commands);
    record_general(context, &plan, &push, commands);
    *totals = plan.totals;
    return LG_OK;
}

bool lg_moments_stay(const lg_context *context, const lg_image_params *shape)
{
    const bool integer = shape->type == LG_U8 || shape->type == LG_U16;
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const uint64_t pixels = (uint64_t)shape->width * (uint64_t)shape->height;
    return (integer || exact_floats(limits)) && pixels * (uint64_t)shape->layers <= UINT32_MAX &&
           (uint32_t)shape->layers * 4 <= LG_MIN(limits->max_workgroups[1], 4096u);
}

lg_status lg_moments_record(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                            lg_vk_commands *commands, lg_moments_device *out, lg_error *error)
{
    lg_device_view mask = {0};
    bool dense;
    out->integer = scan->type == LG_U8 || scan->type == LG_U16;
    out->layer_words =
        (uint32_t)scan->channels * (out->integer ? sizeof(tally) : sizeof(float_tally)) / 4;
    return out->integer
               ? record_integers(context, scan, view, commands, &mask, &out->totals, &dense, error)
               : record_floats(context, scan, view, commands, &out->totals, error);
}
