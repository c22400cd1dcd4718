// Histograms: an oracle of this file = reference = every CPU level, variant and thread count.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/core.h"
#include "kernel/space/linear.h"
#include "measure/histogram/histogram.h"

#define MAX_CONTEXTS 12

static lg_context *contexts[MAX_CONTEXTS];
static int context_count;

static const lg_histogram_variant variants[] = {LG_HISTOGRAM_AUTO, LG_HISTOGRAM_CPU_SINGLE,
                                                LG_HISTOGRAM_CPU_MULTI, LG_HISTOGRAM_CPU_AVX512};

static void open_contexts(void)
{
    static const int threads[] = {1, 3};
    for (int level = 0; level < LG_CPU_LEVELS; level++) {
        for (size_t t = 0; t < LG_COUNT(threads); t++) {
            const bool best = level == (int)lg_cpu_level_best() && threads[t] > 1;
            if (test_is_short() && !best && (level != LG_CPU_BASE || threads[t] > 1))
                continue;
            lg_context *context = NULL;
            lg_error error;
            if (lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU,
                                           it.threads = threads[t],
                                           it.cpu_level = (lg_cpu_level)level),
                                  &context, &error) == LG_OK)
                contexts[context_count++] = context;
            else
                check_skip("a CPU level that this machine or build lacks");
        }
    }
    lg_context *gpu = NULL;
    lg_error error = {0};
    if (test_wants_vulkan() &&
        lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), &gpu,
                          &error) == LG_OK)
        contexts[context_count++] = gpu;
    else
        check_skip("Vulkan: no device, or turned off");
}

// ---- images -------------------------------------------------------------------------------------

typedef enum content { NOISE, SMOOTH, CONSTANT, SPECIAL, CONTENTS } content;

static float special_float(void)
{
    static const float odd[] = {NAN,  INFINITY, -INFINITY, 0.0f,   -0.0f, 1.0f,  0.5f, -0.25f,
                                1.5f, 0.25f,    1e30f,     -1e30f, 0.75f, 1e-6f, 2.0f, 0.125f};
    return odd[random_below(16)];
}

static float unit_value(content kind, int64_t x, int64_t y)
{
    switch (kind) {
    case CONSTANT:
        return 0.6f;
    case SMOOTH:
        return (float)((x * 3 + y * 5) % 997) / 996.0f;
    case SPECIAL:
        return random_below(3) == 0 ? special_float() : (float)random_unit() * 1.2f - 0.1f;
    default:
        return (float)random_unit();
    }
}

static void set_sample(lg_image *image, int32_t layer, int64_t y, int64_t i, float v)
{
    uint8_t *row = (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
                   (size_t)y * image->shape.row_stride;
    const float clean = v >= 0 && v <= 1 ? v : 0;
    if (image->shape.type == LG_U8)
        row[i] = (uint8_t)(clean * 255.0f + 0.5f);
    else if (image->shape.type == LG_U16)
        ((uint16_t *)row)[i] = (uint16_t)(clean * 65535.0f + 0.5f);
    else if (image->shape.type == LG_F16)
        ((uint16_t *)row)[i] = lg_float_to_half(v);
    else
        ((float *)row)[i] = v;
}

static lg_image *make(lg_context *context, lg_type type, int channels, lg_alpha alpha, int width,
                      int height, int layers, content kind)
{
    lg_image *image = NULL;
    lg_error error = {0};
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = alpha};
    if (lg_image_create(context, &shape, &image, &error) != LG_OK) {
        CHECK(false, "image: %s", error.message);
        exit(check_finish("histogram"));
    }
    for (int32_t layer = 0; layer < layers; layer++) {
        for (int64_t y = 0; y < height; y++) {
            for (int64_t i = 0; i < (int64_t)width * channels; i++) {
                float v = unit_value(kind, i, y);
                if (alpha == LG_ALPHA_STRAIGHT && i % channels == channels - 1)
                    v = random_below(2) ? 1.0f : 0.0f;
                set_sample(image, layer, y, i, v);
            }
        }
    }
    return image;
}

// ---- the oracle ---------------------------------------------------------------------------------

