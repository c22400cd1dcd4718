// Figures that drive parameters, in the units of colours.
#include "graph/figure_moments.h"
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

static bool of_luma(const lg_image_params *shape, const lg_figure *figure)
{
    return figure->channel == LG_CHANNEL_LUMA && lg_image_measured_channels(shape) >= 3;
}

// ---- from exact sums ----------------------------------------------------------------------------

bool lg_figure_has_sums(const lg_image_params *shape, const lg_figure *figure)
{
    return figure->kind >= LG_FIGURE_MEAN && figure->kind <= LG_FIGURE_VARIANCE &&
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
        s.low = lg_figure_stored(m->min, s.scale);
        s.high = lg_figure_stored(m->max, s.scale);
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

// ---- of 8-bit images, from counts ---------------------------------------------------------------

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

static float percentile(const uint64_t counts[256], uint32_t n, uint32_t billionths)
{
    const lg_figure_place at = lg_figure_place_of(n, billionths);
    const ranks r = values_of(counts, at.rank, at.rank + 1 < n ? at.rank + 1 : at.rank);
    return lg_figure_between(r.first, r.second, at.rest);
}

// Sums of counted integers.
static lg_integer_moments sums_of_counts(const uint64_t *counts, uint32_t values)
{
    lg_integer_moments m = {.min = UINT32_MAX};
    for (uint32_t i = 0; i < values; i++) {
        m.n += counts[i];
        m.sum += (lg_u128)counts[i] * i;
        m.squares += (lg_u128)counts[i] * ((uint64_t)i * i);
        m.min = counts[i] && m.min == UINT32_MAX ? i : m.min;
        m.max = counts[i] ? i : m.max;
    }
    return m;
}

// What figure.comp does with many hands.
static float of_counts(const lg_figure *f, const uint64_t counts[256])
{
    const lg_integer_moments sums = sums_of_counts(counts, 256);
    const uint32_t n = (uint32_t)sums.n;
    switch (f->kind) {
    case LG_FIGURE_MEAN:
    case LG_FIGURE_STDDEV:
    case LG_FIGURE_VARIANCE: {
        const lg_moments_state state = {.integer = true, .integers = sums};
        return lg_figure_of_sums(sums_of(&state, LG_U8), (uint32_t)f->kind);
    }
    case LG_FIGURE_OTSU: {
        const int32_t level = lg_otsu_bin(counts, 256);
        return lg_figure_level(level < 0 ? 255 : (uint32_t)level, 255);
    }
    case LG_FIGURE_MIN:
        return percentile(counts, n, 0);
    case LG_FIGURE_MAX:
        return percentile(counts, n, 1000000000);
    default:
        return percentile(counts, n, lg_figure_billionths(f));
    }
}

// By the text that the device has as well. LG_ERROR_UNSUPPORTED for what it is not made for.
static lg_status measure_counts(lg_context *context, const lg_image *image, const lg_figure *f,
                                float out[4], lg_error *error)
{
    const lg_image_params *s = &image->shape;
    if (!lg_figure_has_rule(s, f))
        return LG_ERROR_UNSUPPORTED;
    const bool luma = of_luma(s, f);
    lg_histogram_params params = lg_histogram_params_default();
    params.stack = true;
    params.space = luma ? LG_SPACE_LUMA : LG_SPACE_STORED;
    params.luma = LG_LUMA_GPUIMAGE;
    lg_histogram *h = NULL;
    const lg_status status = lg_measure_histogram(context, image, &params, &h, error);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = luma ? 0 : lg_figure_channel(s, i);
        out[i] = channel < 0 ? 1 : of_counts(f, h->channel[channel].values);
    }
    lg_histogram_destroy(&h);
    return status;
}

// ---- of other images ----------------------------------------------------------------------------

// Of luma that is counted: u8 and u16.
static lg_status counted_luma(lg_context *context, const lg_image *image, lg_moments_state *out,
                              lg_error *error)
{
    lg_histogram_params params = lg_histogram_params_default();
    params.stack = true;
    params.space = LG_SPACE_LUMA;
    params.luma = LG_LUMA_GPUIMAGE;
    lg_histogram *h = NULL;
    const lg_status status = lg_measure_histogram(context, image, &params, &h, error);
    if (!status)
        *out = (lg_moments_state){
            .integer = true,
            .integers = sums_of_counts(h->channel[0].values, h->channel[0].value_count)};
    lg_histogram_destroy(&h);
    return status;
}

