// Counting on the CPU: rows to workers, each with tables of its own, added up under a lock.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "engine/tile.h"
#include "measure/histogram/histogram_kernels.h"

LG_CPU_DECLARE(lg_histogram_kernels, histogram);
LG_CPU_DECLARE(lg_histogram_pairs, histogram_pairs);

// Two tables of this size fit the first-level cache; of larger ones one is faster.
#define PAIR_CELLS   2048
#define MAX_GROUPS   3
#define BLOCK_PIXELS (1 << 17)
// 32-bit counters are flushed before they can overflow; a row has at most 2^24 pixels.
#define FLUSH_PIXELS (UINT64_C(1) << 31)

// Fewer samples are not worth the tables of pairs.
#define PAIR_SAMPLES (INT64_C(1) << 22)
#define PAIR_PROBES  64 // neighbours that are looked at in a block
#define PAIR_NEAR    12 // difference of neighbours that are alike

// Channels that are counted from one interleaved buffer.
typedef struct count_group {
    lg_histogram_layout layout;
    int first; // channel of the task
    size_t at; // offset of its tables in a worker's counters
} count_group;

typedef struct count_worker {
    uint32_t *tables;
    uint8_t *row, *mask, *packed; // packed: pixels that the mask leaves
    void *luma;
    float *floats, *planes;
    void *index;
    lg_histogram_avx512 *vectors; // one per channel
    uint32_t *pairs;              // of the context
    bool alike, paired;           // this block is counted by pairs; some are in `pairs`
    int32_t layer;                // that the counters belong to
    uint64_t pending;
} count_worker;

typedef struct count_run {
    const lg_histogram_task *task;
    const lg_histogram_kernels *kernels;
    lg_histogram_counts *out;
    count_group group[MAX_GROUPS];
    int groups;
    size_t counters; // per worker
    uint32_t cells;  // of a table: table_size, and LG_OUTSIDE_COUNT more when binned
    int64_t rows_per_block;
    bool joined; // a row begins where the one before ends: a block is one long row
    bool avx512;
    const lg_histogram_pairs *pairs; // NULL: samples are counted one by one
    count_worker *worker;
    int workers;
    pthread_mutex_t lock;
} count_run;

// ---- geometry -----------------------------------------------------------------------------------

static void add_group(count_run *run, int first, int channels, int counted)
{
    const bool single = run->task->variant == LG_HISTOGRAM_CPU_SINGLE;
    const bool wide = !single && run->cells <= LG_HISTOGRAM_WIDE_STRIDE;
    int ways = wide ? LG_HISTOGRAM_WIDE_WAYS : channels;
    if (!single && !wide && channels == 1 && run->cells <= PAIR_CELLS)
        ways = 2;
    if (wide && channels == 4 && run->task->native && run->task->scan.type == LG_U8)
        ways = LG_HISTOGRAM_PIXEL_WAYS;
    count_group *g = &run->group[run->groups++];
    g->layout = (lg_histogram_layout){
        .channels = channels,
        .counted = counted,
        .ways = ways,
        .runs = !single,
        // Tables of a power of two apart would compete for the same sets of the cache.
        .stride = wide ? LG_HISTOGRAM_WIDE_STRIDE : lg_align_up(run->cells, 16) + 16};
    g->first = first;
    g->at = run->counters;
    run->counters += g->layout.stride * (size_t)ways;
}

static void plan_groups(count_run *run)
{
    const lg_histogram_task *task = run->task;
    run->cells = task->table_size + (task->native ? 0 : LG_OUTSIDE_COUNT);
    if (task->sources > 0)
        add_group(run, 0, task->scan.channels, task->sources);
    for (int c = task->sources; c < task->channels; c++)
        add_group(run, c, 1, 1);
    const lg_scan *scan = &task->scan;
    run->rows_per_block = LG_MAX(1, BLOCK_PIXELS / scan->width);
    run->joined = !scan->selective && lg_scan_in_place(scan) &&
                  scan->image->shape.row_stride == (size_t)scan->width * lg_scan_pixel_size(scan);
}

