// Native filters on Vulkan: the same bits as on the CPU, for every type, border and size.
#include "check.h"
#include "content.h"
#include "device.h"
#include "filter_call.h"

#include <stdio.h>
#include <string.h>

static lg_context *cpu, *vulkan;

// Runs a pipeline on one context; NULL after a failed check.
static lg_image *run(lg_context *context, const char *text, lg_image *in, lg_image *over,
                     lg_type type)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *out = NULL;
    lg_node node, second, last;
    lg_error error = {LG_OK, ""};
    lg_image *const inputs[] = {in, over};
    lg_image_params shapes[2] = {in->shape, over ? over->shape : in->shape}, shape;
    bool good = !lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error);
    if (good && over)
        good = !lg_graph_input(graph, "over", &second, &error);
    good = good && !lg_graph_parse(graph, text, node, &last, &error) &&
           !lg_graph_output(graph, last, &error) &&
           !lg_plan_create(context, graph, shapes, over ? 2 : 1, &type, &plan, &error) &&
           !lg_plan_output(plan, 0, &shape, &error) &&
           !lg_image_create(context, &shape, &out, &error) &&
           !lg_plan_run(plan, inputs, &out, &error);
    // A second run finds the scratch memory that the first one left.
    good = good && !lg_plan_run(plan, inputs, &out, &error);
    CHECK(good, "%s: %s", text, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    if (!good)
        lg_image_destroy(&out);
    return out;
}

static void compare(const char *text, lg_image_params shape, lg_type out_type, content kind,
                    const lg_image_params *second)
{
    lg_image *in[2], *over[2] = {NULL, NULL}, *out[2];
    lg_context *const contexts[2] = {cpu, vulkan};
    const uint64_t seed = random_u64();
    for (int i = 0; i < 2; i++) {
        random_seed(seed);
        in[i] = content_image(contexts[i], shape, kind);
        if (second)
            over[i] = content_image(contexts[i], *second, kind);
        out[i] = run(contexts[i], text, in[i], over[i], out_type);
    }
    if (out[0] && out[1])
        CHECK(filter_equal(out[0], out[1]),
              "%s of %d x %d x %d, %d channels of %s, alpha %d, %s, to %s", text, shape.width,
              shape.height, shape.layers, shape.channels, lg_type_name(shape.type),
              (int)shape.alpha, content_name(kind), lg_type_name(out_type));
    for (int i = 0; i < 2; i++) {
        lg_image_destroy(&in[i]);
        lg_image_destroy(&over[i]);
        lg_image_destroy(&out[i]);
    }
}

// Types come in turn, so that a few runs see them all.
static lg_image_params any_shape(int width, int height)
{
    static int turn;
    const int channels = 1 << random_below(3);
    lg_alpha alpha = channels == 1 ? LG_ALPHA_NONE : (lg_alpha)random_below(4);
    if (channels == 2 && alpha == LG_ALPHA_OPAQUE)
        alpha = LG_ALPHA_STRAIGHT;
    return SHAPE(width, height, 1 + (int)random_below(2), channels, (lg_type)(turn++ % LG_TYPES),
                 alpha);
}

static const int sizes[][2] = {{1, 1},  {1, 23},  {37, 1},   {2, 2},   {13, 11},
                               {64, 9}, {67, 70}, {231, 40}, {259, 33}};
static const char *const borders[] = {"replicate", "mirror", "wrap", "constant"};

// Denormal samples have no place here: devices may take them for zero.
static content any_content(const lg_image_params *s)
{
    const bool floats = s->type == LG_F16 || s->type == LG_F32;
    return floats && s->alpha != LG_ALPHA_PREMULTIPLIED && random_below(3) == 0 ? CONTENT_SIGNED
                                                                                : CONTENT_UNIT;
}

// ---- morphology ---------------------------------------------------------------------------------

static void test_morphology(int runs)
{
    static const char *const names[] = {"dilation", "erosion", "opening", "closing"};
    for (int run_index = 0; run_index < runs; run_index++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        static const int radii[] = {0, 1, 2, 3, 5, 15, 16, 17, 300};
        lg_image_params shape = any_shape(size[0], size[1]);
        // Bytes have kernels of their own.
        if (random_below(2)) {
            shape.type = LG_U8;
            shape.channels = random_below(2) ? 1 : 4;
            shape.alpha = shape.channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE;
        }
        char text[100];
        snprintf(text, sizeof text, "%s%s:radius=%d:border=%s", random_below(3) ? "" : "rgb_",
                 names[random_below(4)], radii[random_below(LG_COUNT(radii))],
                 borders[random_below(4)]);
        const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
        compare(text, shape, out, any_content(&shape), NULL);
    }
    compare("dilation:radius=2 | rgb_erosion:radius=3",
            SHAPE(67, 50, 2, 4, LG_U8, LG_ALPHA_STRAIGHT), LG_U8, CONTENT_UNIT, NULL);
}

// ---- the others ---------------------------------------------------------------------------------

static void test_fast_corners(void)
{
    for (int i = 0; i < test_extent(2, 5, 200); i++) {
        // Wide enough for corners, and for some on both sides of the edges of tiles.
        const lg_image_params shape =
            any_shape(7 + (int)random_below(150), 7 + (int)random_below(40));
        char text[120];
        snprintf(text, sizeof text,
                 "fast_corner_detection:threshold=%g:non_maximum_suppression=%d:output=%s",
                 (double)random_below(20) / 64, (int)random_below(2),
                 random_below(2) ? "score" : "corners");
        const lg_type out = random_below(2) ? shape.type : (lg_type)random_below(LG_TYPES);
        compare(text, shape, out, any_content(&shape), NULL);
    }
}

static void test_color_packing(void)
{
    for (int i = 0; i < test_extent(2, 4, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = any_shape(size[0], size[1]);
        compare("color_packing", shape, (lg_type)random_below(LG_TYPES), any_content(&shape), NULL);
    }
}

static void test_colour_fast(void)
{
    for (int i = 0; i < test_extent(2, 4, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = any_shape(size[0], size[1]);
        char text[60];
        snprintf(text, sizeof text, "colour_fast_sampling:border=%s", borders[random_below(4)]);
        compare(text, shape, (lg_type)random_below(LG_TYPES), any_content(&shape), NULL);
    }
}

static void test_poisson(void)
{
    for (int i = 0; i < test_extent(2, 4, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = any_shape(size[0], size[1]);
        lg_image_params over = any_shape(size[0], size[1]);
        over.layers = random_below(2) ? 1 : shape.layers;
        char text[100];
        snprintf(text, sizeof text, "poisson_blend:over=#over:mix=%g:num_iterations=%d:border=%s",
                 (double)random_below(9) / 8, 1 + (int)random_below(5), borders[random_below(4)]);
        compare(text, shape, random_below(2) ? shape.type : LG_F32, any_content(&shape), &over);
    }
}

int main(void)
{
    random_seed(47);
    cpu = filter_context(LG_CPU_BEST, 2);
    vulkan = device_open(NULL, NULL);
    if (vulkan) {
        test_morphology(test_extent(3, 6, 600));
        test_fast_corners();
        test_color_packing();
        test_colour_fast();
        test_poisson();
    }
    device_close(&vulkan);
    // Without half floats.
    vulkan = device_open(NULL, "float16");
    if (vulkan)
        test_morphology(test_extent(2, 3, 300));
    device_close(&vulkan);
    lg_context_destroy(&cpu);
    return check_finish("vulkan_natives");
}
