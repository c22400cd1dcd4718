#include "thresholds.h"
#include "check.h"

#include "measure/threshold/threshold.h"
#include "vulkan/vk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct thresholds {
    lg_status status; // LG_OK or LG_ERROR_DATA
    lg_image *binary; // or NULL
    int32_t count;
    lg_threshold of[];
} thresholds;

measured threshold_try(const char *title, const lg_image *image, const lg_threshold_params *params)
{
    return (measured){.title = title,
                      .image = image,
                      .select = params->select,
                      .stack = params->stack,
                      .params = params};
}

static lg_threshold_params params_of(const measured *m)
{
    lg_threshold_params p =
        m->params ? *(const lg_threshold_params *)m->params : lg_threshold_params_default();
    p.select = m->select;
    p.stack = m->stack;
    return p;
}

static void release_thresholds(void *figures)
{
    thresholds *t = figures;
    lg_image_destroy(&t->binary);
    free(t);
}

// ---- measuring ----------------------------------------------------------------------------------

// Whether every pass over these pixels is the device's. One that takes subnormal floats for zero leaves
// luma next to zero to the CPU.
static bool is_device_alone(const lg_context *context, const lg_image *image,
                            const lg_threshold_params *params)
{
    const bool near = params->method == LG_THRESHOLD_VALUE && fabs(params->value) < 0x1p-100;
    return context->vk && ((const lg_image_private *)image)->device &&
           (image->shape.type != LG_F32 || image->shape.channels < 4 || !near ||
            lg_vk_get_limits(context->vk)->denorm_preserve);
}

// A device works without the host's pixels where it has no need of them.
static void measure_image(lg_context *context, const lg_image *image,
                          const lg_threshold_params *params, bool pixels, thresholds *out,
                          lg_error *error)
{
    lg_image *shown = (lg_image *)image;
    void *data = shown->data;
    if (is_device_alone(context, image, params))
        shown->data = NULL;
    out->status = lg_threshold_image(context, shown, params, out->of, (size_t)out->count,
                                     pixels ? &out->binary : NULL, error);
    shown->data = data;
    if (out->binary && !out->binary->data)
        NEED(!lg_image_download(context, out->binary, error), "%s", error->message);
}

// Levels of the lowest CPU level, and all pixels compared with them one by one.
static void measure_reference(const lg_image *image, const lg_threshold_params *params,
                              thresholds *out, lg_error *error)
{
    lg_context *context = kernel_context();
    const lg_select plain = WITH(lg_select, it.region = params->select.region);
    lg_scan scan;
    measure_image(context, image, params, false, out, error);
    if (out->status)
        return;
    NEED(!lg_scan_init(&scan, image, &plain, error), "%s", error->message);
    out->binary =
        image_zeros(context, SHAPE(scan.width, scan.height, image->shape.layers, 1, LG_U8, 0));
    lg_threshold_binarise_ref(&scan, params->luma, params->stack, out->of, out->binary, error);
}

static void *measure_thresholds(lg_context *context, const measured *m, lg_error *error)
{
    const lg_threshold_params params = params_of(m);
    const int32_t count = m->stack ? 1 : m->image->shape.layers;
    thresholds *out = calloc(1, sizeof *out + (size_t)count * sizeof *out->of);
    NEED(out, "%d thresholds", count);
    out->count = count;
    if (context)
        measure_image(context, m->image, &params, m->variant == THRESHOLD_PIXELS, out, error);
    else
        measure_reference(m->image, &params, out, error);
    if (!out->status || out->status == LG_ERROR_DATA)
        return out;
    release_thresholds(out);
    return NULL;
}

// ---- equality -----------------------------------------------------------------------------------