static float sample_value(const lg_image *image, int32_t layer, int64_t x, int64_t y, int c)
{
    const uint8_t *row = (const uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
                         (size_t)y * image->shape.row_stride;
    const int64_t at = x * image->shape.channels + c;
    switch (image->shape.type) {
    case LG_U8:
        return row[at];
    case LG_U16:
        return ((const uint16_t *)row)[at];
    case LG_F16:
        return lg_half_to_float(((const uint16_t *)row)[at]);
    default:
        return ((const float *)row)[at];
    }
}

typedef struct oracle {
    uint64_t *counts;
    uint64_t below, above, nan, inf, pixels;
} oracle;

static bool takes(const lg_image *image, const lg_select *select, int32_t layer, int64_t x,
                  int64_t y)
{
    if (select->mask) {
        const lg_image *m = select->mask;
        const uint8_t *at = (const uint8_t *)m->data +
                            (m->shape.layers > 1 ? (size_t)layer : 0) * m->shape.layer_stride;
        if (!at[(size_t)y * m->shape.row_stride + (size_t)x])
            return false;
    }
    if (select->skip_transparent && image->shape.alpha == LG_ALPHA_STRAIGHT)
        return sample_value(image, layer, x, y, image->shape.channels - 1) != 0;
    return true;
}

static void put(oracle *o, lg_type type, float v, double lo, double hi, int32_t bins)
{
    o->pixels++;
    if (v != v) {
        o->nan++;
    } else if (isinf(v)) {
        o->inf++;
    } else if (type == LG_U8 || type == LG_U16) {
        int64_t span = (int64_t)hi - (int64_t)lo + 1, step = (int64_t)v - (int64_t)lo;
        if (step < 0)
            o->below++;
        else if (step >= span)
            o->above++;
        else
            o->counts[step * bins / span]++;
    } else {
        const float low = (float)lo, high = (float)hi;
        const float scale = (float)(bins / ((double)high - (double)low));
        if (v < low) {
            o->below++;
        } else if (v > high) {
            o->above++;
        } else {
            volatile float offset = v - low; // one rounding each
            volatile float position = offset * scale;
            int32_t i = (int32_t)position;
            o->counts[i >= bins ? bins - 1 : i]++;
        }
    }
}

// Stored channel c of one layer, or of all (-1).
static oracle count_plainly(const lg_image *image, const lg_select *select, int32_t layer, int c,
                            double lo, double hi, int32_t bins)
{
    oracle o = {.counts = calloc((size_t)bins, sizeof(uint64_t))};
    const lg_region r = select->region ? *select->region : lg_image_region(&image->shape);
    for (int32_t l = 0; l < image->shape.layers; l++) {
        if (layer >= 0 && l != layer)
            continue;
        for (int64_t y = r.y; y < r.y + r.height; y += select->step)
            for (int64_t x = r.x; x < r.x + r.width; x += select->step)
                if (takes(image, select, l, x, y))
                    put(&o, image->shape.type, sample_value(image, l, x, y, c), lo, hi, bins);
    }
    return o;
}

static void check_channel(const lg_histogram_channel *h, const oracle *o, const char *what)
{
    CHECK(memcmp(h->counts, o->counts, (size_t)h->bins * sizeof *h->counts) == 0,
          "%s %s: counts differ", what, h->name);
    CHECK(h->below == o->below && h->above == o->above && h->nan_count == o->nan &&
              h->inf_count == o->inf,
          "%s %s: rest %llu %llu %llu %llu", what, h->name, (unsigned long long)h->below,
          (unsigned long long)h->above, (unsigned long long)h->nan_count,
          (unsigned long long)h->inf_count);
    CHECK(h->total + h->below + h->above + h->nan_count + h->inf_count == o->pixels,
          "%s %s: the sum is not the number of pixels", what, h->name);
}

static bool same_histogram(const lg_histogram *a, const lg_histogram *b)
{
    if (a->channels != b->channels || a->layers != b->layers)
        return false;
    for (int64_t i = 0; i < (int64_t)a->channels * a->layers; i++) {
        const lg_histogram_channel *p = &a->channel[i], *q = &b->channel[i];
        if (p->bins != q->bins || p->lo != q->lo || p->hi != q->hi || p->total != q->total ||
            p->below != q->below || p->above != q->above || p->nan_count != q->nan_count ||
            p->inf_count != q->inf_count || p->value_count != q->value_count ||
            strcmp(p->name, q->name) != 0 ||
            memcmp(p->counts, q->counts, (size_t)p->bins * sizeof *p->counts) != 0)
            return false;
        if (p->values && memcmp(p->values, q->values, p->value_count * sizeof *p->values) != 0)
            return false;
    }
    return true;
}

// ---- comparison ---------------------------------------------------------------------------------

static lg_histogram *reference(const lg_image *image, const lg_histogram_params *params,
                               const char *what)
{
    lg_histogram *h = NULL;
    lg_error error = {0};
    lg_status status =
        lg_histogram_measure_with(lg_histogram_ref, contexts[0], image, params, &h, &error);
    CHECK(status == LG_OK, "%s: reference: %s", what, error.message);
    return h;
}

static void compare_one(lg_context *context, const lg_image *image, lg_histogram_params params,
                        lg_histogram_variant variant, const lg_histogram *ref, const char *what)
{
    lg_histogram *h = NULL;
    lg_error error = {0};
    params.variant = variant;
    lg_status status = lg_measure_histogram(context, image, &params, &h, &error);
    if (status == LG_ERROR_UNSUPPORTED && variant != LG_HISTOGRAM_AUTO) {
        check_skip(variant == LG_HISTOGRAM_CPU_AVX512
                       ? "AVX-512 counting: not on this processor, or not for these samples"
                       : "a Vulkan variant that does not count these samples");
        return;
    }
    CHECK(status == LG_OK && same_histogram(h, ref), "%s: %s, variant %s: %s", what,
          context->vk ? "Vulkan" : lg_cpu_level_name(context->cpu_level),
          lg_histogram_variant_name(variant), error.message);
    lg_histogram_destroy(&h);
}

// Every context and variant against the reference. On Vulkan, which may be a slow software device,
// the automatic choice and the variants in turn.
static void compare_all(const lg_image *image, lg_histogram_params params, const char *what)
{
    static unsigned turn, calls;
    // Software Vulkan makes a pipeline for nearly every case; vulkan_histogram has its own.
    const bool device = calls++ % (test_is_full() ? 1u : 80u) == 0;
    lg_histogram *ref = reference(image, &params, what);
    if (!ref)
        return;
    for (int i = 0; i < context_count; i++) {
        if (contexts[i]->vk && !device)
            continue;
        if (contexts[i]->vk) {
            const unsigned first = LG_HISTOGRAM_VK_LANE_PRIVATE;
            const unsigned variant = first + turn++ % (LG_HISTOGRAM_VARIANTS - first);
            compare_one(contexts[i], image, params, LG_HISTOGRAM_AUTO, ref, what);
            compare_one(contexts[i], image, params, (lg_histogram_variant)variant, ref, what);
            continue;
        }
        for (size_t v = 0; v < LG_COUNT(variants); v++)
            compare_one(contexts[i], image, params, variants[v], ref, what);
    }
    lg_histogram_destroy(&ref);
}

// The reference against the oracle, stored channels.
static void compare_oracle(const lg_image *image, const lg_histogram_params *params,
                           const char *what)
{
    lg_histogram *h = reference(image, params, what);
    if (!h)
        return;
    for (int64_t i = 0; i < (int64_t)h->channels * h->layers; i++) {
        const lg_histogram_channel *c = &h->channel[i];
        oracle o = count_plainly(image, &params->select, c->layer, (int)(i % h->channels), c->lo,
                                 c->hi, c->bins);
        check_channel(c, &o, what);
        free(o.counts);
    }
    lg_histogram_destroy(&h);
}

static void test_stored(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 67}, {127, 3}, {4097, 2}, {33, 31}};
    static const int shapes[][2] = {{1, LG_ALPHA_NONE},   {2, LG_ALPHA_STRAIGHT},
                                    {2, LG_ALPHA_OPAQUE}, {4, LG_ALPHA_STRAIGHT},
                                    {4, LG_ALPHA_OPAQUE}, {4, LG_ALPHA_NONE}};
    char what[128];
    for (int type = 0; type < LG_TYPES; type++) {
        for (size_t s = 0; s < LG_COUNT(shapes); s++) {
            for (size_t k = 0; k < LG_COUNT(sizes); k++) {
                const content kind = (content)((k + s) % CONTENTS);
                lg_image *image =
                    make(contexts[0], (lg_type)type, shapes[s][0], (lg_alpha)shapes[s][1],
                         sizes[k][0], sizes[k][1], k == 2 ? 3 : 1, kind);
                lg_histogram_params p = WITH(lg_histogram_params, it.stack = s % 2);
                snprintf(what, sizeof what, "%s x%d alpha %d, %dx%d", lg_type_name((lg_type)type),
                         shapes[s][0], shapes[s][1], sizes[k][0], sizes[k][1]);
                compare_oracle(image, &p, what);
                compare_all(image, p, what);
                lg_image_destroy(&image);
            }
        }
    }
}

