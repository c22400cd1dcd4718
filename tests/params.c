// Structures of parameters that say their size, shapes with planes, device copies that are stale.
#include "check.h"
#include "content.h"
#include "device.h"

#include <string.h>

static lg_error error;
static lg_context *cpu;
static lg_image *image;

// ---- sizes --------------------------------------------------------------------------------------

static lg_status create_context(const void *params)
{
    lg_context *made = NULL;
    const lg_status status = lg_context_create(params, &made, &error);
    lg_context_destroy(&made);
    return status;
}

static lg_status moments(const void *params)
{
    lg_moments out[4];
    return lg_measure_moments(cpu, image, params, out, 4, &error);
}

static lg_status histogram(const void *params)
{
    lg_histogram *out = NULL;
    const lg_status status = lg_measure_histogram(cpu, image, params, &out, &error);
    lg_histogram_destroy(&out);
    return status;
}

static lg_status threshold(const void *params)
{
    lg_threshold out;
    return lg_threshold_image(cpu, image, params, &out, 1, NULL, &error);
}

static lg_status level(const void *params)
{
    lg_histogram *h = NULL;
    lg_threshold out;
    NEED(!lg_measure_histogram(cpu, image, NULL, &h, &error), "%s", error.message);
    const lg_status status = lg_threshold_level(&h->channel[0], params, &out, &error);
    lg_histogram_destroy(&h);
    return status;
}

static lg_status area_sums(const void *params)
{
    static const float data[4] = {1, 2, 3, 4};
    lg_areasum *out = NULL;
    lg_area_array array = {
        .data = data, .type = LG_F32, .dims = 2, .channels = 1, .extent = {2, 2}};
    lg_area_array_pack(&array);
    const lg_status status = lg_areasum_create(cpu, &array, params, &out, &error);
    lg_areasum_destroy(&out);
    return status;
}

static lg_status label(const void *params)
{
    lg_labels *out = NULL;
    const lg_status status = lg_label_image(cpu, image, params, NULL, &out, NULL, &error);
    lg_labels_destroy(&out);
    return status;
}

static lg_status measure_labels(const void *params)
{
    lg_labels *labels = NULL;
    lg_components *out = NULL;
    NEED(!lg_label_image(cpu, image, NULL, NULL, &labels, NULL, &error), "%s", error.message);
    const lg_status status = lg_labels_measure(cpu, labels, params, NULL, &out, &error);
    lg_components_destroy(&out);
    lg_labels_destroy(&labels);
    return status;
}

static lg_status overlay(const void *params)
{
    lg_labels *labels = NULL;
    lg_image *out = NULL;
    NEED(!lg_label_image(cpu, image, NULL, NULL, &labels, NULL, &error), "%s", error.message);
    const lg_status status = lg_labels_overlay(cpu, labels, image, params, &out, &error);
    lg_image_destroy(&out);
    lg_labels_destroy(&labels);
    return status;
}

static lg_status stream(const void *params)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_stream *out = NULL;
    lg_node node;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
             !lg_graph_output(graph, node, &error) &&
             !lg_plan_create(cpu, graph, &image->shape, 1, NULL, &plan, &error),
         "%s", error.message);
    const lg_status status = lg_stream_create(plan, params, &out, &error);
    lg_stream_destroy(&out);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    return status;
}

typedef union any_params {
    size_t size;
    lg_context_params context;
    lg_moments_params moments;
    lg_histogram_params histogram;
    lg_threshold_params threshold;
    lg_areasum_params areasum;
    lg_label_params label;
    lg_overlay_params overlay;
    lg_stream_params stream;
    char bytes[1024];
} any_params;

static void expect(lg_status (*call)(const void *), any_params *p, size_t size, const char *part)
{
    error.message[0] = '\0';
    p->size = size;
    const lg_status status = call(p);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, part), "%d '%s' lacks '%s'",
          (int)status, error.message, part);
}

static void check_sizes(lg_status (*call)(const void *), any_params p)
{
    const size_t size = p.size;
    CHECK(!call(&p), "the defaults: %s", error.message);
    CHECK(!call(NULL), "none: %s", error.message);
    expect(call, &p, 0, ".size is 0");
    expect(call, &p, size + 8, "later headers");
    expect(call, &p, SIZE_MAX, "later headers");
    expect(call, &p, sizeof(size_t), "first version");
    p.size = size;
    CHECK(!call(&p), "again: %s", error.message);
}

static void test_sizes(void)
{
    const any_params of_context = {.context = WITH(lg_context_params, it.device = LG_DEVICE_CPU)};
    const any_params of_level = {.threshold = lg_threshold_params_default()};
    check_sizes(create_context, of_context);
    check_sizes(moments, (any_params){.moments = lg_moments_params_default()});
    check_sizes(histogram, (any_params){.histogram = lg_histogram_params_default()});
    check_sizes(threshold, of_level);
    check_sizes(level, of_level);
    check_sizes(area_sums, (any_params){.areasum = lg_areasum_params_default()});
    check_sizes(label, (any_params){.label = lg_label_params_default()});
    check_sizes(measure_labels, (any_params){.label = lg_label_params_default()});
    check_sizes(overlay, (any_params){.overlay = lg_overlay_params_default()});
    check_sizes(stream, (any_params){.stream = lg_stream_params_default()});
}

