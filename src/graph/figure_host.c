// Figures on the host: what several of them follow from is measured once.
#include "graph/figure_host.h"

#include "device/dispatch.h"
#include "filter/native/label/label_filter.h"
#include "filter/stage.h"
#include "graph/figure_sums.h"
#include "measure/threshold/luma_moments.h"
#include "measure/threshold/threshold.h"

#include <float.h>
#include <math.h>

#include "vulkan/vk.h"

// An image in host memory. A device copy is the newer one.
static lg_status open_view(const lg_image *image, lg_host_view *view, lg_error *error)
{
    lg_image_private there = *(const lg_image_private *)image;
    if (there.device)
        there.image.data = NULL;
    return lg_host_view_open(&there.image, view, error);
}

// ---- exact sums ---------------------------------------------------------------------------------

static float number_of_sums(const lg_measured *m, const lg_figure_task *t, int channel)
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

static lg_status measure_counts(lg_context *context, const lg_figure_task *t, lg_measured *m,
                                lg_error *error)
{
    lg_histogram_params params = lg_figure_counting(&t->image->shape, t->figure);
    if (t->select)
        params.select = *t->select;
    params.select.step = t->figure->step;
    return lg_measure_histogram(context, t->image, &params, &m->counts, error);
}

// Luma of integers is counted.
static lg_status measure_sums(lg_context *context, const lg_figure_task *t, lg_measured *m,
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

static float number_of_counts(const lg_measured *m, const lg_figure_task *t, int channel)
{
    const counted c = {.bins = &m->counts->channel[channel],
                       .exact = m->source == LG_SOURCE_COUNTS,
                       .scale = lg_figure_scale(t->image->shape.type)};
    return of_counts(&c, t->figure->kind, t->figure->billionths);
}

// The least colour above Otsu's level: half a step for integers, the next float for floats, but none that
// the device may take for zero.
float lg_figure_above_level(const lg_context *context, double level, lg_type type)
{
    const bool flushes = context->vk && !lg_vk_get_limits(context->vk)->denorm_preserve;
    if (type <= LG_U16)
        return lg_figure_level((uint32_t)level, lg_figure_scale(type));
    if (flushes && (float)level >= 0 && (float)level < FLT_MIN)
        return FLT_MIN;
    return (float)level < FLT_MAX ? nextafterf((float)level, INFINITY) : INFINITY;
}

static lg_status measure_levels(lg_context *context, const lg_figure_task *t, lg_measured *m,
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
            m->number[channel] = lg_figure_above_level(context, found.level[0], shape->type);
        known[channel] = true;
    }
    return status;
}

static float number_of_level(const lg_measured *m, const lg_figure_task *t, int channel)
{
    return of_counts(&(counted){.otsu = m->number[channel]}, t->figure->kind, 0);
}

// ---- a pixel ------------------------------------------------------------------------------------

static lg_status measure_pixel(lg_context *context, const lg_figure_task *t, lg_measured *m,
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

static float number_of_pixel(const lg_measured *m, const lg_figure_task *t, int i)
{
    const int component = lg_figure_component(&t->image->shape, t->figure);
    return lg_figure_of_pixel(lg_figure_picked(m->number[0], m->number[1], m->number[2],
                                               m->number[3], component >= 0 ? component : i),
                              t->figure->kind);
}

// ---- components ---------------------------------------------------------------------------------

#define LG_WORDS_OF(x) (uint32_t)(x), (uint32_t)((x) >> 32)

lg_largest lg_figure_largest(const lg_component_basic *best)
{
    return (lg_largest){LG_WORDS_OF(best->area),
                        LG_WORDS_OF(best->sum[0]),
                        LG_WORDS_OF(best->sum[1]),
                        (uint32_t)best->low[0],
                        (uint32_t)best->low[1],
                        (uint32_t)(best->high[0] - best->low[0] + 1),
                        (uint32_t)(best->high[1] - best->low[1] + 1)};
}

static lg_status measure_components(lg_context *context, const lg_figure_task *t, lg_measured *m,
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
        const lg_component_basic *best = components->count ? components->basic : NULL;
        for (uint32_t i = 1; i < components->count; i++)
            if (components->basic[i].area > best->area)
                best = &components->basic[i];
        m->components = components->count;
        if (best)
            m->largest = lg_figure_largest(best);
    }
    lg_components_destroy(&components);
    lg_image_destroy(&made);
    lg_host_view_close(&view);
    return status;
}

static float number_of_components(const lg_measured *m, const lg_figure_task *t, int i)
{
    const lg_image_params *s = &t->image->shape;
    return lg_figure_of_components(m->largest, m->components, t->figure->kind, (uint32_t)i,
                                   (uint32_t)s->width, (uint32_t)s->height);
}

// ---- all of them --------------------------------------------------------------------------------

const lg_figure_driver lg_figure_drivers[] = {
    [LG_SOURCE_SUMS] = {measure_sums, number_of_sums, true},
    [LG_SOURCE_COUNTS] = {measure_counts, number_of_counts, true},
    [LG_SOURCE_BINS] = {measure_counts, number_of_counts, true},
    [LG_SOURCE_CURVE] = {measure_counts, NULL, true},
    [LG_SOURCE_LEVEL] = {measure_levels, number_of_level, true},
    [LG_SOURCE_PIXEL] = {measure_pixel, number_of_pixel, false},
    [LG_SOURCE_COMPONENTS] = {measure_components, number_of_components, false},
};

lg_status lg_figure_make(const lg_measured *m, lg_figure_task *t, lg_error *error)
{
    const lg_figure *f = t->figure;
    if (lg_figure_is_curve(f))
        return lg_curve_make(&t->image->shape, f, m->counts, t->curve, error);
    const lg_figure_driver *d = &lg_figure_drivers[m->source];
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
    lg_measured m = {.source = lg_figure_source_of(shape, tasks->figure, false)};
    lg_status status = lg_figure_drivers[m.source].measure(context, tasks, &m, error);
    for (int i = 0; i < count && !status; i++) {
        lg_figure_task *t = &tasks[i];
        if (t->done || !lg_figures_share(tasks, t, false))
            continue;
        status = lg_figure_make(&m, t, error);
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
