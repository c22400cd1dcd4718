// Filters that stand for pipelines of others, against their definitions on the pixels.
#include "filtering.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "samples.h"

enum { WIDTH = 61, HEIGHT = 23, PIXELS = WIDTH * HEIGHT };

static lg_context *cpu;

// An image of 8 bits, whose figures are exact.
static lg_image *photograph(void)
{
    const lg_image_params shape = {.width = WIDTH,
                                   .height = HEIGHT,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = LG_U8,
                                   .alpha = LG_ALPHA_OPAQUE};
    lg_image *image = NULL;
    lg_error error = {0};
    NEED(!lg_image_create(cpu, &shape, &image, &error), "%s", error.message);
    for (int i = 0; image && i < PIXELS; i++) {
        uint8_t *p = (uint8_t *)image->data + (size_t)(i / WIDTH) * image->shape.row_stride +
                     (size_t)(i % WIDTH) * 4;
        p[0] = (uint8_t)(40 + random_below(150));
        p[1] = (uint8_t)(20 + random_below(100));
        p[2] = (uint8_t)(90 + random_below(120) * random_below(2));
        p[3] = 255;
    }
    return image;
}

static void read_pixel(const lg_image *image, int i, double out[3])
{
    const uint8_t *p = (const uint8_t *)image->data +
                       (size_t)(i / WIDTH) * image->shape.row_stride + (size_t)(i % WIDTH) * 4;
    for (int k = 0; k < 3; k++)
        out[k] = p[k] / 255.0;
}

static double luminance(const double c[3])
{
    return 0.2125 * c[0] + 0.7154 * c[1] + 0.0721 * c[2];
}

// ---- thresholds ---------------------------------------------------------------------------------

static void check_threshold(lg_image *in, double multiplier)
{
    char pipeline[96];
    snprintf(pipeline, sizeof pipeline, "average_luminance_threshold:threshold_multiplier=%.17g",
             multiplier);
    lg_image *out = filtering_run(cpu, pipeline, &in, 1);
    double mean = 0, c[3];
    for (int i = 0; i < PIXELS; i++) {
        read_pixel(in, i, c);
        mean += luminance(c) / PIXELS;
    }
    int white = 0, wrong = 0;
    for (int i = 0; out && i < PIXELS; i++) {
        read_pixel(in, i, c);
        const double l = luminance(c), level = fmin(mean * multiplier, 1);
        const float v = filtering_pixel(out, i % WIDTH, i / WIDTH, 0)[0];
        white += v == 1;
        wrong += fabs(l - level) > 1e-6 && v != (l >= level ? 1 : 0);
    }
    CHECK(out && !wrong, "%s: %d pixels", pipeline, wrong);
    // More of it is a higher threshold: fewer white pixels.
    CHECK(multiplier > 0.6 || white == PIXELS, "%d of %d are white", white, PIXELS);
    CHECK(multiplier < 1.9 || white == 0, "%d of %d are white", white, PIXELS);
    lg_image_destroy(&out);
}

static void check_adaptive(lg_image *in, int radius, double offset)
{
    char pipeline[96];
    snprintf(pipeline, sizeof pipeline, "adaptive_threshold:blur_radius=%d:offset=%.9g", radius,
             offset);
    lg_image *out = filtering_run(cpu, pipeline, &in, 1);
    int wrong = 0, white = 0;
    for (int i = 0; out && i < PIXELS; i++) {
        double sum = 0, c[3];
        for (int dy = -radius; dy <= radius; dy++)
            for (int dx = -radius; dx <= radius; dx++) {
                const int x = LG_MIN(LG_MAX(i % WIDTH + dx, 0), WIDTH - 1);
                const int y = LG_MIN(LG_MAX(i / WIDTH + dy, 0), HEIGHT - 1);
                read_pixel(in, y * WIDTH + x, c);
                sum += luminance(c);
            }
        const double level = sum / ((2 * radius + 1) * (2 * radius + 1)) - offset;
        read_pixel(in, i, c);
        const float v = filtering_pixel(out, i % WIDTH, i / WIDTH, 0)[0];
        white += v == 1;
        wrong += fabs(luminance(c) - level) > 1e-5 && v != (luminance(c) >= level ? 1 : 0);
    }
    CHECK(out && !wrong && white > 0 && white < PIXELS, "%s: %d pixels, %d white", pipeline, wrong,
          white);
    lg_image_destroy(&out);
}

