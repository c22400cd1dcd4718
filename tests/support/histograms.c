#include "histograms.h"
#include "check.h"

#include "kernel/space/linear.h"
#include "measure/histogram/histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lg_histogram_params params_of(const measured *m)
{
    lg_histogram_params p =
        m->params ? *(const lg_histogram_params *)m->params : lg_histogram_params_default();
    p.select = m->select;
    p.stack = m->stack;
    p.variant = (lg_histogram_variant)m->variant;
    return p;
}

static void *measure_histogram(lg_context *context, const measured *m, lg_error *error)
{
    lg_histogram_params p = params_of(m);
    lg_histogram *out = NULL;
    if (context) {
        lg_measure_histogram(context, m->image, &p, &out, error);
        return out;
    }
    p.variant = LG_HISTOGRAM_AUTO;
    lg_histogram_measure_with(lg_histogram_ref, kernel_context(), m->image, &p, &out, error);
    return out;
}

static void release_histogram(void *figures)
{
    lg_histogram *histogram = figures;
    lg_histogram_destroy(&histogram);
}

// ---- equality -----------------------------------------------------------------------------------

static bool same_channel(const lg_histogram_channel *p, const lg_histogram_channel *q)
{
    if (p->bins != q->bins || p->lo != q->lo || p->hi != q->hi || p->total != q->total ||
        p->below != q->below || p->above != q->above || p->nan_count != q->nan_count ||
        p->inf_count != q->inf_count || p->value_count != q->value_count || p->layer != q->layer ||
        p->type != q->type || !p->values != !q->values || strcmp(p->name, q->name) != 0 ||
        memcmp(p->counts, q->counts, (size_t)p->bins * sizeof *p->counts) != 0)
        return false;
    return !p->values || memcmp(p->values, q->values, p->value_count * sizeof *p->values) == 0;
}

static int channel_text(char *text, size_t size, const lg_histogram_channel *c)
{
    return snprintf(text, size, "\n  %s of layer %d: %.9g to %.9g, in %llu out %llu %llu %llu %llu",
                    c->name, c->layer, c->lo, c->hi, (unsigned long long)c->total,
                    (unsigned long long)c->below, (unsigned long long)c->above,
                    (unsigned long long)c->nan_count, (unsigned long long)c->inf_count);
}

static void difference(const lg_histogram_channel *want, const lg_histogram_channel *got,
                       char text[MEASURE_TEXT])
{
    int32_t bin = 0;
    while (bin < want->bins && bin < got->bins && want->counts[bin] == got->counts[bin])
        bin++;
    int length = channel_text(text, MEASURE_TEXT, want);
    length += channel_text(text + length, MEASURE_TEXT - (size_t)length, got);
    snprintf(text + length, MEASURE_TEXT - (size_t)length, "\n  bin %d of %d is the first", bin,
             want->bins);
}

static bool same_histogram(const void *want, const void *got, char text[MEASURE_TEXT])
{
    const lg_histogram *a = want, *b = got;
    if (a->channels != b->channels || a->layers != b->layers || a->type != b->type) {
        snprintf(text, MEASURE_TEXT, "%d channels of %d layers, not %d of %d", b->channels,
                 b->layers, a->channels, a->layers);
        return false;
    }
    for (int64_t i = 0; i < (int64_t)a->channels * a->layers; i++)
        if (!same_channel(&a->channel[i], &b->channel[i])) {
            difference(&a->channel[i], &b->channel[i], text);
            return false;
        }
    return true;
}

// ---- the oracle ---------------------------------------------------------------------------------

typedef struct oracle {
    const measured *m;
    const lg_histogram_channel *channel;
    lg_histogram_params params;
    int index; // of the channel
    bool luma;
    uint64_t *counts;
    uint64_t below, above, nan, inf, pixels;
} oracle;

static void count_integer(oracle *o, int64_t v)
{
    const lg_histogram_channel *c = o->channel;
    const int64_t span = (int64_t)c->hi - (int64_t)c->lo + 1, step = v - (int64_t)c->lo;
    if (step < 0)
        o->below++;
    else if (step >= span)
        o->above++;
    else
        o->counts[step * c->bins / span]++;
}

