// Figures on the host: what several of them follow from is measured once.
#include "graph/figure.h"

#include "device/dispatch.h"
#include "filter/native/label/label_filter.h"
#include "filter/stage.h"
#include "graph/figure_components.h"
#include "graph/figure_sums.h"
#include "measure/threshold/luma_moments.h"
#include "measure/threshold/threshold.h"

#include <float.h>
#include <math.h>

#include "vulkan/vk.h"

// What figures are made from, by their source.
typedef struct measured {
    lg_figure_source source;
    lg_moments_state sums[LG_MAX_CHANNELS]; // SUMS, of each channel
    lg_histogram *counts;                   // COUNTS, BINS, CURVE
    float number[LG_MAX_CHANNELS];          // LEVEL, of each channel; PIXEL, its samples
    lg_largest largest;                     // COMPONENTS
    uint32_t components;                    // how many there are
} measured;

// An image in host memory. A device copy is the newer one.
static lg_status open_view(const lg_image *image, lg_host_view *view, lg_error *error)
{
    lg_image_private there = *(const lg_image_private *)image;
    if (there.device)
        there.image.data = NULL;
    return lg_host_view_open(&there.image, view, error);
}

// ---- exact sums ---------------------------------------------------------------------------------

static float number_of_sums(const measured *m, const lg_figure_task *t, int channel)
{
    return lg_figure_of_state(&m->sums[channel], &t->image->shape, t->figure->kind);
}

static lg_moments_state sums_of_counts(const lg_histogram_channel *c)
{
    lg_integer_moments m = {.min = UINT32_MAX};
    for (uint32_t i = 0; i < c->value_count; i++) {
        const uint64_t count = c->values[i];
        m.n += count;
        m.sum += (lg_u128)count * i;
        m.squares += (lg_u128)count * ((uint64_t)i * i);
        m.min = count && m.min == UINT32_MAX ? i : m.min;
        m.max = count ? i : m.max;
    }
    return (lg_moments_state){.integer = true, .integers = m};
}

static lg_status measure_counts(lg_context *context, const lg_figure_task *t, measured *m,
                                lg_error *error)
{
    lg_histogram_params params = lg_figure_counting(&t->image->shape, t->figure);
    if (t->select)
        params.select = *t->select;
    params.select.step = t->figure->step;
    return lg_measure_histogram(context, t->image, &params, &m->counts, error);
}

// Luma of integers is counted.
static lg_status measure_sums(lg_context *context, const lg_figure_task *t, measured *m,
                              lg_error *error)
{
    const bool luma = lg_figure_is_of_luma(&t->image->shape, t->figure);
    const bool counted = luma && t->image->shape.type <= LG_U16;
    lg_scan scan;
    const lg_status status = counted ? measure_counts(context, t, m, error)
                                     : lg_scan_init(&scan, t->image, t->select, error);
    if (counted && !status)
        m->sums[0] = sums_of_counts(&m->counts->channel[0]);
    if (counted || status)
        return status;
    return luma ? lg_luma_moments(context, &scan, LG_LUMA_GPUIMAGE, true, m->sums, error)
                : lg_moments_run(context, &scan, true, m->sums, error);
}

// ---- counts -------------------------------------------------------------------------------------

// Samples of a channel, or of luma.
typedef struct counted {
    const lg_histogram_channel *bins; // NULL: Otsu's level is known
    bool exact;                       // of bytes
    uint32_t scale;
    float otsu;
} counted;

static float lg_counts_percentile(const counted *c, uint32_t billionths)
{
    return lg_figure_percentile(c->bins, c->scale, billionths);
}

static float lg_counts_otsu(const counted *c)
{
    if (!c->exact)
        return c->otsu;
    const int32_t level = lg_otsu_bin(c->bins->values, 256);
    return lg_figure_level(level < 0 ? 255 : (uint32_t)level, 255);
}

static float of_counts(const counted *c, uint32_t kind, uint32_t billionths)
{
    uint32_t row = LG_FIRST_OF_RANKS;
    LG_FIGURES_OF_RANKS(LG_FIGURE_CASE)
    LG_FIGURES_OF_CLASSES(LG_FIGURE_CASE)
    return 0;
}

static float number_of_counts(const measured *m, const lg_figure_task *t, int channel)
{
    const counted c = {.bins = &m->counts->channel[channel],
                       .exact = m->source == LG_SOURCE_COUNTS,
                       .scale = lg_figure_scale(t->image->shape.type)};
    return of_counts(&c, t->figure->kind, t->figure->billionths);
}

