// One image on several devices: strips of rows in accumulators of their own, merged in order.
#include "core/core.h"
#include "core/scan.h"
#include "measure/batch_contexts.h"

enum { STRIPS_PER_CONTEXT = 4, STRIP_ROWS = 32 };

typedef struct strip_work strip_work;

// Rows first .. end-1 of a selection, in all its layers or in one of them.
typedef struct strip {
    const strip_work *work;
    int64_t first, end;
    int32_t layer, layers;
    void *state; // an accumulator
} strip;

struct strip_work {
    const lg_image *image;
    lg_scan scan;
    lg_select select; // of strips: without region and mask
    lg_status (*add)(lg_context *context, void *state, const lg_image *tile,
                     const lg_select *select, const strip *s, lg_error *error);
    void (*drop)(void *state);
    strip *strips;
    size_t count, per_result; // strips in all, and of each result
};

// ---- a strip --------------------------------------------------------------------------------------

// Pixels of an image from a place on, for `s`.
static lg_status wrap(lg_context *context, const lg_image *of, const strip *s, lg_image **out,
                      lg_error *error)
{
    const lg_scan *scan = &s->work->scan;
    lg_image_params shape = of->shape;
    const size_t place = (size_t)(scan->y + s->first) * shape.row_stride +
                         (size_t)scan->x * lg_pixel_size(&shape) +
                         (of->shape.layers > 1 ? (size_t)s->layer * shape.layer_stride : 0);
    shape.width = (int32_t)scan->width;
    shape.height = (int32_t)(s->end - s->first);
    shape.layers = of->shape.layers > 1 ? s->layers : 1;
    return lg_image_wrap(context, &shape, (char *)of->data + place, out, error);
}

static lg_status measure_strip(lg_context *context, void *arg, lg_error *error)
{
    strip *s = arg;
    lg_image *tile = NULL, *mask = NULL;
    lg_select select = s->work->select;
    lg_status status = wrap(context, s->work->image, s, &tile, error);
    if (!status && s->work->scan.mask)
        status = wrap(context, s->work->scan.mask, s, &mask, error);
    select.mask = mask;
    if (!status)
        status = s->work->add(context, s->state, tile, &select, s, error);
    lg_image_destroy(&tile);
    lg_image_destroy(&mask);
    return status;
}

// ---- all of them ----------------------------------------------------------------------------------

// Whether strips give the same: the image lies on the host, and every pixel of its selection counts.
static bool can_cut(const lg_batch *batch, const strip_work *w)
{
    return lg_batch_count(batch) > 1 && w->image->data && w->scan.step == 1 &&
           w->scan.height >= 2 * STRIP_ROWS && (!w->scan.mask || w->scan.mask->data);
}

static lg_status cut(const lg_batch *batch, strip_work *w, bool stack, lg_error *error)
{
    const int64_t height = w->scan.height;
    const int64_t most = (int64_t)lg_batch_count(batch) * STRIPS_PER_CONTEXT;
    const int64_t rows =
        (int64_t)lg_align_up((size_t)((height + most - 1) / most), (size_t)STRIP_ROWS);
    const size_t results = stack ? 1 : (size_t)w->scan.layers;
    w->per_result = (size_t)((height + rows - 1) / rows);
    w->count = results * w->per_result;
    w->strips = lg_alloc_array(w->count, sizeof *w->strips);
    if (!w->strips)
        return lg_fail_memory(error, w->count * sizeof *w->strips, "the strips of an image");
    for (size_t i = 0; i < w->count; i++) {
        const int64_t first = (int64_t)(i % w->per_result) * rows;
        w->strips[i] = (strip){.work = w,
                               .first = first,
                               .end = LG_MIN(first + rows, height),
                               .layer = (int32_t)(i / w->per_result),
                               .layers = stack ? w->scan.layers : 1};
    }
    return LG_OK;
}

static lg_status run(lg_batch *batch, strip_work *w, lg_error *error)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < w->count && !status; i++)
        status = lg_batch_add(batch, measure_strip, &w->strips[i], error);
    const lg_status waited = lg_batch_wait(batch, status ? NULL : error);
    return status ? status : waited;
}

static void drop(strip_work *w)
{
    for (size_t i = 0; w->strips && i < w->count; i++)
        w->drop(w->strips[i].state);
    lg_free(w->strips);
}

