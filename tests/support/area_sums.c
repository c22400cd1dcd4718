#include "area_sums.h"
#include "area_words.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

// ---- measuring ----------------------------------------------------------------------------------

enum { BOXES = 12 };
enum {
    AS_LARGE = 1
}; // variant: what else only large arrays have, guesses and stores past the caches

typedef struct area_figures {
    lg_areasum *sums;
    lg_areasum_info info;
    lg_status status[LG_AREA_FIGURES];
    double out[LG_AREA_FIGURES][BOXES * LG_MAX_CHANNELS];
    uint64_t bins[BOXES * LG_MAX_CHANNELS * 16];
} area_figures;

static const area_params *params_of(const measured *m)
{
    static area_params plain;
    plain = (area_params){.sums = lg_areasum_params_default(), .seed = 1};
    return m->params ? m->params : &plain;
}

static lg_area_array array_of(const measured *m)
{
    lg_area_array array;
    lg_error error = {LG_OK, ""};
    const lg_region *r = m->select.region;
    NEED(!lg_area_array_of_image(m->image, &array, &error), "%s", error.message);
    if (r) {
        array.data = (const char *)array.data + r->x * array.stride[0] + r->y * array.stride[1];
        array.extent[0] = r->width;
        array.extent[1] = r->height;
    }
    for (int d = 0; d < 2; d++) {
        array.extent[d] = (array.extent[d] - 1) / m->select.step + 1;
        array.stride[d] *= m->select.step;
    }
    return array;
}

// The same boxes for the same seed.
static void draw_boxes(const lg_area_array *array, uint32_t seed, int32_t *bounds)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < BOXES; i++, bounds += 2 * array->dims)
        for (int d = 0; d < array->dims; d++) {
            int32_t end[2];
            for (int k = 0; k < 2; k++) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                end[k] = (int32_t)((state >> 33) % (uint64_t)array->extent[d]);
            }
            bounds[d] = i % 4 ? LG_MIN(end[0], end[1]) : 0;
            bounds[array->dims + d] =
                i % 3 ? LG_MAX(end[0], end[1]) + 1 : (int32_t)array->extent[d];
        }
}

static void query(lg_context *context, const area_params *params, const lg_area_array *array,
                  area_figures *f)
{
    int32_t bounds[BOXES * 2 * LG_AREA_DIMS];
    lg_error error = {LG_OK, ""};
    draw_boxes(array, params->seed, bounds);
    for (int i = 0; i < LG_AREA_FIGURES; i++)
        f->status[i] =
            lg_areasum_query(context, f->sums, (lg_area_figure)i, bounds, BOXES, f->out[i], &error);
    if (params->sums.bins)
        NEED(!lg_areasum_query_histogram(context, f->sums, bounds, BOXES, f->bins, &error), "%s",
             error.message);
}

static lg_status create(lg_context *context, const measured *m, const lg_area_array *array,
                        lg_areasum **out, lg_error *error)
{
    const size_t guess = lg_area_guess_least, stream = lg_area_stream_least,
                 cached = lg_area_cached;
    lg_area_guess_least = m->variant == AS_LARGE ? 0 : SIZE_MAX;
    lg_area_stream_least = m->variant == AS_LARGE ? 0 : stream;
    lg_area_cached = m->variant == AS_LARGE ? 0 : cached;
    const lg_status status = lg_areasum_create(context, array, &params_of(m)->sums, out, error);
    lg_area_guess_least = guess;
    lg_area_stream_least = stream;
    lg_area_cached = cached;
    return status;
}

static void release_figures(void *figures)
{
    area_figures *f = figures;
    lg_areasum_destroy(&f->sums);
    free(f);
}

static void *measure_sums(lg_context *context, const measured *m, lg_error *error)
{
    const lg_area_array array = array_of(m);
    area_figures *f = calloc(1, sizeof *f);
    NEED(f, "figures");
    context = context ? context : kernel_context();
    if (create(context, m, &array, &f->sums, error)) {
        release_figures(f);
        return NULL;
    }
    lg_areasum_get_info(f->sums, &f->info);
    query(context, params_of(m), &array, f);
    return f;
}

