// resize: against sums of weights in double precision, pixel by pixel, on every level and with several
// threads.
#include "check.h"
#include "filtering.h"
#include "kernel.h"
#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the definition -----------------------------------------------------------------------------

enum { NEAREST, BILINEAR, BICUBIC, LANCZOS3, AREA };

static double bump(int method, double x)
{
    const double a = fabs(x), p = M_PI * a;
    if (method == BILINEAR)
        return fmax(1 - a, 0);
    if (method == BICUBIC)
        return a <= 1  ? 1.5 * pow(a, 3) - 2.5 * pow(a, 2) + 1
               : a < 2 ? -0.5 * pow(a, 3) + 2.5 * pow(a, 2) - 4 * a + 2
                       : 0;
    return a == 0 ? 1 : a < 3 ? 3 * sin(p) * sin(p / 3) / (p * p) : 0;
}

typedef struct axis {
    int method, size, count;
    bool antialias;
} axis;

// How much of pixel i goes into output o, before all are made to have the sum 1.
static double share(const axis *a, int o, int i)
{
    const double ratio = (double)a->size / a->count;
    if (a->method == NEAREST)
        return i == (int)((2 * (int64_t)o + 1) * a->size / (2 * (int64_t)a->count));
    if (a->method == AREA)
        return fmax(fmin(i + 1, (o + 1) * ratio) - fmax(i, o * ratio), 0);
    const double stretch = a->antialias && ratio > 1 ? ratio : 1;
    return bump(a->method, (i + 0.5 - (o + 0.5) * ratio) / stretch);
}

