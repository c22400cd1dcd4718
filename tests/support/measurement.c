#include "measurement.h"
#include "check.h"
#include "device.h"
#include "timing.h"
#include "vulkan/vk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lg_context *device;

lg_context *measure_device(void)
{
    static bool tried;
    if (!tried)
        device = device_open(NULL, NULL);
    tried = true;
    return device;
}

// ---- comparing ----------------------------------------------------------------------------------

static const char *engine(const lg_context *context)
{
    return context->vk ? context->info.name : lg_cpu_level_name(context->cpu_level);
}

static void describe(const measure_case *k, const lg_context *context, const measured *m,
                     char text[MEASURE_TEXT])
{
    const lg_image_params *s = &m->image->shape;
    const lg_region all = lg_image_region(s), *r = m->select.region ? m->select.region : &all;
    char params[MEASURE_TEXT] = "";
    if (k->describe && m->params)
        k->describe(m->params, params);
    snprintf(
        text, MEASURE_TEXT,
        "%s, %s: %dx%dx%d %s x%d alpha %d, region %lldx%lld+%lld+%lld step %d, mask %d, stack %d, "
        "variant %d %.600s; %s, %d threads",
        k->name, m->title, s->width, s->height, s->layers, lg_type_name(s->type), s->channels,
        (int)s->alpha, (long long)r->width, (long long)r->height, (long long)r->x, (long long)r->y,
        m->select.step, m->select.mask != NULL, m->stack, m->variant, params, engine(context),
        lg_pool_threads(context->pool));
}

void measure_release(const measure_case *k, void *figures)
{
    if (figures)
        (k->release ? k->release : free)(figures);
}

void *measure_figures(const measure_case *k, lg_context *context, const measured *m)
{
    lg_error error = {LG_OK, ""};
    void *figures = k->measure(context, m, &error);
    CHECK(figures, "%s, %s: %s", k->name, m->title, error.message);
    return figures;
}

// Whether sums and products of the samples can be below the least normal float without being 0.
static bool has_near_zero(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    for (int64_t line = 0; line < (int64_t)s->height * s->layers; line++) {
        const float *row =
            (const float *)(const void *)((const uint8_t *)image->data +
                                          (size_t)(line / s->height) * s->layer_stride +
                                          (size_t)(line % s->height) * s->row_stride);
        for (int64_t i = 0; i < (int64_t)s->width * s->channels; i++)
            if (row[i] != 0 && fabsf(row[i]) < 0x1p-100f)
                return true;
    }
    return false;
}

static bool may_flush(const measure_case *k, const lg_context *context, const measured *m)
{
    return context->vk && !lg_vk_get_limits(context->vk)->denorm_preserve && k->rounds &&
           k->rounds(m) && m->image->shape.type == LG_F32 && has_near_zero(m->image);
}

static void check_variant(const measure_case *k, lg_context *context, const measured *m,
                          const void *want)
{
    char what[MEASURE_TEXT], text[MEASURE_TEXT] = "";
    lg_error error = {LG_OK, ""};
    if (may_flush(k, context, m)) {
        check_skip("floats near zero, which this device may take for zero");
        return;
    }
    void *got = k->measure(context, m, &error);
    const bool may_refuse = m->variant || (context->vk && k->refuses);
    if (!got && error.status == LG_ERROR_UNSUPPORTED && may_refuse) {
        check_skip(error.message);
        return;
    }
    const bool same = got && k->same(want, got, text);
    if (!same)
        describe(k, context, m, what);
    CHECK(same, "%s: %s%s", what, error.message, text);
    measure_release(k, got);
}

void measure_check(const measure_case *k, lg_context *context, const measured *m,
                   measure_variants variants, const void *want)
{
    measured one = *m;
    if (!variants.count)
        check_variant(k, context, m, want);
    for (int i = 0; i < variants.count; i++) {
        one.variant = variants.of[i];
        check_variant(k, context, &one, want);
    }
}

// The image and the mask at odd places. Behind their rows stand the largest integers and NaNs, and mask bytes
// that take pixels: who reads them shows it.
static void check_moved(const measure_case *k, lg_context *context, const measured *m,
                        measure_variants variants, const void *want)
{
    guarded image = guarded_copy(context, m->image, 0xff);
    guarded mask = m->select.mask ? guarded_copy(context, m->select.mask, 0xff) : (guarded){0};
    measured moved = *m;
    moved.image = image.image;
    moved.select.mask = mask.image;
    measure_check(k, context, &moved, variants, want);
    const size_t spoiled = guarded_spoiled(&image) + (mask.image ? guarded_spoiled(&mask) : 0);
    CHECK(!spoiled, "%s, %s: %zu bytes beside the pixels were written", k->name, m->title, spoiled);
    guarded_close(&image);
    guarded_close(&mask);
}