static void free_workers(count_run *run)
{
    for (int i = 0; run->worker && i < run->workers; i++) {
        count_worker *w = &run->worker[i];
        lg_free(w->tables);
        lg_free(w->row);
        lg_free(w->mask);
        lg_free(w->packed);
        lg_free(w->luma);
        lg_free(w->floats);
        lg_free(w->planes);
        lg_free(w->index);
        lg_free(w->vectors);
    }
    lg_free(run->worker);
}

static bool allocate_worker(const count_run *run, count_worker *w)
{
    const lg_scan *scan = &run->task->scan;
    const size_t row = (size_t)scan->width * lg_scan_pixel_size(scan);
    const size_t span = LG_HISTOGRAM_SPAN * sizeof(float);
    bool ok = (w->tables = lg_alloc_aligned(run->counters * sizeof *w->tables)) != NULL;
    ok = ok && (w->luma = lg_alloc_aligned(LG_HISTOGRAM_SPAN * sizeof(uint16_t)));
    if (!lg_scan_in_place(scan))
        ok = ok && (w->row = lg_alloc_aligned(row));
    if (scan->selective)
        ok = ok && (w->mask = lg_alloc_aligned((size_t)scan->width)) &&
             (w->packed = lg_alloc_aligned(row + LG_MAX_CHANNELS * sizeof(float)));
    if (!run->task->native)
        ok = ok && (w->floats = lg_alloc_aligned(LG_MAX_CHANNELS * span)) &&
             (w->planes = lg_alloc_aligned(MAX_GROUPS * span)) &&
             (w->index = lg_alloc_aligned(LG_MAX_CHANNELS * span));
    if (run->avx512)
        ok =
            ok && (w->vectors = lg_alloc_aligned(sizeof *w->vectors * (size_t)run->task->channels));
    w->layer = -1;
    return ok;
}

// ---- tables -------------------------------------------------------------------------------------

static void finish_vectors(const count_run *run, count_worker *w)
{
    for (int i = 0; i < run->groups; i++) {
        const count_group *g = &run->group[i];
        for (int c = 0; c < g->layout.counted; c++)
            lg_histogram_avx512_finish(&w->vectors[g->first + c],
                                       w->tables + g->at + (size_t)c * g->layout.stride);
    }
}

static void fold_pairs(void *arg, size_t index, int worker)
{
    count_run *run = arg;
    count_worker *w = &run->worker[index];
    const count_group *g = &run->group[0];
    if (w->paired)
        run->pairs->fold(w->pairs, &g->layout, w->tables + g->at);
    w->paired = false;
}

// Adds a worker's counters to the result and clears them.
static void flush(count_run *run, count_worker *w)
{
    const lg_histogram_task *task = run->task;
    if (!w->pending)
        return;
    if (run->avx512)
        finish_vectors(run, w);
    fold_pairs(run, (size_t)(w - run->worker), 0);
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < run->groups; i++) {
        const count_group *g = &run->group[i];
        for (int way = 0; way < g->layout.ways; way++) {
            const int channel = way % g->layout.channels;
            if (channel >= g->layout.counted)
                continue;
            const uint32_t *from = w->tables + g->at + (size_t)way * g->layout.stride;
            const size_t row =
                (size_t)w->layer * (size_t)task->channels + (size_t)(g->first + channel);
            uint64_t *to = run->out->tables + row * task->table_size;
            for (uint32_t k = 0; k < task->table_size; k++)
                to[k] += from[k];
            for (uint32_t k = task->table_size; k < run->cells; k++)
                run->out->outside[row * LG_OUTSIDE_COUNT + (k - task->table_size)] += from[k];
        }
    }
    pthread_mutex_unlock(&run->lock);
    memset(w->tables, 0, run->counters * sizeof *w->tables);
    w->pending = 0;
}