// A structure that grew: what an earlier caller does not have is as the defaults are.
static void test_growth(void)
{
    typedef struct grown {
        size_t size;
        double first;
        double added;
    } grown;
    const lg_params_type type = LG_PARAMS_TYPE(grown, first);
    const grown given = {sizeof(size_t) + sizeof(double), 3, 99};
    grown out = {sizeof out, 1, 2};
    CHECK(!lg_params_take(&given, &type, &out, &error), "%s", error.message);
    CHECK(out.first == 3 && out.added == 2 && out.size == sizeof out, "%g %g", out.first,
          out.added);
    const grown full = {sizeof full, 4, 5};
    CHECK(!lg_params_take(&full, &type, &out, &error) && out.first == 4 && out.added == 5, "%g %g",
          out.first, out.added);
    CHECK(!lg_params_take(NULL, &type, &out, &error) && out.first == 4, "none leaves all");
    // A caller with less room, and one with more.
    any_params p;
    memset(&p, 0x55, sizeof p);
    const size_t small = offsetof(lg_histogram_params, bins) + sizeof p.histogram.bins;
    lg_histogram_params_init(&p.histogram, small);
    CHECK(p.size == small && p.histogram.bins == -1 && p.bytes[small] == 0x55, "size %zu", p.size);
    lg_histogram_params_init(&p.histogram, 1000);
    CHECK(p.size == 1000 && p.histogram.type_range && p.bytes[999] == 0 && p.bytes[1000] == 0x55,
          "size %zu", p.size);
    CHECK(histogram(&p) == LG_ERROR_ARGUMENT, "a size of later headers");
}

// ---- planes -------------------------------------------------------------------------------------

static void test_planes(void)
{
    lg_image *made = NULL;
    for (int planes = -1; planes < 4; planes++) {
        lg_image_params shape = SHAPE(3, 2, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
        shape.planes = planes;
        const lg_status status = lg_image_create(cpu, &shape, &made, &error);
        const bool fine = planes == 0 || planes == 1;
        CHECK(status == (fine ? LG_OK : LG_ERROR_UNSUPPORTED) && !made == !fine &&
                  (fine || strstr(error.message, "planes")),
              "planes=%d: %s", planes, error.message);
        lg_image_destroy(&made);
    }
}

// ---- stale copies -------------------------------------------------------------------------------

static lg_status run_plan(lg_plan *plan, lg_image *in, lg_image *out)
{
    error.message[0] = '\0';
    return lg_plan_run(plan, &in, &out, &error);
}

static void check_stale(lg_status status, const char *what)
{
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, "lg_image_changed"), "%s: %d %s",
          what, (int)status, error.message);
}

static void test_stale(lg_context *context)
{
    lg_moments m;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, last;
    lg_image *picture =
        content_image(context, SHAPE(9, 5, 2, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    lg_image *out = content_image(context, picture->shape, CONTENT_UNIT);
    const lg_moments_params params = WITH(lg_moments_params, it.stack = true);
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_parse(graph, "box_blur", in, &last, &error) &&
             !lg_graph_output(graph, last, &error) &&
             !lg_plan_create(context, graph, &picture->shape, 1, NULL, &plan, &error),
         "%s", error.message);
    NEED(!lg_image_upload(context, picture, &error) && !lg_image_upload(context, out, &error), "%s",
         error.message);
    CHECK(!run_plan(plan, picture, out), "%s", error.message);
    ((uint8_t *)picture->data)[picture->shape.layer_stride + 3] ^= 1; // of the second layer
    check_stale(lg_measure_moments(context, picture, &params, &m, 1, &error), "moments");
    check_stale(run_plan(plan, picture, out), "a plan");
    CHECK(!lg_image_changed(picture, &error) && !run_plan(plan, picture, out), "%s", error.message);
    CHECK(!lg_image_upload(context, picture, &error) && !run_plan(plan, picture, out), "%s",
          error.message);
    // What a run wrote is not stale, and what the host makes of it then is.
    CHECK(!lg_measure_moments(context, out, &params, &m, 1, &error), "%s", error.message);
    ((uint8_t *)out->data)[0] ^= 1;
    check_stale(lg_measure_moments(context, out, &params, &m, 1, &error), "an output");
    CHECK(!run_plan(plan, picture, out), "an output is written whole: %s", error.message);
    ((uint8_t *)out->data)[0] ^= 1;
    CHECK(!lg_image_download(context, out, &error) &&
              !lg_measure_moments(context, out, &params, &m, 1, &error),
          "a download: %s", error.message);
    ((uint8_t *)out->data)[9] = 77; // padding is no pixel
    CHECK(!lg_measure_moments(context, out, &params, &m, 1, &error), "%s", error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&picture);
    lg_image_destroy(&out);
}

static void test_validation(void)
{
    lg_context *device = device_open(NULL, NULL), *context = NULL;
    if (!device)
        return;
    device_close(&device);
    const lg_context_params params = WITH(lg_context_params, it.device = LG_DEVICE_VULKAN,
                                          it.validation = true, it.use_cache = false);
    const lg_status status = lg_context_create(&params, &context, &error);
    if (status && strstr(error.message, "not installed"))
        check_skip(error.message);
    else
        CHECK(!status, "%s", error.message);
    if (!status)
        test_stale(context);
    lg_context_destroy(&context);
}

int main(void)
{
    random_seed(3);
    cpu = device_open_cpu();
    NEED(cpu, "a context");
    image = content_image(cpu, SHAPE(12, 7, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    test_sizes();
    test_growth();
    test_planes();
    test_validation();
    lg_image_destroy(&image);
    lg_context_destroy(&cpu);
    return check_finish("params");
}
