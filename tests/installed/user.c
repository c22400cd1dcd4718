// Three tasks of somebody who has the installed headers: frames of a camera, a file through a pipeline, an
// image in tiles; and five slips of each, whose messages are printed.
#include <lumagraph/io.h>

#include <stdio.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 48 };

static lg_context *context;
static uint8_t frame[HEIGHT][3 * WIDTH]; // packed RGB: two bright boxes on dark ground

static int failed(const char *what, const lg_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

// A line of standard output for a call that has to be refused.
static void slip(lg_status status, const lg_error *error)
{
    printf("%s: %s\n", lg_status_name(status), status ? error->message : "");
}

// ---- a frame of a camera: figures, level, things ---------------------------------------------------

static int camera(lg_image *rgb)
{
    lg_error error;
    lg_moments moments[LG_MAX_CHANNELS];
    lg_histogram *histogram = NULL;
    lg_threshold level;
    lg_image *binary = NULL;
    lg_components *components = NULL;
    lg_label_params params = lg_label_params_default();
    uint8_t keep[16];
    double area[16];
    params.shape = true;
    if (lg_measure_moments(context, rgb, NULL, moments, LG_MAX_CHANNELS, &error) ||
        lg_measure_histogram(context, rgb, NULL, &histogram, &error) ||
        lg_threshold_image(context, rgb, NULL, &level, 1, &binary, &error) ||
        lg_label_image(context, binary, &params, NULL, NULL, &components, &error) ||
        lg_components_select(components, "area > 100 && circularity > 0.5", keep, &error) ||
        lg_components_column(components, LG_COLUMN_AREA, area, &error))
        return failed("camera", &error);
    printf("camera: mean %g, p99 %g, %u things of %g pixels, kept %d%d\n", moments[2].mean,
           lg_histogram_percentile(&histogram->channel[0], 99), lg_components_count(components),
           area[0], keep[0], keep[1]);
    lg_components_destroy(&components);
    lg_histogram_destroy(&histogram);
    lg_image_destroy(&binary);
    return 0;
}

static void camera_slips(lg_image *rgb)
{
    lg_error error;
    lg_image *image = NULL;
    lg_moments moments[LG_MAX_CHANNELS];
    lg_components *components = NULL;
    lg_image_params shape = rgb->shape;
    lg_moments_params outside = lg_moments_params_default(), empty = {0};
    const lg_region region = {60, 40, 10, 10};
    shape.row_stride = WIDTH; // pixels in place of bytes
    slip(lg_image_wrap(context, &shape, frame, &image, &error), &error);
    shape = rgb->shape;
    shape.type = LG_F64;
    slip(lg_image_wrap(context, &shape, frame, &image, &error), &error);
    slip(lg_label_image(context, rgb, NULL, NULL, NULL, &components, &error), &error);
    outside.select.region = &region;
    slip(lg_measure_moments(context, rgb, &outside, moments, LG_MAX_CHANNELS, &error), &error);
    slip(lg_measure_moments(context, rgb, &empty, moments, LG_MAX_CHANNELS, &error), &error);
}

// ---- a pipeline, and files -----------------------------------------------------------------------

static int pipeline(lg_image *in, const char *folder)
{
    lg_error error;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *out = NULL, *back = NULL;
    lg_image_params shape;
    lg_node node;
    lg_figure_value figures[4];
    lg_moments moments[LG_MAX_CHANNELS];
    size_t count = 0;
    char path[300];
    snprintf(path, sizeof path, "%s/made.ppm", folder);
    if (lg_graph_create(&graph, &error) || lg_graph_input(graph, "in", &node, &error) ||
        lg_graph_parse(graph, "levels:min=@p1:max=@p99", node, &node, &error) ||
        lg_graph_output(graph, node, &error) ||
        lg_plan_create(context, graph, &in->shape, 1, NULL, &plan, &error) ||
        lg_plan_output(plan, 0, &shape, &error) || lg_image_create(context, &shape, &out, &error) ||
        lg_plan_run(plan, &in, &out, &error) || lg_plan_figures(plan, figures, 4, &count, &error) ||
        lg_image_write(out, path, NULL, &error) ||
        lg_image_read(context, path, NULL, &back, NULL, &error) ||
        lg_measure_moments(context, back, NULL, moments, LG_MAX_CHANNELS, &error))
        return failed("pipeline", &error);
    printf("pipeline: %zu figures, %s from %g, then from %g to %g\n", count, figures[0].name,
           255 * figures[0].value[0], moments[0].min, moments[0].max);
    lg_image_destroy(&out);
    lg_image_destroy(&back);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    return 0;
}

static void pipeline_slips(lg_image *in)
{
    lg_error error;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *image = NULL;
    lg_node input, last;
    const lg_read_params empty = {0};
    if (lg_graph_create(&graph, &error) || lg_graph_input(graph, "in", &input, &error)) {
        failed("pipeline", &error);
        return;
    }
    slip(lg_graph_parse(graph, "levels:max=@p101", input, &last, &error), &error);
    slip(lg_graph_parse(graph, "multiply_blend", input, &last, &error), &error);
    slip(lg_plan_create(context, graph, &in->shape, 1, NULL, &plan, &error), &error);
    slip(lg_image_read(context, "made.ppm", &empty, &image, NULL, &error), &error);
    if (lg_image_create(
            context,
            &(lg_image_params){.width = 4, .height = 4, .layers = 1, .channels = 1, .type = LG_U8},
            &image, &error) == LG_OK)
        slip(lg_image_write(image, "result", NULL, &error), &error);
    lg_image_destroy(&image);
    lg_graph_destroy(&graph);
}

// ---- an image that comes in tiles -----------------------------------------------------------------

static int tiles(const lg_image *tile)
{
    lg_error error;
    lg_moments_accumulator *here = NULL, *there = NULL;
    lg_moments moments[LG_MAX_CHANNELS];
    uint8_t bytes[4096];
    size_t size = 0;
    if (lg_moments_accumulator_create(LG_U8, 3, WIDTH, 2 * HEIGHT, 1, &here, &error) ||
        lg_moments_accumulator_add(context, here, tile, NULL, 0, 0, 0, &error) ||
        lg_moments_accumulator_save(here, bytes, sizeof bytes, &size, &error) ||
        lg_moments_accumulator_load(bytes, size, &there, &error) ||
        lg_moments_accumulator_add(context, there, tile, NULL, 0, HEIGHT, 0, &error) ||
        lg_moments_accumulator_finish(there, LG_NAN_IGNORE, moments, LG_MAX_CHANNELS, &error))
        return failed("tiles", &error);
    printf("tiles: %llu samples, mean %g\n", (unsigned long long)moments[1].count, moments[1].mean);
    slip(lg_moments_accumulator_add(context, there, tile, NULL, 10, 0, 0, &error), &error);
    slip(lg_moments_accumulator_add(context, there, tile, NULL, 0, 0, 0, &error), &error);
    slip(lg_moments_accumulator_finish(there, LG_NAN_IGNORE, moments, 1, &error), &error);
    slip(lg_moments_accumulator_save(there, bytes, 10, &size, &error), &error);
    lg_moments_accumulator_destroy(&there);
    bytes[40] ^= 1;
    slip(lg_moments_accumulator_load(bytes, size, &there, &error), &error);
    lg_moments_accumulator_destroy(&here);
    return 0;
}

int main(int argc, char **argv)
{
    lg_error error;
    lg_image *rgb = NULL;
    lg_context_params params = lg_context_params_default();
    const lg_image_params shape = {.width = WIDTH,
                                   .height = HEIGHT,
                                   .layers = 1,
                                   .channels = 3,
                                   .type = LG_U8,
                                   .row_stride = sizeof frame[0]};
    params.device = LG_DEVICE_CPU;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++)
                frame[y][3 * x + c] = (uint8_t)((x / 16 % 2 && y / 16 % 2 ? 200 : 20) + c);
    if (lg_context_create(&params, &context, &error) ||
        lg_image_wrap(context, &shape, frame, &rgb, &error))
        return failed("context", &error);
    const int bad = camera(rgb) + pipeline(rgb, argc > 1 ? argv[1] : ".") + tiles(rgb);
    camera_slips(rgb);
    pipeline_slips(rgb);
    lg_image_destroy(&rgb);
    lg_context_destroy(&context);
    return bad;
}