static double to_light(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

// Channel k of a pixel as it is mixed; k = -1 is alpha, or 1.
static double mixable(const lg_image *in, bool linear, int x, int y, int z, int k)
{
    const lg_image_params *s = &in->shape;
    const int last = s->channels - 1;
    const bool alpha = s->channels > 1 && s->alpha >= LG_ALPHA_STRAIGHT;
    const double a = alpha ? sample_get(in, x, y, z, last) : 1;
    if (k < 0)
        return a;
    const bool whole = s->alpha == LG_ALPHA_PREMULTIPLIED && alpha;
    const double v = sample_get(in, x, y, z, k), c = !whole ? v : a > 0 ? v / a : 0;
    return (linear && k < 3 ? to_light(c) : c) * a;
}

typedef struct sums {
    const lg_image *in;
    const axis *across, *down;
    bool linear;
} sums;

static double mixed(const sums *s, int x, int y, int z, int k)
{
    double sum = 0, all = 0;
    for (int j = 0; j < s->down->size; j++) {
        const double v = share(s->down, y, j);
        for (int i = 0; i < s->across->size && v != 0; i++) {
            const double w = v * share(s->across, x, i);
            if (w != 0)
                sum += w * mixable(s->in, s->linear, i, j, z, k);
            all += w;
        }
    }
    return sum / all;
}

// How far sample k is off, in units of what is allowed.
static double off(const sums *s, const lg_image *out, int x, int y, int z, int k)
{
    const lg_image_params *o = &out->shape;
    const bool alpha = o->channels > 1 && o->alpha >= LG_ALPHA_STRAIGHT;
    const bool integers = o->type <= LG_U16;
    const double a = mixed(s, x, y, z, -1), got = sample_get(out, x, y, z, k);
    if (alpha && a < 0.02) // colours say little
        return 0;
    double want = mixed(s, x, y, z, alpha && k == o->channels - 1 ? -1 : k);
    if (!alpha || k < o->channels - 1) {
        want /= a;
        if (s->linear && k < 3)
            want = want <= 0.0031308 ? want * 12.92 : 1.055 * pow(want, 1 / 2.4) - 0.055;
        if (o->alpha == LG_ALPHA_PREMULTIPLIED && alpha)
            want *= a;
    }
    if (integers)
        want = fmin(fmax(want, 0), 1);
    const double step = o->type == LG_U8    ? 0.52 / 255
                        : o->type == LG_U16 ? 0.55 / 65535
                        : o->type == LG_F16 ? 0.0006 * fmax(1, fabs(want))
                                            : 0;
    return fabs(got - want) / (step + 2e-5 / fmin(alpha ? a : 1, 1));
}

static void check_resize(const lg_native_call *done, content kind)
{
    const lg_image_params *i = &done->in[0]->shape, *o = &done->out->shape;
    const int method = kernel_whole(done, "method");
    const bool antialias = kernel_whole(done, "antialias");
    const axis across = {method, i->width, o->width, antialias};
    const axis down = {method, i->height, o->height, antialias};
    const sums s = {done->in[0], &across, &down, kernel_whole(done, "light") && method != NEAREST};
    double worst = 0;
    if (kind != CONTENT_UNIT || (int64_t)o->width * o->height * i->width * i->height > 4000000)
        return;
    for (int z = 0; z < o->layers; z++)
        for (int y = 0; y < o->height; y++)
            for (int x = 0; x < o->width; x++)
                for (int k = 0; k < o->channels; k++)
                    if (o->alpha != LG_ALPHA_OPAQUE || (k < 3 && (k < 1 || o->channels > 2)))
                        worst = fmax(worst, off(&s, done->out, x, y, z, k));
    CHECK(worst <= 1, "resize, method %d, of %d x %d x %d to %d x %d, %s alpha %d: %.3g times off",
          method, i->width, i->height, i->channels, o->width, o->height, lg_type_name(o->type),
          (int)o->alpha, worst);
}

// ---- cases --------------------------------------------------------------------------------------

#define WAYS                                                                                       \
    ":method={nearest|bilinear|bicubic|lanczos3|area}:antialias={0|1|1}:light={stored|stored|"     \
    "linear}"

static int32_t scaled(int32_t side, double scale)
{
    return LG_MAX((int32_t)floor(side * scale + 0.5), 1);
}

static void sized(lg_image_params *in, lg_image_params *out, double scale)
{
    lg_image_params none;
    kernel_any_type(in, &none, out);
    out->width = scaled(in->width, scale);
    out->height = scaled(in->height, scale);
}

#define SCALED(name, scale)                                                                        \
    static void name(lg_image_params *in, lg_image_params *over, lg_image_params *out)             \
    {                                                                                              \
        (void)over;                                                                                \
        sized(in, out, scale);                                                                     \
    }
SCALED(half, 0.5)
SCALED(twice, 2)
SCALED(much_less, 0.13)
SCALED(more, 1.37)

#define RESIZE(shapes_, text)                                                                      \
    {                                                                                              \
        .filter = "resize", .params = "scale=" text WAYS, .oracle = check_resize,                  \
        .shapes = (shapes_)                                                                        \
    }

// ---- worked examples ----------------------------------------------------------------------------

typedef struct worked {
    const char *text;
    int count; // of one row, made of 0 1 2 4
    float samples[8];
} worked;

static void test_worked(void)
{
    static const worked all[] = {
        // Each output is the middle of two inputs.
        {"resize:width=2:height=1:method=bilinear:antialias=0", 2, {0.5f, 3}},
        // Weights 3/8 3/8 1/8, to be divided by 7/8, and the same backwards.
        {"resize:width=2:height=1:method=bilinear",
         2,
         {(0 * 3 + 1 * 3 + 2 * 1) / 7.0f, (1 * 1 + 2 * 3 + 4 * 3) / 7.0f}},
        {"resize:width=2:height=1:method=area", 2, {0.5f, 3}},
        {"resize:width=8:height=1:method=bilinear",
         8,
         {0, 0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 4}},
        {"resize:width=8:height=1:method=nearest", 8, {0, 0, 1, 1, 2, 2, 4, 4}},
        {"resize:width=2:height=1:method=nearest", 2, {1, 4}},
        {"resize:width=3:height=1:method=area", 3, {0.25f, 1.5f, 3.5f}},
        {"resize:scale=1:method=lanczos3", 4, {0, 1, 2, 4}},
        {"resize:width=2:fit=inside:height=9:method=area", 2, {0.5f, 3}},
        {"resize:width=2:height=1:fit=cover:method=area", 2, {1, 2}},
        {"resize:width=1:height=1:fit=cover:method=area", 1, {1.5f}},
        {"resize:width=3:height=2:fit=cover:method=nearest", 3, {1, 2, 2}},
    };
    lg_image *in = kernel_zeros(SHAPE(4, 1, 1, 1, LG_F32, LG_ALPHA_NONE));
    for (int i = 0; i < 4; i++)
        sample_store(in, i, 0, 0, 0, i < 3 ? i : 4);
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        lg_image *out = filtering_run(kernel_context(), all[i].text, &in, 1);
        CHECK(out && out->shape.width == all[i].count, "%s: %d pixels", all[i].text,
              out ? out->shape.width : 0);
        for (int x = 0; out && x < LG_MIN(all[i].count, out->shape.width); x++) {
            const double got = sample_get(out, x, 0, 0, 0);
            CHECK(fabs(got - (double)all[i].samples[x]) < 1e-6, "%s: sample %d is %g, not %g",
                  all[i].text, x, got, (double)all[i].samples[x]);
        }
        lg_image_destroy(&out);
    }
    lg_image_destroy(&in);
}

