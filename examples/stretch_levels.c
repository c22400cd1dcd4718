// Stretches every channel from its 1st to its 99th percentile: stretch_levels INPUT OUTPUT
#include <lumagraph/io.h>
#include <lumagraph/lumagraph.h>

#include <stdio.h>

static lg_status stretch(lg_context *context, lg_image *in, const char *path, lg_error *error)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *out = NULL;
    lg_image_params shape;
    lg_node node = -1;
    lg_status status = lg_graph_create(&graph, error);
    if (!status)
        status = lg_graph_input(graph, "in", &node, error);
    if (!status)
        status = lg_graph_parse(graph, "levels:min=@p1:max=@p99", node, &node, error);
    if (!status)
        status = lg_graph_output(graph, node, error);
    if (!status)
        status = lg_plan_create(context, graph, &in->shape, 1, NULL, &plan, error);
    if (!status)
        status = lg_plan_output(plan, 0, &shape, error);
    if (!status)
        status = lg_image_create(context, &shape, &out, error);
    if (!status)
        status = lg_plan_run(plan, &in, &out, error);
    if (!status)
        status = lg_image_write(out, path, NULL, error);
    lg_image_destroy(&out);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    return status;
}

int main(int argc, char **argv)
{
    lg_context *context = NULL;
    lg_image *image = NULL;
    lg_error error = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: stretch_levels INPUT OUTPUT\n");
        return 2;
    }
    lg_status status = lg_context_create(NULL, &context, &error);
    if (!status)
        status = lg_image_read(context, argv[1], NULL, &image, NULL, &error);
    if (!status)
        status = stretch(context, image, argv[2], &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    return status != LG_OK;
}
