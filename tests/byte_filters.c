// Filters that take bytes to bytes without planes of floats, on every CPU level: absolute_difference of
// every pair of bytes beside differences of integers, channel beside sums of doubles, luminance beside the
// floats of its definition. And blends with a grey image, of which one plane serves, beside the same image
// in colours.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 259, HEIGHT = 259 }; // more than all pairs, so that rows end within a vector

static lg_error error;

// ---- absolute_difference ------------------------------------------------------------------------

// All pairs of columns and rows, those of each channel elsewhere.
static uint8_t byte_at(bool second, int64_t x, int64_t y, int channel)
{
    return (uint8_t)(second ? y + 7 * channel : x + 5 * channel);
}

static void fill(lg_image *image, bool second)
{
    const lg_image_params *s = &image->shape;
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++)
            for (int k = 0; k < s->channels; k++)
                sample_store(image, x, y, 0, k, byte_at(second, x, y, k));
}

// Alpha of the first image, or whole alpha where either image has none.
static int wanted(const lg_image *in, const lg_image *out, int64_t x, int64_t y, int channel)
{
    const lg_image_params *s = &in->shape;
    if (channel == 3 &&
        (s->channels == 3 || s->alpha == LG_ALPHA_OPAQUE || out->shape.alpha == LG_ALPHA_OPAQUE))
        return 255;
    const int a = byte_at(false, x, y, channel), b = byte_at(true, x, y, channel);
    return channel == 3 ? a : abs(a - b);
}

static void check(lg_context *context, const lg_image_params shapes[2], const char *text)
{
    guarded in[2] = {guarded_open(context, shapes[0], 0), guarded_open(context, shapes[1], 0)};
    pipeline p;
    int wrong = 0;
    if (in[0].image && in[1].image && pipeline_open(&p, context, text, shapes, 2, NULL)) {
        fill(in[0].image, false);
        fill(in[1].image, true);
        guarded out = guarded_open(context, p.out, 0x5a);
        lg_image *const images[2] = {in[0].image, in[1].image};
        CHECK(out.image && !lg_plan_run(p.plan, images, &out.image, &error), "%s", error.message);
        for (int64_t i = 0; out.image && i < (int64_t)WIDTH * HEIGHT; i++)
            for (int k = 0; k < p.out.channels; k++)
                wrong += (int)sample_stored(out.image, i % WIDTH, i / WIDTH, 0, k) !=
                         wanted(in[0].image, out.image, i % WIDTH, i / WIDTH, k);
        CHECK(wrong == 0 && guarded_spoiled(&out) == 0,
              "%d and %d channels, alpha %d and %d, %s: %d samples", shapes[0].channels,
              shapes[1].channels, (int)shapes[0].alpha, (int)shapes[1].alpha, text, wrong);
        guarded_close(&out);
        pipeline_close(&p);
    }
    guarded_close(&in[0]);
    guarded_close(&in[1]);
}

// ---- channel ------------------------------------------------------------------------------------

// The byte nearest to the luminance; where two are, either.
static bool is_luminance(const lg_image *in, int64_t x, int64_t y, double found)
{
    static const double weights[] = {0.2125, 0.7154, 0.0721};
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += weights[k] * sample_stored(in, x, y, 0, k);
    return fabs(found - sum) < 0.5 + 1e-4;
}

