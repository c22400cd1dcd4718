// Levels of regions that are measured tile by tile: what lg_threshold_image measures, kept in accumulators.
#include "measure/threshold/threshold_accumulator.h"

#include "device/dispatch.h"
#include "measure/histogram/histogram.h"
#include "measure/threshold/luma_moments.h"
#include "measure/threshold/threshold_kernels.h"

#include <math.h>

// ---- life -----------------------------------------------------------------------------------------

static level_source source_of(lg_threshold_method method, lg_type type, int channels)
{
    if (method == LG_THRESHOLD_VALUE)
        return FROM_NOTHING;
    if (method == LG_THRESHOLD_MEAN && type >= LG_F16)
        return FROM_MEAN;
    return type <= LG_U16 || (type == LG_F16 && channels < 3) ? FROM_VALUES : FROM_BINS;
}

lg_status lg_threshold_accumulator_count(lg_threshold_accumulator *a, lg_error *error)
{
    lg_histogram_params params = lg_histogram_params_default();
    const lg_covered_region *r = &a->region;
    params.space = LG_SPACE_LUMA;
    params.luma = a->params.luma;
    params.bins = 1;
    if (a->source == FROM_BINS) {
        lg_moments figures;
        const lg_status status = lg_moments_finish(&a->range, LG_NAN_IGNORE, &figures, error);
        if (status)
            return status;
        params.bins = a->params.bins == -1 ? 256 : a->params.bins;
        params.type_range = isnan(figures.min); // nothing is finite: whatever the range
        params.lo = figures.min;
        params.hi = figures.max;
        lg_histogram_widen(&params.lo, &params.hi);
    }
    return lg_histogram_accumulator_create(&params, r->type, r->channels, a->alpha, r->width,
                                           r->height, r->layers, &a->counts, error);
}

lg_status lg_threshold_accumulator_create(const lg_threshold_params *params, lg_type type,
                                          int channels, lg_alpha alpha, int64_t width,
                                          int64_t height, int64_t layers,
                                          lg_threshold_accumulator **out, lg_error *error)
{
    lg_threshold_params taken = lg_threshold_params_default();
    lg_covered_region region;
    if (!out)
        return lg_fail_null(error, "a place for the accumulator");
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_threshold_params, luma), &taken, error);
    if (!status)
        status = lg_threshold_check(&taken, error);
    if (!status)
        status = lg_covered_region_init(&region, type, channels, width, height, layers, error);
    lg_threshold_accumulator *a = status ? NULL : lg_alloc(sizeof *a);
    if (status || !a)
        return status ? status : lg_fail_memory(error, sizeof *a, "an accumulator");
    taken.stack = true;
    *a = (lg_threshold_accumulator){.params = taken,
                                    .source = source_of(taken.method, type, channels),
                                    .alpha = alpha,
                                    .region = region,
                                    .range = lg_moments_state_empty(type),
                                    .mean = lg_moments_state_empty(type)};
    if (a->source == FROM_VALUES)
        status = lg_threshold_accumulator_count(a, error);
    if (status)
        lg_threshold_accumulator_destroy(&a);
    else
        *out = a;
    return status;
}

void lg_threshold_accumulator_destroy(lg_threshold_accumulator **accumulator)
{
    if (!accumulator || !*accumulator)
        return;
    lg_histogram_accumulator_destroy(&(*accumulator)->counts);
    lg_free(*accumulator);
    *accumulator = NULL;
}

bool lg_threshold_accumulator_looks(const lg_threshold_accumulator *accumulator)
{
    return accumulator && accumulator->source == FROM_BINS;
}

// ---- tiles ----------------------------------------------------------------------------------------

// Moments of the grey channel, or of luma.
static lg_status moments_of(lg_context *context, const lg_threshold_accumulator *a,
                            const lg_scan *scan, lg_moments_state *out, lg_error *error)
{
    lg_moments_state all[LG_MAX_CHANNELS];
    if (scan->channels == 4)
        return lg_luma_moments(context, scan, a->params.luma, true, out, error);
    const lg_status status = lg_moments_run(context, scan, true, all, error);
    if (!status)
        *out = all[0];
    return status;
}