// The least colour above Otsu's level: half a step for integers, the next float for floats, but none that
// the device may take for zero.
static float above_level(const lg_context *context, double level, lg_type type)
{
    const bool flushes = context->vk && !lg_vk_get_limits(context->vk)->denorm_preserve;
    if (type <= LG_U16)
        return lg_figure_level((uint32_t)level, lg_figure_scale(type));
    if (flushes && (float)level >= 0 && (float)level < FLT_MIN)
        return FLT_MIN;
    return (float)level < FLT_MAX ? nextafterf((float)level, INFINITY) : INFINITY;
}

static lg_status measure_levels(lg_context *context, const lg_figure_task *t, measured *m,
                                lg_error *error)
{
    const lg_image_params *shape = &t->image->shape;
    const bool luma = lg_figure_is_of_luma(shape, t->figure);
    bool known[LG_MAX_CHANNELS] = {false};
    lg_status status = LG_OK;
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = lg_figure_channel_of(shape, t->figure, i);
        lg_threshold found;
        if (channel < 0 || known[channel])
            continue;
        status = lg_threshold_find(context, t->image, t->select, LG_LUMA_GPUIMAGE,
                                   luma ? -1 : channel, &found, error);
        if (!status)
            m->number[channel] = above_level(context, found.level[0], shape->type);
        known[channel] = true;
    }
    return status;
}

static float number_of_level(const measured *m, const lg_figure_task *t, int channel)
{
    return of_counts(&(counted){.otsu = m->number[channel]}, t->figure->kind, 0);
}

// ---- a pixel ------------------------------------------------------------------------------------

static lg_status measure_pixel(lg_context *context, const lg_figure_task *t, measured *m,
                               lg_error *error)
{
    lg_image_private first = *(const lg_image_private *)t->image;
    lg_image_params *s = &first.image.shape;
    float planes[4][LG_SPAN_STEP];
    float *const to[4] = {planes[0], planes[1], planes[2], planes[3]};
    lg_host_view view;
    lg_scan scan;
    if (!t->select)
        s->width = s->height = s->layers = 1;
    lg_status status = open_view(&first.image, &view, error);
    if (status)
        return status;
    status = lg_scan_init(&scan, &view.image.image, t->select, error);
    const void *at = status ? NULL : lg_scan_first(&scan);
    const lg_pixels pixels = {(char *)(uintptr_t)at, s->row_stride, 1,       1,
                              s->channels,           s->type,       s->alpha};
    if (at)
        lg_stage_get(context->cpu_level)->load(&pixels, 0, 0, 1, to);
    for (int i = 0; i < 4; i++)
        m->number[i] = at ? planes[i][0] : NAN;
    lg_host_view_close(&view);
    return status;
}

static float number_of_pixel(const measured *m, const lg_figure_task *t, int i)
{
    const int component = lg_figure_component(&t->image->shape, t->figure);
    return lg_figure_of_pixel(lg_figure_picked(m->number[0], m->number[1], m->number[2],
                                               m->number[3], component >= 0 ? component : i),
                              t->figure->kind);
}

// ---- components ---------------------------------------------------------------------------------

#define LG_WORDS_OF(x) (uint32_t)(x), (uint32_t)((x) >> 32)

static lg_largest largest_of(const lg_components *c)
{
    const lg_component_basic *best = NULL;
    for (uint32_t i = 0; i < c->count; i++)
        if (!best || c->basic[i].area > best->area)
            best = &c->basic[i];
    if (!best)
        return (lg_largest){0};
    return (lg_largest){LG_WORDS_OF(best->area),
                        LG_WORDS_OF(best->sum[0]),
                        LG_WORDS_OF(best->sum[1]),
                        (uint32_t)best->low[0],
                        (uint32_t)best->low[1],
                        (uint32_t)(best->high[0] - best->low[0] + 1),
                        (uint32_t)(best->high[1] - best->low[1] + 1)};
}

static lg_status measure_components(lg_context *context, const lg_figure_task *t, measured *m,
                                    lg_error *error)
{
    lg_label_params params = lg_label_params_default();
    params.connectivity = t->figure->connectivity;
    params.memory_limit = SIZE_MAX;
    lg_components *components = NULL;
    lg_image *made = NULL;
    lg_host_view view;
    lg_status status = open_view(t->image, &view, error);
    if (status)
        return status;
    const lg_image *from = &view.image.image;
    status = lg_foreground_make(context, from, t->select, &made, error);
    if (!status)
        status =
            lg_label_image(context, made ? made : from, &params, NULL, NULL, &components, error);
    if (!status) {
        m->components = components->count;
        m->largest = largest_of(components);
    }
    lg_components_destroy(&components);
    lg_image_destroy(&made);
    lg_host_view_close(&view);
    return status;
}

