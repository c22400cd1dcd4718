#include "measure/histogram/histogram_device.h"

#include "device/dispatch.h"
#include "measure/histogram/histogram_push.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

extern const lg_spirv lg_spirv_histogram_u8, lg_spirv_histogram_dense,
    lg_spirv_histogram_dense_computed, lg_spirv_histogram_any, lg_spirv_histogram_merge;

#define MERGE_GROUP       64
#define LANE_COLUMNS      32 // of the lane-private kernel
#define RAMP_SECONDS      0.25
#define TUNING_PIXELS     (1 << 22)
#define TUNING_TABLE      4096 // larger ones are worth their cost in larger images
#define TUNING_LARGE      8    // times the pixels for those
#define TUNING_RUNS       3
#define SMALL_VECTORS     (1 << 20) // fewer loads per lane are in flight below
#define VECTORS_PER_GROUP 2048      // at least, so that clearing and merging tables is worth it
#define VECTORS_PER_SLICE 16384     // likewise, of packed counters
#define DENSE_PASSES      4         // loads in flight; 1024 lanes may not overflow packed counters
#define COPIES_LIMIT      ((size_t)64 << 10) // bytes
#define PARTIALS_LIMIT    ((size_t)64 << 20) // bytes

// ---- a run: one kernel with its tables ----

typedef enum run_kernel {
    KERNEL_BYTES, // native u8 in vectors, lane-private counters
    KERNEL_DENSE, // any samples in vectors
    KERNEL_ANY,   // pixel by pixel
} run_kernel;

typedef struct run {
    const lg_histogram_task *task;
    lg_histogram_variant variant;
    run_kernel kernel;
    lg_vector_rows rows; // not of KERNEL_ANY
    lg_device_walk walk;
    uint32_t tables;        // per layer, on the device
    uint32_t words;         // of a layer: tables with their rests
    uint32_t outside_count; // counters after each table
    uint32_t copies;        // of the tables in shared memory; 0: they are not there
    uint32_t slices;        // packed counters, a slice of them to a workgroup; 0: not packed
    uint32_t group;         // lanes of a workgroup, not of KERNEL_BYTES
    uint32_t groups, layers;
    uint32_t parts; // tables of each layer that are read back and added up by the host
    bool partial;
} run;

static bool partial_variant(lg_histogram_variant variant)
{
    return variant == LG_HISTOGRAM_VK_PARTIALS_DEVICE || variant == LG_HISTOGRAM_VK_PARTIALS_HOST;
}

static bool dense_rows(const lg_histogram_task *task, const lg_device_view *view,
                       lg_vector_rows *rows)
{
    const lg_scan *scan = &task->scan;
    return !scan->selective && scan->step == 1 &&
           lg_vector_rows_init(rows, view, scan->width, scan->height, lg_scan_pixel_size(scan));
}

// The u8 kernel counts the stored channels, or r, g, b and luma where alpha stands.
static bool bytes_task(const lg_histogram_task *task)
{
    const bool luma = task->channels > task->sources;
    return task->scan.type == LG_U8 && task->native &&
           (!luma || (task->scan.channels == 4 && task->sources < 4));
}

static bool computed(const lg_histogram_task *task)
{
    return !task->native && task->space > LG_SPACE_RGBL;
}

// Copies of the shared tables: a power of two that fits, at most one per lane of 32.
static uint32_t copies_for(const lg_vk_limits *limits, uint32_t words)
{
    uint32_t copies = 32;
    while (copies > 0 && (uint64_t)copies * words * 4 > limits->shared_memory - 64)
        copies >>= 1;
    return copies;
}

// Copies of the counters that all workgroups add to, against contention.
static uint32_t total_copies(const run *r)
{
    uint32_t copies = 4; // threshold.comp counts on no more
    while (copies > 1 && (size_t)copies * r->words * r->layers * 4 > COPIES_LIMIT)
        copies /= 2;
    return copies;
}