static void count_into(const count_run *run, count_worker *w, int group, const uint8_t *samples,
                       size_t size, size_t pixels)
{
    size_t count = pixels * (size_t)run->group[group].layout.channels;
    const count_group *g = &run->group[group];
    uint32_t *tables = w->tables + g->at;
    if (run->avx512) {
        lg_histogram_avx512 *states = w->vectors + g->first;
        if (g->layout.channels == 1)
            lg_histogram_avx512_add(states, samples, pixels, tables);
        else
            lg_histogram_avx512_add_4(states, g->layout.counted, samples, pixels, tables,
                                      g->layout.stride);
        return;
    }
    if (w->alike && group == 0) {
        const size_t done = run->pairs->add(samples, count, &g->layout, w->pairs, tables);
        samples += done;
        count -= done;
        w->paired = true;
    }
    run->kernels->count(samples, size, count, &g->layout, tables);
}

// ---- spans of pixels ----------------------------------------------------------------------------

static void count_native_luma(count_run *run, count_worker *w, const uint8_t *pixels, size_t n)
{
    const bool bytes = run->task->scan.type == LG_U8;
    const size_t pixel = bytes ? 4 : 8;
    for (size_t i = 0; i < n; i += LG_HISTOGRAM_SPAN) {
        const size_t part = LG_MIN(n - i, LG_HISTOGRAM_SPAN);
        const void *at = pixels + i * pixel;
        if (bytes)
            run->kernels->luma_u8(at, part, run->task, w->luma);
        else
            run->kernels->luma_u16(at, part, run->task, w->luma);
        count_into(run, w, run->groups - 1, w->luma, bytes ? 1 : 2, part);
    }
}

static void bin_and_count(count_run *run, count_worker *w, int group, const float *values,
                          size_t pixels)
{
    const count_group *g = &run->group[group];
    const size_t n = pixels * (size_t)g->layout.channels;
    const lg_histogram_rule *rule = &run->task->rule[g->first];
    const bool narrow = run->cells <= 65536;
    if (narrow)
        run->kernels->bin_u16(values, n, rule, run->task->table_size, w->index);
    else
        run->kernels->bin_u32(values, n, rule, run->task->table_size, w->index);
    count_into(run, w, group, w->index, narrow ? 2 : 4, pixels);
}

// At most LG_HISTOGRAM_SPAN pixels.
static void count_binned(count_run *run, count_worker *w, const void *pixels, size_t n)
{
    const lg_histogram_task *task = run->task;
    const size_t channels = (size_t)task->scan.channels;
    const float *values = pixels;
    if (task->scan.type != LG_F32) {
        run->kernels->load(pixels, task->scan.type, n * channels, task->sample_scale, w->floats);
        values = w->floats;
    }
    int group = 0;
    if (task->sources > 0)
        bin_and_count(run, w, group++, values, n);
    if (group == run->groups)
        return;
    run->kernels->to_space(values, n, task, w->planes);
    for (float *plane = w->planes; group < run->groups; plane += LG_HISTOGRAM_SPAN)
        bin_and_count(run, w, group++, plane, n);
}

static void count_pixels(count_run *run, count_worker *w, const uint8_t *pixels, size_t n)
{
    const lg_histogram_task *task = run->task;
    if (task->native) {
        if (task->sources > 0)
            count_into(run, w, 0, pixels, lg_type_size(task->scan.type), n);
        if (task->sources < task->channels)
            count_native_luma(run, w, pixels, n);
        return;
    }
    const size_t pixel = lg_scan_pixel_size(&task->scan);
    for (size_t i = 0; i < n; i += LG_HISTOGRAM_SPAN)
        count_binned(run, w, pixels + i * pixel, LG_MIN(n - i, LG_HISTOGRAM_SPAN));
}