static lg_status open_work(lg_batch *batch, const lg_image *image, const lg_select *select,
                           strip_work *out, lg_error *error)
{
    if (!batch)
        return lg_fail_null(error, "a batch");
    if (!lg_batch_is_idle(batch))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the batch has jobs: call lg_batch_wait before it measures an image");
    *out = (strip_work){.image = image, .select = *select};
    out->select.region = NULL;
    out->select.mask = NULL;
    return lg_scan_init(&out->scan, image, select, error);
}

// ---- moments --------------------------------------------------------------------------------------

static lg_status add_moments(lg_context *context, void *state, const lg_image *tile,
                             const lg_select *select, const strip *s, lg_error *error)
{
    return lg_moments_accumulator_add(context, state, tile, select, 0, s->first, 0, error);
}

static void drop_moments(void *state)
{
    lg_moments_accumulator *gone = state;
    lg_moments_accumulator_destroy(&gone);
}

static lg_status moments_of_strips(lg_batch *batch, strip_work *w, bool stack, lg_moments *out,
                                   lg_error *error)
{
    lg_status status = cut(batch, w, stack, error);
    for (size_t i = 0; i < w->count && !status; i++) {
        lg_moments_accumulator *made = NULL;
        status =
            lg_moments_accumulator_create(w->image->shape.type, w->scan.measured, w->scan.width,
                                          w->scan.height, w->strips[i].layers, &made, error);
        w->strips[i].state = made;
    }
    if (!status)
        status = run(batch, w, error);
    const size_t channels = (size_t)w->scan.measured;
    for (size_t i = 0; i < w->count && !status; i++) {
        const size_t first = i - i % w->per_result;
        if (i != first)
            status =
                lg_moments_accumulator_merge(w->strips[first].state, w->strips[i].state, error);
        if (!status && i + 1 == first + w->per_result)
            status = lg_moments_accumulator_finish(w->strips[first].state, w->scan.nan,
                                                   out + first / w->per_result * channels, channels,
                                                   error);
    }
    return status;
}

lg_status lg_batch_moments(lg_batch *batch, const lg_image *image, const lg_moments_params *params,
                           lg_moments *out, size_t capacity, lg_error *error)
{
    lg_moments_params taken = lg_moments_params_default();
    strip_work w = {0};
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_moments_params, stack), &taken, error);
    if (!status)
        status = open_work(batch, image, &taken.select, &w, error);
    if (status)
        return status;
    w.add = add_moments;
    w.drop = drop_moments;
    const size_t count = (size_t)(taken.stack ? 1 : w.scan.layers) * (size_t)w.scan.measured;
    if (!can_cut(batch, &w) || !out || capacity < count)
        return lg_measure_moments(lg_batch_context(batch, 0), image, &taken, out, capacity, error);
    lg_moments *figures = lg_alloc_array(count, sizeof *figures);
    if (!figures)
        return lg_fail_memory(error, count * sizeof *figures, "moments");
    status = moments_of_strips(batch, &w, taken.stack, figures, error);
    for (size_t i = 0; i < count && !status; i++)
        out[i] = figures[i];
    drop(&w);
    lg_free(figures);
    return status;
}

// ---- histograms -----------------------------------------------------------------------------------

static lg_status add_histogram(lg_context *context, void *state, const lg_image *tile,
                               const lg_select *select, const strip *s, lg_error *error)
{
    return lg_histogram_accumulator_add(context, state, tile, select, 0, s->first, 0, error);
}

static void drop_histogram(void *state)
{
    lg_histogram_accumulator *gone = state;
    lg_histogram_accumulator_destroy(&gone);
}

// *refused: accumulators do not take these parameters.
static lg_status make_histograms(const strip_work *w, const lg_histogram_params *params,
                                 bool *refused, lg_error *error)
{
    const lg_image_params *s = &w->image->shape;
    lg_status status = LG_OK;
    for (size_t i = 0; i < w->count && !status; i++) {
        lg_histogram_accumulator *made = NULL;
        status =
            lg_histogram_accumulator_create(params, s->type, s->channels, s->alpha, w->scan.width,
                                            w->scan.height, w->strips[i].layers, &made, error);
        w->strips[i].state = made;
    }
    *refused = status == LG_ERROR_ARGUMENT;
    return status;
}