static void check_device(const measure_case *k, const measured *m, const void *want)
{
    static unsigned turn;
    const measure_variants *v = &k->device_variants;
    check_moved(k, device, m, (measure_variants){v->of, LG_MIN(v->count, 1)}, want);
    if (v->count > 1) {
        const int *other = &v->of[1 + turn++ % (unsigned)(v->count - 1)];
        check_moved(k, device, m, (measure_variants){other, 1}, want);
    }
}

// The figures of the reference, after the oracle has seen them.
static void *reference(const measure_case *k, const measured *m)
{
    void *want = measure_figures(k, NULL, m);
    if (want && k->oracle)
        k->oracle(m, want);
    return want;
}

void measure_compare(const measure_case *k, const measured *m)
{
    static unsigned tries;
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts), share = LG_MAX(k->device_share, 1);
    void *want = reference(k, m);
    if (!want)
        return;
    for (int i = 0; i < count; i++)
        check_moved(k, contexts[i], m, k->variants, want);
    if (tries++ % (unsigned)test_extent(2 * share, share, 1) == 0 && measure_device())
        check_device(k, m, want);
    measure_release(k, want);
}

void measure_in_place(const measure_case *k, const measured *m)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    void *want = reference(k, m);
    for (int i = 0; want && i < count; i++)
        measure_check(k, contexts[i], m, k->variants, want);
    measure_release(k, want);
}

static int channels_of(const measure_case *k)
{
    return k->channels ? k->channels : LG_MAX_CHANNELS;
}

void measure_try(const measure_case *k, const char *title, lg_image_params shape, content kind,
                 bool stack)
{
    if (shape.channels > channels_of(k))
        return;
    lg_image *image = content_image(kernel_context(), shape, kind);
    const measured m = {.title = title,
                        .image = image,
                        .select = lg_select_default(),
                        .stack = stack,
                        .params = k->params ? k->params(&shape) : NULL};
    measure_compare(k, &m);
    lg_image_destroy(&image);
}

// ---- what is tried ------------------------------------------------------------------------------

// One pixel, single rows and columns, primes, both sides of the widths of vectors, and of 4096.
static const int sizes[][2] = {{1, 1},    {1, 77},   {131, 1},  {2, 2},    {3, 5},
                               {7, 31},   {127, 32}, {128, 32}, {129, 32}, {128, 31},
                               {128, 33}, {64, 24},  {257, 65}, {97, 101}, {255, 7},
                               {384, 48}, {33, 31},  {127, 3},  {4095, 3}, {4097, 2}};

// The kinds of alpha that an image of so many channels may have.
static int alphas(int channels)
{
    return channels == 1 ? 1 : LG_ALPHA_PREMULTIPLIED + 1;
}

// One of so many combinations is tried: all in the full form.
static bool is_tried(void)
{
    return random_below((uint32_t)test_extent(4, 2, 1)) == 0;
}

static void test_sizes(const measure_case *k)
{
    unsigned turn = 0;
    for (size_t i = 0; i < LG_COUNT(sizes); i++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int channels = 1; channels <= channels_of(k); channels *= 2, turn++) {
                if (!is_tried())
                    continue;
                const int alpha = (int)(i % (size_t)alphas(channels));
                const content kind = turn % 3 ? CONTENT_UNIT : CONTENT_SPECIAL;
                const int layers = 1 + (turn % 5 == 0);
                measure_try(k, "sizes",
                            SHAPE(sizes[i][0], sizes[i][1], layers, channels, type, alpha), kind,
                            turn % 2);
            }
}

static void test_contents(const measure_case *k)
{
    for (int kind = 0; kind < CONTENTS; kind++)
        for (int type = LG_F16; type <= LG_F32; type++) {
            const char *title = content_name((content)kind);
            measure_try(k, title, SHAPE(300, 70, 1, 1, type, 0), (content)kind, false);
            measure_try(k, title, SHAPE(131, 40, 2, 2, type, 0), (content)kind, true);
            measure_try(k, title, SHAPE(129, 64, 1, 4, type, LG_ALPHA_OPAQUE), (content)kind,
                        false);
        }
    for (int type = LG_U8; type <= LG_U16; type++)
        for (int channels = 1; channels <= channels_of(k); channels *= 2)
            measure_try(k, "constant", SHAPE(301, 70, 1, channels, type, 0), CONTENT_CONSTANT,
                        false);
}