static bool same_bits(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_threshold(const lg_threshold *a, const lg_threshold *b)
{
    bool same = a->levels == b->levels && same_bits(a->separability, b->separability) &&
                a->foreground == b->foreground && a->total == b->total;
    for (int32_t i = 0; same && i < a->levels; i++)
        same = same_bits(a->level[i], b->level[i]) && a->bin[i] == b->bin[i];
    return same;
}

static int threshold_text(char *text, size_t size, const lg_threshold *t)
{
    return snprintf(text, size, "\n  %d levels, %.17g of bin %d, separability %.17g, %llu of %llu",
                    t->levels, t->level[0], t->bin[0], t->separability,
                    (unsigned long long)t->foreground, (unsigned long long)t->total);
}

static bool same_thresholds(const void *want, const void *got, char text[MEASURE_TEXT])
{
    const thresholds *a = want, *b = got;
    char where[160] = "";
    if (a->status != b->status) {
        snprintf(text, MEASURE_TEXT, "status %d, not %d", (int)b->status, (int)a->status);
        return false;
    }
    for (int32_t i = 0; !a->status && i < a->count; i++)
        if (!same_threshold(&a->of[i], &b->of[i])) {
            const int length = threshold_text(text, MEASURE_TEXT, &a->of[i]);
            threshold_text(text + length, MEASURE_TEXT - (size_t)length, &b->of[i]);
            return false;
        }
    const bool pixels = a->binary && b->binary;
    const lg_image_params *s = pixels ? &a->binary->shape : NULL;
    const lg_image_params *t = pixels ? &b->binary->shape : NULL;
    if (pixels && (s->width != t->width || s->height != t->height || s->layers != t->layers)) {
        snprintf(text, MEASURE_TEXT, "%dx%dx%d", t->width, t->height, t->layers);
        return false;
    }
    const size_t wrong = pixels ? samples_differ(b->binary, a->binary, where) : 0;
    if (wrong)
        snprintf(text, MEASURE_TEXT, "%zu pixels differ, the first at %s", wrong, where);
    return wrong == 0;
}

// ---- the oracle ---------------------------------------------------------------------------------

typedef struct tally {
    const lg_image *image;
    uint64_t counts[65536];
} tally;

static void count_pixel(void *arg, int64_t x, int64_t y, int64_t layer)
{
    tally *t = arg;
    t->counts[sample_luma(t->image, x, y, layer)]++;
}

static double mean_of(const uint64_t *counts)
{
    double sum = 0, n = 0;
    for (int i = 0; i < 65536; i++) {
        sum += (double)counts[i] * i;
        n += (double)counts[i];
    }
    return sum / n;
}

static void check_oracle(const measured *m, const void *figures)
{
    static tally t;
    const thresholds *got = figures;
    const lg_threshold_params params = params_of(m);
    const bool otsu = params.method == LG_THRESHOLD_OTSU;
    if (got->status || m->image->shape.type > LG_U16 || params.bins != -1 ||
        (!otsu && params.method != LG_THRESHOLD_MEAN) ||
        (m->image->shape.channels == 4 && params.luma != LG_LUMA_BT709))
        return;
    for (int32_t layer = 0; layer < got->count; layer++) {
        const lg_threshold *one = &got->of[layer];
        t = (tally){.image = m->image};
        samples_select(m->image, &m->select, m->stack ? -1 : layer, count_pixel, &t);
        const double level = otsu ? lg_otsu_bin(t.counts, 65536) : mean_of(t.counts);
        CHECK(one->level[0] == level && (!otsu || one->bin[0] == (int)level),
              "%s, %s: level %.17g of bin %d, of counts by the oracle %.17g", m->title,
              lg_threshold_method_name(params.method), one->level[0], one->bin[0], level);
    }
}

// ---- parameters ---------------------------------------------------------------------------------

static lg_threshold_method any_method(void)
{
    static const lg_threshold_method quick[] = {LG_THRESHOLD_OTSU, LG_THRESHOLD_MEAN,
                                                LG_THRESHOLD_VALUE, LG_THRESHOLD_MULTI_OTSU};
    return random_below(3) ? quick[random_below(LG_COUNT(quick))]
                           : (lg_threshold_method)random_below(LG_THRESHOLD_METHODS);
}

static const void *draw_params(const lg_image_params *shape)
{
    static const double values[] = {0, -0.0, 0.41, 0.5, -1, 1, 99.5, 127, 254, 255, 40000.5, 1e9};
    static const int32_t bins[] = {-1, -1, -1, 2, 100, 256, 1000};
    static lg_threshold_params p;
    (void)shape;
    p = WITH(lg_threshold_params, it.method = any_method(),
             it.value = values[random_below(LG_COUNT(values))],
             it.classes = 2 + (int32_t)random_below(LG_MAX_CLASSES - 1),
             it.bins = bins[random_below(LG_COUNT(bins))],
             it.luma = random_below(2) ? LG_LUMA_BT709 : (lg_luma)random_below(LG_LUMAS));
    return &p;
}

static void describe(const void *params, char text[MEASURE_TEXT])
{
    const lg_threshold_params *p = params;
    snprintf(text, MEASURE_TEXT, "%s, value %g, %d classes, %d bins, %s",
             lg_threshold_method_name(p->method), p->value, p->classes, p->bins,
             lg_luma_name(p->luma));
}

static const int variants[] = {THRESHOLD_PIXELS, THRESHOLD_LEVELS};

const measure_case threshold_case = {.name = "threshold",
                                     .measure = measure_thresholds,
                                     .release = release_thresholds,
                                     .same = same_thresholds,
                                     .oracle = check_oracle,
                                     .params = draw_params,
                                     .describe = describe,
                                     .variants = {variants, LG_COUNT(variants)},
                                     .device_variants = {variants, LG_COUNT(variants)},
                                     .device_share = 8};