lg_status lg_batch_histogram(lg_batch *batch, const lg_image *image,
                             const lg_histogram_params *params, lg_histogram **out, lg_error *error)
{
    lg_histogram_params taken = lg_histogram_params_default();
    strip_work w = {0};
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_histogram_params, variant), &taken, error);
    if (!status)
        status = open_work(batch, image, &taken.select, &w, error);
    if (status)
        return status;
    w.add = add_histogram;
    w.drop = drop_histogram;
    bool refused = !can_cut(batch, &w) || !out || (w.scan.layers > 1 && !taken.stack);
    if (!refused)
        status = cut(batch, &w, true, error);
    if (!refused && !status)
        status = make_histograms(&w, &taken, &refused, error);
    if (refused) {
        drop(&w);
        return lg_measure_histogram(lg_batch_context(batch, 0), image, &taken, out, error);
    }
    lg_histogram *made = NULL;
    if (!status)
        status = run(batch, &w, error);
    for (size_t i = 1; i < w.count && !status; i++)
        status = lg_histogram_accumulator_merge(w.strips[0].state, w.strips[i].state, error);
    if (!status)
        status = lg_histogram_accumulator_finish(w.strips[0].state, taken.select.nan, &made, error);
    for (int c = 0; made && c < made->channels && !taken.stack; c++)
        made->channel[c].layer = 0;
    drop(&w);
    if (!status)
        *out = made;
    return status;
}

// ---- thresholds -----------------------------------------------------------------------------------

static lg_status add_threshold(lg_context *context, void *state, const lg_image *tile,
                               const lg_select *select, const strip *s, lg_error *error)
{
    return lg_threshold_accumulator_add(context, state, tile, select, 0, s->first, 0, error);
}

static void drop_threshold(void *state)
{
    lg_threshold_accumulator *gone = state;
    lg_threshold_accumulator_destroy(&gone);
}

// *refused: accumulators do not take these parameters, or would have to see every strip twice.
static lg_status make_thresholds(const strip_work *w, const lg_threshold_params *params,
                                 bool *refused, lg_error *error)
{
    const lg_image_params *s = &w->image->shape;
    lg_status status = LG_OK;
    *refused = params->method == LG_THRESHOLD_VALUE;
    for (size_t i = 0; i < w->count && !status && !*refused; i++) {
        lg_threshold_accumulator *made = NULL;
        status =
            lg_threshold_accumulator_create(params, s->type, s->channels, s->alpha, w->scan.width,
                                            w->scan.height, w->strips[i].layers, &made, error);
        w->strips[i].state = made;
        *refused = status == LG_ERROR_ARGUMENT || lg_threshold_accumulator_looks(made);
    }
    return status;
}

static lg_status threshold_of_strips(lg_batch *batch, strip_work *w,
                                     const lg_threshold_params *params, lg_threshold *out,
                                     lg_image **binary, lg_error *error)
{
    lg_threshold found;
    lg_status status = run(batch, w, error);
    for (size_t i = 1; i < w->count && !status; i++)
        status = lg_threshold_accumulator_merge(w->strips[0].state, w->strips[i].state, error);
    if (!status)
        status =
            lg_threshold_accumulator_finish(w->strips[0].state, params->select.nan, &found, error);
    if (!status)
        status = lg_threshold_apply(lg_batch_context(batch, 0), w->image, params->select.region,
                                    params->luma, &found, binary, error);
    if (!status)
        *out = found;
    return status;
}

lg_status lg_batch_threshold(lg_batch *batch, const lg_image *image,
                             const lg_threshold_params *params, lg_threshold *out, size_t capacity,
                             lg_image **binary, lg_error *error)
{
    lg_threshold_params taken = lg_threshold_params_default();
    strip_work w = {0};
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_threshold_params, luma), &taken, error);
    if (!status)
        status = open_work(batch, image, &taken.select, &w, error);
    if (status)
        return status;
    w.add = add_threshold;
    w.drop = drop_threshold;
    bool refused = !can_cut(batch, &w) || !out || !capacity || (w.scan.layers > 1 && !taken.stack);
    if (!refused)
        status = cut(batch, &w, true, error);
    if (!refused && !status)
        status = make_thresholds(&w, &taken, &refused, error);
    if (!refused && !status)
        status = threshold_of_strips(batch, &w, &taken, out, binary, error);
    drop(&w);
    return refused ? lg_threshold_image(lg_batch_context(batch, 0), image, &taken, out, capacity,
                                        binary, error)
                   : status;
}
