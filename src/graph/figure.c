// Figures that drive parameters, in the units of colours.
#include "graph/figure_moments.h"
#include "graph/plan.h"
#include "measure/moments/moments.h"
#include "measure/threshold/threshold.h"

#include <math.h>
#include <string.h>

#include "vulkan/vk.h"

// Stored units to colours.
uint32_t lg_figure_scale(lg_type type)
{
    return type == LG_U8 ? 255 : type == LG_U16 ? 65535 : 1;
}

// What a figure in stored units is divided by.
static double scale_of(lg_type type, lg_figure_kind kind)
{
    const double scale = lg_figure_scale(type);
    return kind == LG_FIGURE_VARIANCE ? scale * scale : scale;
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

static double from_moments(const lg_moments *m, lg_figure_kind kind)
{
    switch (kind) {
    case LG_FIGURE_MIN:
        return m->min;
    case LG_FIGURE_MAX:
        return m->max;
    case LG_FIGURE_STDDEV:
        return sqrt(m->variance);
    case LG_FIGURE_VARIANCE:
        return m->variance;
    default:
        return m->mean;
    }
}

static lg_status measure_moments(lg_context *context, const lg_image *image, const lg_figure *f,
                                 double out[4], lg_error *error)
{
    lg_moments m[LG_MAX_CHANNELS];
    const lg_moments_params params = {.select = lg_select_default(), .stack = true};
    const lg_status status = lg_measure_moments(context, image, &params, m, LG_MAX_CHANNELS, error);
    const double scale = scale_of(image->shape.type, f->kind);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = lg_figure_channel(&image->shape, i);
        out[i] = channel < 0 ? 1 : from_moments(&m[channel], f->kind) / scale;
    }
    return status;
}

// Mean, variance, extremes of the samples in a histogram's bins.
static double from_counts(const lg_histogram_channel *h, lg_figure_kind kind, double percent)
{
    if (kind == LG_FIGURE_PERCENTILE)
        return lg_histogram_percentile(h, percent);
    if (kind == LG_FIGURE_MIN || kind == LG_FIGURE_MAX)
        return lg_histogram_percentile(h, kind == LG_FIGURE_MIN ? 0 : 100);
    double n = 0, sum = 0, squares = 0;
    for (int32_t i = 0; i < h->bins; i++) {
        const double c = (double)h->counts[i];
        n += c;
        sum += c * lg_histogram_bin_value(h, h->type == LG_F32 ? i + 0.5 : i);
    }
    const double mean = n > 0 ? sum / n : NAN;
    for (int32_t i = 0; i < h->bins; i++) {
        const double d = lg_histogram_bin_value(h, h->type == LG_F32 ? i + 0.5 : i) - mean;
        squares += (double)h->counts[i] * d * d;
    }
    return kind == LG_FIGURE_MEAN       ? mean
           : kind == LG_FIGURE_VARIANCE ? squares / n
                                        : sqrt(squares / n);
}

static lg_status level(const lg_histogram_channel *h, double *out, lg_error *error)
{
    lg_threshold t;
    const lg_threshold_params params = lg_threshold_params_default();
    const lg_status status = lg_threshold_level(h, &params, &t, error);
    *out = status ? 0 : t.level[0];
    return status;
}

static lg_status measure_histogram(lg_context *context, const lg_image *image, const lg_figure *f,
                                   bool luma, double out[4], lg_error *error)
{
    const bool otsu = f->kind == LG_FIGURE_OTSU, wide = image->shape.type == LG_F32 && !otsu;
    const lg_histogram_params params = {.select = lg_select_default(),
                                        .stack = true,
                                        .bins = wide ? LG_MAX_BINS : -1,
                                        .automatic_range = image->shape.type == LG_F32,
                                        .type_range = image->shape.type != LG_F32,
                                        .space = luma ? LG_SPACE_LUMA : LG_SPACE_STORED,
                                        .luma = LG_LUMA_GPUIMAGE,
                                        .variant = LG_HISTOGRAM_AUTO};
    lg_histogram *h = NULL;
    lg_status status = lg_measure_histogram(context, image, &params, &h, error);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = luma ? 0 : lg_figure_channel(&image->shape, i);
        out[i] = 1;
        if (channel >= 0 && otsu)
            status = level(&h->channel[channel], &out[i], error);
        else if (channel >= 0)
            out[i] = from_counts(&h->channel[channel], f->kind, (double)f->percent);
        if (channel >= 0)
            out[i] /= scale_of(image->shape.type, f->kind);
    }
    lg_histogram_destroy(&h);
    return status;
}