static void test_ranges(void)
{
    static const struct {
        double lo, hi;
        int32_t bins;
    } ranges[] = {{0, 255, 256},    {0, 255, 100}, {10, 20, 11},      {10, 20, 3},
                  {-5, 300, 65536}, {0, 65535, 1}, {100, 40000, 777}, {0, 1, 2}};
    static const struct {
        double lo, hi;
        int32_t bins;
    } float_ranges[] = {{0, 1, 10},    {0, 1, 65536},     {-0.25, 1.5, 7}, {0.1, 0.7, 300},
                        {0.5, 0.6, 1}, {-1e30, 1e30, 64}, {0, 0.3, 3}};
    char what[128];
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = make(contexts[0], (lg_type)type, 1, LG_ALPHA_NONE, 301, 41, 1, SPECIAL);
        const bool real = type >= LG_F16;
        const size_t count = real ? LG_COUNT(float_ranges) : LG_COUNT(ranges);
        for (size_t i = 0; i < count; i++) {
            lg_histogram_params p = lg_histogram_params_default();
            p.type_range = false;
            p.lo = real ? float_ranges[i].lo : ranges[i].lo;
            p.hi = real ? float_ranges[i].hi : ranges[i].hi;
            p.bins = real ? float_ranges[i].bins : ranges[i].bins;
            snprintf(what, sizeof what, "%s range %g:%g bins %d", lg_type_name((lg_type)type), p.lo,
                     p.hi, p.bins);
            compare_oracle(image, &p, what);
            compare_all(image, p, what);
        }
        lg_image_destroy(&image);
    }
}

