// Batches of queries on the CPU.
#include "measure/areasum/areasum_planes.h"

#include "device/dispatch.h"
#include "engine/tile.h"

const char *lg_area_figure_name(lg_area_figure figure)
{
    static const char *const names[LG_AREA_FIGURES] = {"sum", "mean",  "variance",   "min",
                                                       "max", "count", "count_above"};
    return (unsigned)figure < LG_AREA_FIGURES ? names[figure] : NULL;
}

static lg_status check_figure(const lg_areasum *a, lg_area_figure figure, lg_error *error)
{
    const char *name = lg_area_figure_name(figure), *wish = NULL;
    if (!name)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown figure %d of area sums", (int)figure);
    if (figure == LG_AREA_VARIANCE && !a->params.squares)
        wish = "squares";
    if ((figure == LG_AREA_MIN || figure == LG_AREA_MAX) && !a->params.extremes)
        wish = "extremes";
    if (figure == LG_AREA_COUNT_ABOVE && !a->params.counts_above)
        wish = "counts_above";
    return wish ? lg_fail(error, LG_ERROR_ARGUMENT,
                          "%s was asked for, but the area sums were built without %s", name, wish)
                : LG_OK;
}

static lg_status check_box(const lg_areasum *a, const int32_t *bounds, size_t box, lg_error *error)
{
    const int dims = a->shape.dims;
    for (int d = 0; d < dims; d++) {
        const long long first = bounds[d], end = bounds[dims + d],
                        extent = (long long)a->shape.extent[d];
        if (first >= end)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "box %zu is %s: along axis %d it goes from %lld to %lld", box,
                           first == end ? "empty" : "inverted", d, first, end);
        if (first < 0 || end > extent)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "box %zu reaches outside: along axis %d it goes from %lld to %lld, the "
                           "array from 0 to %lld",
                           box, d, first, end, extent);
    }
    return LG_OK;
}

typedef struct check {
    const lg_areasum *a;
    const int32_t *bounds;
    size_t count;
    size_t bad; // the first box that is refused so far
} check;

