// Pipelines in text: read, planned, and run on an image of 5 x 3 pixels.
#include "fuzz.h"

static lg_error error;

static void run(const lg_graph *graph)
{
    static const uint8_t pixels[5 * 3 * 4] = {1, 2, 3, 255, 200, 100, 50, 255, 0, 255};
    lg_image_params shape = {.width = 5, .height = 3, .layers = 1, .channels = 4, .type = LG_U8};
    shape.alpha = LG_ALPHA_STRAIGHT;
    lg_image_params result = {0};
    lg_image *in = fuzz_image_of(&shape, pixels), *out = NULL;
    lg_plan *plan = NULL;
    if (!lg_plan_create(fuzz_context(), graph, &shape, 1, NULL, &plan, &error) &&
        !lg_plan_output(plan, 0, &result, &error) &&
        (int64_t)result.width * result.height <= 1 << 14 &&
        !lg_image_create(fuzz_context(), &result, &out, &error))
        lg_plan_run(plan, &in, &out, &error);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    lg_plan_destroy(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    lg_graph *graph = NULL;
    lg_node in, out;
    EXPECT(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error));
    if (!lg_graph_parse(graph, text, in, &out, &error) && !lg_graph_output(graph, out, &error))
        run(graph);
    lg_graph_destroy(&graph);
    free(text);
    return 0;
}