// Values on every edge and next to it, of a range whose width is not a power of two.
static void test_edges(void)
{
    const double lo = 0.1, hi = 0.9;
    const int32_t bins = 37;
    lg_image *image = make(contexts[0], LG_F32, 1, LG_ALPHA_NONE, 3 * (bins + 1), 1, 1, CONSTANT);
    float *v = image->data;
    for (int32_t i = 0; i <= bins; i++) {
        const float edge = (float)(lo + i * (hi - lo) / bins);
        v[3 * i] = nextafterf(edge, -1);
        v[3 * i + 1] = edge;
        v[3 * i + 2] = nextafterf(edge, 2);
    }
    lg_histogram_params p = WITH(lg_histogram_params, it.bins = bins, it.lo = lo, it.hi = hi);
    p.type_range = false;
    compare_oracle(image, &p, "edges");
    compare_all(image, p, "edges");
    lg_histogram *h = reference(image, &p, "edges");
    CHECK(h->channel[0].below == 1 && h->channel[0].above == 1, "one value just outside each end");
    CHECK(h->channel[0].total == 3 * (uint64_t)bins + 1, "the rest is in bins");
    lg_histogram_destroy(&h);
    lg_image_destroy(&image);
}

static void test_selection(void)
{
    lg_region region = {5, 3, 150, 37};
    char what[128];
    for (int type = 0; type < LG_TYPES; type++) {
        for (int c = 1; c <= 4; c *= 2) {
            const lg_alpha alpha = c == 1 ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT;
            lg_image *image = make(contexts[0], (lg_type)type, c, alpha, 211, 43, 2, NOISE);
            lg_image *mask =
                make(contexts[0], LG_U8, 1, LG_ALPHA_NONE, 211, 43, c == 2 ? 2 : 1, SPECIAL);
            for (int step = 1; step <= 4; step += 3) {
                for (int which = 0; which < 4; which++) {
                    lg_histogram_params p = lg_histogram_params_default();
                    p.select.step = step;
                    p.select.region = which & 1 ? &region : NULL;
                    p.select.mask = which & 2 ? mask : NULL;
                    p.select.skip_transparent = which != 1;
                    p.stack = which == 3;
                    snprintf(what, sizeof what, "%s x%d selection %d step %d",
                             lg_type_name((lg_type)type), c, which, step);
                    compare_oracle(image, &p, what);
                    compare_all(image, p, what);
                }
            }
            lg_image_destroy(&image);
            lg_image_destroy(&mask);
        }
    }
}

