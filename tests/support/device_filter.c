#include "device_filter.h"

#include "check.h"
#include "filter_call.h"

#include "vulkan/vk.h"

lg_image *device_run(lg_context *context, const char *text, lg_image *in, lg_image *over,
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
           !lg_image_create(context, &shape, &out, &error);
    for (int i = 0; i < 2 && good; i++)
        good = !lg_plan_run(plan, inputs, &out, &error);
    CHECK(good, "%s: %s", text, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    if (!good)
        lg_image_destroy(&out);
    return out;
}

static void compare(const device_pair *pair, const char *text, lg_image_params shape,
                    const lg_image_params *second, lg_type out_type, content kind)
{
    lg_image *in[2], *over[2] = {NULL, NULL}, *out[2];
    lg_context *const contexts[2] = {pair->cpu, pair->vulkan};
    const uint64_t seed = random_u64();
    for (int i = 0; i < 2; i++) {
        random_seed(seed);
        in[i] = content_image(contexts[i], shape, kind);
        if (second)
            over[i] = content_image(contexts[i], *second, kind);
        out[i] = device_run(contexts[i], text, in[i], over[i], out_type);
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

void device_compare(const device_pair *pair, const char *text, lg_image_params shape,
                    lg_type out_type, content kind)
{
    compare(pair, text, shape, NULL, out_type, kind);
}

void device_compare_two(const device_pair *pair, const char *text, lg_image_params shape,
                        lg_image_params over, lg_type out_type, content kind)
{
    compare(pair, text, shape, &over, out_type, kind);
}

lg_image_params device_any_shape(int width, int height)
{
    static int turn;
    const int channels = 1 << random_below(3);
    lg_alpha alpha = channels == 1 ? LG_ALPHA_NONE : (lg_alpha)random_below(4);
    if (channels == 2 && alpha == LG_ALPHA_OPAQUE)
        alpha = LG_ALPHA_STRAIGHT;
    return SHAPE(width, height, 1 + (int)random_below(2), channels, (lg_type)(turn++ % LG_TYPES),
                 alpha);
}

content device_any_content(const lg_image_params *s)
{
    const bool floats = s->type == LG_F16 || s->type == LG_F32;
    return floats && s->alpha != LG_ALPHA_PREMULTIPLIED && random_below(3) == 0 ? CONTENT_SIGNED
                                                                                : CONTENT_UNIT;
}

void device_one_submission(const device_pair *pair, const char *text, lg_image_params shape)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node node, last;
    lg_error error = {LG_OK, ""};
    lg_image_params out_shape;
    lg_image *in = content_image(pair->vulkan, shape, CONTENT_UNIT), *out = NULL;
    bool good = !lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
                !lg_graph_parse(graph, text, node, &last, &error) &&
                !lg_graph_output(graph, last, &error) &&
                !lg_plan_create(pair->vulkan, graph, &shape, 1, NULL, &plan, &error) &&
                !lg_plan_output(plan, 0, &out_shape, &error) &&
                !lg_image_upload(pair->vulkan, in, &error) &&
                !lg_image_create_device(pair->vulkan, &out_shape, &out, &error) &&
                !lg_plan_run(plan, &in, &out, &error);
    const uint32_t before = lg_vk_submissions(pair->vulkan->vk);
    for (int i = 0; i < 3 && good; i++)
        good = !lg_plan_run(plan, &in, &out, &error);
    const int submissions = (int)(lg_vk_submissions(pair->vulkan->vk) - before);
    CHECK(good && submissions == 3, "%s of %s: %d submissions for 3 runs %s", text,
          lg_type_name(shape.type), submissions, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}
