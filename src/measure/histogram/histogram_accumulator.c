// Histograms of a region that is measured tile by tile. What is kept are the counts of a task
// (histogram.h), from which everything else is derived at the end. Saved: measure/accumulator.h, then alpha,
// bins, flags, lo and hi as bits, space, luma, the tables, and the counters of what is outside.
#include "measure/accumulator.h"
#include "measure/histogram/histogram.h"

#include <string.h>

static const lg_saved_kind kind = {"LGHISTOG", 1};

#define OWN_WORDS 7 // of the parameters
enum { AUTOMATIC = 1, TYPE_RANGE = 2 };

struct lg_histogram_accumulator {
    lg_covered_region region; // of pixels as they are stored, of packed RGB as padded
    lg_alpha alpha;
    lg_histogram_params params;
    lg_image pixel;         // a shape, no samples
    lg_histogram_task task; // of that pixel
    lg_histogram_counts counts;
};

// ---- create -------------------------------------------------------------------------------------

// The task of a single pixel: all that counts and their end depend on.
static lg_status plan_pixel(const lg_histogram_params *params, const lg_image_params *shape,
                            lg_histogram_task *out, lg_error *error)
{
    lg_image_private pixel = {.image.shape = *shape};
    lg_histogram_params planned = *params;
    planned.automatic_range = false;
    planned.type_range = params->type_range || params->automatic_range;
    lg_status status = lg_histogram_plan(NULL, &pixel.image, &planned, out, error);
    if (status || !params->automatic_range)
        return status;
    if (!out->native && out->space <= LG_SPACE_RGBL)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the range of these histograms must be known before the first tile: only "
                       "of u8, u16 and f16 samples it is found at the end");
    return lg_histogram_plan(NULL, &pixel.image, params, out, error);
}

static lg_status make(const lg_histogram_params *params, lg_alpha alpha,
                      const lg_covered_region *region, lg_histogram_accumulator **out,
                      lg_error *error)
{
    lg_image_params shape = {.width = 1,
                             .height = 1,
                             .layers = 1,
                             .channels = region->channels,
                             .type = region->type,
                             .alpha = alpha};
    lg_histogram_task task;
    lg_histogram_counts counts;
    lg_status status = lg_shape_check(&shape, error);
    if (!status)
        status = plan_pixel(params, &shape, &task, error);
    if (!status)
        status = lg_histogram_allocate_counts(&task, &counts, error);
    if (status)
        return status;
    lg_histogram_accumulator *a = lg_alloc(sizeof *a);
    if (!a) {
        lg_histogram_free_counts(&counts);
        return lg_fail_memory(error, sizeof *a, "an accumulator");
    }
    memset(counts.tables, 0,
           (size_t)task.channels * (size_t)task.layers * task.table_size * sizeof *counts.tables);
    *a = (lg_histogram_accumulator){*region, alpha, *params, {.shape = shape}, task, counts};
    a->task.scan.image = &a->pixel;
    *out = a;
    return LG_OK;
}

lg_status lg_histogram_accumulator_create(const lg_histogram_params *params, lg_type type,
                                          int channels, lg_alpha alpha, int64_t width,
                                          int64_t height, int64_t layers,
                                          lg_histogram_accumulator **out, lg_error *error)
{
    lg_histogram_params taken = lg_histogram_params_default();
    lg_covered_region region;
    if (!out)
        return lg_fail_null(error, "a place for the accumulator");
    if (channels == 3 && alpha == LG_ALPHA_NONE) {
        channels = 4;
        alpha = LG_ALPHA_OPAQUE;
    }
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_histogram_params, variant), &taken, error);
    if (!status)
        status = lg_covered_region_init(&region, type, channels, width, height, layers, error);
    taken.select = lg_select_default();
    taken.stack = true;
    return status ? status : make(&taken, alpha, &region, out, error);
}

void lg_histogram_accumulator_destroy(lg_histogram_accumulator **accumulator)
{
    if (!accumulator || !*accumulator)
        return;
    lg_histogram_free_counts(&(*accumulator)->counts);
    lg_free(*accumulator);
    *accumulator = NULL;
}

// ---- add and merge ------------------------------------------------------------------------------

static size_t cells_of(const lg_histogram_accumulator *a)
{
    return (size_t)a->task.channels * a->task.table_size;
}

