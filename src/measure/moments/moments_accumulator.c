#include "measure/moments/moments_accumulator.h"

#define MAX_PIXELS (INT64_C(1) << 62)

lg_status lg_moments_accumulator_create(lg_type type, int channels, int64_t width, int64_t height,
                                        int64_t layers, lg_moments_accumulator **out,
                                        lg_error *error)
{
    if (!out)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is no place to put the accumulator");
    if (type < 0 || type >= LG_TYPES || channels < 1 || channels > LG_MAX_CHANNELS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an accumulator for %d channels of type %d was asked for; 1 to %d channels "
                       "of a known type are possible",
                       channels, (int)type, LG_MAX_CHANNELS);
    if (width < 1 || height < 1 || layers < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the region %lldx%lldx%lld is empty; every side must be at least 1",
                       (long long)width, (long long)height, (long long)layers);
    if (width > MAX_PIXELS / height || width * height > MAX_PIXELS / layers)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "the region %lldx%lldx%lld is too large; at most 2^62 pixels are counted",
                       (long long)width, (long long)height, (long long)layers);
    lg_moments_accumulator *a = lg_alloc(sizeof *a);
    if (!a)
        return lg_fail_memory(error, sizeof *a, "an accumulator");
    a->type = type;
    a->channels = channels;
    a->width = width;
    a->height = height;
    a->layers = layers;
    a->covered = 0;
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

typedef struct placement {
    const lg_moments_accumulator *accumulator;
    lg_scan scan;
    int64_t x, y, layer;
} placement;

static lg_status check_placement(const placement *p, lg_error *error)
{
    const lg_moments_accumulator *a = p->accumulator;
    const lg_scan *s = &p->scan;
    if (s->type != a->type || s->measured != a->channels)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the tile has %d channels of type %s; the accumulator takes %d of type %s",
                       s->measured, lg_type_name(s->type), a->channels, lg_type_name(a->type));
    if (p->x < 0 || p->y < 0 || p->layer < 0 || p->x > a->width - s->width ||
        p->y > a->height - s->height || p->layer > a->layers - s->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a tile of %lldx%lldx%d pixels at (%lld, %lld, %lld) leaves the region of "
                       "%lldx%lldx%lld",
                       (long long)s->width, (long long)s->height, s->layers, (long long)p->x,
                       (long long)p->y, (long long)p->layer, (long long)a->width,
                       (long long)a->height, (long long)a->layers);
    return LG_OK;
}

static uint64_t region_size(const lg_moments_accumulator *a)
{
    return (uint64_t)a->width * (uint64_t)a->height * (uint64_t)a->layers;
}

// More pixels than there are cannot all be different ones.
static lg_status check_covered(const lg_moments_accumulator *a, uint64_t more, lg_error *error)
{
    if (more > region_size(a) - a->covered)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%llu pixels were added, and %llu more would be more than the region's "
                       "%llu; add every pixel once",
                       (unsigned long long)a->covered, (unsigned long long)more,
                       (unsigned long long)region_size(a));
    return LG_OK;
}

lg_status lg_moments_accumulator_add(lg_context *context, lg_moments_accumulator *accumulator,
                                     const lg_image *tile, const lg_select *select, int64_t x,
                                     int64_t y, int64_t layer, lg_error *error)
{
    placement p = {.accumulator = accumulator, .x = x, .y = y, .layer = layer};
    lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!accumulator)
        return lg_fail_null(error, "an accumulator");
    status = lg_scan_init(&p.scan, tile, select, error);
    if (status == LG_OK)
        status = check_placement(&p, error);
    const uint64_t covered =
        (uint64_t)p.scan.width * (uint64_t)p.scan.height * (uint64_t)p.scan.layers;
    if (status == LG_OK)
        status = check_covered(accumulator, covered, error);
    lg_moments_state more[LG_MAX_CHANNELS];
    lg_moments refused;
    if (status == LG_OK)
        status = lg_moments_run(context, &p.scan, true, more, error);
    for (int c = 0; status == LG_OK && c < accumulator->channels; c++)
        status = lg_moments_finish(&more[c], p.scan.nan, &refused, error); // NaN may be an error
    if (status != LG_OK)
        return status;
    for (int c = 0; c < accumulator->channels; c++)
        lg_moments_state_merge(&accumulator->states[c], &more[c]);
    accumulator->covered += covered;
    return LG_OK;
}

// ---- merge and finish ---------------------------------------------------------------------------

lg_status lg_moments_accumulator_merge(lg_moments_accumulator *into,
                                       const lg_moments_accumulator *from, lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two accumulators");
    if (into->type != from->type || into->channels != from->channels ||
        into->width != from->width || into->height != from->height || into->layers != from->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an accumulator of %lldx%lldx%lld pixels with %d channels of type %s cannot "
                       "take one of %lldx%lldx%lld with %d of type %s; both must describe the same "
                       "region",
                       (long long)into->width, (long long)into->height, (long long)into->layers,
                       into->channels, lg_type_name(into->type), (long long)from->width,
                       (long long)from->height, (long long)from->layers, from->channels,
                       lg_type_name(from->type));
    const lg_status status = check_covered(into, from->covered, error);
    if (status != LG_OK)
        return status;
    for (int c = 0; c < into->channels; c++)
        lg_moments_state_merge(&into->states[c], &from->states[c]);
    into->covered += from->covered;
    return LG_OK;
}

lg_status lg_moments_accumulator_finish(const lg_moments_accumulator *a, lg_nan nan,
                                        lg_moments *out, size_t capacity, lg_error *error)
{
    lg_moments figures[LG_MAX_CHANNELS];
    if (!a || !out || capacity < (size_t)a->channels)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is room for %zu figures; an accumulator has one for each of its %d "
                       "channels",
                       out ? capacity : 0, a ? a->channels : 0);
    if ((unsigned)nan > LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_ARGUMENT, "NaN rule %d does not exist", (int)nan);
    for (int c = 0; c < a->channels; c++) {
        const lg_status status = lg_moments_finish(&a->states[c], nan, &figures[c], error);
        if (status != LG_OK)
            return status;
    }
    memcpy(out, figures, (size_t)a->channels * sizeof *out);
    return LG_OK;
}