static lg_status check(const lg_context *context, const lg_threshold_accumulator *a,
                       const lg_image *tile, const lg_select *select, lg_scan *scan,
                       lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    if (!status && !a)
        status = lg_fail_null(error, "an accumulator");
    if (!status)
        status = lg_scan_init(scan, tile, select, error);
    if (!status && tile->shape.type != a->region.type)
        status = lg_fail(error, LG_ERROR_ARGUMENT, "a tile of type %s; the accumulator takes %s",
                         lg_type_name(tile->shape.type), lg_type_name(a->region.type));
    return status;
}

lg_status lg_threshold_accumulator_look(lg_context *context, lg_threshold_accumulator *a,
                                        const lg_image *tile, const lg_select *select,
                                        lg_error *error)
{
    lg_scan scan;
    lg_moments_state more;
    lg_status status = check(context, a, tile, select, &scan, error);
    if (!status && a->counts && a->source == FROM_BINS)
        status = lg_fail(error, LG_ERROR_ARGUMENT, "tiles are looked at before any are added");
    if (status || a->source != FROM_BINS)
        return status;
    status = moments_of(context, a, &scan, &more, error);
    if (!status)
        lg_moments_state_merge(&a->range, &more);
    return status;
}

static lg_status add_mean(lg_context *context, lg_threshold_accumulator *a, const lg_scan *scan,
                          const int64_t at[3], lg_error *error)
{
    uint64_t covered;
    lg_moments_state more;
    lg_status status = lg_covered_region_check(&a->region, scan, a->region.channels, at[0], at[1],
                                               at[2], &covered, error);
    if (!status)
        status = moments_of(context, a, scan, &more, error);
    if (status)
        return status;
    lg_moments_state_merge(&a->mean, &more);
    a->region.covered += covered;
    return LG_OK;
}

lg_status lg_threshold_accumulator_add(lg_context *context, lg_threshold_accumulator *a,
                                       const lg_image *tile, const lg_select *select, int64_t x,
                                       int64_t y, int64_t layer, lg_error *error)
{
    lg_scan scan;
    lg_status status = check(context, a, tile, select, &scan, error);
    if (status || a->source == FROM_NOTHING)
        return status;
    if (a->source == FROM_MEAN)
        return add_mean(context, a, &scan, (const int64_t[]){x, y, layer}, error);
    status = a->counts ? LG_OK : lg_threshold_accumulator_count(a, error);
    return status
               ? status
               : lg_histogram_accumulator_add(context, a->counts, tile, select, x, y, layer, error);
}

// ---- merge and finish -----------------------------------------------------------------------------

static lg_status check_merge(const lg_threshold_accumulator *into,
                             const lg_threshold_accumulator *from, lg_error *error)
{
    const lg_threshold_params *p = &into->params, *q = &from->params;
    if (p->method != q->method || p->bins != q->bins || p->luma != q->luma ||
        (p->method == LG_THRESHOLD_MULTI_OTSU && p->classes != q->classes) ||
        (p->method == LG_THRESHOLD_VALUE && p->value != q->value))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "levels merge only with the same method, bins, classes and luma");
    return lg_covered_region_check_merge(&into->region, &from->region, error);
}

lg_status lg_threshold_accumulator_merge(lg_threshold_accumulator *into,
                                         const lg_threshold_accumulator *from, lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two accumulators");
    lg_status status = check_merge(into, from, error);
    if (!status && !from->counts == !into->counts) // else one has looked at all already
        lg_moments_state_merge(&into->range, &from->range);
    if (!status && from->counts && !into->counts)
        status = lg_threshold_accumulator_count(into, error);
    if (!status && from->counts)
        status = lg_histogram_accumulator_merge(into->counts, from->counts, error);
    if (status)
        return status;
    lg_moments_state_merge(&into->mean, &from->mean);
    into->region.covered += from->region.covered;
    return LG_OK;
}

