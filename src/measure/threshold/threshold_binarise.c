// Pixels against levels on all threads.
#include "cpu/cpu.h"
#include "engine/tile.h"
#include "measure/histogram/histogram.h"
#include "measure/threshold/threshold_kernels.h"

LG_CPU_DECLARE(lg_compare_table, compare);

// A job is a band of rows of about this many pixels: small enough to spread, large enough to pay.
#define LG_BAND_PIXELS 131072

// Outputs above this are larger than what caches keep for the next reader.
#define LG_STREAM_BYTES ((size_t)4 << 20)

typedef struct lg_bands {
    const lg_compare_table *table;
    const lg_scan *scan;
    const lg_compare *compare; // one for each layer, or one
    bool stack;
    lg_image *binary;
    int64_t rows, per_layer; // rows of a band, bands of a layer
    uint64_t *passed;        // of each band
} lg_bands;

lg_status lg_compare_init(lg_context *context, const lg_scan *scan, lg_luma luma, lg_compare *out,
                          lg_error *error)
{
    const lg_histogram_params params = {.size = sizeof(lg_histogram_params),
                                        .select = lg_select_default(),
                                        .bins = 1,
                                        .type_range = true,
                                        .space = LG_SPACE_LUMA,
                                        .luma = luma};
    lg_histogram_task task; // knows the weights of luma
    lg_status status = lg_histogram_plan(context, scan->image, &params, &task, error);
    if (status != LG_OK)
        return status;
    *out = (lg_compare){.type = scan->type, .channels = scan->channels, .luma = luma};
    for (int i = 0; i < 3; i++) {
        out->weight[i] = task.luma_weight[i];
        out->weight_float[i] = task.luma_weight_float[i];
    }
    return LG_OK;
}

const lg_compare_table *lg_compare_select(const lg_context *context)
{
    return LG_CPU_SELECT(compare, context->cpu_level);
}

static void set_levels(lg_compare *c, const lg_threshold *t)
{
    c->levels = t->levels;
    for (int32_t i = 0; i < t->levels; i++) {
        c->cut[i] = lg_threshold_cut(t->level[i]);
        c->step[i] =
            (uint8_t)(lg_class_byte(i + 1, t->levels + 1) - lg_class_byte(i, t->levels + 1));
    }
}

static lg_status band(void *arg, const lg_tile *t)
{
    const lg_bands *b = arg;
    const int32_t layer = t->layer;
    const lg_compare *compare = &b->compare[b->stack ? 0 : layer];
    uint64_t passed = 0;
    for (int64_t y = t->y; y < t->y_end; y++) {
        uint8_t *out = NULL;
        if (b->binary)
            out = (uint8_t *)b->binary->data + (size_t)layer * b->binary->shape.layer_stride +
                  (size_t)y * b->binary->shape.row_stride;
        const void *pixels = lg_scan_row_dense(b->scan, layer, y, t->scratch);
        passed += b->table->row(compare, pixels, b->scan->width, out);
    }
    b->table->fence();
    b->passed[t->index] = passed;
    return LG_OK;
}

static void collect(const lg_bands *b, lg_threshold *levels)
{
    const int32_t entries = b->stack ? 1 : b->scan->layers;
    for (int32_t i = 0; i < entries; i++) {
        levels[i].foreground = 0;
        levels[i].total = (uint64_t)b->scan->width * (uint64_t)b->scan->height *
                          (uint64_t)(b->stack ? b->scan->layers : 1);
    }
    for (int64_t i = 0; i < b->per_layer * b->scan->layers; i++)
        levels[b->stack ? 0 : i / b->per_layer].foreground += b->passed[i];
}

lg_status lg_threshold_binarise(lg_context *context, const lg_scan *scan, lg_luma luma, bool stack,
                                lg_threshold *levels, lg_image *binary, lg_error *error)
{
    const size_t entries = stack ? 1 : (size_t)scan->layers;
    lg_bands b = {.table = lg_compare_select(context),
                  .scan = scan,
                  .stack = stack,
                  .binary = binary,
                  .rows = LG_MAX(LG_BAND_PIXELS / scan->width, 1)};
    b.per_layer = (scan->height + b.rows - 1) / b.rows;
    const size_t jobs = (size_t)b.per_layer * (size_t)scan->layers;
    lg_compare common;
    lg_status status = lg_compare_init(context, scan, luma, &common, error);
    if (status != LG_OK)
        return status;
    common.stream = binary && binary->shape.layer_stride * (size_t)scan->layers >= LG_STREAM_BYTES;
    lg_compare *compare = lg_alloc_array(entries, sizeof *compare);
    b.passed = lg_alloc_array(jobs, sizeof *b.passed);
    if (compare && b.passed) {
        for (size_t i = 0; i < entries; i++) {
            compare[i] = common;
            set_levels(&compare[i], &levels[i]);
        }
        b.compare = compare;
        const size_t row = (size_t)scan->width * lg_scan_pixel_size(scan);
        const lg_tiling bands = {.height = scan->height,
                                 .layers = scan->layers,
                                 .band = b.rows,
                                 .scratch = lg_scan_in_place(scan) ? 0 : row,
                                 .what = "rows of pixels",
                                 .run = band,
                                 .job = &b};
        status = lg_tiling_run(context->pool, &bands, error);
        if (status == LG_OK)
            collect(&b, levels);
    } else {
        status = lg_fail_memory(error, jobs * sizeof *b.passed, "the counts of a threshold");
    }
    lg_free(compare);
    lg_free(b.passed);
    return status;
}