static run_kernel choose_kernel(const lg_vk_limits *limits, const lg_device_view *view, run *r)
{
    const bool wants_bytes = r->variant == LG_HISTOGRAM_VK_LANE_PRIVATE || r->partial;
    if (!dense_rows(r->task, view, &r->rows))
        return KERNEL_ANY;
    if (wants_bytes && bytes_task(r->task) && limits->shared_memory >= 256 * LANE_COLUMNS * 4)
        return KERNEL_BYTES;
    return KERNEL_DENSE;
}

// Slices of packed counters, of an even number of counters each.
static uint32_t slice_size(const run *r)
{
    return (uint32_t)lg_align_up((r->words + r->slices - 1) / r->slices, 2);
}

static void plan_tables(const lg_vk_limits *limits, run *r)
{
    const lg_histogram_task *task = r->task;
    const bool bytes = r->kernel == KERNEL_BYTES;
    r->tables = bytes ? (uint32_t)task->scan.channels : (uint32_t)task->channels;
    r->outside_count = bytes ? 0 : LG_OUTSIDE_COUNT;
    r->words = r->tables * (task->table_size + r->outside_count);
    r->copies = r->variant == LG_HISTOGRAM_VK_GLOBAL ? 0 : copies_for(limits, r->words);
    if (r->variant == LG_HISTOGRAM_VK_REPLICATED && r->kernel == KERNEL_DENSE && r->copies == 0) {
        const uint32_t room = (limits->shared_memory - 64) / 4 * 2;
        r->slices = (r->words + room - 1) / room;
    }
}

static void plan_groups(lg_context *context, run *r)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const uint64_t vectors = (uint64_t)r->rows.rows * r->rows.vectors;
    uint32_t wanted;
    r->group = LG_MIN(computed(r->task) ? 256u : 1024u, limits->max_workgroup_size);
    if (r->kernel == KERNEL_ANY) {
        r->group = 256;
        wanted = lg_device_groups(context, (uint64_t)r->task->scan.height, 8);
    } else if (r->slices) {
        wanted =
            lg_device_groups(context, (vectors / VECTORS_PER_SLICE + 1) * r->slices, 1) / r->slices;
    } else {
        wanted = lg_device_groups(context, (vectors + VECTORS_PER_GROUP - 1) / VECTORS_PER_GROUP,
                                  computed(r->task) ? 8 : 1);
    }
    r->groups = LG_MAX(wanted / r->layers, 1u);
    if (r->partial)
        r->groups = (uint32_t)LG_MIN(
            (size_t)r->groups,
            LG_MAX(PARTIALS_LIMIT / ((size_t)r->layers * r->words * 4), (size_t)1));
    if (r->kernel != KERNEL_ANY)
        r->groups = lg_vector_rows_cut(&r->rows, r->groups);
    r->groups *= LG_MAX(r->slices, 1u);
}

static lg_status plan_run(lg_context *context, const lg_histogram_task *task,
                          lg_histogram_variant variant, const lg_device_view *view,
                          const lg_device_walk *walk, run *out, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    run r = {.task = task,
             .variant = variant,
             .walk = *walk,
             .layers = (uint32_t)task->scan.layers,
             .partial = partial_variant(variant)};
    r.kernel = choose_kernel(limits, view, &r);
    plan_tables(limits, &r);
    if (variant == LG_HISTOGRAM_VK_LANE_PRIVATE && r.kernel != KERNEL_BYTES)
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "lane-private counters are for whole u8 images or regions without mask, step or "
            "alpha rule");
    if (variant != LG_HISTOGRAM_VK_GLOBAL && r.kernel != KERNEL_BYTES && r.copies + r.slices == 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "%u counters do not fit the %u bytes of shared memory of this device",
                       r.words, limits->shared_memory);
    plan_groups(context, &r);
    r.parts = total_copies(&r);
    if (r.partial)
        r.parts = variant == LG_HISTOGRAM_VK_PARTIALS_HOST ? r.groups : 1;
    *out = r;
    return LG_OK;
}

