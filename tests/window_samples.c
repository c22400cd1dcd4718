// Windows of 3 x 3 pixels that treat channels by themselves: on samples as they lie in memory, beside the
// same filter in front of one that changes nothing, which splits them into planes; the median beside sorting.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include "filter/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_error error;
static lg_context *context;

static guarded run(const char *text, lg_image *in)
{
    pipeline p;
    guarded out = {0};
    if (!pipeline_open(&p, context, text, &in->shape, 1, NULL))
        return out;
    out = guarded_open(context, p.out, 0x5a);
    CHECK(!lg_plan_run(p.plan, &in, &out.image, &error), "%s: %s", text, error.message);
    CHECK(guarded_spoiled(&out) == 0, "%s: bytes beside the pixels", text);
    pipeline_close(&p);
    return out;
}

// ---- the median by sorting ----------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_median(const lg_image *in, int32_t x, int32_t y, int channel, int border)
{
    double values[9];
    for (int k = 0; k < 9; k++) {
        const int64_t column = border_walk(x + k % 3 - 1, in->shape.width, border);
        const int64_t row = border_walk(y + k / 3 - 1, in->shape.height, border);
        values[k] = column < 0 || row < 0 ? 0 : sample_get(in, column, row, 0, channel);
    }
    qsort(values, 9, sizeof *values, by_value);
    return values[4];
}

static void check_median(const lg_image *in, const lg_image *out, int border)
{
    const int channels = in->shape.channels;
    const bool alpha = channels == 4 || (channels == 2 && in->shape.alpha != LG_ALPHA_NONE);
    int wrong = 0;
    for (int32_t y = 0; y < in->shape.height; y++)
        for (int32_t x = 0; x < in->shape.width; x++)
            for (int c = 0; c < channels; c++) {
                const double want = !alpha || c + 1 < channels ? sorted_median(in, x, y, c, border)
                                    : in->shape.alpha == LG_ALPHA_OPAQUE
                                        ? 1
                                        : sample_get(in, x, y, 0, c);
                wrong += sample_get(out, x, y, 0, c) != want;
            }
    CHECK(wrong == 0, "median of %d x %d, %s x %d, %s: %d samples", in->shape.width,
          in->shape.height, lg_type_name(in->shape.type), channels, border_names[border], wrong);
}

// ---- sums of rows -------------------------------------------------------------------------------

// The products and sums of a row from left to right, each rounded.
static float row_sum(const lg_image *in, int32_t x, int32_t y, int channel, int border,
                     const float weights[3])
{
    const int64_t row = border_walk(y, in->shape.height, border);
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t column = border_walk(x + k - 1, in->shape.width, border);
        const double stored =
            row < 0 || column < 0 ? 0 : sample_stored(in, column, row, 0, channel);
        const volatile float sample = (float)stored * (1.0f / 255), product = weights[k] * sample;
        const volatile float next = k == 0 ? product : sum + product;
        sum = next;
    }
    return sum;
}

static int wanted_byte(const lg_image *in, int32_t x, int32_t y, int channel, int border,
                       const float weights[9])
{
    const volatile float top = row_sum(in, x, y - 1, channel, border, weights);
    const volatile float upper = top + row_sum(in, x, y, channel, border, weights + 3);
    const volatile float sum = upper + row_sum(in, x, y + 1, channel, border, weights + 6);
    const volatile float scaled = (sum > 1 ? 1 : sum) * 255;
    return scaled > 0 ? (int)lrintf(scaled) : 0;
}

