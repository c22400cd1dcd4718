// Figures that drive parameters, in the units of colours.
#include "graph/figure_sums.h"
#include "graph/plan.h"
#include "measure/threshold/luma_moments.h"
#include "measure/threshold/threshold.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "vulkan/vk.h"

// Stored units to colours.
uint32_t lg_figure_scale(lg_type type)
{
    return type == LG_U8 ? 255 : type == LG_U16 ? 65535 : 1;
}

int lg_figure_channel(const lg_image_params *shape, int component)
{
    const int channels = lg_image_measured_channels(shape);
    if (channels == 1)
        return component == 3 ? -1 : 0;
    if (channels == 2)
        return component == 3 ? 1 : 0;
    return component < channels ? component : -1;
}

int lg_figure_component(const lg_image_params *shape, const lg_figure *figure)
{
    const bool grey = lg_image_measured_channels(shape) < 3;
    return figure->channel == LG_CHANNEL_LUMA && grey ? 0 : figure->channel;
}

bool lg_figure_is_of_luma(const lg_image_params *shape, const lg_figure *figure)
{
    return lg_figure_component(shape, figure) == LG_CHANNEL_LUMA;
}

lg_histogram_params lg_figure_counting(const lg_image_params *shape, const lg_figure *figure)
{
    lg_histogram_params params = lg_histogram_params_default();
    params.stack = true;
    params.space = lg_figure_is_of_luma(shape, figure) ? LG_SPACE_LUMA : LG_SPACE_STORED;
    params.luma = LG_LUMA_GPUIMAGE;
    return params;
}

// ---- from exact sums ----------------------------------------------------------------------------

bool lg_figure_has_sums(const lg_image_params *shape, const lg_figure *figure)
{
    return figure->kind < LG_FIRST_OF_RANKS &&
           (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers <= UINT32_MAX;
}

int lg_figure_unit(lg_type type)
{
    return type == LG_F16 || type == LG_F32 ? LG_SUM_UNIT : 0;
}

static lg_limbs limbs_of(const uint64_t *words, size_t count)
{
    lg_limbs r = {{0}};
    for (size_t i = 0; i < 2 * count && i < LG_LIMBS; i++)
        r.at[i] = (uint32_t)(words[i / 2] >> (32 * (i % 2)));
    return r;
}

static lg_figure_sums sums_of(const lg_moments_state *state, lg_type type)
{
    lg_figure_sums s = {.unit = lg_figure_unit(type), .scale = lg_figure_scale(type)};
    if (state->integer) {
        const lg_integer_moments *m = &state->integers;
        const uint64_t sum[2] = {(uint64_t)m->sum, (uint64_t)(m->sum >> 64)};
        const uint64_t squares[2] = {(uint64_t)m->squares, (uint64_t)(m->squares >> 64)};
        s.n = (uint32_t)m->n;
        s.sum = limbs_of(sum, 2);
        s.squares = limbs_of(squares, 2);
        s.low = (float)m->min;
        s.high = (float)m->max;
        return s;
    }
    const lg_float_sums *m = &state->floats;
    uint64_t sum[LG_SUM_WORDS];
    s.n = (uint32_t)m->n;
    s.negative = m->sum[LG_SUM_WORDS - 1] >> 63;
    uint64_t add = s.negative;
    for (int i = 0; i < LG_SUM_WORDS; i++) {
        sum[i] = (s.negative ? ~m->sum[i] : m->sum[i]) + add;
        add = add && sum[i] == 0;
    }
    s.sum = limbs_of(sum, LG_SUM_WORDS);
    s.squares = limbs_of(m->squares, LG_SQUARES_WORDS);
    s.low = m->min;
    s.high = m->max;
    return s;
}

// Of luma that is counted: u8 and u16.
static lg_status counted_luma(lg_context *context, const lg_image *image, const lg_figure *f,
                              lg_moments_state *out, lg_error *error)
{
    const lg_histogram_params params = lg_figure_counting(&image->shape, f);
    lg_integer_moments m = {.min = UINT32_MAX};
    lg_histogram *h = NULL;
    const lg_status status = lg_measure_histogram(context, image, &params, &h, error);
    for (uint32_t i = 0; !status && i < h->channel[0].value_count; i++) {
        const uint64_t count = h->channel[0].values[i];
        m.n += count;
        m.sum += (lg_u128)count * i;
        m.squares += (lg_u128)count * ((uint64_t)i * i);
        m.min = count && m.min == UINT32_MAX ? i : m.min;
        m.max = count ? i : m.max;
    }
    *out = (lg_moments_state){.integer = true, .integers = m};
    lg_histogram_destroy(&h);
    return status;
}

// Sums of each channel, or of luma alone.
static lg_status find_sums(lg_context *context, const lg_image *image, const lg_figure *f,
                           lg_moments_state *out, lg_error *error)
{
    const bool luma = lg_figure_is_of_luma(&image->shape, f);
    lg_scan scan;
    if (luma && image->shape.type <= LG_U16)
        return counted_luma(context, image, f, out, error);
    const lg_status status = lg_scan_init(&scan, image, NULL, error);
    if (status)
        return status;
    return luma ? lg_luma_moments(context, &scan, LG_LUMA_GPUIMAGE, true, out, error)
                : lg_moments_run(context, &scan, true, out, error);
}

static lg_status measure_sums(lg_context *context, const lg_image *image, const lg_figure *f,
                              float out[4], lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    const bool luma = lg_figure_is_of_luma(shape, f);
    lg_moments_state states[LG_MAX_CHANNELS];
    const lg_status status = find_sums(context, image, f, states, error);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = luma ? 0 : lg_figure_channel(shape, i);
        if (channel < 0)
            out[i] = 1;
        else if (lg_figure_has_sums(shape, f))
            out[i] = lg_figure_of_sums(sums_of(&states[channel], shape->type), f->kind);
        else
            out[i] = lg_figure_of_many(&states[channel], shape->type, f->kind);
    }
    return status;
}