static bool same_figures(const void *want, const void *got, char text[MEASURE_TEXT])
{
    const area_figures *a = want, *b = got;
    for (int i = 0; i < LG_AREA_FIGURES; i++)
        if (a->status[i] != b->status[i] || memcmp(a->out[i], b->out[i], sizeof a->out[i]) != 0) {
            snprintf(text, MEASURE_TEXT, "%s of boxes", lg_area_figure_name((lg_area_figure)i));
            return false;
        }
    if (memcmp(a->bins, b->bins, sizeof a->bins) != 0 || a->info.unit != b->info.unit ||
        a->info.ignored != b->info.ignored) {
        snprintf(text, MEASURE_TEXT, "histograms, unit %g not %g, %llu ignored not %llu",
                 b->info.unit, a->info.unit, (unsigned long long)b->info.ignored,
                 (unsigned long long)a->info.ignored);
        return false;
    }
    return a->sums->device || b->sums->device || area_same_words(a->sums, b->sums, text);
}

// Samples without gaps, as area_check_words wants them.
static void check_oracle(const measured *m, const void *figures)
{
    const area_figures *f = figures;
    const lg_area_array array = array_of(m);
    const size_t size = lg_type_size(array.type) * (size_t)array.channels;
    char *data = malloc(f->sums->elements * size), *to = data;
    NEED(data, "%zu samples", f->sums->elements);
    for (int64_t i = 0; i < (int64_t)f->sums->elements; i++, to += size) {
        const int64_t x = i % array.extent[0], line = i / array.extent[0];
        const char *from = array.data;
        from += x * array.stride[0] + line % array.extent[1] * array.stride[1];
        from += array.dims > 2 ? line / array.extent[1] * array.stride[2] : 0;
        memcpy(to, from, size);
    }
    area_check_words(f->sums, data, m->title);
    free(data);
}

// ---- parameters ---------------------------------------------------------------------------------

lg_areasum_params area_any_params(lg_type type)
{
    const bool floats = lg_area_is_float(type), ripmap = random_below(2);
    return WITH(lg_areasum_params, it.kind = ripmap ? LG_AREASUM_RIPMAP : LG_AREASUM_TABLE,
                it.squares = random_below(2), it.extremes = ripmap && random_below(2),
                it.counts_above = random_below(2), it.above = floats ? 0.4 : 100,
                it.bins = ripmap && random_below(4) == 0 ? 1 + (int)random_below(16) : 0,
                it.low = floats ? -0.3 : 10, it.high = floats ? 1.5 : 200);
}

static const void *draw_params(const lg_image_params *shape)
{
    static area_params p;
    p = (area_params){.sums = area_any_params(shape->type), .seed = random_below(UINT32_MAX)};
    if (lg_area_is_float(shape->type) && random_below(3) == 0) {
        p.sums.precision = LG_AREA_PLAIN;
        p.sums.squares = false;
    }
    return &p;
}

static void describe(const void *params, char text[MEASURE_TEXT])
{
    const lg_areasum_params *p = &((const area_params *)params)->sums;
    snprintf(text, MEASURE_TEXT, "%s%s, squares %d, extremes %d, above %d, %d bins",
             p->precision == LG_AREA_PLAIN ? "plain " : "",
             p->kind == LG_AREASUM_RIPMAP ? "ripmap" : "table", p->squares, p->extremes,
             p->counts_above, p->bins);
}

static bool is_plain(const measured *m)
{
    return params_of(m)->sums.precision == LG_AREA_PLAIN;
}

static const int ways[] = {0, AS_LARGE};

const measure_case areasum_case = {.name = "areasum",
                                   .measure = measure_sums,
                                   .release = release_figures,
                                   .same = same_figures,
                                   .oracle = check_oracle,
                                   .params = draw_params,
                                   .describe = describe,
                                   .variants = {ways, LG_COUNT(ways)},
                                   .device_share = 320,
                                   .rounds = is_plain,
                                   .selects = MEASURE_REGIONS};