static size_t outside_of(const lg_histogram_accumulator *a)
{
    return (size_t)a->task.channels * LG_OUTSIDE_COUNT;
}

static void add_counts(lg_histogram_accumulator *a, const lg_histogram_counts *more)
{
    for (size_t i = 0; i < cells_of(a); i++)
        a->counts.tables[i] += more->tables[i];
    for (size_t i = 0; i < outside_of(a); i++)
        a->counts.outside[i] += more->outside[i];
    a->counts.variant = more->variant;
}

// A NaN of the tile may be an error, which the end of a histogram finds.
static lg_status check_nan(const lg_histogram_task *task, const lg_histogram_counts *counts,
                           lg_error *error)
{
    lg_histogram *refused = NULL;
    if (task->scan.nan != LG_NAN_ERROR)
        return LG_OK;
    const lg_status status = lg_histogram_finish(task, counts, &refused, error);
    lg_histogram_destroy(&refused);
    return status;
}

static lg_status check_tile(const lg_histogram_accumulator *a, const lg_image *tile,
                            const lg_select *select, const int64_t at[3], uint64_t *covered,
                            lg_error *error)
{
    lg_scan scan;
    lg_status status = lg_scan_init(&scan, tile, select, error);
    if (status)
        return status;
    const lg_image_params shape = lg_shape_padded(&tile->shape);
    if (shape.alpha != a->alpha && shape.channels == a->region.channels)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the tile has alpha %d; the accumulator takes alpha %d", (int)shape.alpha,
                       (int)a->alpha);
    return lg_covered_region_check(&a->region, &scan, scan.channels, at[0], at[1], at[2], covered,
                                   error);
}

lg_status lg_histogram_accumulator_add(lg_context *context, lg_histogram_accumulator *a,
                                       const lg_image *tile, const lg_select *select, int64_t x,
                                       int64_t y, int64_t layer, lg_error *error)
{
    uint64_t covered = 0;
    lg_histogram_task task;
    lg_histogram_counts more;
    lg_status status = lg_context_check(context, error);
    if (!status && !a)
        status = lg_fail_null(error, "an accumulator");
    if (!status)
        status = check_tile(a, tile, select, (const int64_t[]){x, y, layer}, &covered, error);
    if (status)
        return status;
    lg_histogram_params params = a->params;
    params.select = select ? *select : params.select;
    status = lg_histogram_count(context, tile, &params, &task, &more, error);
    if (status)
        return status;
    status = check_nan(&task, &more, error);
    if (!status) {
        add_counts(a, &more);
        a->region.covered += covered;
    }
    lg_histogram_free_counts(&more);
    return status;
}

static bool same_params(const lg_histogram_accumulator *x, const lg_histogram_accumulator *y)
{
    const lg_histogram_params *a = &x->params, *b = &y->params;
    const bool explicit_range = !a->automatic_range && !a->type_range;
    return x->alpha == y->alpha && a->bins == b->bins && a->automatic_range == b->automatic_range &&
           a->type_range == b->type_range && a->space == b->space && a->luma == b->luma &&
           (!explicit_range || (a->lo == b->lo && a->hi == b->hi));
}

lg_status lg_histogram_accumulator_merge(lg_histogram_accumulator *into,
                                         const lg_histogram_accumulator *from, lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two accumulators");
    if (!same_params(into, from))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "accumulators merge only with the same bins, range, space, luma and alpha");
    const lg_status status = lg_covered_region_check_merge(&into->region, &from->region, error);
    if (status)
        return status;
    add_counts(into, &from->counts);
    into->region.covered += from->region.covered;
    return LG_OK;
}

lg_status lg_histogram_accumulator_finish(const lg_histogram_accumulator *a, lg_nan nan,
                                          lg_histogram **out, lg_error *error)
{
    if (!a || !out)
        return lg_fail_null(error, "an accumulator, and a place for the histogram");
    if ((unsigned)nan > LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_ARGUMENT, "NaN rule %d does not exist", (int)nan);
    lg_histogram_task task = a->task;
    task.scan.nan = nan;
    return lg_histogram_finish(&task, &a->counts, out, error);
}

// ---- as bytes -----------------------------------------------------------------------------------