static lg_status run_pipeline(lg_context *context, const run *r, const lg_vk_pipeline **out,
                              lg_error *error)
{
    const lg_histogram_task *task = r->task;
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const bool luma = task->channels > task->sources, largest = task->luma == LG_LUMA_MAX;
    const bool small = (uint64_t)r->rows.rows * r->rows.vectors < SMALL_VECTORS;
    const bool plain = small && limits->short_kernels;
    if (r->kernel == KERNEL_BYTES) {
        const uint32_t loads = plain ? 1 : small ? 2 : 4;
        const uint32_t constants[] = {LG_MIN(1024u, limits->max_workgroup_size),
                                      (uint32_t)task->scan.channels, luma ? (largest ? 2 : 1) : 0,
                                      r->partial, loads};
        return lg_vk_pipeline_get(context->vk, &lg_spirv_histogram_u8, constants, 5, 0, out, error);
    }
    const bool dense = r->kernel == KERNEL_DENSE, heavy = computed(task);
    const uint32_t slice = r->slices ? slice_size(r) : 0;
    const uint32_t constants[] = {r->group,
                                  (uint32_t)task->scan.channels,
                                  (uint32_t)task->scan.type,
                                  task->native,
                                  (uint32_t)task->space,
                                  (uint32_t)task->sources,
                                  (uint32_t)task->channels,
                                  task->table_size,
                                  r->copies,
                                  largest,
                                  r->partial,
                                  slice ? slice / 2 : LG_MAX(r->copies * r->words, 1u),
                                  slice > 0,
                                  slice,
                                  heavy || (plain && !slice) ? 1 : DENSE_PASSES,
                                  LG_MAX(r->slices, 1u)};
    const lg_spirv *module = !dense  ? &lg_spirv_histogram_any
                             : heavy ? &lg_spirv_histogram_dense_computed
                                     : &lg_spirv_histogram_dense;
    return lg_vk_pipeline_get(context->vk, module, constants, dense ? 16 : 12, 0, out, error);
}

// Where a run counts, and what is read back from where.
typedef struct run_slots {
    lg_device_totals totals;
    lg_vk_buffer *partials, *results, *parameters;
    uint64_t rules; // address of an lg_histogram_rules
    size_t size;    // of what is read back from results
} run_slots;

static lg_status get_slots(lg_context *context, const run *r, run_slots *out, lg_error *error)
{
    const size_t words = (size_t)r->layers * r->words;
    const bool merged = r->variant == LG_HISTOGRAM_VK_PARTIALS_DEVICE;
    run_slots s = {.size = words * r->parts * 4};
    lg_vk_buffer *host;
    lg_status status = lg_workspace_slot(context, LG_SCRATCH_READBACK, s.size, &host, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SCRATCH_PARAMETERS, sizeof(lg_histogram_rules),
                                   &s.parameters, error);
    if (!status && r->partial)
        status = lg_workspace_slot(context, LG_SCRATCH_PARTIALS, words * r->groups * 4, &s.partials,
                                   error);
    s.results = s.partials;
    if (!status && merged)
        status = lg_workspace_slot(context, LG_SCRATCH_RESULTS, words * 4, &s.results, error);
    if (!status && !r->partial) {
        status = lg_workspace_totals(context, words, r->parts, &s.totals, error);
        s.results = context->workspace->slot[LG_SCRATCH_TOTALS];
    } else if (!status) {
        s.totals = (lg_device_totals){.counters = s.partials->address, .copies = 1};
    }
    *out = s;
    return status;
}

static void write_rules(const lg_histogram_task *task, lg_histogram_rules *out)
{
    lg_histogram_rules r = {.sample_scale = task->sample_scale};
    for (int i = 0; i < LG_HISTOGRAM_MAX_CHANNELS; i++) {
        r.lo[i] = task->rule[i].lo;
        r.hi[i] = task->rule[i].hi;
        r.factor[i] = task->rule[i].factor;
        r.start[i] = task->rule[i].start;
        r.scale[i] = task->rule[i].scale;
    }
    memcpy(r.luma_float, task->luma_weight_float, sizeof r.luma_float);
    memcpy(r.luma, task->luma_weight, sizeof r.luma);
    memcpy(out, &r, sizeof r);
}