static void count_float(oracle *o, float v)
{
    const lg_histogram_channel *c = o->channel;
    const float lo = (float)c->lo, hi = (float)c->hi;
    const float scale = (float)(c->bins / ((double)hi - (double)lo));
    if (isnan(v)) {
        o->nan++;
    } else if (isinf(v)) {
        o->inf++;
    } else if (v < lo) {
        o->below++;
    } else if (v > hi) {
        o->above++;
    } else {
        volatile float offset = v - lo; // one rounding each
        volatile float position = offset * scale;
        const int32_t bin = (int32_t)position;
        o->counts[bin >= c->bins ? c->bins - 1 : bin]++;
    }
}

// A NaN or an infinity in one of red, green and blue is one in all of them.
static float linear_value(const measured *m, int64_t x, int64_t y, int64_t layer, int channel)
{
    float colour[3], not_finite = 0;
    for (int c = 0; c < 3; c++) {
        const float scale = m->image->shape.type == LG_U8    ? (float)(1.0 / 255.0)
                            : m->image->shape.type == LG_U16 ? (float)(1.0 / 65535.0)
                                                             : 1;
        colour[c] = (float)sample_stored(m->image, x, y, layer, c) * scale;
        if (!isfinite(colour[c]) && !isnan(not_finite))
            not_finite = colour[c];
    }
    return not_finite != 0 ? not_finite : lg_linear(colour[channel]);
}

static void count_pixel(void *arg, int64_t x, int64_t y, int64_t layer)
{
    oracle *o = arg;
    const lg_image *image = o->m->image;
    o->pixels++;
    if (o->params.space == LG_SPACE_LINEAR)
        count_float(o, linear_value(o->m, x, y, layer, o->index));
    else if (o->luma)
        count_integer(o, sample_luma(image, x, y, layer));
    else if (image->shape.type <= LG_U16)
        count_integer(o, (int64_t)sample_stored(image, x, y, layer, o->index));
    else
        count_float(o, (float)sample_stored(image, x, y, layer, o->index));
}

// What a channel holds by the text of docs/definitions.md; of luma only that of integers by BT.709. Of
// ranges so narrow or so wide that floats need a factor other tests have worked examples.
static bool oracle_knows(oracle *o, const lg_histogram *h)
{
    const lg_image_params *s = &o->m->image->shape;
    const double width = o->channel->hi - o->channel->lo;
    o->luma =
        s->channels == 4 && (o->params.space == LG_SPACE_LUMA ||
                             (o->params.space == LG_SPACE_RGBL && o->index + 1 == h->channels));
    if (s->channels < 4 && o->params.space != LG_SPACE_STORED)
        o->index = o->params.space == LG_SPACE_LUMA || o->index + 1 == h->channels ? 0 : o->index;
    if (o->channel->type >= LG_F16 && (width < 0x1p-100 || width > 0x1p126))
        return false;
    if (o->luma)
        return s->type <= LG_U16 && o->params.luma == LG_LUMA_BT709;
    return o->params.space <= LG_SPACE_LINEAR;
}

static void check_oracle(const measured *m, const void *figures)
{
    const lg_histogram *h = figures;
    for (int i = 0; i < h->channels * h->layers; i++) {
        const lg_histogram_channel *c = &h->channel[i];
        oracle o = {.m = m, .channel = c, .params = params_of(m), .index = i % h->channels};
        if (!oracle_knows(&o, h))
            continue;
        CHECK(o.params.space != LG_SPACE_LINEAR ||
                  (h->channels == 3 && !c->values && c->type == LG_F32),
              "%s: linear light is three channels of floats", m->title);
        o.counts = calloc((size_t)c->bins, sizeof *o.counts);
        NEED(o.counts, "%d counters", c->bins);
        samples_select(m->image, &m->select, m->stack ? -1 : c->layer, count_pixel, &o);
        CHECK(memcmp(c->counts, o.counts, (size_t)c->bins * sizeof *c->counts) == 0,
              "%s: %s, space %s: bins differ from the oracle's", m->title, c->name,
              lg_space_name(o.params.space));
        CHECK(c->below == o.below && c->above == o.above && c->nan_count == o.nan &&
                  c->inf_count == o.inf &&
                  c->total + c->below + c->above + c->nan_count + c->inf_count == o.pixels,
              "%s: %s, space %s: %llu %llu %llu %llu outside the bins, %llu within", m->title,
              c->name, lg_space_name(o.params.space), (unsigned long long)c->below,
              (unsigned long long)c->above, (unsigned long long)c->nan_count,
              (unsigned long long)c->inf_count, (unsigned long long)c->total);
        free(o.counts);
    }
}