static void test_spaces(void)
{
    char what[128];
    for (int type = 0; type < LG_TYPES; type++) {
        for (int kind = 0; kind < CONTENTS; kind++) {
            for (int space = 0; space < LG_SPACES; space++) {
                const lg_alpha alpha = space % 2 ? LG_ALPHA_OPAQUE : LG_ALPHA_STRAIGHT;
                lg_image *image =
                    make(contexts[0], (lg_type)type, 4, alpha, 1031, 5, 1, (content)kind);
                lg_histogram_params p = WITH(lg_histogram_params, it.space = (lg_space)space);
                const int lumas = space == LG_SPACE_LUMA || space == LG_SPACE_RGBL ? LG_LUMAS : 1;
                for (int luma = 0; luma < lumas; luma++) {
                    p.luma = (lg_luma)luma;
                    p.select.skip_transparent = luma % 2;
                    p.automatic_range = kind == SMOOTH;
                    snprintf(what, sizeof what, "%s %s %s content %d", lg_type_name((lg_type)type),
                             lg_space_name(p.space), lg_luma_name(p.luma), kind);
                    compare_all(image, p, what);
                }
                lg_image_destroy(&image);
            }
        }
    }
}

// Integers in linear light: pixel by pixel with the kernel and the float rule.
static void test_linear_integers(void)
{
    for (int type = LG_U8; type <= LG_U16; type++) {
        lg_image *image = make(contexts[0], (lg_type)type, 4, LG_ALPHA_STRAIGHT, 301, 7, 1, NOISE);
        lg_histogram_params p =
            WITH(lg_histogram_params, it.space = LG_SPACE_LINEAR, it.bins = 100);
        p.select.skip_transparent = true;
        lg_histogram *h = reference(image, &p, "linear");
        const float scale = type == LG_U8 ? (float)(1.0 / 255.0) : (float)(1.0 / 65535.0);
        for (int c = 0; c < h->channels; c++) {
            oracle o = {.counts = calloc(100, sizeof(uint64_t))};
            for (int64_t y = 0; y < 7; y++)
                for (int64_t x = 0; x < 301; x++)
                    if (takes(image, &p.select, 0, x, y))
                        put(&o, LG_F32, lg_linear(sample_value(image, 0, x, y, c) * scale), 0, 1,
                            100);
            check_channel(&h->channel[c], &o, "linear");
            free(o.counts);
        }
        CHECK(h->channels == 3 && !h->channel[0].values && h->channel[0].type == LG_F32,
              "three float channels");
        compare_all(image, p, "linear");
        lg_histogram_destroy(&h);
        lg_image_destroy(&image);
    }
}

// ---- large images of bytes, counted by pairs where neighbours are alike ---------------------------

#define LARGE_SAMPLES (1 << 22)