static void record_count(const run *r, const lg_vk_pipeline *pipeline, const run_slots *s,
                         lg_vk_commands *c)
{
    if (r->kernel == KERNEL_BYTES) {
        const uint32_t *w = r->task->luma_weight;
        const lg_histogram_bytes_push push = {r->rows, s->totals, w[0] | w[1] << 16, w[2]};
        lg_vk_reads(c, push.rows.data, 0);
        lg_device_totals_adds(c, &push.totals);
        lg_vk_dispatch(c, pipeline, &push, sizeof push, r->groups, r->layers, 1);
    } else if (r->kernel == KERNEL_DENSE) {
        const lg_histogram_dense_push push = {r->rows, s->totals, s->rules};
        lg_vk_reads(c, push.rows.data, 0);
        lg_device_totals_adds(c, &push.totals);
        lg_vk_reads(c, push.rules, sizeof(lg_histogram_rules));
        lg_vk_dispatch(c, pipeline, &push, sizeof push, r->groups, r->layers, 1);
    } else {
        const lg_histogram_any_push push = {r->walk, s->totals, s->rules};
        lg_device_walk_reads(c, &push.walk);
        lg_device_totals_adds(c, &push.totals);
        lg_vk_reads(c, push.rules, sizeof(lg_histogram_rules));
        lg_vk_dispatch(c, pipeline, &push, sizeof push, r->groups, r->layers, 1);
    }
}

// ---- variants that were seen to miscount ----

static void distrust_key(lg_histogram_variant variant, char key[64])
{
    snprintf(key, 64, "histogram %s miscounts", lg_histogram_variant_name(variant));
}

static bool is_trusted(lg_context *context, lg_histogram_variant variant)
{
    char key[64];
    int32_t value;
    distrust_key(variant, key);
    return !lg_vk_remembered(context->vk, key, &value);
}

static void distrust(lg_context *context, lg_histogram_variant variant)
{
    char key[64];
    distrust_key(variant, key);
    lg_vk_remember(context->vk, key, 1);
    lg_log(&context->log, LG_LOG_WARN, "histogram variant %s miscounts on this device: not used",
           lg_histogram_variant_name(variant));
}

// What a broken device might do: the sum of the counters stays right.
static void miscount(uint32_t *words)
{
    size_t i = 0;
    while (!words[i])
        i++;
    words[i]--;
    words[i + 1]++;
}

// Runs and leaves the counters in the read-back slot.
static lg_status execute(lg_context *context, const run *r, lg_error *error)
{
    lg_workspace *work;
    run_slots s = {0};
    const lg_vk_pipeline *pipeline, *merge = NULL;
    const uint32_t merge_constants[] = {MERGE_GROUP};
    lg_status status = lg_workspace_get(context, &work, error);
    if (!status)
        status = run_pipeline(context, r, &pipeline, error);
    if (!status && r->variant == LG_HISTOGRAM_VK_PARTIALS_DEVICE)
        status = lg_vk_pipeline_get(context->vk, &lg_spirv_histogram_merge, merge_constants, 1, 0,
                                    &merge, error);
    if (!status)
        status = get_slots(context, r, &s, error);
    if (status)
        return status;
    write_rules(r->task, s.parameters->map);
    s.rules = s.parameters->address;
    lg_vk_commands *c = work->commands;
    lg_vk_begin(c);
    lg_vk_timestamp(c, 0);
    record_count(r, pipeline, &s, c);
    if (merge) {
        const lg_histogram_merge_push push = {s.partials->address, s.results->address, r->words,
                                              r->groups};
        lg_vk_barrier(c);
        lg_vk_reads(c, push.partials, 0);
        lg_vk_writes(c, push.counts, s.size);
        lg_vk_dispatch(c, merge, &push, sizeof push, (r->words + MERGE_GROUP - 1) / MERGE_GROUP,
                       r->layers, 1);
    }
    lg_vk_timestamp(c, 1);
    lg_workspace_record_readback(work, s.results, s.size);
    if (!r->partial)
        lg_workspace_clear_totals(work, &s.totals);
    status = lg_workspace_run(context, work, error);
    if (!status && work->miscounting >> r->variant & 1)
        miscount(work->slot[LG_SCRATCH_READBACK]->map);
    return status;
}

// Luma alone, or after r, g, b, stands in the fourth table of the vector kernel.
static uint32_t table_of(const run *r, int channel)
{
    return r->kernel == KERNEL_BYTES && channel >= r->task->sources ? 3 : (uint32_t)channel;
}

