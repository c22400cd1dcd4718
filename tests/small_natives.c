// color_packing, colour_fast_sampling and poisson_blend: against their definitions, on every level and
// with several threads.
#include "check.h"
#include "content.h"
#include "filter_call.h"

#include "filter/native/poisson_blend/poisson_blend.h"
#include "filter/stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_context *contexts[FILTER_CONTEXTS];
static int context_count;

static lg_context *any_context(void)
{
    return contexts[random_below((uint32_t)context_count)];
}

static lg_image_params any_shape(const int size[2])
{
    return filter_any_shape(size, (lg_type)random_below(LG_TYPES));
}

static const int sizes[][2] = {{1, 1},  {1, 9},   {8, 1},    {2, 2},   {5, 7},
                               {64, 3}, {67, 41}, {130, 12}, {601, 9}, {1300, 5}};

// ---- color_packing ------------------------------------------------------------------------------

static void test_packing(void)
{
    for (int run = 0; run < 300; run++) {
        lg_context *context = any_context();
        static const int wide[] = {131079, 3}; // a row of the result is more than a tile
        const int *size = run ? sizes[random_below(LG_COUNT(sizes))] : wide;
        lg_image_params shape = any_shape(size);
        shape.alpha = shape.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : shape.alpha;
        lg_image *in = content_image(context, shape, CONTENT_UNIT);
        const lg_image_params half =
            SHAPE((size[0] + 1) / 2, (size[1] + 1) / 2, shape.layers, 4, shape.type, LG_ALPHA_NONE);
        lg_image *out = filter_image(context, half);
        filter_run(context, "color_packing", NULL, in, NULL, out);
        int64_t wrong = 0;
        for (int z = 0; z < half.layers; z++)
            for (int y = 0; y < half.height; y++)
                for (int x = 0; x < half.width; x++)
                    for (int k = 0; k < 4; k++)
                        wrong += filter_sample(out, x, y, z, k) !=
                                 filter_sample(in, LG_MIN(2 * x + k % 2, size[0] - 1),
                                               LG_MIN(2 * y + k / 2, size[1] - 1), z, 0);
        CHECK(wrong == 0, "color_packing of %d x %d, %s x %d: %lld samples", size[0], size[1],
              lg_type_name(shape.type), shape.channels, (long long)wrong);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
}

// The plan knows that the output is half the size.
static void test_packing_in_a_graph(void)
{
    lg_context *context = contexts[0];
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, out;
    lg_error error = {LG_OK, ""};
    lg_image_params shape = SHAPE(33, 20, 2, 4, LG_U8, LG_ALPHA_OPAQUE), half = {0};
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_parse(graph, "color_invert | color_packing", in, &out, &error) &&
             !lg_graph_output(graph, out, &error) &&
             !lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error) &&
             !lg_plan_output(plan, 0, &half, &error),
         "%s", error.message);
    CHECK(half.width == 17 && half.height == 10 && half.layers == 2 && half.channels == 4,
          "the output is %d x %d x %d", half.width, half.height, half.layers);
    lg_image *a = content_image(context, shape, CONTENT_UNIT), *b = filter_image(context, half);
    CHECK(!lg_plan_run(plan, &a, &b, &error), "%s", error.message);
    CHECK(fabsf(filter_sample(b, 16, 9, 1, 2) + filter_sample(a, 32, 19, 1, 0) - 1) < 1e-6f,
          "the last block");
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

// ---- colour_fast_sampling -----------------------------------------------------------------------

static double straight_sample(const lg_image *image, int64_t x, int64_t y, int64_t z, int k,
                              lg_border border)
{
    const lg_image_params *s = &image->shape;
    const int64_t column = lg_border_index(x, s->width, border);
    const int64_t row = lg_border_index(y, s->height, border);
    if (column < 0 || row < 0)
        return 0;
    const bool grey = s->channels == 1 || (s->channels == 2 && s->alpha != LG_ALPHA_NONE);
    if (!grey && k >= s->channels)
        return 0;
    return filter_sample(image, column, row, z, grey ? 0 : k);
}

