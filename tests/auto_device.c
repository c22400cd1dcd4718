// What --device auto chooses, and what plans are expected to cost.
#include "../tool/auto_device.h"
#include "../tool/team_messages.h"
#include "check.h"
#include "content.h"
#include "device.h"

#include <math.h>
#include <string.h>

static lg_error error;
static lg_context *context;

// ---- the choice ---------------------------------------------------------------------------------

static const lg_device_info hardware = {
    .kind = LG_DEVICE_VULKAN, .usable = true, .hardware = true, .compiler = true};
static const lg_device_info software = {.kind = LG_DEVICE_VULKAN, .usable = true, .compiler = true};
static const lg_device_info uncompiled = {
    .kind = LG_DEVICE_VULKAN, .usable = true, .hardware = true};
static const lg_device_info processor = {.kind = LG_DEVICE_CPU, .hardware = true, .compiler = true};

static lg_device_choice choose(double seconds, double bytes, int inputs, int threads,
                               const lg_device_info *gpu)
{
    const lg_work work = {.thread_seconds = seconds, .bytes = bytes, .inputs = inputs};
    return lg_choose_device(&work, threads, gpu);
}

// The numbers are those of docs/cli.md, by hand.
static void test_times(void)
{
    const lg_device_choice c = choose(3.2, 4e8, 10, 4, NULL);
    CHECK(fabs(c.processor_seconds - 8) < 1e-9, "%g", c.processor_seconds);
    CHECK(fabs(c.gpu_seconds - 2.5) < 1e-9, "%g", c.gpu_seconds); // 0.5 + 10 (0.1 + 0.1)
    CHECK(c.gpu && strcmp(c.reason, "auto: 8 s on the processor, 2.5 s on a GPU expected") == 0,
          "%s", c.reason);
    const lg_device_choice started = choose(3.2, 4e8, 10, 4, &hardware);
    CHECK(started.gpu && fabs(started.gpu_seconds - 2) < 1e-9, "%g", started.gpu_seconds);
    const lg_device_choice small = choose(1e-3, 4e6, 1, 2, NULL);
    CHECK(!small.gpu &&
              !strcmp(small.reason, "auto: 0.5 ms on the processor, 501 ms on a GPU expected"),
          "%s", small.reason);
}

static void test_bounds(void)
{
    CHECK(!choose(0.78, 0, 1, 1, NULL).gpu, "below 1.5 times");
    CHECK(choose(0.80, 0, 1, 1, NULL).gpu, "above 1.5 times");
    CHECK(!choose(0.80, 0, 1, 2, NULL).gpu, "two threads take half as long");
    CHECK(!choose(0.08, 0, 9, 1, NULL).gpu && choose(0.08, 0, 10, 1, NULL).gpu,
          "a batch shares the start");
    CHECK(choose(0.08, 0, 1, 1, &hardware).gpu, "once a GPU is in use, its start is paid");
    CHECK(!choose(0.08, 4e8, 1, 1, &hardware).gpu, "its transfers are not");
    CHECK(!choose(100, 0, 1, 22, NULL).gpu, "a large processor is as fast");
    CHECK(!choose(1e-3, 3e8, 100000, 2, NULL).gpu,
          "no batch helps where the transfer takes longer");
}

static void test_unusable(void)
{
    const lg_device_info *const devices[] = {&software, &uncompiled, &processor};
    for (int i = 0; i < 3; i++) {
        const lg_device_choice c = choose(100, 0, 1, 1, devices[i]);
        CHECK(!c.gpu && strstr(c.reason, "no GPU can be used here"), "%d: %s", i, c.reason);
        const lg_device_choice small = choose(0.1, 0, 1, 1, devices[i]);
        CHECK(!small.gpu && !strstr(small.reason, "no GPU"), "%d: %s", i, small.reason);
    }
}

// ---- ranks of --mpi -----------------------------------------------------------------------------

// Rank n of a machine takes the GPU n modulo their number. Without a GPU, and without ranks, the choice is
// left to the library.
static void test_ranks(void)
{
    lg_device_info all[LG_MAX_DEVICES + 1];
    int gpus[LG_MAX_DEVICES], count = 0;
    size_t found = 0;
    const lg_status status =
        test_wants_vulkan() ? lg_devices_list(all, LG_MAX_DEVICES + 1, &found, NULL, &error) : 0;
    CHECK(!status, "%s", error.message);
    for (size_t i = 0; i < found && i <= LG_MAX_DEVICES; i++)
        if (all[i].kind == LG_DEVICE_VULKAN && all[i].usable && all[i].hardware)
            gpus[count++] = all[i].index;
    for (int number = 0; number < 5 && test_wants_vulkan(); number++) {
        lg_team team = {.count = 5, .rank = number, .number = number};
        const lg_options ranked = {.team = &team}, alone = {0};
        lg_context_params taken = {.device_index = -1}, left = {.device_index = -1};
        lg_team_place(&ranked, &taken);
        lg_team_place(&alone, &left);
        CHECK(taken.device_index == (count ? gpus[number % count] : -1) &&
                  taken.device == (count ? LG_DEVICE_VULKAN : LG_DEVICE_AUTO),
              "rank %d of a machine with %d GPUs takes %d", number, count, taken.device_index);
        CHECK(left.device_index == -1 && left.device == LG_DEVICE_AUTO, "%d", left.device_index);
    }
}