// Partial tables lie side by side within their layer, copies of the totals hold all layers each.
static size_t partial_offset(const run *r, uint32_t layer, uint32_t part)
{
    const size_t place =
        r->partial ? (size_t)layer * r->parts + part : (size_t)part * r->layers + layer;
    return place * r->words;
}

// Adds what the device counted to the task's tables.
static void take_counts(const run *r, const uint32_t *from, lg_histogram_counts *out)
{
    const lg_histogram_task *task = r->task;
    for (uint32_t layer = 0; layer < r->layers; layer++) {
        for (int c = 0; c < task->channels; c++) {
            const uint32_t table = table_of(r, c);
            const size_t to = (task->stack ? 0 : layer) * (size_t)task->channels + (size_t)c;
            for (uint32_t part = 0; part < r->parts; part++) {
                const uint32_t *words = from + partial_offset(r, layer, part) +
                                        (size_t)table * (task->table_size + r->outside_count);
                for (uint32_t i = 0; i < task->table_size; i++)
                    out->tables[to * task->table_size + i] += words[i];
                for (uint32_t i = 0; !task->native && i < LG_OUTSIDE_COUNT; i++)
                    out->outside[to * LG_OUTSIDE_COUNT + i] += words[task->table_size + i];
            }
        }
    }
}

lg_status lg_histogram_record_ruled(lg_context *context, const lg_histogram_task *task,
                                    const lg_device_view *view, const lg_device_walk *walk,
                                    uint64_t rules, lg_vk_commands *commands,
                                    lg_histogram_device *out, lg_error *error)
{
    static const lg_histogram_variant order[] = {
        LG_HISTOGRAM_VK_LANE_PRIVATE, LG_HISTOGRAM_VK_REPLICATED, LG_HISTOGRAM_VK_GLOBAL};
    run r;
    run_slots slots;
    const lg_vk_pipeline *pipeline = NULL;
    lg_status status =
        lg_fail(error, LG_ERROR_UNSUPPORTED, "no histogram variant works on this device");
    for (size_t i = 0; i < LG_COUNT(order) && status == LG_ERROR_UNSUPPORTED; i++)
        if (is_trusted(context, order[i]))
            status = plan_run(context, task, order[i], view, walk, &r, error);
    if (!status)
        status = run_pipeline(context, &r, &pipeline, error);
    if (!status)
        status = get_slots(context, &r, &slots, error);
    if (status)
        return status;
    if (!rules)
        write_rules(task, slots.parameters->map);
    slots.rules = rules ? rules : slots.parameters->address;
    record_count(&r, pipeline, &slots, commands);
    const uint32_t table_words = task->table_size + r.outside_count;
    *out = (lg_histogram_device){slots.totals, r.words,
                                 table_of(&r, task->channels - 1) * table_words, table_words};
    return LG_OK;
}

lg_status lg_histogram_record(lg_context *context, const lg_histogram_task *task,
                              const lg_device_view *view, const lg_device_walk *walk,
                              lg_vk_commands *commands, lg_histogram_device *out, lg_error *error)
{
    return lg_histogram_record_ruled(context, task, view, walk, 0, commands, out, error);
}

// ---- choosing ----

static const lg_histogram_variant candidates[] = {
    LG_HISTOGRAM_VK_LANE_PRIVATE, LG_HISTOGRAM_VK_REPLICATED, LG_HISTOGRAM_VK_PARTIALS_DEVICE,
    LG_HISTOGRAM_VK_PARTIALS_HOST, LG_HISTOGRAM_VK_GLOBAL};

// What the CPU counts in the pixels that variants are compared on, and room for
// what one of them does.
typedef struct reference {
    lg_histogram_counts right, found;
} reference;

static void drop_reference(reference *c)
{
    lg_histogram_free_counts(&c->right);
    lg_histogram_free_counts(&c->found);
}