static void check_channel(lg_context *context, const char *text, int of, int channels,
                          lg_alpha alpha)
{
    const lg_image_params shape = SHAPE(WIDTH, 40, 1, channels, LG_U8, alpha);
    guarded in = guarded_open(context, shape, 0);
    pipeline p;
    int wrong = 0;
    if (!in.image || !pipeline_open(&p, context, text, &shape, 1, NULL))
        return;
    for (int64_t i = 0; i < (int64_t)shape.width * shape.height * channels; i++)
        sample_store(in.image, i / channels % WIDTH, i / channels / WIDTH, 0, (int)(i % channels),
                     random_below(256));
    guarded out = guarded_open(context, p.out, 0x5a);
    CHECK(p.out.channels == 1 && !lg_plan_run(p.plan, &in.image, &out.image, &error), "%s: %s",
          text, error.message);
    for (int64_t i = 0; i < (int64_t)shape.width * shape.height; i++) {
        const int64_t x = i % WIDTH, y = i / WIDTH;
        const bool whole = of == 3 && (channels == 3 || alpha == LG_ALPHA_OPAQUE);
        const double found = sample_stored(out.image, x, y, 0, 0);
        if (of == 4)
            wrong += !is_luminance(in.image, x, y, found);
        else
            wrong += found != (whole ? 255 : sample_stored(in.image, x, y, 0, of));
    }
    CHECK(wrong == 0 && guarded_spoiled(&out) == 0, "%s of %d channels, alpha %d: %d pixels", text,
          channels, (int)alpha, wrong);
    guarded_close(&out);
    guarded_close(&in);
    pipeline_close(&p);
}

static void test_channel(lg_context *context)
{
    static const char *const names[] = {"red", "green", "blue", "alpha", "luminance"};
    for (int of = 0; of < 5; of++) {
        char text[40];
        snprintf(text, sizeof text, "channel:of=%s", names[of]);
        check_channel(context, text, of, 3, LG_ALPHA_NONE);
        check_channel(context, text, of, 4, LG_ALPHA_OPAQUE);
        check_channel(context, text, of, 4, LG_ALPHA_STRAIGHT);
    }
}

// ---- luminance ----------------------------------------------------------------------------------

// As kernel/color_math.h defines it, one operation after the other.
static int luminance_of(const int rgb[3])
{
    static const float weights[] = {0.2125f, 0.7154f, 0.0721f};
    float part[3], low = 1, high = 0;
    for (int k = 0; k < 3; k++) {
        const float v = (float)rgb[k] * 0.00392156886f;
        low = v < low ? v : low;
        high = v > high ? v : high;
        part[k] = weights[k] * v;
    }
    const float first = part[0] + part[1], sum = first + part[2];
    const float limited = fminf(fmaxf(sum, low), high) * 255.0f;
    return (int)rintf(limited);
}

// All colours whose luminance lies between two bytes, where floats decide, and others beside them.
static int fill_colors(lg_image *image)
{
    const int64_t size = (int64_t)image->shape.width * image->shape.height;
    int64_t at = 0, others = 0;
    int found = 0;
    for (int r = 0; r < 256; r++)
        for (int g = 0; g < 256; g++)
            for (int b = 0; b < 256; b++) {
                const bool open = (2125 * r + 7154 * g + 721 * b) % 10000 == 5000;
                const bool other = (r * 65536 + g * 256 + b) % 1511 == 0 && others < size / 2;
                found += open;
                others += other;
                if ((!open && !other) || at == size)
                    continue;
                const int rgba[] = {r, g, b, (r + g) & 255};
                for (int k = 0; k < 4; k++)
                    sample_store(image, at % image->shape.width, at / image->shape.width, 0, k,
                                 rgba[k]);
                at++;
            }
    return found;
}

static void test_luminance(lg_context *context)
{
    const lg_image_params shape = SHAPE(WIDTH, 64, 1, 4, LG_U8, LG_ALPHA_STRAIGHT);
    lg_image *in = image_zeros(context, shape), *grey = NULL, *color = NULL;
    CHECK(in && fill_colors(in) == 1688, "colours between two bytes");
    lg_image *const images[] = {in};
    const lg_image *const *const from = (const lg_image *const *)images;
    pipeline_run(context, "channel:of=luminance", from, 1, LG_U8, 1, &grey, &error);
    pipeline_run(context, "grayscale", from, 1, LG_U8, 1, &color, &error);
    int wrong = 0;
    for (int64_t i = 0; grey && color && i < (int64_t)shape.width * shape.height; i++) {
        const int64_t x = i % WIDTH, y = i / WIDTH;
        int rgb[3];
        for (int k = 0; k < 3; k++)
            rgb[k] = (int)sample_stored(in, x, y, 0, k);
        const int wanted = luminance_of(rgb);
        wrong += sample_stored(grey, x, y, 0, 0) != wanted;
        for (int k = 0; k < 3; k++)
            wrong += sample_stored(color, x, y, 0, k) != wanted;
        wrong += sample_stored(color, x, y, 0, 3) != sample_stored(in, x, y, 0, 3);
    }
    CHECK(grey && color && wrong == 0, "luminance: %d samples", wrong);
    lg_image_destroy(&in);
    lg_image_destroy(&grey);
    lg_image_destroy(&color);
}