// ---- from counts --------------------------------------------------------------------------------

// Samples of a channel, or of luma.
typedef struct counted {
    const lg_histogram_channel *bins; // NULL: Otsu's level is known
    bool exact;                       // of bytes: as the device does
    double scale;
    float otsu;
} counted;

// The first value whose samples and all smaller ones are more than a rank.
static uint32_t value_of(const uint64_t counts[256], uint32_t rank)
{
    uint32_t value = 0;
    for (uint64_t below = counts[0]; below <= rank && value < 255; below += counts[value])
        value++;
    return value;
}

static float lg_counts_percentile(const counted *c, uint32_t billionths)
{
    if (!c->exact)
        return (float)(lg_histogram_percentile(c->bins, billionths / 1e7) / c->scale);
    const uint64_t *counts = c->bins->values;
    uint32_t n = 0;
    for (int i = 0; i < 256; i++)
        n += (uint32_t)counts[i];
    const lg_figure_place at = lg_figure_place_of(n, billionths);
    return lg_figure_between(value_of(counts, at.rank), value_of(counts, at.next), at.rest);
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

// Figures of bins: of bytes one for each value, else of automatic range, as many as there may be.
static lg_status measure_bins(lg_context *context, const lg_image *image, const lg_figure *f,
                              float out[4], lg_error *error)
{
    const lg_image_params *s = &image->shape;
    const bool luma = lg_figure_is_of_luma(s, f);
    counted c = {.exact = lg_figure_has_rule(s, f), .scale = lg_figure_scale(s->type)};
    lg_histogram_params params = lg_figure_counting(s, f);
    if (!c.exact) {
        params.bins = LG_MAX_BINS;
        params.automatic_range = true;
        params.type_range = false;
    }
    lg_histogram *h = NULL;
    const lg_status status = lg_measure_histogram(context, image, &params, &h, error);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = luma ? 0 : lg_figure_channel(s, i);
        c.bins = channel < 0 ? NULL : &h->channel[channel];
        out[i] = channel < 0 ? 1 : of_counts(&c, f->kind, f->billionths);
    }
    lg_histogram_destroy(&h);
    return status;
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

static lg_status measure_classes(lg_context *context, const lg_image *image, const lg_figure *f,
                                 float out[4], lg_error *error)
{
    const bool luma = lg_figure_is_of_luma(&image->shape, f);
    lg_status status = LG_OK;
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = luma ? -1 : lg_figure_channel(&image->shape, i);
        const bool wanted =
            f->channel < 0 || (luma ? i == 0 : i == lg_figure_component(&image->shape, f));
        lg_threshold t;
        out[i] = 1;
        if (!wanted || (channel < 0 && !luma))
            continue;
        status = lg_threshold_find(context, image, LG_LUMA_GPUIMAGE, channel, &t, error);
        if (!status)
            out[i] =
                of_counts(&(counted){.otsu = above_level(context, t.level[0], image->shape.type)},
                          f->kind, 0);
    }
    return status;
}