// ---- colours ------------------------------------------------------------------------------------

static void test_gray_world(lg_image *in)
{
    lg_image *out = filtering_run(cpu, "gray_world", &in, 1);
    double before[3] = {0}, mean[3] = {0}, c[3];
    for (int i = 0; out && i < PIXELS; i++) {
        read_pixel(in, i, c);
        for (int k = 0; k < 3; k++) {
            before[k] += c[k] / PIXELS;
            mean[k] += (double)filtering_pixel(out, i % WIDTH, i / WIDTH, 0)[k] / PIXELS;
        }
    }
    const double wanted = luminance(before);
    CHECK(fabs(before[0] - before[1]) > 0.05, "the image has no cast");
    CHECK(fabs(mean[0] - wanted) < 1e-5 && fabs(mean[1] - wanted) < 1e-5 &&
              fabs(mean[2] - wanted) < 1e-5,
          "means %g %g %g, not %g", mean[0], mean[1], mean[2], wanted);
    lg_image_destroy(&out);
}

// Linear between two values of which the lower has half a percent of the pixels at or below it, and the
// upper at or above it.
static void test_auto_levels(lg_image *in)
{
    lg_image *out = filtering_run(cpu, "auto_levels", &in, 1);
    for (int k = 0; out && k < 3; k++) {
        double low = 0, high = 1, worst = 0, c[3];
        for (int i = 0; i < PIXELS; i++) {
            const float v = filtering_pixel(out, i % WIDTH, i / WIDTH, 0)[k];
            read_pixel(in, i, c);
            low = v == 0 ? fmax(low, c[k]) : low;
            high = v == 1 ? fmin(high, c[k]) : high;
        }
        int below = 0, at_low = 0, above = 0, at_high = 0;
        for (int i = 0; i < PIXELS; i++) {
            const float v = filtering_pixel(out, i % WIDTH, i / WIDTH, 0)[k];
            read_pixel(in, i, c);
            below += c[k] < low, at_low += c[k] <= low;
            above += c[k] > high, at_high += c[k] >= high;
            const double wanted = fmin(fmax((c[k] - low) / (high - low), 0), 1);
            worst = fmax(worst, fabs((double)v - wanted));
        }
        CHECK(worst < 1e-6, "channel %d is %g off the line from %g to %g", k, worst, low, high);
        const double share = 0.005 * PIXELS;
        CHECK(below <= share && at_low >= share && above <= share && at_high >= share,
              "channel %d: %d, %d and %d, %d of %d pixels", k, below, at_low, above, at_high,
              PIXELS);
    }
    lg_image_destroy(&out);
}

static void test_soft_elegance(lg_image *in)
{
    const lg_filter *blur;
    if (lg_filter_find("gaussian_blur", &blur, NULL)) {
        check_skip("soft_elegance: there is no gaussian_blur");
        return;
    }
    lg_image *out = filtering_run(cpu, "soft_elegance", &in, 1);
    lg_image *parts = filtering_run(cpu,
                                    "amatorka:intensity=0.6 #a | gaussian_blur:sigma=10 #g | #a | "
                                    "alpha_blend:over=#g:mix=0.14 | miss_etikate:intensity=0.4",
                                    &in, 1);
    char first[160] = "";
    CHECK(out && parts && !samples_differ(out, parts, first), "differs at %s", first);
    lg_image_destroy(&out);
    lg_image_destroy(&parts);
}