// Every pixel is written, the place moves on only past those that count.
#define PACK(size)                                                                                 \
    for (size_t i = 0; i < n; i++) {                                                               \
        memcpy(to, from + i * (size), (size));                                                     \
        to += mask[i] * (size_t)(size);                                                            \
    }

static size_t pack(uint8_t *to, const uint8_t *from, const uint8_t *mask, size_t n, size_t pixel)
{
    const uint8_t *start = to;
    switch (pixel) {
    case 1:
        PACK(1)
        break;
    case 2:
        PACK(2)
        break;
    case 4:
        PACK(4)
        break;
    case 8:
        PACK(8)
        break;
    default:
        PACK(16)
        break;
    }
    return (size_t)(to - start) / pixel;
}

static void count_row(count_run *run, count_worker *w, int32_t layer, int64_t row)
{
    const lg_scan *scan = &run->task->scan;
    const uint8_t *pixels = lg_scan_row_dense(scan, layer, row, w->row);
    size_t n = (size_t)scan->width;
    if (scan->selective) {
        lg_scan_row_mask(scan, layer, row, w->mask);
        n = pack(w->packed, pixels, w->mask, n, lg_scan_pixel_size(scan));
        pixels = w->packed;
    }
    count_pixels(run, w, pixels, n);
}

// Neighbours are near each other, but not nearly all equal: then runs are counted faster.
static bool alike(const lg_scan *scan, const uint8_t *row)
{
    const size_t channels = (size_t)scan->channels, looked = LG_MIN(channels, (size_t)3);
    size_t near = 0, same = 0;
    for (size_t i = 0; i < PAIR_PROBES; i++) {
        const uint8_t *pixel = row + (size_t)(scan->width - 1) * i / PAIR_PROBES * channels;
        for (size_t c = 0; c < looked; c++) {
            const int difference = pixel[c] - pixel[c + channels];
            near += abs(difference) <= PAIR_NEAR;
            same += difference == 0;
        }
    }
    return 4 * near >= 3 * looked * PAIR_PROBES && 8 * same <= 7 * looked * PAIR_PROBES;
}

static lg_status count_block(void *arg, const lg_tile *t)
{
    count_run *run = arg;
    count_worker *w = &run->worker[t->worker];
    const lg_scan *scan = &run->task->scan;
    const int32_t layer = t->layer;
    const int32_t target = run->task->stack ? 0 : layer;
    const int64_t first = t->y, end = t->y_end;
    const uint64_t pixels = (uint64_t)(end - first) * (uint64_t)scan->width;
    if (w->layer != target || w->pending + pixels > FLUSH_PIXELS)
        flush(run, w);
    w->layer = target;
    w->pending += pixels;
    w->alike = run->pairs && alike(scan, lg_scan_row(scan, layer, (first + end) / 2));
    if (run->joined) {
        count_pixels(run, w, lg_scan_row(scan, layer, first), (size_t)pixels);
        return LG_OK;
    }
    for (int64_t row = first; row < end; row++)
        count_row(run, w, layer, row);
    return LG_OK;
}

// ---- entry --------------------------------------------------------------------------------------

// The AVX-512 kernels count u8 samples of one or four interleaved channels.
static bool avx512_fits(const lg_histogram_task *task)
{
    return task->native && task->scan.type == LG_U8 && task->scan.channels != 2 &&
           lg_cpu_has_avx512_histogram();
}