static size_t saved_size(const lg_histogram_accumulator *a)
{
    return 8 * (LG_SAVED_HEADER + OWN_WORDS + cells_of(a) + outside_of(a) + 1);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

lg_status lg_histogram_accumulator_save(const lg_histogram_accumulator *a, void *data,
                                        size_t capacity, size_t *size, lg_error *error)
{
    uint8_t *at;
    if (!a || !size)
        return lg_fail_null(error, "an accumulator, and a size to fill");
    const lg_histogram_params *p = &a->params;
    const lg_status status =
        lg_saved_begin(&kind, &a->region, data, capacity, saved_size(a), size, &at, error);
    if (status || !at)
        return status;
    const uint64_t own[OWN_WORDS] = {a->alpha,
                                     (uint64_t)(int64_t)p->bins,
                                     (p->automatic_range ? AUTOMATIC : 0u) |
                                         (p->type_range ? TYPE_RANGE : 0u),
                                     bits_of(p->lo),
                                     bits_of(p->hi),
                                     p->space,
                                     p->luma};
    for (int i = 0; i < OWN_WORDS; i++)
        lg_put64(&at, own[i]);
    for (size_t i = 0; i < cells_of(a); i++)
        lg_put64(&at, a->counts.tables[i]);
    for (size_t i = 0; i < outside_of(a); i++)
        lg_put64(&at, a->counts.outside[i]);
    lg_saved_end(data, at);
    return LG_OK;
}

static bool get_params(const uint8_t **at, lg_histogram_params *out, lg_alpha *alpha)
{
    uint64_t own[OWN_WORDS];
    for (int i = 0; i < OWN_WORDS; i++)
        own[i] = lg_get64(at);
    *out = lg_histogram_params_default();
    out->stack = true;
    out->bins = (int32_t)own[1];
    out->automatic_range = own[2] & AUTOMATIC;
    out->type_range = own[2] & TYPE_RANGE;
    memcpy(&out->lo, &own[3], sizeof out->lo);
    memcpy(&out->hi, &own[4], sizeof out->hi);
    out->space = (lg_space)own[5];
    out->luma = (lg_luma)own[6];
    *alpha = (lg_alpha)own[0];
    return own[0] <= LG_ALPHA_PREMULTIPLIED && (uint64_t)(int64_t)out->bins == own[1] &&
           own[2] <= (AUTOMATIC | TYPE_RANGE) && own[5] < LG_SPACES && own[6] < LG_LUMAS;
}

// Samples of a channel are not more than pixels.
static bool get_counts(const uint8_t **at, lg_histogram_accumulator *a)
{
    for (size_t i = 0; i < cells_of(a); i++)
        a->counts.tables[i] = lg_get64(at);
    for (size_t i = 0; i < outside_of(a); i++)
        a->counts.outside[i] = lg_get64(at);
    for (size_t c = 0; c < (size_t)a->task.channels; c++) {
        uint64_t left = a->region.covered;
        const size_t table = a->task.table_size;
        for (size_t i = 0; i < table + LG_OUTSIDE_COUNT; i++) {
            const uint64_t count = i < table ? a->counts.tables[c * table + i]
                                             : a->counts.outside[c * LG_OUTSIDE_COUNT + i - table];
            if (count > left)
                return false;
            left -= count;
        }
    }
    return true;
}

lg_status lg_histogram_accumulator_load(const void *data, size_t size,
                                        lg_histogram_accumulator **out, lg_error *error)
{
    lg_covered_region r;
    const uint8_t *at;
    lg_histogram_params params;
    lg_alpha alpha = LG_ALPHA_NONE;
    lg_error why = {LG_OK, ""};
    lg_histogram_accumulator *a = NULL;
    if (!data || !out)
        return lg_fail_null(error, "bytes, and a place for the accumulator");
    lg_status status = lg_saved_open(&kind, data, size, &r, &at, error);
    if (!status &&
        (size < 8 * (LG_SAVED_HEADER + OWN_WORDS + 1) || !get_params(&at, &params, &alpha)))
        status = lg_saved_damaged(error, "the parameters are out of range");
    if (status)
        return status;
    status = make(&params, alpha, &r, &a, &why);
    if (status == LG_ERROR_MEMORY)
        return lg_fail(error, status, "%s", why.message);
    if (status || size != saved_size(a))
        status = lg_saved_damaged(error, status ? "the parameters do not go together"
                                                : "their number does not fit the header");
    else if (!get_counts(&at, a))
        status = lg_saved_damaged(error, "its counts contradict each other");
    if (status)
        lg_histogram_accumulator_destroy(&a);
    else
        *out = a;
    return status;
}
