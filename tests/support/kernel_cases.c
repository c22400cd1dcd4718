// The kinds of images that every kernel is tried with, and the times of kernels.
#include "check.h"
#include "device.h"
#include "kernel.h"
#include "pipeline.h"
#include "timing.h"

#include <stdio.h>

// One pixel, single rows and columns, primes, and both sides of the vectors' widths.
static const int sizes[][2] = {{1, 1},  {1, 9},   {17, 1}, {2, 2},   {13, 11}, {37, 7},
                               {8, 64}, {67, 31}, {15, 3}, {16, 5},  {31, 4},  {33, 3},
                               {63, 2}, {64, 3},  {65, 5}, {129, 2}, {7, 29}};

static const lg_filter *filter_of(const kernel_case *k)
{
    const lg_filter *filter = NULL;
    lg_error error = {LG_OK, ""};
    NEED(!lg_filter_find(k->filter, &filter, &error), "%s", error.message);
    return filter;
}

// A second image of any kind; a table's has a size of its own.
static lg_image_params second_shape(const lg_image_params *in, const lg_filter *filter)
{
    if (filter->kind == LG_FILTER_POINT)
        return SHAPE(5, 3, 4, 4, LG_F32, LG_ALPHA_STRAIGHT);
    lg_image_params shape = kernel_any_shape(in->width, in->height);
    shape.layers = random_below(2) ? 1 : in->layers;
    return shape;
}

// What the plan makes of such images, of filters without kernels of their own.
static bool planned_shape(const kernel_case *k, const char *params, const lg_image_params *in,
                          const lg_image_params *over, lg_image_params *out)
{
    char text[1200];
    pipeline p;
    const lg_image_params shapes[] = {*in, *over};
    const int count = filter_of(k)->inputs == 2 ? 2 : 1;
    const lg_type type = (lg_type)random_below(LG_TYPES);
    snprintf(text, sizeof text, "%s%s%s%s", k->filter, count == 2 ? ":over=#over" : "",
             params[0] ? ":" : "", params);
    const bool good = pipeline_open(&p, kernel_context(), text, shapes, count, &type);
    *out = p.out;
    pipeline_close(&p);
    return good;
}

static lg_image *fill(void (*draw)(lg_image *image), lg_image_params shape, content kind)
{
    if (!draw || kind != CONTENT_UNIT || random_below(3) == 0)
        return kernel_image(shape, kind);
    lg_image *image = kernel_zeros(shape);
    draw(image);
    return image;
}

void kernel_try(const kernel_case *k, const char *params, lg_image_params shape, content kind)
{
    const lg_filter *filter = filter_of(k);
    lg_image_params over = second_shape(&shape, filter), to = shape;
    if (k->shapes)
        k->shapes(&shape, &over, &to);
    if (filter->kind != LG_FILTER_NATIVE && !planned_shape(k, params, &shape, &over, &to))
        return;
    lg_image *in = fill(k->draw, shape, kind);
    lg_image *second = filter->inputs == 2 ? fill(k->draw_over, over, CONTENT_UNIT) : NULL;
    lg_image *made = kernel_compare(k, params, in, second, to);
    kernel_job job;
    if (made && k->oracle &&
        kernel_prepare(&job, kernel_context(), k->filter, params, in, second, made))
        k->oracle(&job.call, kind);
    lg_image_destroy(&in);
    lg_image_destroy(&second);
    lg_image_destroy(&made);
}

static void try_any(const kernel_case *k, lg_image_params shape)
{
    char params[1000];
    const bool small = shape.width * shape.height <= 200 && k->params_small;
    kernel_pick(params, sizeof params, small ? k->params_small : k->params);
    const bool plain = k->plain_premultiplied && shape.alpha == LG_ALPHA_PREMULTIPLIED;
    const content extreme = k->extreme && random_below(2) ? k->extreme : CONTENT_SPECIAL;
    kernel_try(k, params, shape, plain || random_below(5) ? CONTENT_UNIT : extreme);
}

void kernel_test(const kernel_case *k)
{
    const int one_in = (k->share ? k->share : 1) * (test_is_short() ? 4 : 1);
    for (size_t i = 0; i < LG_COUNT(sizes); i++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int channels = 1; channels <= 4; channels *= 2)
                for (int alpha = 0; alpha < (channels == 1 ? 1 : 4); alpha++)
                    if (random_below((uint32_t)one_in) == 0)
                        try_any(k, SHAPE(sizes[i][0], sizes[i][1], 1 + (int)random_below(2),
                                         channels, type, alpha));
}