static lg_status choose_variant(lg_context *context, const lg_histogram_task *task, count_run *run,
                                lg_error *error)
{
    const bool fits = avx512_fits(task);
    run->out->variant = task->variant;
    if (task->variant == LG_HISTOGRAM_AUTO) {
        run->out->variant = LG_HISTOGRAM_CPU_MULTI;
        if (fits && context->cpu_level == LG_CPU_V4)
            run->out->variant = lg_histogram_cpu_choice(context, run->kernels, task->scan.channels);
    }
    run->avx512 = run->out->variant == LG_HISTOGRAM_CPU_AVX512;
    if (run->avx512 && !fits)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "variant %s needs a processor with AVX-512 VBMI2, BITALG and GFNI and u8 "
                       "samples of one or four channels; use auto",
                       lg_histogram_variant_name(run->out->variant));
    if (!lg_histogram_variant_is_cpu(run->out->variant))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "variant %s does not run on the CPU; use auto",
                       lg_histogram_variant_name(run->out->variant));
    if (!task->scan.image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the image lives on the device only; download it to count on the CPU");
    return LG_OK;
}

// Large u8 images may be counted by pairs. The tables stay with the context, because new memory of
// this size costs as much as they save; without them samples are counted one by one.
static void prepare_pairs(lg_context *context, count_run *run)
{
    const lg_histogram_task *task = run->task;
    const lg_scan *scan = &task->scan;
    const lg_histogram_pairs *pairs = LG_CPU_SELECT(histogram_pairs, context->cpu_level);
    if (!pairs->add || !task->native || task->sources == 0 || scan->type != LG_U8 ||
        scan->selective || !lg_scan_in_place(scan) || scan->width < 2 ||
        run->out->variant != LG_HISTOGRAM_CPU_MULTI ||
        scan->width * scan->height * scan->layers * scan->channels < PAIR_SAMPLES)
        return;
    const size_t one = LG_HISTOGRAM_PAIR_COUNTERS * sizeof(uint32_t);
    if (!context->cpu_pairs)
        context->cpu_pairs = lg_alloc_aligned(one * (size_t)run->workers);
    if (!context->cpu_pairs)
        return;
    run->pairs = pairs;
    for (int i = 0; i < run->workers; i++)
        run->worker[i].pairs = context->cpu_pairs + LG_HISTOGRAM_PAIR_COUNTERS * (size_t)i;
}

static lg_status allocate_workers(lg_context *context, count_run *run, lg_error *error)
{
    run->workers = lg_pool_threads(context->pool);
    run->worker = lg_alloc_array((size_t)run->workers, sizeof *run->worker);
    bool ok = run->worker != NULL;
    for (int i = 0; ok && i < run->workers; i++)
        ok = allocate_worker(run, &run->worker[i]);
    if (ok)
        return LG_OK;
    free_workers(run);
    return lg_fail_memory(error, run->counters * sizeof(uint32_t), "the tables of a histogram");
}

lg_status lg_histogram_cpu(lg_context *context, const lg_histogram_task *task,
                           lg_histogram_counts *out, lg_error *error)
{
    count_run run = {
        .task = task, .out = out, .kernels = LG_CPU_SELECT(histogram, context->cpu_level)};
    lg_status status = choose_variant(context, task, &run, error);
    if (status != LG_OK)
        return status;
    const double start = lg_time_seconds();
    plan_groups(&run);
    status = allocate_workers(context, &run, error);
    if (status != LG_OK)
        return status;
    prepare_pairs(context, &run);
    pthread_mutex_init(&run.lock, NULL);
    const lg_tiling blocks = {.height = task->scan.height,
                              .layers = task->scan.layers,
                              .band = run.rows_per_block,
                              .run = count_block,
                              .job = &run};
    status = lg_tiling_run(context->pool, &blocks, error);
    if (run.pairs)
        lg_pool_run(context->pool, (size_t)run.workers, fold_pairs, &run);
    for (int i = 0; i < run.workers; i++)
        flush(&run, &run.worker[i]);
    pthread_mutex_destroy(&run.lock);
    free_workers(&run);
    lg_engine_report *report = &context->report;
    strncpy(report->variant, lg_histogram_variant_name(out->variant), sizeof report->variant - 1);
    report->compute = lg_time_seconds() - start;
    report->upload = report->download = -1;
    return status;
}