// ---- the cost of plans --------------------------------------------------------------------------

static double cost_of(const char *pipeline, int32_t width, int32_t height, int32_t channels)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, last;
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = 1,
                                   .channels = channels,
                                   .type = LG_U8,
                                   .alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE};
    const lg_image_params shapes[] = {shape, shape};
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_input(graph, "over", &last, &error) &&
             !lg_graph_parse(graph, pipeline, in, &last, &error) &&
             !lg_graph_output(graph, last, &error) &&
             !lg_plan_create(context, graph, shapes, 2, NULL, &plan, &error),
         "%s: %s", pipeline, error.message);
    const double cost = lg_plan_cost(plan);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    return cost;
}

static bool is_ratio(double a, double b, double ratio)
{
    return fabs(a / b - ratio) < 1e-9 * ratio;
}

static void test_sizes(void)
{
    static const char *const pipelines[] = {"sepia",          "median",        "swirl",
                                            "multiply_blend", "perlin_noise",  "gaussian_blur",
                                            "bilateral",      "poisson_blend", "sepia | median"};
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        const double one = cost_of(pipelines[i], 100, 10, 4);
        CHECK(one > 0 && is_ratio(cost_of(pipelines[i], 300, 20, 4), one, 6), "%s", pipelines[i]);
    }
    CHECK(is_ratio(cost_of("box_blur", 50, 50, 4), cost_of("box_blur", 50, 50, 1), 4), "channels");
    CHECK(is_ratio(cost_of("sepia", 1000, 1000, 4), 4e6 * 0.3e-9, 1), "a point filter");
    CHECK(is_ratio(cost_of("sepia | median", 9, 9, 4),
                   cost_of("sepia", 9, 9, 4) + cost_of("median", 9, 9, 4), 1),
          "a sum over filters");
    CHECK(lg_plan_cost(NULL) == 0, "no plan");
}

static void test_values(void)
{
    const double small = cost_of("bilateral:radius=10", 64, 64, 1);
    CHECK(is_ratio(small, 64 * 64 * 0.12e-9 * (314 + 1), 1), "%g", small);
    CHECK(cost_of("bilateral:radius=20", 64, 64, 1) > 3.5 * small, "four times the disc");
    CHECK(is_ratio(cost_of("poisson_blend:num_iterations=40", 64, 64, 1),
                   cost_of("poisson_blend:num_iterations=10", 64, 64, 1), 4),
          "steps");
    CHECK(cost_of("bilateral_grid:sigma_space=3", 64, 64, 1) >
              4 * cost_of("bilateral_grid:sigma_space=32", 64, 64, 1),
          "many small cells cost more than few large ones");
    CHECK(is_ratio(
              cost_of("crop:width=0.5:height=0.5 | bilateral", 64, 64, 1),
              cost_of("crop:width=0.5:height=0.5", 64, 64, 1) + cost_of("bilateral", 32, 32, 1), 1),
          "filters behind crop have its size");
}

// ---- the move to a GPU --------------------------------------------------------------------------

// The input was read before the device was chosen: it belongs to the processor's context.
static void test_move(void)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *in = content_image(context, SHAPE(37, 23, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    lg_image *out[2] = {NULL, NULL};
    lg_context *gpu = device_open(NULL, NULL);
    lg_context *const contexts[] = {context, gpu};
    lg_node node;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
             !lg_graph_parse(graph, "median | contrast:contrast=2", node, &node, &error) &&
             !lg_graph_output(graph, node, &error),
         "%s", error.message);
    for (int i = 0; i < (gpu ? 2 : 1); i++) {
        CHECK(!lg_plan_create(contexts[i], graph, &in->shape, 1, NULL, &plan, &error) &&
                  !lg_image_create(contexts[i], &in->shape, &out[i], &error) &&
                  !lg_plan_run(plan, &in, &out[i], &error),
              "%d: %s", i, error.message);
        lg_plan_destroy(&plan);
    }
    for (int32_t y = 0; y < in->shape.height && gpu; y++)
        CHECK(memcmp((uint8_t *)out[0]->data + (size_t)y * out[0]->shape.row_stride,
                     (uint8_t *)out[1]->data + (size_t)y * out[1]->shape.row_stride,
                     (size_t)in->shape.width) == 0,
              "row %d", y);
    for (int i = 0; i < 2; i++)
        lg_image_destroy(&out[i]);
    lg_image_destroy(&in);
    lg_graph_destroy(&graph);
    device_close(&gpu);
}

int main(void)
{
    random_seed(23);
    test_times();
    test_bounds();
    test_unusable();
    test_ranks();
    context = device_open_cpu();
    if (context) {
        test_sizes();
        test_values();
        test_move();
    }
    lg_context_destroy(&context);
    return check_finish("auto_device");
}
