// A filter on the device that is named: prints a pixel of the negative, or why there is none; also
// what the library logs. Exit status: that of the library.
#include <lumagraph/lumagraph.h>

#include <stdio.h>
#include <string.h>

static lg_status invert(lg_context *context, uint8_t *pixels, lg_image **out, lg_error *error)
{
    const lg_image_params shape = {
        .width = 16, .height = 16, .layers = 1, .channels = 1, .type = LG_U8, .row_stride = 16};
    lg_image *image = NULL;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, last;
    lg_status status = lg_image_wrap(context, &shape, pixels, &image, error);
    if (!status)
        status = lg_graph_create(&graph, error);
    if (!status)
        status = lg_graph_input(graph, "in", &in, error);
    if (!status)
        status = lg_graph_parse(graph, "color_invert", in, &last, error);
    if (!status)
        status = lg_graph_output(graph, last, error);
    if (!status)
        status = lg_plan_create(context, graph, &shape, 1, NULL, &plan, error);
    if (!status)
        status = lg_image_create(context, &shape, out, error);
    if (!status)
        status = lg_plan_run(plan, &image, out, error);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&image);
    return status;
}

static void log_line(void *unused, lg_log_level level, const char *message)
{
    (void)unused;
    if (level <= LG_LOG_WARN)
        fprintf(stderr, "%s\n", message);
}

int main(int argc, char **argv)
{
    static uint8_t pixels[16 * 16]; // black
    lg_context_params params = lg_context_params_default();
    params.device = argc > 1 && strcmp(argv[1], "vulkan") == 0 ? LG_DEVICE_VULKAN : LG_DEVICE_CPU;
    params.log = log_line;
    lg_context *context = NULL;
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    lg_status status = lg_context_create(&params, &context, &error);
    if (!status)
        status = invert(context, pixels, &image, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("%d\n", *(const uint8_t *)image->data);
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    return (int)status;
}