// ---- sizes --------------------------------------------------------------------------------------

static void test_sizes(void)
{
    static const struct {
        const char *text;
        int width, height;
    } all[] = {
        {"resize:width=50", 50, 25},
        {"resize:height=50", 100, 50},
        {"resize:width=33", 33, 17}, // 16.5 goes up
        {"resize:width=30:height=40", 30, 40},
        {"resize:width=30:height=40:fit=inside", 30, 15},
        {"resize:width=300:height=40:fit=inside", 80, 40},
        {"resize:width=30:height=40:fit=cover", 30, 40},
        {"resize:width=30:fit=inside", 30, 15},
        {"resize:scale=0.001", 1, 1},
        {"resize:scale=2.5", 250, 125},
        {"resize:width=1", 1, 1},
        {"lanczos_resampling:width=20", 20, 10},
    };
    const lg_image_params shape = SHAPE(100, 50, 2, 4, LG_U8, LG_ALPHA_OPAQUE);
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        pipeline p;
        if (!pipeline_open(&p, kernel_context(), all[i].text, &shape, 1, NULL))
            continue;
        CHECK(p.out.width == all[i].width && p.out.height == all[i].height && p.out.layers == 2,
              "%s: %d x %d", all[i].text, p.out.width, p.out.height);
        pipeline_close(&p);
    }
}

// Images of one colour stay as they are, to the bit; so do images whose size stays.
static void test_constants(void)
{
    static const char *const texts[] = {
        "resize:width=100:height=3:method=bilinear", "resize:width=7:height=50:method=bicubic",
        "resize:width=19:height=19:method=lanczos3", "resize:width=5:height=5:method=area"};
    lg_image *one = kernel_zeros(SHAPE(31, 17, 1, 1, LG_U16, LG_ALPHA_NONE));
    for (int i = 0; i < 31 * 17; i++)
        sample_store(one, i % 31, i / 31, 0, 0, 51234);
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        lg_image *out = filtering_run(kernel_context(), texts[i], &one, 1);
        double worst = 0;
        for (int k = 0; out && k < out->shape.width * out->shape.height; k++)
            worst =
                fmax(worst, fabs(sample_get(out, k % out->shape.width, k / out->shape.width, 0, 0) -
                                 51234 / 65535.0));
        CHECK(out && worst < 4e-7, "%s: off by %g", texts[i], worst);
        lg_image_destroy(&out);
    }
    lg_image_destroy(&one);
    lg_image *in = kernel_image(SHAPE(31, 17, 2, 4, LG_F32, LG_ALPHA_NONE), CONTENT_UNIT);
    lg_image *out = filtering_run(kernel_context(), "resize:width=31:height=17", &in, 1);
    CHECK(out && samples_equal(in, out), "the same size");
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// Twice the size of bytes is 9, 3, 3 and 1 sixteenths, to the bit, in every context.
static void test_doubled(void)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 3}, {31, 5}, {33, 4}, {64, 3}, {2085, 7}};
    for (int i = 0; i < (int)LG_COUNT(sizes) * 4; i++) {
        const int channels = i % 2 ? 4 : 1, w = sizes[i / 4][0], h = sizes[i / 4][1];
        const bool opaque = channels > 1 && i % 4 == 3;
        const lg_image_params shape =
            SHAPE(w, h, 1 + i / 2 % 2, channels, LG_U8, opaque ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE);
        lg_image *in = kernel_image(shape, CONTENT_UNIT);
        for (int c = 0; c < count; c++) {
            lg_error error = {0};
            lg_image *out = NULL;
            pipeline_run(contexts[c], "resize:scale=2:method=bilinear",
                         (const lg_image *const *)&in, 1, LG_U8, 1, &out, &error);
            int wrong = 0;
            for (int at = 0; out && at < 4 * w * h * shape.layers * channels; at++) {
                const int k = at % channels, x = at / channels % (2 * w);
                const int y = at / channels / (2 * w) % (2 * h), z = at / channels / (4 * w * h);
                const int far_x = LG_MIN(LG_MAX(x / 2 + (x % 2 ? 1 : -1), 0), w - 1);
                const int far_y = LG_MIN(LG_MAX(y / 2 + (y % 2 ? 1 : -1), 0), h - 1);
                const double sum = 9 * sample_stored(in, x / 2, y / 2, z, k) +
                                   3 * sample_stored(in, far_x, y / 2, z, k) +
                                   3 * sample_stored(in, x / 2, far_y, z, k) +
                                   sample_stored(in, far_x, far_y, z, k);
                const bool padding = opaque && k == 3;
                wrong += sample_stored(out, x, y, z, k) != (padding ? 255 : floor((sum + 8) / 16));
            }
            CHECK(out && !wrong, "%d x %d x %d doubled, context %d: %d samples are wrong %s", w, h,
                  channels, c, wrong, error.message);
            lg_image_destroy(&out);
        }
        lg_image_destroy(&in);
    }
}