// Means of whole numbers over all pixels: exact but for the last rounding.
static void test_averages(lg_image *in)
{
    lg_image *color = filtering_run(cpu, "average_color", &in, 1);
    lg_image *grey = filtering_run(cpu, "luminosity", &in, 1);
    double mean[3] = {0}, c[3], worst = 0;
    for (int i = 0; i < PIXELS; i++) {
        read_pixel(in, i, c);
        for (int k = 0; k < 3; k++)
            mean[k] += c[k] / PIXELS;
    }
    for (int i = 0; color && grey && i < PIXELS; i++)
        for (int k = 0; k < 3; k++) {
            const double a = (double)filtering_pixel(color, i % WIDTH, i / WIDTH, 0)[k];
            const double l = (double)filtering_pixel(grey, i % WIDTH, i / WIDTH, 0)[k];
            worst = fmax(worst, fmax(fabs(a - mean[k]), fabs(l - luminance(mean))));
        }
    CHECK(color && grey && worst < 1e-6, "%g off", worst);
    CHECK(color && color->shape.channels == 4 && color->shape.alpha == LG_ALPHA_OPAQUE,
          "the average colour of an opaque image has alpha");
    lg_image_destroy(&color);
    lg_image_destroy(&grey);
}

// A look's own table as a picture, and another table in its place. Bytes are blurred in integers and floats
// are not: with sigma 10 they are at most 0.16 steps of a byte apart, of which alpha_blend takes 14 %.
static void test_looks(lg_image *in)
{
    static const char *const pairs[][3] = {
        {"amatorka", "lookup_identity | amatorka #t | #in | amatorka:over=#t", "2e-4"},
        {"miss_etikate:intensity=0.5",
         "lookup_identity | miss_etikate #t | #in | "
         "miss_etikate:over=#t:intensity=0.5:interpolation=tetrahedral",
         "2e-4"},
        {"contrast:contrast=1", "lookup_identity #t | #in | amatorka:over=#t", "1e-6"},
        {"soft_elegance",
         "lookup_identity | amatorka:intensity=0.6 #a | lookup_identity | "
         "miss_etikate:intensity=0.4 #b | #in | soft_elegance:first=#a:second=#b",
         "2e-4"},
        {"gaussian_blur:sigma=10 #soft | #in | alpha_blend:over=#soft:mix=0.14",
         "lookup_identity #t | #in | soft_elegance:first=#t:second=#t", "9e-5"}};
    for (size_t i = 0; i < LG_COUNT(pairs); i++) {
        lg_image *a = filtering_run(cpu, pairs[i][0], &in, 1);
        lg_image *b = filtering_run(cpu, pairs[i][1], &in, 1);
        int x = 0, y = 0;
        const double off = a && b ? filtering_distance(a, b, &x, &y) : INFINITY;
        CHECK(off < strtod(pairs[i][2], NULL), "%s: %g off at %d,%d", pairs[i][1], off, x, y);
        lg_image_destroy(&a);
        lg_image_destroy(&b);
    }
    lg_image *a = filtering_run(cpu, "amatorka", &in, 1);
    lg_image *b = filtering_run(cpu,
                                "contrast #t | lookup_identity | miss_etikate #t2 | #t | "
                                "amatorka:over=#t2",
                                &in, 1);
    int x, y;
    CHECK(a && b && filtering_distance(a, b, &x, &y) > 0.05, "the table given was not used");
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

// What is left out is what the catalogue says, written out.
static void test_defaults(lg_image *in)
{
    int compared = 0;
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        if (f->kind != LG_FILTER_PIPELINE || strcmp(f->name, "soft_elegance") == 0)
            continue;
        char text[512];
        int length = snprintf(text, sizeof text, "%s", f->name), settings = 0;
        for (int k = 0; k < f->param_count; k++) {
            const lg_filter_param *p = &f->params[k];
            if (p->kind == LG_PARAM_ALIAS)
                continue;
            if (p->kind == LG_PARAM_CHOICE) {
                const char *word = p->choices;
                for (int skip = (int)p->value[0]; skip > 0; skip--)
                    word += strcspn(word, "|") + 1;
                length += snprintf(text + length, sizeof text - (size_t)length, ":%s=%.*s", p->name,
                                   (int)strcspn(word, "|"), word);
            }
            for (int v = 0; v < p->size && p->kind != LG_PARAM_CHOICE; v++)
                length +=
                    snprintf(text + length, sizeof text - (size_t)length, "%s%s%s%.17g",
                             v ? "," : ":", v ? "" : p->name, v ? "" : "=", (double)p->value[v]);
            settings++;
        }
        if (!settings)
            continue;
        lg_image *const both[] = {in, in};
        lg_image *a = filtering_run(cpu, f->name, both, f->inputs);
        lg_image *b = filtering_run(cpu, text, both, f->inputs);
        char first[160] = "";
        CHECK(a && b && !samples_differ(a, b, first), "%s differs at %s", text, first);
        lg_image_destroy(&a);
        lg_image_destroy(&b);
        compared++;
    }
    CHECK(compared >= 5, "%d filters with parameters", compared);
}