static lg_status check_some(void *arg, const lg_tile *t)
{
    check *c = arg;
    const size_t dims = (size_t)c->a->shape.dims;
    for (int64_t i = t->y; i < t->y_end; i++) {
        const int32_t *b = c->bounds + 2 * dims * (size_t)i;
        bool good = true;
        for (size_t d = 0; d < dims; d++)
            good &= b[d] >= 0 && b[d] < b[dims + d] && b[dims + d] <= c->a->shape.extent[d];
        size_t bad = __atomic_load_n(&c->bad, __ATOMIC_RELAXED);
        while (!good && (size_t)i < bad &&
               !__atomic_compare_exchange_n(&c->bad, &bad, (size_t)i, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
            ;
        if (!good)
            return LG_ERROR_ARGUMENT;
    }
    return LG_OK;
}

// A tile has `at_once` of `count` boxes.
static lg_status for_boxes(lg_context *context, lg_tile_fn *run, void *job, size_t count,
                           int64_t at_once, lg_error *error)
{
    const lg_tiling boxes = {.height = (int64_t)count, .band = at_once, .run = run, .job = job};
    return lg_tiling_run(context->pool, &boxes, error);
}

lg_status lg_area_check_owner(const lg_context *context, const lg_context *owner, lg_error *error)
{
    if (!owner || owner == context)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "the area sums are on the device of another context; ask with that one");
}

lg_status lg_area_check_boxes(lg_context *context, const lg_areasum *a, const int32_t *bounds,
                              size_t count, lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    if (!status)
        status = lg_area_check_owner(context, a->device ? a->owner : NULL, error);
    if (status)
        return status;
    if (count && !bounds)
        return lg_fail(error, LG_ERROR_ARGUMENT, "boxes are missing");
    check c = {a, bounds, count, SIZE_MAX};
    const lg_status checked =
        for_boxes(context, check_some, &c, count, LG_AREA_BOXES_AT_ONCE, error);
    return checked != LG_ERROR_ARGUMENT
               ? checked
               : check_box(a, bounds + 2 * (size_t)a->shape.dims * c.bad, c.bad, error);
}

static lg_status check_query(lg_context *context, const lg_areasum *a, lg_area_figure figure,
                             const int32_t *bounds, size_t count, lg_error *error)
{
    if (!a)
        return lg_fail_null(error, "area sums");
    const lg_status status = check_figure(a, figure, error);
    return status ? status : lg_area_check_boxes(context, a, bounds, count, error);
}

typedef struct batch {
    const lg_areasum *a;
    lg_area_figure figure;
    const int32_t *bounds;
    size_t count;
    double *out;
    int64_t *integers;
    uint64_t *bins;
} batch;

// Sums of two-dimensional tables of 64 bits with sign, which most batches are: four reads a box.
static void answer_flat(const batch *b, size_t first, size_t end)
{
    const lg_area_plane *plane = &b->a->planes[b->a->plane_of[LG_AREA_OP_SUM]];
    const size_t channels = (size_t)b->a->shape.channels;
    const size_t row = (size_t)b->a->shape.extent[0] * channels;
    const int64_t *words = plane->data;
    const double unit = ldexp(1, plane->exponent);
    for (size_t i = first; i < end; i++) {
        const int32_t *box = b->bounds + 4 * i;
        const size_t left = (size_t)(box[0] - 1) * channels,
                     right = (size_t)(box[2] - 1) * channels;
        const int64_t *upper = words + (size_t)(box[1] ? box[1] - 1 : 0) * row;
        const int64_t *lower = words + (size_t)(box[3] - 1) * row;
        lg_context_relieve(plane->limited);
        for (size_t c = 0; c < channels; c++) {
            int64_t sum = lower[right + c];
            if (box[0])
                sum = (int64_t)((uint64_t)sum - (uint64_t)lower[left + c]);
            if (box[1])
                sum = (int64_t)((uint64_t)sum - (uint64_t)upper[right + c]);
            if (box[0] && box[1])
                sum = (int64_t)((uint64_t)sum + (uint64_t)upper[left + c]);
            b->out[i * channels + c] = (double)sum * unit;
        }
    }
}

static bool is_flat(const batch *b)
{
    const lg_areasum *a = b->a;
    return b->figure == LG_AREA_SUM && b->out && a->plane_of[LG_AREA_OP_SUM_LOW] < 0 &&
           a->params.kind == LG_AREASUM_TABLE && a->shape.dims == 2 &&
           a->planes[a->plane_of[LG_AREA_OP_SUM]].word == LG_AREA_U64 && lg_area_is_signed(a);
}

static void put_answer(const batch *b, size_t at, const lg_area_state *state)
{
    if (b->integers)
        b->integers[at] = (int64_t)state->sum;
    else
        b->out[at] = lg_area_finish(b->a, b->figure, state);
}

static lg_status answer(void *arg, const lg_tile *t)
{
    const batch *b = arg;
    if (is_flat(b)) {
        answer_flat(b, (size_t)t->y, (size_t)t->y_end);
        return LG_OK;
    }
    const int dims = b->a->shape.dims, channels = b->a->shape.channels;
    for (size_t i = (size_t)t->y; i < (size_t)t->y_end; i++)
        for (int c = 0; c < channels; c++) {
            lg_area_state state = lg_area_state_empty();
            lg_area_add_box(b->a, b->figure, b->bounds + 2 * (size_t)dims * i, c, &state);
            put_answer(b, i * (size_t)channels + (size_t)c, &state);
        }
    return LG_OK;
}

// Answers from the device.
static void put_answers(void *arg, size_t first, size_t count, const lg_area_state *states)
{
    const batch *b = arg;
    const size_t channels = (size_t)b->a->shape.channels;
    for (size_t i = 0; i < count * channels; i++)
        put_answer(b, first * channels + i, &states[i]);
}

// What lies on a device only the device can answer from.
static lg_status states_from_device(const lg_context *context, const lg_areasum *a,
                                    lg_area_figure figure, const int32_t *bounds, size_t count,
                                    void *arg, lg_area_states_fn *each, lg_error *error)
{
    lg_error why = {LG_OK, ""};
    const lg_status status = a->on_device->states(a, figure, bounds, count, arg, each, &why);
    return status ? lg_device_failure(context, "area sums", status, &why, error) : LG_OK;
}

static lg_status answer_all(lg_context *context, batch *b, lg_error *error)
{
    if (b->a->device)
        return states_from_device(context, b->a, b->figure, b->bounds, b->count, b, put_answers,
                                  error);
    return for_boxes(context, answer, b, b->count, LG_AREA_BOXES_AT_ONCE, error);
}

static lg_status answer_histogram(void *arg, const lg_tile *t)
{
    const batch *b = arg;
    const size_t channels = (size_t)b->a->shape.channels, bins = (size_t)b->a->params.bins;
    const size_t index = (size_t)t->y;
    const int first = b->a->plane_of[LG_AREA_OP_BIN];
    for (size_t c = 0; c < channels; c++)
        for (size_t bin = 0; bin < bins; bin++) {
            lg_area_state state = lg_area_state_empty();
            lg_area_add_nodes(b->a, &b->a->planes[(size_t)first + bin],
                              b->bounds + 2 * (size_t)b->a->shape.dims * index, (int)c, &state);
            b->bins[(index * channels + c) * bins + bin] = state.above;
        }
    return LG_OK;
}

lg_status lg_areasum_query(lg_context *context, const lg_areasum *a, lg_area_figure figure,
                           const int32_t *bounds, size_t count, double *out, lg_error *error)
{
    const lg_status status = check_query(context, a, figure, bounds, count, error);
    if (status)
        return status;
    if (count && !out)
        return lg_fail_null(error, "a place for the figures");
    batch b = {.a = a, .figure = figure, .bounds = bounds, .count = count, .out = out};
    return answer_all(context, &b, error);
}

lg_status lg_areasum_query_integers(lg_context *context, const lg_areasum *a, const int32_t *bounds,
                                    size_t count, int64_t *out, lg_error *error)
{
    const lg_status status = check_query(context, a, LG_AREA_SUM, bounds, count, error);
    if (status)
        return status;
    if (a->floats)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "exact sums are of integer samples; these are floats");
    if (count && !out)
        return lg_fail_null(error, "a place for the sums");
    batch b = {.a = a, .figure = LG_AREA_SUM, .bounds = bounds, .count = count, .integers = out};
    return answer_all(context, &b, error);
}

