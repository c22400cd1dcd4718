// The bilateral filter on Vulkan: the same bits as on the CPU, for every type, border, radius and size.
#include "check.h"
#include "content.h"
#include "device.h"
#include "filter_call.h"

#include <stdio.h>

static lg_context *cpu, *vulkan;

// Runs a pipeline on one context; NULL after a failed check.
static lg_image *run(lg_context *context, const char *text, lg_image *in, lg_type type)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *out = NULL;
    lg_node node, last;
    lg_error error = {LG_OK, ""};
    lg_image_params shape;
    bool good = !lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
                !lg_graph_parse(graph, text, node, &last, &error) &&
                !lg_graph_output(graph, last, &error) &&
                !lg_plan_create(context, graph, &in->shape, 1, &type, &plan, &error) &&
                !lg_plan_output(plan, 0, &shape, &error) &&
                !lg_image_create(context, &shape, &out, &error);
    // A second run finds the scratch memory that the first one left.
    for (int i = 0; i < 2 && good; i++)
        good = !lg_plan_run(plan, &in, &out, &error);
    CHECK(good, "%s: %s", text, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    if (!good)
        lg_image_destroy(&out);
    return out;
}

static void compare(const char *text, lg_image_params shape, lg_type out_type)
{
    lg_image *in[2], *out[2];
    lg_context *const contexts[2] = {cpu, vulkan};
    const uint64_t seed = random_u64();
    const bool floats = shape.type == LG_F16 || shape.type == LG_F32;
    // Denormal samples have no place here: devices may take them for zero.
    const content kind = floats && shape.alpha != LG_ALPHA_PREMULTIPLIED && random_below(3) == 0
                             ? CONTENT_SIGNED
                             : CONTENT_UNIT;
    for (int i = 0; i < 2; i++) {
        random_seed(seed);
        in[i] = content_image(contexts[i], shape, kind);
        out[i] = run(contexts[i], text, in[i], out_type);
    }
    if (out[0] && out[1])
        CHECK(filter_equal(out[0], out[1]),
              "%s of %d x %d x %d, %d channels of %s, alpha %d, %s, to %s", text, shape.width,
              shape.height, shape.layers, shape.channels, lg_type_name(shape.type),
              (int)shape.alpha, content_name(kind), lg_type_name(out_type));
    for (int i = 0; i < 2; i++) {
        lg_image_destroy(&in[i]);
        lg_image_destroy(&out[i]);
    }
}

static lg_image_params any_shape(int width, int height)
{
    const int channels = 1 << random_below(3);
    lg_alpha alpha = channels == 1 ? LG_ALPHA_NONE : (lg_alpha)random_below(4);
    return SHAPE(width, height, 1 + (int)random_below(2), channels, random_below(LG_TYPES), alpha);
}

static const int sizes[][2] = {{1, 1},  {1, 23},  {37, 1},   {2, 2},   {13, 11},
                               {64, 9}, {67, 30}, {131, 20}, {260, 11}};
static const char *const borders[] = {"replicate", "mirror", "wrap", "constant"};

static void test_exact(void)
{
    static const int radii[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 32};
    static const float spaces[] = {0.2f, 1, 3, 20}, colors[] = {0.002f, 0.05f, 0.2f, 3};
    const int runs = test_extent(4, 14, 120);
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = any_shape(size[0], size[1]);
        int radius = radii[random_below(LG_COUNT(radii))];
        if (!test_is_full() && radius > 9)
            radius = 2;
        // Grey bytes have a kernel of their own.
        if (i % 2) {
            shape.type = LG_U8;
            shape.channels = 1;
            shape.alpha = LG_ALPHA_NONE;
        }
        char text[140];
        snprintf(text, sizeof text, "bilateral:radius=%d:sigma_space=%g:sigma_color=%g:border=%s",
                 radius, (double)spaces[random_below(4)], (double)colors[random_below(4)],
                 borders[random_below(4)]);
        const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
        compare(text, shape, out);
    }
}

int main(void)
{
    random_seed(53);
    cpu = filter_context(LG_CPU_BEST, 2);
    vulkan = device_open(NULL, NULL);
    if (vulkan)
        test_exact();
    device_close(&vulkan);
    lg_context_destroy(&cpu);
    return check_finish("vulkan_bilateral");
}