// Slow walks with jumps, noise in the lower half; alphas of a few blocks of rows are not 255.
static void fill_large(lg_image *image)
{
    const int channels = image->shape.channels;
    uint8_t walk[LG_MAX_CHANNELS] = {0};
    const int32_t rows = image->shape.height * image->shape.layers; // one behind the other
    for (int32_t y = 0; y < rows; y++) {
        uint8_t *row = (uint8_t *)image->data + (size_t)y * image->shape.row_stride;
        for (int64_t i = 0; i < (int64_t)image->shape.width * channels; i++) {
            const uint64_t r = random_u64();
            uint8_t *at = &walk[i % channels];
            *at = (uint8_t)(*at + (r >> 8 & 7) - 3);
            if ((r >> 16 & 255) == 0 || (y > rows / 2 && y % 2))
                *at = (uint8_t)r;
            const bool full = channels == 4 && i % 4 == 3 && (y / 16 % 3 || (r >> 24 & 3));
            row[i] = full ? 255 : *at;
        }
    }
}

static void check_large(const lg_image *image, const uint64_t *expected, lg_histogram_variant v,
                        lg_context *context)
{
    const lg_histogram_params params = WITH(lg_histogram_params, it.variant = v);
    lg_histogram *h = NULL;
    lg_error error = {0};
    const lg_status status = lg_measure_histogram(context, image, &params, &h, &error);
    if (status == LG_ERROR_UNSUPPORTED) {
        check_skip("a variant of the histogram that does not run here");
        return;
    }
    CHECK(status == LG_OK, "%s", error.message);
    for (int c = 0; status == LG_OK && c < h->channels * h->layers; c++)
        CHECK(!memcmp(h->channel[c].values, expected + 256 * c, 256 * sizeof *expected),
              "large, %d channels, alpha %d, channel %d, variant %s", image->shape.channels,
              (int)image->shape.alpha, c, lg_histogram_variant_name(v));
    lg_histogram_destroy(&h);
}

static void test_large(int channels, lg_alpha alpha, int layers, size_t padding)
{
    const int width = 2051, height = LARGE_SAMPLES / channels / width + 9, rows = height * layers;
    const int measured = alpha == LG_ALPHA_OPAQUE ? 3 : channels;
    const size_t stride = (size_t)(width * channels) + padding;
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = channels,
                                   .type = LG_U8,
                                   .alpha = alpha,
                                   .row_stride = stride,
                                   .layer_stride = stride * (size_t)height};
    uint8_t *pixels = malloc(stride * (size_t)rows);
    uint64_t expected[2 * LG_MAX_CHANNELS * 256] = {0};
    lg_image *image = NULL;
    lg_error error = {0};
    NEED(pixels && lg_image_wrap(contexts[0], &shape, pixels, &image, &error) == LG_OK,
         "a large image: %s", error.message);
    if (image) {
        fill_large(image);
        for (int y = 0; y < rows; y++) {
            for (int i = 0; i < width * channels; i++) {
                const int c = i % channels, at = y / height * measured + c;
                if (c < measured)
                    expected[at * 256 + pixels[(size_t)y * stride + (size_t)i]]++;
            }
        }
        for (int i = 0; i < context_count; i++) // the CPU's: software Vulkan would take minutes
            for (size_t v = 0; !contexts[i]->vk && v < LG_COUNT(variants); v++)
                for (int again = 0; again < 2; again++)
                    check_large(image, expected, variants[v], contexts[i]);
    }
    lg_image_destroy(&image);
    free(pixels);
}

int main(void)
{
    random_seed(20);
    open_contexts();
    test_stored();
    test_ranges();
    test_edges();
    test_selection();
    test_spaces();
    test_linear_integers();
    test_large(1, LG_ALPHA_NONE, 1, 0);
    test_large(1, LG_ALPHA_NONE, 1, 5);
    test_large(2, LG_ALPHA_STRAIGHT, 2, 0);
    test_large(4, LG_ALPHA_STRAIGHT, 1, 12);
    test_large(4, LG_ALPHA_STRAIGHT, 2, 0);
    test_large(4, LG_ALPHA_OPAQUE, 2, 0);
    for (int i = 0; i < context_count; i++)
        lg_context_destroy(&contexts[i]);
    return check_finish("histogram");
}