bool lg_figure_has_rule(const lg_image_params *shape, const lg_figure *figure)
{
    const bool no_alpha = figure->channel == 3 && lg_image_measured_channels(shape) != 4;
    return shape->type == LG_U8 && !no_alpha && shape->channels != 2 &&
           figure->kind < LG_FIRST_OF_PIXELS &&
           (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers <= UINT32_MAX;
}

static lg_status pick(lg_context *context, const lg_image *image, const lg_figure *figure,
                      float out[4], lg_error *error)
{
    float planes[4][LG_SPAN_STEP];
    float *const to[4] = {planes[0], planes[1], planes[2], planes[3]};
    const lg_image_params *s = &image->shape;
    const lg_image_private *priv = (const lg_image_private *)image;
    uint32_t pixel[4];
    char *data = image->data;
    if (priv->device) {
        const size_t size = lg_pixel_size(s);
        const lg_status status =
            lg_vk_download(context->vk, pixel, size, priv->device, 0, size, size, 1, error);
        if (status)
            return status;
        data = (char *)pixel;
    }
    const lg_pixels pixels = {data,        s->row_stride, s->width, s->height,
                              s->channels, s->type,       s->alpha};
    lg_stage_get(context->cpu_level)->load(&pixels, 0, 0, 1, to);
    for (int i = 0; i < 4; i++)
        out[i] = lg_figure_of_pixel(
            lg_figure_picked(planes[0][0], planes[1][0], planes[2][0], planes[3][0],
                             figure->channel >= 0 ? lg_figure_component(s, figure) : i),
            figure->kind);
    return LG_OK;
}

static lg_status measure(lg_context *context, const lg_image *image, const lg_figure *figure,
                         float out[4], lg_error *error)
{
    if (lg_figure_is_pixel(figure))
        return pick(context, image, figure, out, error);
    if (figure->kind < LG_FIRST_OF_RANKS)
        return measure_sums(context, image, figure, out, error);
    if (figure->kind < LG_FIRST_OF_CLASSES || lg_figure_has_rule(&image->shape, figure))
        return measure_bins(context, image, figure, out, error);
    return measure_classes(context, image, figure, out, error);
}

lg_status lg_figure_measure(lg_context *context, const lg_image *image, const lg_figure *figure,
                            float out[4], lg_error *error)
{
    const bool picked = lg_figure_is_pixel(figure);
    if (lg_figure_is_of_components(figure))
        return lg_figure_measure_components(context, image, figure, out, error);
    float value[4];
    const lg_status status = measure(context, image, figure, value, error);
    const int only = picked ? -1 : figure->channel == LG_CHANNEL_LUMA ? 0 : figure->channel;
    for (int i = 0; i < 4 && !status; i++) {
        const float x = value[only >= 0 ? only : i];
        if (isnan(x))
            return lg_fail(error, LG_ERROR_DATA, "a measured parameter has no value: no samples");
        out[i] = lg_figure_fit(x, figure->factor, figure->offset, figure->least, figure->most,
                               figure->integer);
    }
    return status;
}