// Kernels whose rows are one row times powers of two or nothing, some that just are not, and one with weights
// that are too small for products to be exact.
static void test_sums(void)
{
    static const float kernels[][9] = {
        {0.06f, 0.12f, 0.06f, 0.12f, 0.24f, 0.12f, 0.06f, 0.12f, 0.06f},
        {0.1f, 0.2f, 0.05f, 0.4f, 0.8f, 0.2f, -0.05f, -0.1f, -0.025f},
        {0, 0, 0, 0.3f, -0.5f, 0.9f, 0, 0, 0},
        {0, 0.7f, 0, 0, 0, 0, 0, 1.4f, 0},
        {0, 0, 0, 0, 0, 0, 0.25f, 0.5f, 0.3f},
        {1, 0, -1, 2, 0, -2, 1, 0, -1},
        {0.1f, 0.2f, 0.1f, 0.3f, 0.6f, 0.3f, 0.1f, 0.2f, 0.1f},
        {0.1f, 0.2f, 0.1f, 0.2f, 0.4f, 0.3f, 0.1f, 0.2f, 0.1f},
        {0x1p-70f, 0x1p-69f, 0, 0.5f, 1, 0, 0, 0, 0},
        {0, 0, 0, 0, 0, 0, 0, 0, 0}};
    static const int channels[] = {1, 2, 4};
    for (size_t i = 0; i < LG_COUNT(kernels) * LG_COUNT(channels); i++) {
        const float *weights = kernels[i / LG_COUNT(channels)];
        const int n = channels[i % LG_COUNT(channels)], border = (int)(i % 4);
        const lg_image_params shape =
            SHAPE(n == 4 ? 515 : 2051, 5, 1, n, LG_U8, n == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE);
        char text[400];
        int at =
            snprintf(text, sizeof text, "convolution_3x3:border=%s:kernel=", border_names[border]);
        for (int k = 0; k < 9; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%.9g", k ? "," : "",
                           (double)weights[k]);
        lg_image *in = content_image(context, shape, CONTENT_UNIT);
        guarded out = run(text, in);
        int wrong = 0;
        for (int32_t k = 0; in && out.image && k < shape.width * shape.height * n; k++) {
            const int32_t x = k / n % shape.width, y = k / n / shape.width, c = k % n;
            const int want = c == 3 ? (int)sample_stored(in, x, y, 0, 3)
                                    : wanted_byte(in, x, y, c, border, weights);
            wrong += (int)sample_stored(out.image, x, y, 0, c) != want;
        }
        CHECK(wrong == 0, "%s of %d channels: %d samples", text, n, wrong);
        guarded_close(&out);
        lg_image_destroy(&in);
    }
}

// ---- every such filter --------------------------------------------------------------------------

static bool has_border(const lg_filter *f)
{
    bool has = false;
    for (int i = 0; i < f->param_count; i++)
        has = has || strcmp(f->params[i].name, "border") == 0;
    return has;
}

static void check_filter(const lg_filter *f, lg_image *in, int border)
{
    static const char kernel[] = ":kernel=0.1,0.2,-0.3,0.4,0.5,0.6,-0.7,0.8,-0.9";
    char text[160], longer[200];
    snprintf(text, sizeof text, "%s:border=%s%s", f->name, border_names[border],
             strstr(f->name, "convolution") ? kernel : "");
    snprintf(longer, sizeof longer, "%s | brightness:brightness=0", text);
    guarded got = run(text, in), want = run(longer, in);
    CHECK(got.image && want.image && samples_equal(got.image, want.image),
          "%s of %d x %d x %d, %s x %d, alpha %d", text, in->shape.width, in->shape.height,
          in->shape.layers, lg_type_name(in->shape.type), in->shape.channels, (int)in->shape.alpha);
    // Premultiplied colours are divided by alpha and multiplied again.
    if (got.image && strcmp(f->name, "median") == 0 && in->shape.alpha != LG_ALPHA_PREMULTIPLIED)
        check_median(in, got.image, border);
    guarded_close(&got);
    guarded_close(&want);
}

static int checked;

static void check_shape(lg_image_params shape, int turn)
{
    lg_image *in = content_image(context, shape, CONTENT_UNIT);
    for (size_t i = 0; in && i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        if (f->kind != LG_FILTER_WINDOW || !(f->flags & LG_FILTER_PER_CHANNEL))
            continue;
        CHECK(has_border(f), "%s", f->name);
        checked++;
        for (int k = 0; k < 4; k++)
            if (!test_is_short() || (k + turn) % 4 == 0)
                check_filter(f, in, k);
    }
    lg_image_destroy(&in);
}

