// adaptive_threshold of grey bytes, which integers decide where roundings cannot, on every CPU level: beside
// the same bytes as an image of floats, whose result is the definition's, and beside exact means.
#include "filter/native/box_blur/mean_threshold.h"
#include "check.h"
#include "content.h"
#include "device.h"
#include "graph/plan.h"
#include "pipeline.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>

static lg_error error;

typedef enum pattern {
    NOISE,
    STEPS, // few values: many windows whose mean is the byte in the middle
    EVEN,  // every pixel is at its threshold where there is no offset
    RAMP,
} pattern;

static lg_image *bytes_of(lg_context *context, lg_image_params shape, pattern which)
{
    lg_image *image = image_zeros(context, shape);
    for (int64_t z = 0; image && z < shape.layers; z++)
        for (int64_t y = 0; y < shape.height; y++)
            for (int64_t x = 0; x < shape.width; x++)
                sample_store(image, x, y, z, 0,
                             which == NOISE   ? random_below(256)
                             : which == STEPS ? 100 + random_below(3)
                             : which == EVEN  ? 77
                                              : (double)((x + y + z) % 256));
    return image;
}

// As the stage of the definition reads bytes.
static lg_image *floats_of(lg_context *context, const lg_image *bytes)
{
    lg_image_params shape = bytes->shape;
    shape.type = LG_F32;
    shape.row_stride = shape.layer_stride = 0;
    lg_image *image = image_zeros(context, shape);
    for (int64_t z = 0; image && z < shape.layers; z++)
        for (int64_t y = 0; y < shape.height; y++)
            for (int64_t x = 0; x < shape.width; x++)
                sample_store(image, x, y, z, 0,
                             (float)sample_stored(bytes, x, y, z, 0) * 0.00392156886f);
    return image;
}

// How far a pixel is above its threshold, in bytes.
static double distance(const lg_image *in, int64_t x, int64_t y, int64_t z, int radius,
                       double offset)
{
    const lg_image_params *s = &in->shape;
    double sum = 0;
    for (int64_t j = y - radius; j <= y + radius; j++)
        for (int64_t i = x - radius; i <= x + radius; i++)
            sum += sample_stored(in, LG_MIN(LG_MAX(i, 0), s->width - 1),
                                 LG_MIN(LG_MAX(j, 0), s->height - 1), z, 0);
    return sample_stored(in, x, y, z, 0) - sum / ((2 * radius + 1) * (2 * radius + 1)) +
           255 * offset;
}

typedef struct attempt {
    int width, height, layers, radius;
    float offset;
    pattern pattern;
    bool fast; // whether few pixels need floats
} attempt;