static lg_status make_reference(lg_context *context, const lg_histogram_task *sample,
                                reference *out, lg_error *error)
{
    lg_histogram_task task = *sample;
    lg_host_view view;
    reference c = {0};
    lg_status status = lg_host_view_open(task.scan.image, &view, error);
    if (status)
        return status;
    task.scan.image = &view.image.image;
    status = lg_histogram_allocate_counts(sample, &c.right, error);
    if (!status)
        status = lg_histogram_allocate_counts(sample, &c.found, error);
    if (!status)
        status = lg_histogram_cpu(context, &task, &c.right, error);
    lg_host_view_close(&view);
    if (status)
        drop_reference(&c);
    else
        *out = c;
    return status;
}

// Bin by bin: atomics that lose a count and find another one elsewhere are no atomics.
static bool counts_right(const run *r, const uint32_t *words, reference *c)
{
    const lg_histogram_task *task = r->task;
    const size_t rows = (size_t)task->layers * (size_t)task->channels;
    const size_t bytes = rows * task->table_size * sizeof *c->right.tables;
    const size_t outside = rows * LG_OUTSIDE_COUNT * sizeof *c->right.outside;
    memset(c->found.tables, 0, bytes);
    memset(c->found.outside, 0, outside);
    take_counts(r, words, &c->found);
    return memcmp(c->found.tables, c->right.tables, bytes) == 0 &&
           (task->native || memcmp(c->found.outside, c->right.outside, outside) == 0);
}

// Device seconds of the fastest of a few runs; below zero when the variant cannot run or miscounts.
static double time_variant(lg_context *context, const run *r, reference *c)
{
    double best = -1;
    lg_error ignored;
    for (int i = 0; i < TUNING_RUNS; i++) {
        context->report.compute = -1;
        if (execute(context, r, &ignored) != LG_OK)
            return -1;
        if (!counts_right(r, context->workspace->slot[LG_SCRATCH_READBACK]->map, c)) {
            distrust(context, r->variant);
            return -1;
        }
        if (best < 0 || context->report.compute < best)
            best = context->report.compute;
    }
    return best;
}

// A GPU that idled runs at a fraction of its clock and takes a quarter of a second of work to raise it:
// variants compared meanwhile would be ranked by when they were timed.
static void raise_clock(lg_context *context, const run *r, reference *c)
{
    const double start = lg_time_seconds();
    while (lg_vk_get_limits(context->vk)->hardware && lg_time_seconds() - start < RAMP_SECONDS) {
        if (time_variant(context, r, c) < 0)
            return;
    }
}

static lg_status tune(lg_context *context, const lg_histogram_task *task,
                      const lg_device_view *view, const lg_device_walk *walk,
                      lg_histogram_variant *out, lg_error *error)
{
    lg_histogram_task sample = *task;
    lg_device_walk part = *walk;
    reference right = {0};
    sample.scan.layers = sample.layers = 1;
    const int64_t pixels = TUNING_PIXELS * (task->table_size > TUNING_TABLE ? TUNING_LARGE : 1);
    sample.scan.height = LG_MIN(sample.scan.height, LG_MAX((int64_t)1, pixels / sample.scan.width));
    part.height = (uint32_t)sample.scan.height;
    double best = -1;
    bool ready = false;
    const lg_engine_report before = context->report;
    lg_status status = make_reference(context, &sample, &right, error);
    if (status)
        return status;
    for (size_t i = 0; i < LG_COUNT(candidates) && !lg_vk_lost(context->vk); i++) {
        run r;
        lg_error ignored;
        if (!is_trusted(context, candidates[i]) ||
            plan_run(context, &sample, candidates[i], view, &part, &r, &ignored) != LG_OK)
            continue;
        if (!ready)
            raise_clock(context, &r, &right);
        ready = true;
        const double seconds = time_variant(context, &r, &right);
        lg_log(&context->log, LG_LOG_DEBUG, "histogram variant %s: %.1f us",
               lg_histogram_variant_name(candidates[i]), seconds * 1e6);
        if (seconds >= 0 && (best < 0 || seconds < best)) {
            best = seconds;
            *out = candidates[i];
        }
    }
    drop_reference(&right);
    context->report = before;
    if (best < 0 && lg_vk_lost(context->vk))
        return lg_vk_fail_lost(context->vk, error);
    if (best < 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "no histogram variant works on this device");
    lg_log(&context->log, LG_LOG_INFO, "histogram variant %s chosen by measurement",
           lg_histogram_variant_name(*out));
    return LG_OK;
}

