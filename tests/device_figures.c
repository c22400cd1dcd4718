// Measured parameters of every type of image: the same bits on both devices, and without the host.
#include "check.h"
#include "device_filter.h"
#include "filter_call.h"

#include <stdio.h>

#include "vulkan/vk.h"

static device_pair pair;

// With images on the device a run is one submission and no transfer.
static void expect_one_submission(const char *text, lg_image_params shape)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node node, last;
    lg_error error = {LG_OK, ""};
    lg_image_params out_shape;
    lg_image *in = content_image(pair.vulkan, shape, CONTENT_UNIT), *out = NULL;
    bool good = !lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
                !lg_graph_parse(graph, text, node, &last, &error) &&
                !lg_graph_output(graph, last, &error) &&
                !lg_plan_create(pair.vulkan, graph, &shape, 1, NULL, &plan, &error) &&
                !lg_plan_output(plan, 0, &out_shape, &error) &&
                !lg_image_upload(pair.vulkan, in, &error) &&
                !lg_image_create_device(pair.vulkan, &out_shape, &out, &error) &&
                !lg_plan_run(plan, &in, &out, &error);
    const uint32_t before = lg_vk_submissions(pair.vulkan->vk);
    for (int i = 0; i < 3 && good; i++)
        good = !lg_plan_run(plan, &in, &out, &error);
    const int submissions = (int)(lg_vk_submissions(pair.vulkan->vk) - before);
    CHECK(good && submissions == 3, "%s of %s: %d submissions for 3 runs %s", text,
          lg_type_name(shape.type), submissions, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_pick(void)
{
    static const char *const texts[] = {
        "brightness:brightness=@pick*0.3", "chroma_key:color_to_replace=@pick",
        "color_invert | brightness:brightness=@luma.pick*0.2-0.1", "contrast:contrast=@prev.a.pick",
        "gamma | chroma_key:color_to_replace=@prev.pick"};
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        for (int k = 0; k < test_extent(1, 2, 40); k++) {
            const lg_image_params shape =
                device_any_shape(1 + (int)random_below(40), 1 + (int)random_below(9));
            device_compare(&pair, texts[i], shape, LG_F32, device_any_content(&shape));
        }
        expect_one_submission(texts[i], device_any_shape(30, 7));
    }
}

int main(void)
{
    random_seed(61);
    pair.cpu = filter_context(LG_CPU_BEST, 2);
    pair.vulkan = device_open(NULL, NULL);
    if (pair.vulkan)
        test_pick();
    device_close(&pair.vulkan);
    lg_context_destroy(&pair.cpu);
    return check_finish("device_figures");
}