// Sums of each channel, or of luma alone.
static lg_status find_sums(lg_context *context, const lg_image *image, bool luma,
                           lg_moments_state *out, lg_error *error)
{
    lg_scan scan;
    if (luma && image->shape.type <= LG_U16)
        return counted_luma(context, image, out, error);
    const lg_status status = lg_scan_init(&scan, image, NULL, error);
    if (status)
        return status;
    return luma ? lg_luma_moments(context, &scan, LG_LUMA_GPUIMAGE, true, out, error)
                : lg_moments_run(context, &scan, true, out, error);
}

// More samples than the text for devices counts.
static float of_many(const lg_moments_state *state, lg_type type, lg_figure_kind kind)
{
    lg_moments m;
    const double scale = lg_figure_scale(type);
    if (lg_moments_finish(state, LG_NAN_IGNORE, &m, NULL) || m.count == 0)
        return 0;
    return (float)(kind == LG_FIGURE_MEAN       ? m.mean / scale
                   : kind == LG_FIGURE_MIN      ? m.min / scale
                   : kind == LG_FIGURE_MAX      ? m.max / scale
                   : kind == LG_FIGURE_VARIANCE ? m.variance / (scale * scale)
                                                : sqrt(m.variance) / scale);
}

// What figure_moments.comp does.
static lg_status measure_sums(lg_context *context, const lg_image *image, const lg_figure *f,
                              float out[4], lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    const bool luma = of_luma(shape, f);
    lg_moments_state states[LG_MAX_CHANNELS];
    const lg_status status = find_sums(context, image, luma, states, error);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = luma ? 0 : lg_figure_channel(shape, i);
        out[i] = 1;
        if (channel < 0)
            continue;
        if (lg_figure_has_sums(shape, f))
            out[i] = lg_figure_of_sums(sums_of(&states[channel], shape->type), (uint32_t)f->kind);
        else
            out[i] = of_many(&states[channel], shape->type, f->kind);
    }
    return status;
}

// Of the histogram of automatic range with as many bins as there may be.
static lg_status measure_percentile(lg_context *context, const lg_image *image, const lg_figure *f,
                                    float out[4], lg_error *error)
{
    const bool luma = of_luma(&image->shape, f);
    const lg_histogram_params params = {.size = sizeof(lg_histogram_params),
                                        .select = lg_select_default(),
                                        .stack = true,
                                        .bins = LG_MAX_BINS,
                                        .automatic_range = true,
                                        .space = luma ? LG_SPACE_LUMA : LG_SPACE_STORED,
                                        .luma = LG_LUMA_GPUIMAGE,
                                        .variant = LG_HISTOGRAM_AUTO};
    const double scale = lg_figure_scale(image->shape.type);
    lg_histogram *h = NULL;
    const lg_status status = lg_measure_histogram(context, image, &params, &h, error);
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = luma ? 0 : lg_figure_channel(&image->shape, i);
        out[i] = channel < 0
                     ? 1
                     : (float)(lg_histogram_percentile(&h->channel[channel], f->percent) / scale);
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

static lg_status measure_otsu(lg_context *context, const lg_image *image, const lg_figure *f,
                              float out[4], lg_error *error)
{
    const bool luma = of_luma(&image->shape, f);
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
            out[i] = above_level(context, t.level[0], image->shape.type);
    }
    return status;
}

bool lg_figure_has_rule(const lg_image_params *shape, const lg_figure *figure)
{
    const bool no_alpha = figure->channel == 3 && lg_image_measured_channels(shape) != 4;
    return shape->type == LG_U8 && !no_alpha && shape->channels != 2 &&
           figure->kind != LG_FIGURE_PICK && !lg_figure_is_of_components(figure) &&
           (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers <= UINT32_MAX;
}

uint32_t lg_figure_billionths(const lg_figure *figure)
{
    return (uint32_t)rint(figure->percent * 1e7);
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

static lg_status measure(lg_context *context, const lg_image *image, const lg_figure *figure,
                         float out[4], lg_error *error)
{
    if (figure->kind == LG_FIGURE_PICK)
        return pick(context, image, figure, out, error);
    const lg_status status = measure_counts(context, image, figure, out, error);
    if (status != LG_ERROR_UNSUPPORTED)
        return status;
    if (figure->kind == LG_FIGURE_PERCENTILE)
        return measure_percentile(context, image, figure, out, error);
    return figure->kind == LG_FIGURE_OTSU ? measure_otsu(context, image, figure, out, error)
                                          : measure_sums(context, image, figure, out, error);
}

lg_status lg_figure_measure(lg_context *context, const lg_image *image, const lg_figure *figure,
                            float out[4], lg_error *error)
{
    const bool picked = figure->kind == LG_FIGURE_PICK;
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