typedef struct ranks {
    uint32_t first, second;
} ranks;

// The values of two ranks: the first whose samples and all smaller ones are more than the rank.
static ranks values_of(const uint64_t counts[256], uint32_t first, uint32_t second)
{
    ranks r = {255, 255};
    uint64_t below = 0;
    for (uint32_t i = 0; i < 256; i++) {
        below += counts[i];
        r.first = r.first == 255 && below > first ? i : r.first;
        r.second = r.second == 255 && below > second ? i : r.second;
    }
    return r;
}

static float percentile(const uint64_t counts[256], uint32_t n, uint32_t millionths)
{
    const lg_figure_place at = lg_figure_place_of(n, millionths);
    const ranks r = values_of(counts, at.rank, at.rank + 1 < n ? at.rank + 1 : at.rank);
    return lg_figure_between(r.first, r.second, at.rest);
}

// What figure.comp does with many hands.
static float of_counts(const lg_figure *f, const uint64_t counts[256])
{
    uint32_t high = 0, low = 0, n = 0;
    for (uint32_t i = 0; i < 256; i++) {
        high += (uint32_t)(counts[i] >> 16) * i;
        low += (uint32_t)(counts[i] & 0xffff) * i;
        n += (uint32_t)counts[i];
    }
    const float mean = lg_figure_mean(high, low, n);
    float sum = 0;
    switch (f->kind) {
    case LG_FIGURE_MEAN:
        return mean;
    case LG_FIGURE_STDDEV:
    case LG_FIGURE_VARIANCE:
        for (uint32_t i = 0; i < 256; i++)
            sum = sum + lg_figure_square(i, (uint32_t)counts[i], mean);
        sum = n > 0 ? lg_div(sum, lg_figure_float(n)) : 0;
        return f->kind == LG_FIGURE_VARIANCE ? sum : lg_sqrt(sum);
    case LG_FIGURE_OTSU: {
        const int32_t level = lg_otsu_bin(counts, 256);
        return lg_figure_level(level < 0 ? 255 : (uint32_t)level);
    }
    case LG_FIGURE_MIN:
        return percentile(counts, n, 0);
    case LG_FIGURE_MAX:
        return percentile(counts, n, 1000000);
    default:
        return percentile(counts, n, lg_figure_millionths(f));
    }
}

// An 8-bit image: from counts, by the text that the device has as well. LG_ERROR_UNSUPPORTED for what
// it is not made for.
static lg_status measure_counts(lg_context *context, const lg_image *image, const lg_figure *f,
                                bool luma, float out[4], lg_error *error)
{
    const lg_image_params *s = &image->shape;
    if (!lg_figure_has_rule(s, f))
        return LG_ERROR_UNSUPPORTED;
    const bool combined = luma && f->kind == LG_FIGURE_MEAN;
    lg_histogram_params params = lg_histogram_params_default();
    params.stack = true;
    params.space = luma && !combined ? LG_SPACE_LUMA : LG_SPACE_STORED;
    params.luma = LG_LUMA_GPUIMAGE;
    lg_histogram *h = NULL;
    const lg_status status = lg_measure_histogram(context, image, &params, &h, error);
    if (status)
        return status;
    for (int i = 0; i < 4; i++) {
        const int channel = luma && !combined ? 0 : lg_figure_channel(s, i);
        out[i] = 1;
        if (channel < 0)
            continue;
        out[i] = of_counts(f, h->channel[channel].values);
    }
    if (combined)
        out[0] = lg_figure_luma(out[0], out[1], out[2]);
    lg_histogram_destroy(&h);
    return LG_OK;
}