static void test_sampling(void)
{
    static const int ring[8][2] = {{3, 1},   {1, 3},   {-1, 3}, {-3, 1},
                                   {-3, -1}, {-1, -3}, {1, -3}, {3, -1}};
    static const char *const borders[] = {"replicate", "mirror", "wrap", "constant"};
    int64_t angles = 0;
    for (int run = 0; run < 120; run++) {
        lg_context *context = any_context();
        static const int wide[] = {131079, 3}; // a row of the result is more than a tile
        const int *size = run ? sizes[random_below(LG_COUNT(sizes))] : wide;
        lg_image_params shape = any_shape(size);
        shape.alpha = shape.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : shape.alpha;
        lg_image *in = content_image(context, shape, CONTENT_UNIT);
        lg_image *out =
            filter_image(context, SHAPE(size[0], size[1], shape.layers, 4, LG_F32, LG_ALPHA_NONE));
        const int border = (int)random_below(4);
        char params[40];
        snprintf(params, sizeof params, "border=%s", borders[border]);
        filter_run(context, "colour_fast_sampling", params, in, NULL, out);
        double worst = 0, worst_angle = 0;
        for (int z = 0; z < shape.layers; z++)
            for (int y = 0; y < size[1]; y++)
                for (int x = 0; x < size[0]; x++) {
                    double dx = 0, dy = 0;
                    for (int k = 0; k < 3; k++) {
                        double v[8], mean = 0;
                        for (int i = 0; i < 8; i++) {
                            v[i] = straight_sample(in, x + ring[i][0], y + ring[i][1], z, k,
                                                   (lg_border)border);
                            mean += v[i] / 8;
                        }
                        const double contrast =
                            mean - straight_sample(in, x, y, z, k, (lg_border)border);
                        dx += fabs(contrast) * (0.94868 * (v[0] - v[3] - v[4] + v[7]) +
                                                0.316227 * (v[1] - v[2] - v[5] + v[6]));
                        dy += fabs(contrast) * (0.316227 * (v[0] + v[3] - v[4] - v[7]) +
                                                0.94868 * (v[1] + v[2] - v[5] - v[6]));
                        const double got = filter_sample(out, x, y, z, k);
                        worst = fmax(worst, fabs(got - (contrast + 1) / 2));
                    }
                    // Short directions have no angle to speak of.
                    if (hypot(dx, dy) < 0.01)
                        continue;
                    const double turns = (atan2(dy, dx) + M_PI) / (2 * M_PI);
                    const double off = fabs(filter_sample(out, x, y, z, 3) - turns);
                    worst_angle = fmax(worst_angle, fmin(off, 1 - off));
                    angles++;
                }
        CHECK(worst < 1e-6, "contrast: off by %g", worst);
        CHECK(worst_angle < 1e-4, "angle: off by %g", worst_angle);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
    CHECK(angles > 10000, "only %lld angles", (long long)angles);
}

// Flat areas, and what GPUImage gets wrong: the blur has to be used.
static void test_detector(void)
{
    lg_context *context = contexts[0];
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, out;
    lg_error error = {LG_OK, ""};
    const lg_image_params shape = SHAPE(40, 40, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image_params made = {0};
    const lg_type type = LG_F32;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_parse(graph, "colour_fast_feature_detector:blur_radius=1", in, &out,
                             &error) &&
             !lg_graph_output(graph, out, &error) &&
             !lg_plan_create(context, graph, &shape, 1, &type, &plan, &error) &&
             !lg_plan_output(plan, 0, &made, &error),
         "%s", error.message);
    lg_image *a = filter_image(context, shape), *b = filter_image(context, made);
    // One bright pixel: blurred to a ninth, it is seen from (3, 1) and its neighbours.
    ((uint8_t *)a->data)[20 * a->shape.row_stride + 20] = 255;
    CHECK(!lg_plan_run(plan, &a, &b, &error), "%s", error.message);
    for (int k = 0; k < 4; k++)
        CHECK(filter_sample(b, 5, 5, 0, k) == 0.5f, "channel %d of a flat area is %g", k,
              (double)filter_sample(b, 5, 5, 0, k));
    CHECK(fabsf(filter_sample(b, 20, 20, 0, 0) - (0.5f - 0.5f / 9)) < 1e-6f, "the pixel itself: %g",
          (double)filter_sample(b, 20, 20, 0, 0));
    CHECK(fabsf(filter_sample(b, 16, 19, 0, 0) - (0.5f + 0.5f / 72)) < 1e-6f,
          "a pixel whose sample is blurred into: %g", (double)filter_sample(b, 16, 19, 0, 0));
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

// ---- poisson_blend ------------------------------------------------------------------------------

static void test_poisson(void)
{
    static const char *const borders[] = {"replicate", "mirror", "wrap", "constant"};
    const int runs = test_is_short() ? 60 : 300;
    for (int run = 0; run < runs; run++) {
        lg_context *context = any_context();
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = any_shape(size);
        lg_image_params other = any_shape(size);
        other.layers = random_below(2) ? 1 : shape.layers;
        lg_image *in = content_image(context, shape, CONTENT_UNIT);
        lg_image *over = content_image(context, other, CONTENT_UNIT);
        lg_image *got = filter_image(context, shape), *want = filter_image(context, shape);
        char params[100];
        snprintf(params, sizeof params, "mix=%g:num_iterations=%d:border=%s",
                 run % 3 ? 0.5 : random_unit(), 1 + (int)random_below(12),
                 borders[random_below(4)]);
        filter_run(context, "poisson_blend", params, in, over, got);
        filter_job job;
        if (filter_prepare(&job, context, "poisson_blend", params, in, over, want))
            lg_poisson_ref(&job.call);
        CHECK(filter_equal(got, want), "%s of %d x %d, %s x %d alpha %d over %s x %d alpha %d",
              params, size[0], size[1], lg_type_name(shape.type), shape.channels, (int)shape.alpha,
              lg_type_name(other.type), other.channels, (int)other.alpha);
        lg_image_destroy(&in);
        lg_image_destroy(&over);
        lg_image_destroy(&got);
        lg_image_destroy(&want);
    }
}

// Many steps solve the equation: inside the mask the second differences become the other image's.
static void test_poisson_converges(void)
{
    enum { N = 24 };
    lg_context *context = contexts[0];
    const lg_image_params shape = SHAPE(N, N, 1, 4, LG_F32, LG_ALPHA_STRAIGHT);
    lg_image *in = filter_image(context, shape), *over = filter_image(context, shape);
    lg_image *out = filter_image(context, shape);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            for (int k = 0; k < 4; k++) {
                const bool inside = x > 5 && y > 5 && x < 17 && y < 17;
                float *a = (float *)in->data + (size_t)y * (in->shape.row_stride / 4) + 4 * x + k;
                float *b = (float *)over->data + (size_t)y * (in->shape.row_stride / 4) + 4 * x + k;
                *a = k == 3 ? 1 : 0.3f;
                *b = k == 3 ? inside : sinf((float)(x * 0.4 + y * 0.3 + k));
            }
    filter_run(context, "poisson_blend", "mix=1:num_iterations=1000", in, over, out);
    double worst = 0;
    for (int y = 6; y < 17; y++)
        for (int x = 6; x < 17; x++)
            for (int k = 0; k < 3; k++) {
                double sum = 0;
                for (int i = 0; i < 2; i++) {
                    const lg_image *image = i ? over : out;
                    const double v = 4 * filter_sample(image, x, y, 0, k) -
                                     filter_sample(image, x - 1, y, 0, k) -
                                     filter_sample(image, x + 1, y, 0, k) -
                                     filter_sample(image, x, y - 1, 0, k) -
                                     filter_sample(image, x, y + 1, 0, k);
                    sum += i ? -v : v;
                }
                worst = fmax(worst, fabs(sum));
            }
    CHECK(worst < 1e-4, "second differences are off by %g", worst);
    CHECK(filter_sample(out, 3, 3, 0, 0) == 0.3f, "outside the mask nothing changes");
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&out);
}

static void test_sizes_differ(void)
{
    lg_context *context = contexts[0];
    lg_image *in = filter_image(context, SHAPE(8, 8, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *over = filter_image(context, SHAPE(8, 9, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = filter_image(context, in->shape);
    filter_job job;
    if (filter_prepare(&job, context, "poisson_blend", NULL, in, over, out)) {
        const lg_native *native = ((const lg_filter_entry *)job.call.filter)->native;
        CHECK(native->cpu(&job.call) == LG_ERROR_ARGUMENT && strstr(job.error.message, "8 x 9"),
              "sizes that differ: %s", job.error.message);
    }
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&out);
}

int main(void)
{
    random_seed(43);
    context_count = filter_contexts(contexts);
    test_packing();
    test_packing_in_a_graph();
    test_sampling();
    test_detector();
    test_poisson();
    test_poisson_converges();
    test_sizes_differ();
    while (context_count)
        lg_context_destroy(&contexts[--context_count]);
    return check_finish("small_natives");
}
