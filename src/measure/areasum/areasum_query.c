// Batches of queries on the CPU.
#include "measure/areasum/areasum_planes.h"

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

static lg_status check_boxes(const lg_areasum *a, const int32_t *bounds, size_t count,
                             lg_error *error)
{
    const int dims = a->shape.dims;
    if (count && !bounds)
        return lg_fail(error, LG_ERROR_ARGUMENT, "boxes are missing");
    for (size_t i = 0; i < count; i++, bounds += 2 * dims)
        for (int d = 0; d < dims; d++) {
            const long long first = bounds[d], end = bounds[dims + d],
                            extent = (long long)a->shape.extent[d];
            if (first >= end)
                return lg_fail(error, LG_ERROR_ARGUMENT,
                               "box %zu is %s: along axis %d it goes from %lld to %lld", i,
                               first == end ? "empty" : "inverted", d, first, end);
            if (first < 0 || end > extent)
                return lg_fail(error, LG_ERROR_ARGUMENT,
                               "box %zu reaches outside: along axis %d it goes from %lld to %lld, "
                               "the array from 0 to %lld",
                               i, d, first, end, extent);
        }
    return LG_OK;
}

lg_status lg_area_check(const lg_areasum *a, lg_area_figure figure, const int32_t *bounds,
                        size_t count, lg_error *error)
{
    const lg_status status = check_figure(a, figure, error);
    return status ? status : check_boxes(a, bounds, count, error);
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

static void answer(void *arg, size_t index, int worker)
{
    const batch *b = arg;
    const int dims = b->a->shape.dims, channels = b->a->shape.channels;
    (void)worker;
    for (size_t i = index * LG_AREA_BOXES_AT_ONCE;
         i < LG_MIN((index + 1) * LG_AREA_BOXES_AT_ONCE, b->count); i++)
        for (int c = 0; c < channels; c++) {
            lg_area_state state = lg_area_state_empty();
            lg_area_add_box(b->a, b->figure, b->bounds + 2 * (size_t)dims * i, c, &state);
            if (b->integers)
                b->integers[i * (size_t)channels + (size_t)c] = (int64_t)state.sum;
            else
                b->out[i * (size_t)channels + (size_t)c] = lg_area_finish(b->a, b->figure, &state);
        }
}

static void answer_histogram(void *arg, size_t index, int worker)
{
    const batch *b = arg;
    const size_t channels = (size_t)b->a->shape.channels, bins = (size_t)b->a->params.bins;
    const int first = b->a->plane_of[LG_AREA_OP_BIN];
    (void)worker;
    for (size_t c = 0; c < channels; c++)
        for (size_t bin = 0; bin < bins; bin++) {
            lg_area_state state = lg_area_state_empty();
            lg_area_add_nodes(b->a, &b->a->planes[(size_t)first + bin],
                              b->bounds + 2 * (size_t)b->a->shape.dims * index, (int)c, &state);
            b->bins[(index * channels + c) * bins + bin] = state.above;
        }
}

lg_status lg_areasum_query(lg_context *context, const lg_areasum *a, lg_area_figure figure,
                           const int32_t *bounds, size_t count, double *out, lg_error *error)
{
    const lg_status status = lg_area_check(a, figure, bounds, count, error);
    if (status)
        return status;
    batch b = {.a = a, .figure = figure, .bounds = bounds, .count = count, .out = out};
    lg_pool_run(context->pool, (count + LG_AREA_BOXES_AT_ONCE - 1) / LG_AREA_BOXES_AT_ONCE, answer,
                &b);
    return LG_OK;
}

lg_status lg_areasum_query_integers(lg_context *context, const lg_areasum *a, const int32_t *bounds,
                                    size_t count, int64_t *out, lg_error *error)
{
    const lg_status status = lg_area_check(a, LG_AREA_SUM, bounds, count, error);
    if (status)
        return status;
    if (a->floats)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "exact sums are of integer samples; these are floats");
    batch b = {.a = a, .figure = LG_AREA_SUM, .bounds = bounds, .count = count, .integers = out};
    lg_pool_run(context->pool, (count + LG_AREA_BOXES_AT_ONCE - 1) / LG_AREA_BOXES_AT_ONCE, answer,
                &b);
    return LG_OK;
}

lg_status lg_areasum_query_histogram(lg_context *context, const lg_areasum *a,
                                     const int32_t *bounds, size_t count, uint64_t *out,
                                     lg_error *error)
{
    const lg_status status = check_boxes(a, bounds, count, error);
    if (status)
        return status;
    if (!a->params.bins)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a histogram was asked for, but the area sums were built without bins");
    batch b = {.a = a, .bounds = bounds, .count = count, .bins = out};
    lg_pool_run(context->pool, count, answer_histogram, &b);
    return LG_OK;
}

lg_status lg_area_query_union(lg_context *context, const lg_areasum *a, lg_area_figure figure,
                              const int32_t *bounds, size_t count, double *out, lg_error *error)
{
    (void)context;
    const lg_status status = lg_area_check(a, figure, bounds, count, error);
    for (int c = 0; c < a->shape.channels && !status; c++) {
        lg_area_state state = lg_area_state_empty();
        for (size_t i = 0; i < count; i++)
            lg_area_add_box(a, figure, bounds + 2 * (size_t)a->shape.dims * i, c, &state);
        out[c] = lg_area_finish(a, figure, &state);
    }
    return status;
}