static float number_of_components(const measured *m, const lg_figure_task *t, int i)
{
    const lg_image_params *s = &t->image->shape;
    return lg_figure_of_components(m->largest, m->components, t->figure->kind, (uint32_t)i,
                                   (uint32_t)s->width, (uint32_t)s->height);
}

// ---- all of them --------------------------------------------------------------------------------

// How figures of a source are measured, and how a number of one is made: of a channel, or number i.
typedef struct driver {
    lg_status (*measure)(lg_context *, const lg_figure_task *, measured *, lg_error *);
    float (*number)(const measured *, const lg_figure_task *, int);
    bool of_channels;
} driver;

static const driver drivers[] = {
    [LG_SOURCE_SUMS] = {measure_sums, number_of_sums, true},
    [LG_SOURCE_COUNTS] = {measure_counts, number_of_counts, true},
    [LG_SOURCE_BINS] = {measure_counts, number_of_counts, true},
    [LG_SOURCE_CURVE] = {measure_counts, NULL, true},
    [LG_SOURCE_LEVEL] = {measure_levels, number_of_level, true},
    [LG_SOURCE_PIXEL] = {measure_pixel, number_of_pixel, false},
    [LG_SOURCE_COMPONENTS] = {measure_components, number_of_components, false},
};

static lg_status make_numbers(const measured *m, lg_figure_task *t, lg_error *error)
{
    const lg_figure *f = t->figure;
    const driver *d = &drivers[m->source];
    for (int i = 0; i < 4; i++) {
        const int of = d->of_channels ? lg_figure_channel_of(&t->image->shape, f, i) : i;
        const float x = of < 0 ? 1 : d->number(m, t, of);
        if (isnan(x))
            return lg_fail(error, LG_ERROR_DATA, LG_NO_SAMPLES);
        t->number[i] = lg_figure_fit(x, f->factor, f->offset, f->min, f->max, f->integer);
    }
    return LG_OK;
}

// Measures what the first task is made from, and makes all figures of it.
static lg_status measure_group(lg_context *context, lg_figure_task *tasks, int count,
                               lg_error *error)
{
    const lg_image_params *shape = &tasks->image->shape;
    measured m = {.source = lg_figure_source_of(shape, tasks->figure, false)};
    lg_status status = drivers[m.source].measure(context, tasks, &m, error);
    for (int i = 0; i < count && !status; i++) {
        lg_figure_task *t = &tasks[i];
        if (t->done || !lg_figures_share(tasks, t, false))
            continue;
        status = lg_figure_is_curve(t->figure)
                     ? lg_curve_make(shape, t->figure, m.counts, t->curve, error)
                     : make_numbers(&m, t, error);
        t->done = true;
    }
    lg_histogram_destroy(&m.counts);
    return status;
}

lg_status lg_figures_measure(lg_context *context, lg_figure_task *tasks, int wanted, int count,
                             lg_error *error)
{
    const lg_engine_report report = context->report;
    lg_status status = LG_OK;
    for (int i = 0; i < wanted && !status; i++)
        if (!tasks[i].done)
            status = measure_group(context, tasks + i, count - i, error);
    context->report = report;
    return status;
}

// ---- by rows --------------------------------------------------------------------------------------

struct lg_figure_bands {
    int count;
    struct part {
        measured m;
        lg_histogram_accumulator *counts; // of those that are made from counts
        int like;                         // the first task that is made from the same, or this one
        bool some;
    } * at;
};

// Counts of bytes and of 16 bits are of values, whatever bins there are.
static bool rows_source(const lg_image_params *shape, const lg_figure *f, lg_figure_source *out)
{
    const bool ranks = f->kind >= LG_FIRST_OF_RANKS;
    *out = lg_figure_is_pixel(f)                          ? LG_SOURCE_PIXEL
           : !ranks                                       ? LG_SOURCE_SUMS
           : shape->type == LG_U8 && shape->channels != 2 ? LG_SOURCE_COUNTS
                                                          : LG_SOURCE_BINS;
    if (lg_figure_is_of_components(f) || lg_figure_is_curve(f))
        return false;
    return *out != LG_SOURCE_BINS || (shape->type <= LG_U16 && f->kind < LG_FIRST_OF_CLASSES);
}

const char *lg_figure_needs_whole(const lg_image_params *shape, const lg_figure *figure)
{
    lg_figure_source source;
    if (figure->previous)
        return "a figure of the run before is measured of all pixels";
    if (rows_source(shape, figure, &source))
        return NULL;
    return lg_figure_is_of_components(figure) ? "components are measured of all pixels"
           : lg_figure_is_curve(figure)       ? "a curve is measured of all pixels"
                                              : "a rank of these samples is of all pixels";
}