void kernel_any_type(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)in, (void)over;
    if (random_below(3) == 0)
        out->type = (lg_type)random_below(LG_TYPES);
}

void kernel_or_between(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)in, (void)over;
    if (random_below(3))
        return;
    out->alpha = out->channels == 1                     ? LG_ALPHA_OPAQUE
                 : out->alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT
                                                        : out->alpha;
    out->type = LG_F32;
    out->channels = 4;
}

// ---- times --------------------------------------------------------------------------------------

typedef struct timed {
    const kernel_case *k;
    kernel_job job;
    lg_plan *plan; // where the call is none
    lg_image *in, *over, *out;
    kernel_fn fn;
} timed;

static bool run_timed(void *arg)
{
    timed *t = arg;
    lg_image *const inputs[] = {t->in, t->over};
    const lg_status status =
        t->plan ? lg_plan_run(t->plan, inputs, &t->out, &t->job.error) : t->fn(&t->job.call);
    CHECK(!status, "%s: %s", t->k->filter, t->job.error.message);
    return !status;
}

// Nanoseconds a pixel; 0 after a failure. `fn` NULL: a plan.
static double time_on(const kernel_case *k, lg_context *context, kernel_fn fn,
                      const lg_image_params *shape)
{
    char text[1200];
    timed t = {.k = k, .fn = fn};
    pipeline p = {0};
    const char *params = k->bench ? k->bench : "";
    const bool two = filter_of(k)->inputs == 2;
    const lg_image_params shapes[] = {*shape, second_shape(shape, filter_of(k))};
    snprintf(text, sizeof text, "%s%s%s%s", k->filter, two ? ":over=#over" : "",
             params[0] ? ":" : "", params);
    if (!pipeline_open(&p, context, text, shapes, two ? 2 : 1, &shape->type))
        return 0;
    t.in = content_image(context, *shape, CONTENT_UNIT);
    t.over = two ? content_image(context, shapes[1], CONTENT_UNIT) : NULL;
    NEED(!lg_image_create_device(context, &p.out, &t.out, &t.job.error) &&
             !lg_image_upload(context, t.in, &t.job.error) &&
             (!two || !lg_image_upload(context, t.over, &t.job.error)),
         "%s", t.job.error.message);
    double best = 0;
    if (!fn || kernel_prepare(&t.job, context, k->filter, params, t.in, t.over, t.out)) {
        t.plan = fn ? NULL : p.plan;
        best = timing_shortest(run_timed, &t);
    }
    pipeline_close(&p);
    lg_image_destroy(&t.in);
    lg_image_destroy(&t.over);
    lg_image_destroy(&t.out);
    return best * 1e9 / shape->width / shape->height;
}

static void bench(const kernel_case *k, lg_context *vulkan, const lg_image_params *shape)
{
    double base = 0;
    printf("%s %s, %d x %d, %d channels of %s\n", k->filter, k->bench ? k->bench : "", shape->width,
           shape->height, shape->channels, lg_type_name(shape->type));
    if (k->reference) {
        base = time_on(k, kernel_context(), k->reference, shape);
        timing_print("reference", base, base);
    }
    for (int level = 0; level < LG_CPU_LEVELS; level++) {
        lg_context *context = device_open_level((lg_cpu_level)level, 1);
        if (!context)
            continue;
        const double ns = time_on(k, context, NULL, shape);
        base = base > 0 ? base : ns;
        timing_print(lg_cpu_level_name((lg_cpu_level)level), ns, base);
        lg_context_destroy(&context);
    }
    if (vulkan)
        timing_print("Vulkan", time_on(k, vulkan, NULL, shape), base);
}

static void bench_all(const kernel_case *cases, size_t count)
{
    lg_context *vulkan = test_wants_vulkan() ? device_open(NULL, NULL) : NULL;
    for (size_t i = 0; i < count; i++)
        for (int s = 0; s < TIMING_SHAPES; s++)
            bench(&cases[i], vulkan, &timing_shapes[s]);
    device_close(&vulkan);
}

int kernel_main(const char *name, const kernel_case *cases, size_t count, void (*more)(void))
{
    const bool times = timing_is_wanted();
    random_seed(31);
    if (times)
        bench_all(cases, count);
    for (size_t i = 0; i < count && !times; i++)
        kernel_test(&cases[i]);
    if (more && !times)
        more();
    return check_finish(name);
}
