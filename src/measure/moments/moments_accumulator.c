#include "measure/moments/moments_accumulator.h"

lg_status lg_moments_accumulator_create(lg_type type, int channels, int64_t width, int64_t height,
                                        int64_t layers, lg_moments_accumulator **out,
                                        lg_error *error)
{
    lg_covered_region region;
    if (!out)
        return lg_fail_null(error, "a place for the accumulator");
    const lg_status status =
        lg_covered_region_init(&region, type, channels, width, height, layers, error);
    if (status)
        return status;
    lg_moments_accumulator *a = lg_alloc(sizeof *a);
    if (!a)
        return lg_fail_memory(error, sizeof *a, "an accumulator");
    a->region = region;
    for (int c = 0; c < channels; c++)
        a->states[c] = lg_moments_state_empty(type);
    *out = a;
    return LG_OK;
}

void lg_moments_accumulator_destroy(lg_moments_accumulator **accumulator)
{
    if (!accumulator || !*accumulator)
        return;
    lg_free(*accumulator);
    *accumulator = NULL;
}

// ---- add ----------------------------------------------------------------------------------------

lg_status lg_moments_of_tile(lg_context *context, const lg_scan *scan, lg_moments_state *out,
                             lg_error *error)
{
    lg_moments refused;
    lg_status status = lg_moments_run(context, scan, true, out, error);
    for (int c = 0; status == LG_OK && c < scan->measured; c++)
        status = lg_moments_finish(&out[c], scan->nan, &refused, error); // NaN may be an error
    return status;
}

lg_status lg_moments_accumulator_add(lg_context *context, lg_moments_accumulator *accumulator,
                                     const lg_image *tile, const lg_select *select, int64_t x,
                                     int64_t y, int64_t layer, lg_error *error)
{
    lg_scan scan;
    uint64_t covered;
    lg_moments_state more[LG_MAX_CHANNELS];
    lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!accumulator)
        return lg_fail_null(error, "an accumulator");
    lg_covered_region *region = &accumulator->region;
    status = lg_scan_init(&scan, tile, select, error);
    if (status == LG_OK)
        status =
            lg_covered_region_check(region, &scan, scan.measured, x, y, layer, &covered, error);
    if (status == LG_OK)
        status = lg_moments_of_tile(context, &scan, more, error);
    if (status != LG_OK)
        return status;
    for (int c = 0; c < region->channels; c++)
        lg_moments_state_merge(&accumulator->states[c], &more[c]);
    region->covered += covered;
    return LG_OK;
}

// ---- merge and finish ---------------------------------------------------------------------------

lg_status lg_moments_accumulator_merge(lg_moments_accumulator *into,
                                       const lg_moments_accumulator *from, lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two accumulators");
    const lg_status status = lg_covered_region_check_merge(&into->region, &from->region, error);
    if (status != LG_OK)
        return status;
    for (int c = 0; c < into->region.channels; c++)
        lg_moments_state_merge(&into->states[c], &from->states[c]);
    into->region.covered += from->region.covered;
    return LG_OK;
}

lg_status lg_moments_accumulator_finish(const lg_moments_accumulator *a, lg_nan nan,
                                        lg_moments *out, size_t capacity, lg_error *error)
{
    lg_moments figures[LG_MAX_CHANNELS];
    if (!a || !out || capacity < (size_t)a->region.channels)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is room for %zu figures; an accumulator has one for each of its %d "
                       "channels",
                       out ? capacity : 0, a ? a->region.channels : 0);
    if ((unsigned)nan > LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_ARGUMENT, "NaN rule %d does not exist", (int)nan);
    for (int c = 0; c < a->region.channels; c++) {
        const lg_status status = lg_moments_finish(&a->states[c], nan, &figures[c], error);
        if (status != LG_OK)
            return status;
    }
    memcpy(out, figures, (size_t)a->region.channels * sizeof *out);
    return LG_OK;
}