lg_status lg_figure_bands_create(const lg_figure_task *tasks, int count, lg_figure_bands **out,
                                 lg_error *error)
{
    lg_figure_bands *parts = lg_alloc(sizeof *parts);
    if (parts)
        parts->at = lg_alloc_array((size_t)count + 1, sizeof *parts->at);
    if (!parts || !parts->at) {
        lg_free(parts);
        return lg_fail_memory(error, (size_t)count * sizeof *parts->at, "the figures of a plan");
    }
    parts->count = count;
    for (int i = 0; i < count; i++) {
        parts->at[i] = (struct part){.like = i};
        if (!rows_source(&tasks[i].image->shape, tasks[i].figure, &parts->at[i].m.source))
            parts->at[i].m.source = LG_SOURCE_PIXEL; // lg_figure_needs_whole was not asked
        for (int k = i - 1; k >= 0; k--)
            if (lg_figures_share(&tasks[k], &tasks[i], false) &&
                parts->at[k].m.source == parts->at[i].m.source)
                parts->at[i].like = k;
    }
    *out = parts;
    return LG_OK;
}

void lg_figure_bands_destroy(lg_figure_bands **parts)
{
    if (!*parts)
        return;
    for (int i = 0; i < (*parts)->count; i++) {
        lg_histogram_destroy(&(*parts)->at[i].m.counts);
        lg_histogram_accumulator_destroy(&(*parts)->at[i].counts);
    }
    lg_free((*parts)->at);
    lg_free(*parts);
    *parts = NULL;
}

static bool is_counted(const struct part *part)
{
    return part->m.source == LG_SOURCE_COUNTS || part->m.source == LG_SOURCE_BINS;
}

// `whole`: the shape of the image that the rows are of.
static lg_status count_rows(lg_context *context, const lg_figure_task *t,
                            const lg_image_params *whole, int64_t first, struct part *part,
                            lg_error *error)
{
    lg_histogram_params params = lg_figure_counting(whole, t->figure);
    params.automatic_range = false;
    params.type_range = true;
    lg_status status =
        part->counts
            ? LG_OK
            : lg_histogram_accumulator_create(&params, whole->type, whole->channels, whole->alpha,
                                              whole->width, whole->height, 1, &part->counts, error);
    if (!status)
        status =
            lg_histogram_accumulator_add(context, part->counts, t->image, NULL, 0, first, 0, error);
    return status;
}

// Sums of images with an alpha of one have no sums of it: all channels that are measured are added.
static lg_status add_rows(lg_context *context, const lg_figure_task *t, struct part *part,
                          lg_error *error)
{
    measured more = {.source = part->m.source}, *m = &part->m;
    const lg_status status = drivers[m->source].measure(context, t, &more, error);
    lg_histogram_destroy(&more.counts); // the sums are made
    if (status)
        return status;
    if (!part->some)
        *m = more;
    else if (m->source == LG_SOURCE_SUMS)
        for (int c = 0; c < lg_image_measured_channels(&t->image->shape); c++)
            lg_moments_state_merge(&m->sums[c], &more.sums[c]);
    part->some = true;
    return LG_OK;
}

lg_status lg_figure_bands_add(lg_context *context, lg_figure_bands *parts,
                              const lg_figure_task *tasks, lg_image *const *images,
                              const int64_t *first, lg_error *error)
{
    const lg_engine_report report = context->report;
    lg_status status = LG_OK;
    for (int i = 0; i < parts->count && !status; i++) {
        struct part *part = &parts->at[i];
        lg_figure_task task = tasks[i];
        task.image = images[i];
        if (part->like != i || !images[i])
            continue;
        if (is_counted(part))
            status = count_rows(context, &task, &tasks[i].image->shape, first[i], part, error);
        else if (first[i] == 0 || part->m.source != LG_SOURCE_PIXEL)
            status = add_rows(context, &task, part, error);
    }
    context->report = report;
    return status;
}

lg_status lg_figure_bands_finish(lg_figure_bands *parts, lg_figure_task *tasks, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < parts->count && !status; i++)
        if (parts->at[i].counts)
            status = lg_histogram_accumulator_finish(parts->at[i].counts, LG_NAN_IGNORE,
                                                     &parts->at[i].m.counts, error);
    for (int i = 0; i < parts->count && !status; i++)
        status = make_numbers(&parts->at[parts->at[i].like].m, &tasks[i], error);
    return status;
}