// ---- from exact sums ----------------------------------------------------------------------------

bool lg_figure_has_sums(const lg_image_params *shape, const lg_figure *figure)
{
    const bool luma = figure->channel == LG_CHANNEL_LUMA && lg_image_measured_channels(shape) >= 3;
    return figure->kind >= LG_FIGURE_MEAN && figure->kind <= LG_FIGURE_VARIANCE &&
           (!luma || figure->kind == LG_FIGURE_MEAN) &&
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
        const float one = type == LG_U8 ? LG_UNIT_U8 : LG_UNIT_U16;
        s.n = (uint32_t)m->n;
        s.sum = limbs_of(sum, 2);
        s.squares = limbs_of(squares, 2);
        s.low = lg_from_whole(m->min) * one;
        s.high = lg_from_whole(m->max) * one;
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

// What figure_moments.comp does.
static lg_status measure_sums(lg_context *context, const lg_image *image, const lg_figure *f,
                              bool luma, float out[4], lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    if (!lg_figure_has_sums(shape, f))
        return LG_ERROR_UNSUPPORTED;
    lg_moments_state states[LG_MAX_CHANNELS];
    lg_scan scan;
    lg_status status = lg_scan_init(&scan, image, NULL, error);
    if (!status)
        status = lg_moments_run(context, &scan, true, states, error);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = lg_figure_channel(shape, i);
        out[i] = 1;
        if (channel < 0)
            continue;
        const lg_figure_sums sums = sums_of(&states[channel], shape->type);
        out[i] = lg_figure_of_sums(sums, (uint32_t)f->kind);
    }
    if (!status && luma)
        out[0] = lg_figure_luma(out[0], out[1], out[2]);
    return status;
}

bool lg_figure_has_rule(const lg_image_params *shape, const lg_figure *figure)
{
    const bool no_alpha = figure->channel == 3 && lg_image_measured_channels(shape) != 4;
    return shape->type == LG_U8 && !no_alpha && shape->channels != 2 &&
           figure->kind != LG_FIGURE_PICK && !lg_figure_is_of_components(figure) &&
           (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers <= UINT32_MAX;
}

uint32_t lg_figure_millionths(const lg_figure *figure)
{
    return (uint32_t)rint((double)figure->percent * 1e4);
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
        out[i] = lg_figure_picked(planes[0][0], planes[1][0], planes[2][0], planes[3][0],
                                  figure->channel >= 0 ? lg_figure_component(s, figure) : i);
    return LG_OK;
}

lg_status lg_figure_measure(lg_context *context, const lg_image *image, const lg_figure *figure,
                            float out[4], lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    const bool colors = lg_image_measured_channels(shape) >= 3;
    const bool luma = figure->channel == LG_CHANNEL_LUMA && colors;
    const bool picked = figure->kind == LG_FIGURE_PICK;
    if (lg_figure_is_of_components(figure))
        return lg_figure_measure_components(context, image, figure, out, error);
    float value[4];
    lg_status status = picked ? pick(context, image, figure, value, error)
                              : measure_counts(context, image, figure, luma, value, error);
    if (status == LG_ERROR_UNSUPPORTED)
        status = measure_sums(context, image, figure, luma, value, error);
    if (status == LG_ERROR_UNSUPPORTED) {
        double v[4] = {0, 0, 0, 0};
        if (figure->kind == LG_FIGURE_PERCENTILE || figure->kind == LG_FIGURE_OTSU ||
            (luma && figure->kind != LG_FIGURE_MEAN))
            status = measure_histogram(context, image, figure, luma, v, error);
        else
            status = measure_moments(context, image, figure, v, error);
        if (luma && figure->kind == LG_FIGURE_MEAN)
            v[0] = 0.2125 * v[0] + 0.7154 * v[1] + 0.0721 * v[2];
        for (int i = 0; i < 4; i++)
            value[i] = (float)v[i];
    }
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