// ---- blends with grey ---------------------------------------------------------------------------

static lg_image *blended(lg_context *context, const char *text, lg_image *in, lg_image *over)
{
    const lg_image_params shapes[2] = {in->shape, over->shape};
    lg_image *const images[2] = {in, over};
    lg_image *out = NULL;
    pipeline p;
    if (!pipeline_open(&p, context, text, shapes, 2, NULL))
        return NULL;
    out = image_zeros(context, p.out);
    CHECK(!lg_plan_run(p.plan, images, &out, &error), "%s: %s", text, error.message);
    pipeline_close(&p);
    return out;
}

static void test_grey(lg_context *context)
{
    const lg_image_params shape = SHAPE(531, 3, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in = content_image(context, shape, CONTENT_UNIT);
    lg_image *grey =
        content_image(context, SHAPE(531, 3, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    lg_image *color = image_zeros(context, shape);
    for (int64_t i = 0; color && grey && i < 531 * 3 * 4; i++)
        sample_store(color, i / 4 % 531, i / 4 / 531, 0, (int)(i % 4),
                     i % 4 == 3 ? 255 : sample_stored(grey, i / 4 % 531, i / 4 / 531, 0, 0));
    int found = 0;
    for (size_t i = 0; in && grey && color && i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        char text[200];
        if (f->kind != LG_FILTER_BLEND)
            continue;
        // Behind it one that reads colours, so that neither overwrites what the other needs.
        snprintf(text, sizeof text, "%s:over=#over | multiply_blend:over=#over", f->name);
        lg_image *a = blended(context, text, in, grey), *b = blended(context, text, in, color);
        CHECK(a && b && samples_equal(a, b), "%s", text);
        lg_image_destroy(&a);
        lg_image_destroy(&b);
        found++;
    }
    CHECK(found > 20, "%d blends", found);
    lg_image_destroy(&in);
    lg_image_destroy(&grey);
    lg_image_destroy(&color);
}

static void test_level(lg_cpu_level level)
{
    static const struct {
        int channels[2];
        lg_alpha alpha[2];
    } kinds[] = {{{1, 1}, {LG_ALPHA_NONE, LG_ALPHA_NONE}},
                 {{3, 3}, {LG_ALPHA_NONE, LG_ALPHA_NONE}},
                 {{4, 4}, {LG_ALPHA_STRAIGHT, LG_ALPHA_STRAIGHT}},
                 {{4, 4}, {LG_ALPHA_OPAQUE, LG_ALPHA_STRAIGHT}},
                 {{4, 3}, {LG_ALPHA_STRAIGHT, LG_ALPHA_NONE}},
                 {{3, 4}, {LG_ALPHA_NONE, LG_ALPHA_OPAQUE}}};
    lg_context *context = device_open_level(level, 2);
    for (size_t i = 0; context && i < LG_COUNT(kinds); i++) {
        lg_image_params shapes[2];
        for (int k = 0; k < 2; k++)
            shapes[k] = SHAPE(WIDTH, HEIGHT, 1, kinds[i].channels[k], LG_U8, kinds[i].alpha[k]);
        check(context, shapes, "absolute_difference:over=#over");
        // A filter behind it, so that colours are floats.
        check(context, shapes, "absolute_difference:over=#over | brightness:brightness=0");
    }
    if (context) {
        test_channel(context);
        test_luminance(context);
        test_grey(context);
    }
    lg_context_destroy(&context);
}

int main(void)
{
    random_seed(31);
    for (int level = LG_CPU_BASE; level <= LG_CPU_V4; level++)
        test_level((lg_cpu_level)level);
    return check_finish("byte_filters");
}