// ---- parameters ---------------------------------------------------------------------------------

static void draw_range(lg_histogram_params *p, bool integers)
{
    static const double ranges[][2] = {{0, 1},     {-0.25, 1.5},  {0.1, 0.7},
                                       {0.5, 0.6}, {-1e30, 1e30}, {0, 0.3}};
    static const double of_integers[][2] = {{0, 255},   {10, 20},     {-5, 300},
                                            {0, 65535}, {100, 40000}, {0, 1}};
    const double *one = (integers ? of_integers : ranges)[random_below(LG_COUNT(ranges))];
    p->type_range = random_below(2);
    p->automatic_range = !p->type_range && random_below(2);
    p->lo = one[0];
    p->hi = one[1];
}

static const void *draw_params(const lg_image_params *shape)
{
    static const int32_t bins[] = {-1, 1, 3, 7, 100, 255, 256, 4096, LG_MAX_BINS};
    static lg_histogram_params p;
    const uint32_t spaces = shape->channels == 4 ? LG_SPACES : LG_SPACE_RGBL + 1;
    p = lg_histogram_params_default();
    p.space = random_below(2) ? LG_SPACE_STORED : (lg_space)random_below(spaces);
    p.luma = random_below(2) ? LG_LUMA_BT709 : (lg_luma)random_below(LG_LUMAS);
    p.bins = bins[random_below(LG_COUNT(bins))];
    draw_range(&p, shape->type <= LG_U16 && p.space < LG_SPACE_LINEAR);
    return &p;
}

static void describe(const void *params, char text[MEASURE_TEXT])
{
    const lg_histogram_params *p = params;
    snprintf(text, MEASURE_TEXT, "%s %s, %d bins, range %s %g to %g", lg_space_name(p->space),
             lg_luma_name(p->luma), p->bins,
             p->type_range        ? "of the type, not"
             : p->automatic_range ? "of the samples, not"
                                  : "",
             p->lo, p->hi);
}

// Luma of grey pixels is the sample as it is.
static bool is_computed(const measured *m)
{
    return params_of(m).space != LG_SPACE_STORED && m->image->shape.channels == 4;
}

static const int on_cpu[] = {LG_HISTOGRAM_AUTO, LG_HISTOGRAM_CPU_SINGLE, LG_HISTOGRAM_CPU_MULTI,
                             LG_HISTOGRAM_CPU_AVX512};
static const int on_vulkan[] = {
    LG_HISTOGRAM_AUTO,      LG_HISTOGRAM_VK_LANE_PRIVATE,    LG_HISTOGRAM_VK_REPLICATED,
    LG_HISTOGRAM_VK_GLOBAL, LG_HISTOGRAM_VK_PARTIALS_DEVICE, LG_HISTOGRAM_VK_PARTIALS_HOST};

const measure_case histogram_case = {.name = "histogram",
                                     .measure = measure_histogram,
                                     .release = release_histogram,
                                     .same = same_histogram,
                                     .oracle = check_oracle,
                                     .params = draw_params,
                                     .describe = describe,
                                     .variants = {on_cpu, LG_COUNT(on_cpu)},
                                     .device_variants = {on_vulkan, LG_COUNT(on_vulkan)},
                                     .device_share = 80,
                                     .rounds = is_computed};