// Regions, masks, steps and transparent pixels, one by one and together.
static void try_selections(const measure_case *k, measured *m, const lg_image *mask)
{
    static const lg_region region = {7, 3, 290, 71};
    for (int i = 0; i < 9; i++) {
        if (!is_tried())
            continue;
        m->select = lg_select_default();
        m->select.region = i > 0 && i < 8 ? &region : NULL;
        m->select.mask = i == 2 || (i > 3 && i < 8) ? mask : NULL;
        m->select.skip_transparent = i < 3 || i > 4;
        m->select.step = i < 3 ? 1 : i == 8 ? 2 : i - 2;
        m->stack = i % 2;
        m->params = k->params ? k->params(&m->image->shape) : NULL;
        measure_compare(k, m);
    }
}

static void test_selections(const measure_case *k)
{
    for (int type = 0; type < LG_TYPES; type++)
        for (int channels = 1; channels <= channels_of(k); channels *= 2)
            for (int alpha = 0; alpha < alphas(channels); alpha++) {
                const lg_image_params shape = SHAPE(301, 83, 2, channels, type, alpha);
                lg_image *image = content_image(kernel_context(), shape, CONTENT_SPECIAL);
                lg_image *mask = NULL;
                if (k->selects == MEASURE_ANY_PIXELS)
                    mask = content_mask(kernel_context(), &shape, 1 + channels / 2 % 2);
                measured m = {.title = "selection", .image = image};
                try_selections(k, &m, mask);
                lg_image_destroy(&mask);
                lg_image_destroy(&image);
            }
    measure_try(k, "stack", SHAPE(130, 35, 7, 1, LG_F32, 0), CONTENT_SIGNED, true);
    measure_try(k, "stack", SHAPE(130, 35, 7, 4, LG_U8, 0), CONTENT_UNIT, true);
}

void measure_test(const measure_case *k)
{
    test_sizes(k);
    test_contents(k);
    if (k->selects != MEASURE_EVERYTHING)
        test_selections(k);
}

// ---- times --------------------------------------------------------------------------------------

typedef struct timed {
    const measure_case *k;
    lg_context *context;
    measured what;
} timed;

static bool run_timed(void *arg)
{
    const timed *t = arg;
    void *figures = measure_figures(t->k, t->context, &t->what);
    measure_release(t->k, figures);
    return figures != NULL;
}

// Nanoseconds a pixel; `context` NULL: the reference. On a device the image lies there.
static double time_on(const measure_case *k, lg_context *context, const lg_image_params *shape)
{
    lg_error error = {LG_OK, ""};
    lg_image *image = content_image(context ? context : kernel_context(), *shape, CONTENT_UNIT);
    timed t = {k, context, {.title = "time", .image = image, .select = lg_select_default()}};
    if (context && context->vk)
        NEED(!lg_image_upload(context, image, &error), "%s", error.message);
    const double best = timing_shortest(run_timed, &t);
    lg_image_destroy(&image);
    return best * 1e9 / shape->width / shape->height;
}

static void bench(const measure_case *k, const lg_image_params *shape)
{
    printf("%s, %d x %d, %d channels of %s\n", k->name, shape->width, shape->height,
           shape->channels, lg_type_name(shape->type));
    const double base = time_on(k, NULL, shape);
    timing_print("reference", base, base);
    for (int level = 0; level < LG_CPU_LEVELS; level++) {
        lg_context *context = device_open_level((lg_cpu_level)level, 1);
        if (context)
            timing_print(lg_cpu_level_name((lg_cpu_level)level), time_on(k, context, shape), base);
        lg_context_destroy(&context);
    }
    if (measure_device())
        timing_print("Vulkan", time_on(k, device, shape), base);
}

int measure_main(const char *name, const measure_case *cases, size_t count, void (*more)(void))
{
    const bool times = timing_is_wanted();
    random_seed(37);
    for (size_t i = 0; i < count; i++) {
        for (int s = 0; s < TIMING_SHAPES && times; s++)
            if (timing_shapes[s].channels <= channels_of(&cases[i]))
                bench(&cases[i], &timing_shapes[s]);
        if (!times)
            measure_test(&cases[i]);
    }
    if (more && !times)
        more();
    device_close(&device);
    return check_finish(name);
}