static void test_level(void)
{
    static const int32_t sizes[][2] = {{1, 1}, {2, 3}, {3, 1}, {1, 7}, {67, 9}, {4099, 3}};
    static const struct {
        int channels;
        lg_alpha alpha;
    } kinds[] = {{1, LG_ALPHA_NONE},         {2, LG_ALPHA_NONE},   {2, LG_ALPHA_OPAQUE},
                 {2, LG_ALPHA_STRAIGHT},     {4, LG_ALPHA_OPAQUE}, {4, LG_ALPHA_STRAIGHT},
                 {4, LG_ALPHA_PREMULTIPLIED}};
    int turn = 0;
    checked = 0;
    for (int t = 0; t < LG_TYPES; t++)
        for (size_t k = 0; k < LG_COUNT(kinds); k++)
            for (size_t i = 0; i < LG_COUNT(sizes); i++, turn++)
                check_shape(
                    SHAPE(sizes[i][0], sizes[i][1], 1, kinds[k].channels, t, kinds[k].alpha), turn);
    CHECK(checked >= 6 * turn, "%d filters", checked);
}

// ---- results that are larger than the caches ----------------------------------------------------

// They are written past these: their first rows are those of an image of few rows.
static void check_past_caches(const char *text)
{
    lg_image_params shape = {.width = 2304,
                             .height = 1900,
                             .layers = 1,
                             .channels = 4,
                             .type = LG_U8,
                             .alpha = LG_ALPHA_OPAQUE};
    enum { FEW = 40 };
    const size_t row = 2304 * 4;
    lg_image *large = content_image(context, shape, CONTENT_UNIT), *few = NULL;
    lg_image *got = NULL, *want = NULL;
    shape.height = FEW;
    NEED(large && !lg_image_create(context, &shape, &few, &error), "%s", error.message);
    for (int y = 0; y < FEW; y++)
        memcpy((char *)few->data + (size_t)y * few->shape.row_stride,
               (const char *)large->data + (size_t)y * large->shape.row_stride, row);
    pipeline_run(context, text, (const lg_image *const[]){large}, 1, LG_U8, 1, &got, &error);
    pipeline_run(context, text, (const lg_image *const[]){few}, 1, LG_U8, 1, &want, &error);
    int wrong = 0;
    for (int y = 0; got && want && y < FEW - 2; y++)
        wrong += memcmp((const char *)got->data + (size_t)y * got->shape.row_stride,
                        (const char *)want->data + (size_t)y * want->shape.row_stride, row) != 0;
    CHECK(got && want && !wrong, "%s: %d rows differ %s", text, wrong, error.message);
    lg_image_destroy(&large);
    lg_image_destroy(&few);
    lg_image_destroy(&got);
    lg_image_destroy(&want);
}

static void test_past_caches(void)
{
    check_past_caches("box_blur:radius=1");
    check_past_caches("convolution_3x3:kernel=0.0625,0.125,0.0625,0.125,0.25,0.125,0.0625,0.125,"
                      "0.0625");
}

// A warp's places are parts of the image's size, so that it is compared with the lowest level.
static void check_warp_past_caches(lg_image **lowest)
{
    const lg_image_params shape = {.width = 2304,
                                   .height = 1900,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = LG_U8,
                                   .alpha = LG_ALPHA_OPAQUE};
    lg_image *in = NULL, *got = NULL;
    NEED(!lg_image_create(context, &shape, &in, &error), "%s", error.message);
    for (size_t i = 0; i < in->shape.layer_stride / 4; i++) // the same on all levels
        ((uint32_t *)in->data)[i] = (uint32_t)i * 2654435761u;
    pipeline_run(context, "transform:matrix=0.9,-0.4,700,0.4,0.9,-500,0,0,1",
                 (const lg_image *const[]){in}, 1, LG_U8, 1, &got, &error);
    CHECK(got, "%s", error.message);
    if (got && *lowest)
        CHECK(memcmp(got->data, (*lowest)->data, got->shape.layer_stride) == 0,
              "a large warp differs on level %d", (int)context->cpu_level);
    lg_image_destroy(&in);
    if (*lowest)
        lg_image_destroy(&got);
    else
        *lowest = got;
}

int main(void)
{
    lg_image *lowest = NULL;
    random_seed(23);
    for (int level = LG_CPU_BASE; level <= LG_CPU_V4; level++) {
        context = device_open_level((lg_cpu_level)level, 1 + level % 3);
        if (!context)
            continue;
        test_level();
        test_sums();
        test_past_caches();
        check_warp_past_caches(&lowest);
        lg_context_destroy(&context);
    }
    lg_image_destroy(&lowest);
    return check_finish("window_samples");
}