static lg_status level_of(const lg_threshold_accumulator *a, lg_nan nan, lg_threshold *out,
                          lg_error *error)
{
    lg_histogram *counts = NULL;
    lg_moments range;
    lg_status status =
        a->counts ? lg_histogram_accumulator_finish(a->counts, nan, &counts, error)
                  : lg_fail(error, LG_ERROR_DATA, "there is no level: no sample was added");
    if (!status && a->source == FROM_VALUES)
        status = lg_threshold_valued(&a->params, counts->channel, out, error);
    else if (!status)
        status = lg_threshold_level(counts->channel, &a->params, out, error);
    if (!status && a->source == FROM_BINS)
        status = lg_moments_finish(&a->range, LG_NAN_IGNORE, &range, error);
    if (!status && a->source == FROM_BINS)
        lg_threshold_set_only(out, range.min == range.max ? range.min : NAN);
    lg_histogram_destroy(&counts);
    return status;
}

lg_status lg_threshold_accumulator_finish(const lg_threshold_accumulator *a, lg_nan nan,
                                          lg_threshold *out, lg_error *error)
{
    lg_threshold found = {0};
    lg_moments figures;
    lg_status status = LG_OK;
    if (!a || !out)
        return lg_fail_null(error, "an accumulator, and a place for the level");
    if ((unsigned)nan > LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_ARGUMENT, "NaN rule %d does not exist", (int)nan);
    if (a->source == FROM_NOTHING) {
        found = (lg_threshold){
            .levels = 1, .level = {a->params.value}, .bin = {-1}, .separability = NAN};
    } else if (a->source == FROM_MEAN) {
        status = lg_moments_finish(&a->mean, nan, &figures, error);
        if (!status)
            status = lg_threshold_set_mean(figures.mean, &found, error);
    } else {
        status = level_of(a, nan, &found, error);
    }
    if (status)
        return status;
    found.foreground = found.total = 0;
    *out = found;
    return LG_OK;
}

// ---- pixels ---------------------------------------------------------------------------------------

static lg_status compare(lg_context *context, const lg_image *image, const lg_region *region,
                         lg_luma luma, lg_threshold *levels, lg_image *binary, lg_error *error)
{
    lg_host_view view = {0};
    lg_scan scan;
    lg_select select = lg_select_default();
    select.region = region;
    lg_status status = lg_host_view_open(image, &view, error);
    if (!status)
        status = lg_scan_init(&scan, &view.image.image, &select, error);
    lg_threshold counted = *levels;
    if (!status)
        status = lg_threshold_binarise(context, &scan, luma, true, &counted, binary, error);
    if (!status) {
        levels->foreground += counted.foreground;
        levels->total += counted.total;
    }
    lg_host_view_close(&view);
    return status;
}

lg_status lg_threshold_apply(lg_context *context, const lg_image *image, const lg_region *region,
                             lg_luma luma, lg_threshold *levels, lg_image **binary, lg_error *error)
{
    lg_scan scan;
    lg_image *made = NULL;
    lg_select select = lg_select_default();
    select.region = region;
    lg_status status = lg_context_check(context, error);
    if (!status && !levels)
        status = lg_fail_null(error, "levels");
    if (!status &&
        (levels->levels < 1 || levels->levels >= LG_MAX_CLASSES || (unsigned)luma >= LG_LUMAS))
        status = lg_fail(error, LG_ERROR_ARGUMENT, "%d levels with luma %d; 1 to %d are compared",
                         levels->levels, (int)luma, LG_MAX_CLASSES - 1);
    if (!status)
        status = lg_scan_init(&scan, image, &select, error);
    if (status)
        return status;
    const lg_image_params shape = {.width = (int32_t)scan.width,
                                   .height = (int32_t)scan.height,
                                   .layers = scan.layers,
                                   .channels = 1,
                                   .type = LG_U8};
    lg_report_cpu(context, "");
    if (binary)
        status = lg_image_create_uninit(context, &shape, &made, error);
    if (!status)
        status = compare(context, image, region, luma, levels, made, error);
    if (status)
        lg_image_destroy(&made);
    else if (binary)
        *binary = made;
    return status;
}