static void test_more(void)
{
    const kernel_case k = RESIZE(twice, "2"), less = RESIZE(much_less, "0.13");
    test_worked();
    test_sizes();
    test_constants();
    test_doubled();
    // Means of 2 x 2 bytes.
    for (int channels = 1; channels <= 4; channels *= 2)
        for (int alpha = 0; alpha < (channels == 1 ? 1 : 2); alpha++) {
            const kernel_case means = RESIZE(half, "0.5");
            kernel_try(&means, "scale=0.5:method=area",
                       SHAPE(540, 14, 1, channels, LG_U8, (lg_alpha)alpha), CONTENT_UNIT);
            kernel_try(&means, "scale=0.5:method=bilinear:antialias=0",
                       SHAPE(130, 30, 2, channels, LG_U8, (lg_alpha)alpha), CONTENT_UNIT);
        }
    // Many weights at half the size: several strips and rows of tiles, and images that are all edge.
    static const int32_t halved[][2] = {{40, 98}, {242, 14}, {498, 8}, {12, 12}, {26, 40}};
    static const char *const texts[] = {"scale=0.5:method=lanczos3", "scale=0.5:method=bicubic",
                                        "scale=0.5:method=lanczos3:antialias=0",
                                        "scale=0.5:method=bicubic:antialias=0"};
    for (int i = 0; i < 2 * (int)LG_COUNT(halved); i++) {
        const kernel_case ways = RESIZE(half, "0.5");
        const int channels = i % 2 ? 4 : 1, which = i / 2;
        const lg_alpha alpha = which % 2 && channels > 1 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
        for (int t = 0; t < (int)LG_COUNT(texts); t++)
            if (t == 0 || t == 1 + which % 3)
                kernel_try(&ways, texts[t],
                           SHAPE(halved[which][0], halved[which][1], 1 + (which == 4), channels,
                                 LG_U8, alpha),
                           CONTENT_UNIT);
    }
    // Columns of the same weights, two at a time, and edges beside them.
    static const int32_t doubled[][2] = {{33, 5}, {130, 4}, {2100, 2}};
    for (int i = 0; i < 3 * (int)LG_COUNT(doubled); i++) {
        const int channels = 1 << i % 3;
        const lg_image_params shape =
            SHAPE(doubled[i / 3][0], doubled[i / 3][1], 1, channels, LG_U8, LG_ALPHA_NONE);
        kernel_try(&k, "scale=2:method=bicubic", shape, CONTENT_UNIT);
        kernel_try(&k, "scale_x=2:scale_y=3:method=lanczos3", shape, CONTENT_UNIT);
    }
    // Several strips, many bands.
    kernel_try(&k, "scale=2:method=lanczos3", SHAPE(3000, 20, 1, 4, LG_U8, LG_ALPHA_STRAIGHT),
               CONTENT_UNIT);
    kernel_try(&less, "scale=0.13:method=bilinear", SHAPE(5000, 77, 1, 1, LG_U16, LG_ALPHA_NONE),
               CONTENT_UNIT);
    kernel_try(&less, "scale=0.13:method=lanczos3", SHAPE(40, 900, 1, 2, LG_F32, LG_ALPHA_NONE),
               CONTENT_UNIT);
}

int main(void)
{
    const kernel_case cases[] = {RESIZE(half, "0.5"), RESIZE(twice, "2"), RESIZE(much_less, "0.13"),
                                 RESIZE(more, "1.37")};
    return kernel_main("resize", cases, LG_COUNT(cases), test_more);
}