lg_status lg_areasum_query_histogram(lg_context *context, const lg_areasum *a,
                                     const int32_t *bounds, size_t count, uint64_t *out,
                                     lg_error *error)
{
    if (!a || (count && !out))
        return lg_fail_null(error, "area sums, and a place for the histograms");
    lg_status status = lg_area_check_boxes(context, a, bounds, count, error);
    if (status)
        return status;
    if (!a->params.bins)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a histogram was asked for, but the area sums were built without bins");
    lg_error why = {LG_OK, ""};
    if (a->device && (status = a->on_device->histograms(a, bounds, count, out, &why)))
        return lg_device_failure(context, "area sums", status, &why, error);
    if (a->device)
        return LG_OK;
    batch b = {.a = a, .bounds = bounds, .count = count, .bins = out};
    return for_boxes(context, answer_histogram, &b, count, 1, error);
}

// ---- unions ---------------------------------------------------------------------------------------

// Box after box, so that their order alone decides how sums of floats are rounded.
typedef struct whole {
    const lg_areasum *a;
    lg_area_state of[LG_MAX_CHANNELS];
} whole;

static void add_states(void *arg, size_t first, size_t count, const lg_area_state *states)
{
    whole *w = arg;
    const size_t channels = (size_t)w->a->shape.channels;
    (void)first;
    for (size_t i = 0; i < count * channels; i++)
        lg_area_state_add(&w->of[i % channels], &states[i]);
}

lg_status lg_area_query_union(lg_context *context, const lg_areasum *a, lg_area_figure figure,
                              const int32_t *bounds, size_t count, double *out, lg_error *error)
{
    const int channels = a->shape.channels;
    whole w = {.a = a};
    for (int c = 0; c < channels; c++)
        w.of[c] = lg_area_state_empty();
    lg_status status = check_query(context, a, figure, bounds, count, error);
    if (!status && a->device)
        status = states_from_device(context, a, figure, bounds, count, &w, add_states, error);
    for (size_t i = 0; i < count && !status && !a->device; i++)
        for (int c = 0; c < channels; c++) {
            lg_area_state state = lg_area_state_empty();
            lg_area_add_box(a, figure, bounds + 2 * (size_t)a->shape.dims * i, c, &state);
            lg_area_state_add(&w.of[c], &state);
        }
    for (int c = 0; c < channels && !status; c++)
        out[c] = lg_area_finish(a, figure, &w.of[c]);
    return status;
}