// The remembered choice for this kind of task, or a measured one.
static lg_status choose(lg_context *context, const lg_histogram_task *task,
                        const lg_device_view *view, const lg_device_walk *walk,
                        lg_histogram_variant *out, lg_error *error)
{
    *out = task->variant;
    if (task->variant != LG_HISTOGRAM_AUTO)
        return LG_OK;
    lg_vector_rows rows;
    const lg_scan *scan = &task->scan;
    // What is best for a few pixels says nothing about many.
    const int64_t pixels = scan->width * scan->height;
    const int size = pixels < TUNING_PIXELS / 4                                   ? 0
                     : task->table_size > TUNING_TABLE && pixels >= TUNING_PIXELS ? 2
                                                                                  : 1;
    char key[96];
    snprintf(key, sizeof key, "histogram %s c%d s%d n%d t%u v%d l%d", lg_type_name(task->scan.type),
             task->scan.channels, (int)task->space, (int)task->native, (unsigned)task->table_size,
             (int)dense_rows(task, view, &rows), size);
    int32_t value;
    if (lg_vk_remembered(context->vk, key, &value) &&
        is_trusted(context, (lg_histogram_variant)value)) {
        *out = (lg_histogram_variant)value;
        return LG_OK;
    }
    lg_status status = tune(context, task, view, walk, out, error);
    if (!status)
        lg_vk_remember(context->vk, key, (int32_t)*out);
    return status;
}

// Subnormal bounds need a device that computes with them, unless they are scaled. What it may take
// for zero of the differences is below 2^-126, and with such a scale below a bin.
static bool normal_rules(const lg_histogram_task *task)
{
    for (int i = 0; i < task->channels && !task->native; i++) {
        const lg_histogram_rule *r = &task->rule[i];
        const bool lo = r->lo == 0.0f || fabsf(r->lo) >= FLT_MIN,
                   hi = r->hi == 0.0f || fabsf(r->hi) >= FLT_MIN;
        if (r->factor == 1 && (!lo || !hi || !(r->scale <= 0x1p125f)))
            return false;
    }
    return true;
}

static lg_status count_view(lg_context *context, const lg_histogram_task *task,
                            const lg_device_view *view, const lg_device_walk *walk,
                            lg_histogram_counts *out, lg_error *error)
{
    lg_histogram_variant variant;
    run r;
    lg_status status = choose(context, task, view, walk, &variant, error);
    if (!status)
        status = plan_run(context, task, variant, view, walk, &r, error);
    if (!status)
        status = execute(context, &r, error);
    if (status)
        return status;
    take_counts(&r, context->workspace->slot[LG_SCRATCH_READBACK]->map, out);
    out->variant = variant;
    snprintf(context->report.variant, sizeof context->report.variant, "%s",
             lg_histogram_variant_name(variant));
    return LG_OK;
}

lg_status lg_histogram_vulkan(lg_context *context, const lg_histogram_task *task,
                              lg_histogram_counts *out, lg_error *error)
{
    const lg_scan *scan = &task->scan;
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    if (lg_histogram_variant_is_cpu(task->variant))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "a CPU variant on a Vulkan device");
    if (!task->native && !limits->rounding_rte)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "this device does not promise to round to nearest");
    if (!limits->denorm_preserve && !normal_rules(task))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "a range of subnormal numbers on this device");
    if ((uint64_t)scan->width * (uint64_t)scan->height > UINT32_MAX ||
        (uint32_t)scan->layers > limits->max_workgroups[1])
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "a layer of 2^32 pixels or more, or too many layers");
    lg_device_view view, mask;
    lg_device_walk walk;
    context->report.upload = context->report.compute = context->report.download = -1;
    lg_status status = lg_device_view_open(context, scan->image, scan->x, scan->y, &view, error);
    if (status)
        return status;
    status = lg_device_walk_open(context, scan, &view, &mask, &walk, error);
    if (!status) {
        status = count_view(context, task, &view, &walk, out, error);
        lg_device_view_close(context, &mask);
    }
    lg_device_view_close(context, &view);
    return status;
}