// A grey image is one channel between stages, too: a second filter gives what it gives on that image.
static void test_grey_between(void)
{
    static const char *const filters[] = {"bilateral",
                                          "bilateral_grid:sigma_space=4",
                                          "gaussian_blur:sigma=1",
                                          "box_blur",
                                          "dilation",
                                          "opening",
                                          "canny_edge_detection",
                                          "fast_corner_detection",
                                          "local_mean",
                                          "sauvola",
                                          "sobel_edge_detection",
                                          "swirl",
                                          "color_packing",
                                          "median | emboss",
                                          "false_color"};
    lg_image_params shape = {
        .width = WIDTH, .height = HEIGHT, .layers = 1, .channels = 1, .type = LG_F32};
    lg_image *in = NULL;
    lg_error error = {0};
    NEED(!lg_image_create(cpu, &shape, &in, &error), "%s", error.message);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            ((float *)(void *)((char *)in->data + (size_t)y * in->shape.row_stride))[x] =
                (float)random_unit();
    lg_image *between = filtering_run(cpu, "sharpen:sharpness=0.5", &in, 1);
    CHECK(between && between->shape.channels == 1, "a grey image stays grey");
    for (size_t i = 0; between && i < LG_COUNT(filters); i++) {
        char text[120];
        snprintf(text, sizeof text, "sharpen:sharpness=0.5 | %s", filters[i]);
        lg_image *a = filtering_run(cpu, text, &in, 1);
        lg_image *b = filtering_run(cpu, filters[i], &between, 1);
        CHECK(a && b && samples_equal(a, b), "%s", text);
        lg_image_destroy(&a);
        lg_image_destroy(&b);
    }
    lg_image_destroy(&between);
    lg_image_destroy(&in);
}

int main(void)
{
    random_seed(23);
    cpu = device_open_level(LG_CPU_BEST, 2);
    lg_image *in = photograph();
    static const double multipliers[] = {0, 0.3, 0.9, 1, 1.1, 2};
    for (size_t i = 0; i < LG_COUNT(multipliers); i++)
        check_threshold(in, multipliers[i]);
    check_adaptive(in, 1, 0.05);
    check_adaptive(in, 4, 0);
    check_adaptive(in, 30, -0.05);
    test_gray_world(in);
    test_auto_levels(in);
    test_soft_elegance(in);
    test_averages(in);
    test_looks(in);
    test_defaults(in);
    test_grey_between();
    lg_image_destroy(&in);
    lg_context_destroy(&cpu);
    return check_finish("filter_pipelines");
}