static void check(lg_context *context, const attempt *a)
{
    const lg_image_params shape = SHAPE(a->width, a->height, a->layers, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = bytes_of(context, shape, a->pattern), *floats = floats_of(context, in);
    lg_image *wanted = NULL, *found = image_zeros(context, shape);
    char text[100];
    bool done = false;
    snprintf(text, sizeof text, "adaptive_threshold:radius=%d:offset=%.9g", a->radius,
             (double)a->offset);
    pipeline_run(context, text, (const lg_image *const *)&floats, 1, LG_U8, 1, &wanted, &error);
    CHECK(!lg_mean_threshold_cpu(context, in, found, a->radius, a->offset, &done, &error), "%s",
          error.message);
    CHECK(done == a->fast, "%s of %d x %d, pattern %d: done %d", text, a->width, a->height,
          (int)a->pattern, done);
    CHECK(!done || (wanted && samples_equal(wanted, found)), "%s of %d x %d, pattern %d", text,
          a->width, a->height, (int)a->pattern);
    int wrong = 0;
    for (int i = 0; done && i < 200; i++) {
        const int64_t x = random_below((uint32_t)a->width);
        const int64_t y = random_below((uint32_t)a->height);
        const int64_t z = random_below((uint32_t)a->layers);
        const double above = distance(in, x, y, z, a->radius, (double)a->offset);
        if (fabs(above) > 1e-3)
            wrong += sample_stored(found, x, y, z, 0) != (above > 0 ? 255 : 0);
    }
    CHECK(wrong == 0, "%s of %d x %d: %d pixels", text, a->width, a->height, wrong);
    lg_image *whole = NULL;
    pipeline_run(context, text, (const lg_image *const *)&in, 1, LG_U8, 2, &whole, &error);
    CHECK(wanted && whole && samples_equal(wanted, whole), "%s of %d x %d in a plan", text,
          a->width, a->height);
    lg_image_destroy(&in);
    lg_image_destroy(&floats);
    lg_image_destroy(&wanted);
    lg_image_destroy(&found);
    lg_image_destroy(&whole);
}

// Whether the stages of a plan are done by one, which then has all bytes of the report.
static void check_plan(lg_context *context, const char *text, bool one)
{
    const lg_image_params shape = SHAPE(200, 100, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = bytes_of(context, shape, NOISE);
    pipeline p;
    if (!pipeline_open(&p, context, text, &shape, 1, NULL))
        return;
    lg_image *out = image_zeros(context, p.out);
    CHECK(!lg_plan_run(p.plan, &in, &out, &error), "%s", error.message);
    CHECK(p.plan->stage_count >= 3 && (p.plan->stages[1].bytes == 0) == one, "%s: %d stages", text,
          p.plan->stage_count);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    pipeline_close(&p);
}

static void test_level(lg_cpu_level level)
{
    static const attempt attempts[] = {
        {1, 1, 1, 0, 0, NOISE, true},          {1, 1, 1, 5, 0.01f, NOISE, true},
        {1, 90, 1, 3, 0, NOISE, true},         {97, 1, 1, 63, -0.02f, NOISE, true},
        {1030, 40, 1, 15, 0.02f, NOISE, true}, {517, 61, 2, 4, 0, NOISE, true},
        {300, 80, 1, 1, 0, STEPS, true},       {300, 200, 1, 7, 0, EVEN, false},
        {300, 200, 1, 7, 0.001f, EVEN, true},  {260, 256, 1, 20, 0, RAMP, false},
        {260, 256, 1, 20, 0.01f, RAMP, true},  {64, 64, 1, 40, 1, NOISE, true},
        {64, 64, 1, 63, -1, NOISE, true},      {33, 70, 1, 2, 1e-6f, STEPS, true},
    };
    lg_context *context = device_open_level(level, 2);
    for (size_t i = 0; context && i < LG_COUNT(attempts); i++)
        check(context, &attempts[i]);
    if (context) {
        check_plan(context, "adaptive_threshold", true);
        check_plan(context, "adaptive_threshold:radius=64", false);
        check_plan(context,
                   "grayscale #g | box_blur:radius=3:border=mirror #m | #g | "
                   "local_threshold:over=#m",
                   false);
        check_plan(context,
                   "grayscale #g | box_blur:width=5:height=3 #m | #g | "
                   "local_threshold:over=#m",
                   false);
        check_plan(context,
                   "grayscale #g | box_blur:radius=2:blur_passes=2 #m | #g | "
                   "local_threshold:over=#m",
                   false);
        // Somebody else reads the mean.
        check_plan(context,
                   "grayscale #g | box_blur #m | #g | local_threshold:over=#m | "
                   "darken_blend:over=#m",
                   false);
        check_plan(context,
                   "grayscale #g | box_blur #m | #g | local_threshold:over=#m:offset=@#m.mean",
                   false);
    }
    lg_context_destroy(&context);
}

int main(void)
{
    random_seed(41);
    for (int level = LG_CPU_BASE; level <= LG_CPU_V4; level++)
        test_level((lg_cpu_level)level);
    return check_finish("mean_threshold");
}
