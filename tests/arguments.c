// What makes no sense is refused by every public function: NULL, values outside enumerations, sizes
// and strides that overflow, outputs that share memory with what they are made of. A
// constructor that refuses leaves *out as it was.
#include "check.h"
#include "device.h"

#include <stdlib.h>
#include <string.h>

// What the calls are given where they are given something.
typedef struct given {
    lg_context *context;
    lg_image *image;
    lg_graph *graph;
    lg_node node;
    lg_plan *plan;
    lg_labels *labels;
    lg_components *components;
    lg_areasum *areasum;
    lg_histogram *histogram;
    lg_moments_accumulator *accumulator;
    lg_area_array array;
} given;

static const lg_image_params grey = {
    .width = 64, .height = 64, .layers = 1, .channels = 1, .type = LG_U8, .row_stride = 64};

static bool make(given *g, lg_context *context)
{
    lg_error e = {LG_OK, ""};
    *g = (given){.context = context};
    const bool made =
        !lg_image_create(context, &grey, &g->image, &e) && !lg_graph_create(&g->graph, &e) &&
        !lg_graph_input(g->graph, "in", &g->node, &e) &&
        !lg_graph_parse(g->graph, "gaussian_blur:sigma=2", g->node, &g->node, &e) &&
        !lg_graph_output(g->graph, g->node, &e) &&
        !lg_plan_create(context, g->graph, &grey, 1, NULL, &g->plan, &e) &&
        !lg_label_image(context, g->image, NULL, NULL, &g->labels, &g->components, &e) &&
        !lg_area_array_of_image(g->image, &g->array, &e) &&
        !lg_areasum_create(context, &g->array, NULL, &g->areasum, &e) &&
        !lg_measure_histogram(context, g->image, NULL, &g->histogram, &e) &&
        !lg_moments_accumulator_create(LG_U8, 1, 64, 64, 1, &g->accumulator, &e);
    CHECK(made, "%s", e.message);
    return made;
}

static void drop(given *g)
{
    lg_moments_accumulator_destroy(&g->accumulator);
    lg_histogram_destroy(&g->histogram);
    lg_areasum_destroy(&g->areasum);
    lg_components_destroy(&g->components);
    lg_labels_destroy(&g->labels);
    lg_plan_destroy(&g->plan);
    lg_graph_destroy(&g->graph);
    lg_image_destroy(&g->image);
}

#define UNTOUCHED(type) ((type *)(uintptr_t)0x5a5a5a)
#define REFUSED(call)   refused((call), __LINE__, #call, &e)

static void refused(lg_status status, int line, const char *call, lg_error *e)
{
    CHECK(status == LG_ERROR_ARGUMENT, "line %d: %s gives %s: %s", line, call,
          lg_status_name(status), e->message);
    CHECK(e->status == LG_ERROR_ARGUMENT && e->message[0], "line %d: %s says nothing", line, call);
    *e = (lg_error){LG_OK, ""};
}

// ---- NULL ---------------------------------------------------------------------------------------

static void test_null_accumulators(const given *g)
{
    const lg_region box = {0, 0, 1, 1};
    const char junk[9] = "";
    lg_error e = {LG_OK, ""};
    lg_moments m;
    lg_histogram *out = NULL;
    lg_histogram_accumulator *h = NULL;
    lg_box_accumulator *b = NULL;
    size_t size;
    REFUSED(lg_histogram_accumulator_create(NULL, LG_U8, 1, LG_ALPHA_NONE, 1, 1, 1, NULL, &e));
    REFUSED(lg_histogram_accumulator_add(g->context, NULL, g->image, NULL, 0, 0, 0, &e));
    REFUSED(lg_histogram_accumulator_merge(NULL, NULL, &e));
    REFUSED(lg_histogram_accumulator_save(NULL, NULL, 0, &size, &e));
    REFUSED(lg_histogram_accumulator_load(NULL, 9, &h, &e));
    REFUSED(lg_histogram_accumulator_load(junk, sizeof junk, NULL, &e));
    REFUSED(lg_histogram_accumulator_finish(NULL, LG_NAN_IGNORE, &out, &e));
    REFUSED(lg_box_accumulator_create(LG_U8, 1, 1, 1, 1, NULL, 1, &b, &e));
    REFUSED(lg_box_accumulator_create(LG_U8, 1, 1, 1, 1, &box, 0, &b, &e));
    REFUSED(lg_box_accumulator_create(LG_U8, 1, 1, 1, 1, &box, 1, NULL, &e));
    REFUSED(lg_box_accumulator_add(g->context, NULL, g->image, NULL, 0, 0, 0, &e));
    REFUSED(lg_box_accumulator_merge(NULL, NULL, &e));
    REFUSED(lg_box_accumulator_save(NULL, NULL, 0, &size, &e));
    REFUSED(lg_box_accumulator_load(NULL, 9, &b, &e));
    REFUSED(lg_box_accumulator_load(junk, sizeof junk, NULL, &e));
    REFUSED(lg_box_accumulator_finish(NULL, LG_NAN_IGNORE, &m, 1, &e));
}

static void test_null_measures(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_moments m;
    lg_threshold t;
    lg_histogram *h = NULL;
    lg_moments_accumulator *a = NULL;
    size_t size;
    REFUSED(lg_measure_moments(NULL, g->image, NULL, &m, 1, &e));
    REFUSED(lg_measure_moments(g->context, NULL, NULL, &m, 1, &e));
    REFUSED(lg_measure_moments(g->context, g->image, NULL, NULL, 1, &e));
    REFUSED(lg_moments_accumulator_create(LG_U8, 1, 1, 1, 1, NULL, &e));
    REFUSED(lg_moments_accumulator_add(NULL, g->accumulator, g->image, NULL, 0, 0, 0, &e));
    REFUSED(lg_moments_accumulator_add(g->context, NULL, g->image, NULL, 0, 0, 0, &e));
    REFUSED(lg_moments_accumulator_add(g->context, g->accumulator, NULL, NULL, 0, 0, 0, &e));
    REFUSED(lg_moments_accumulator_merge(NULL, g->accumulator, &e));
    REFUSED(lg_moments_accumulator_merge(g->accumulator, NULL, &e));
    REFUSED(lg_moments_accumulator_merge(g->accumulator, g->accumulator, &e));
    REFUSED(lg_moments_accumulator_save(NULL, NULL, 0, &size, &e));
    REFUSED(lg_moments_accumulator_save(g->accumulator, NULL, 0, NULL, &e));
    REFUSED(lg_moments_accumulator_load(NULL, 9, &a, &e));
    REFUSED(lg_moments_accumulator_load(&m, sizeof m, NULL, &e));
    REFUSED(lg_moments_accumulator_finish(NULL, LG_NAN_IGNORE, &m, 1, &e));
    REFUSED(lg_moments_accumulator_finish(g->accumulator, LG_NAN_IGNORE, NULL, 1, &e));
    test_null_accumulators(g);
    REFUSED(lg_measure_histogram(NULL, g->image, NULL, &h, &e));
    REFUSED(lg_measure_histogram(g->context, NULL, NULL, &h, &e));
    REFUSED(lg_measure_histogram(g->context, g->image, NULL, NULL, &e));
    REFUSED(lg_threshold_level(NULL, NULL, &t, &e));
    REFUSED(lg_threshold_level(g->histogram->channel, NULL, NULL, &e));
    REFUSED(lg_threshold_image(NULL, g->image, NULL, &t, 1, NULL, &e));
    REFUSED(lg_threshold_image(g->context, NULL, NULL, &t, 1, NULL, &e));
    REFUSED(lg_threshold_image(g->context, g->image, NULL, NULL, 1, NULL, &e));
    const double mode = lg_histogram_mode(NULL), entropy = lg_histogram_entropy(NULL);
    const double p = lg_histogram_percentile(NULL, 50), value = lg_histogram_bin_value(NULL, 1);
    const double width = lg_histogram_bin_width(NULL);
    CHECK(mode != mode && entropy != entropy && p != p && value != value && width != width,
          "figures of nothing");
}

static void test_null_labels(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_labels *l = NULL;
    lg_components *c = NULL;
    lg_image *i = NULL;
    double figures[1];
    uint8_t keep[1] = {1};
    unsigned needs;
    lg_column column;
    REFUSED(lg_label_image(NULL, g->image, NULL, NULL, &l, &c, &e));
    REFUSED(lg_label_image(g->context, NULL, NULL, NULL, &l, &c, &e));
    REFUSED(lg_label_update(NULL, g->image, NULL, NULL, g->labels, NULL, &e));
    REFUSED(lg_label_update(g->context, NULL, NULL, NULL, g->labels, NULL, &e));
    REFUSED(lg_label_update(g->context, g->image, NULL, NULL, NULL, NULL, &e));
    REFUSED(lg_labels_create(NULL, 4, 4, 1, &l, &e));
    REFUSED(lg_labels_create(g->context, 4, 4, 1, NULL, &e));
    REFUSED(lg_labels_download(NULL, g->labels, &e));
    REFUSED(lg_labels_download(g->context, NULL, &e));
    REFUSED(lg_labels_measure(NULL, g->labels, NULL, NULL, &c, &e));
    REFUSED(lg_labels_measure(g->context, NULL, NULL, NULL, &c, &e));
    REFUSED(lg_labels_measure(g->context, g->labels, NULL, NULL, NULL, &e));
    REFUSED(lg_column_find(NULL, &column, &e));
    REFUSED(lg_column_find("area", NULL, &e));
    REFUSED(lg_components_column(NULL, LG_COLUMN_AREA, figures, &e));
    REFUSED(lg_components_select(NULL, "area > 1", keep, &e));
    REFUSED(lg_components_select(g->components, NULL, keep, &e));
    REFUSED(lg_components_needs(NULL, &needs, &e));
    REFUSED(lg_components_needs("area > 1", NULL, &e));
    const lg_label_params none =
        WITH(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE, it.level = 1e9);
    REFUSED(lg_label_update(NULL, NULL, NULL, NULL, NULL, NULL, &e));
    REFUSED(lg_labels_download(NULL, NULL, &e));
    NEED(!lg_label_image(g->context, g->image, &none, NULL, NULL, NULL, &e) &&
             !lg_label_update(g->context, g->image, &none, NULL, g->labels, NULL, &e) &&
             g->labels->count == 0,
         "%u labels, nothing wanted: %s", g->labels->count, e.message);
    REFUSED(lg_components_largest(NULL, 1, keep, &e));
    REFUSED(lg_components_keep(NULL, g->labels, g->components, keep, &e));
    REFUSED(lg_labels_colors(NULL, g->labels, &i, &e));
    REFUSED(lg_labels_colors(g->context, NULL, &i, &e));
    REFUSED(lg_labels_colors(g->context, g->labels, NULL, &e));
    REFUSED(lg_labels_overlay(g->context, g->labels, NULL, NULL, &i, &e));
    REFUSED(lg_labels_overlay(g->context, NULL, g->image, NULL, &i, &e));
    REFUSED(lg_labels_overlay(g->context, g->labels, g->image, NULL, NULL, &e));
    REFUSED(lg_labels_image(g->context, NULL, &i, &e));
    REFUSED(lg_labels_image(g->context, g->labels, NULL, &e));
    CHECK(lg_components_count(NULL) == 0 && lg_components_unit(NULL) == 1, "components of nothing");
    CHECK(!lg_column_name((lg_column)-1) && lg_column_needs(LG_COLUMNS) == 0, "no such column");
}

static void test_null_areas(const given *g)
{
    static const int32_t box[] = {0, 0, 4, 4};
    static const double points[] = {0, 0, 5, 0, 5, 5};
    static const size_t ring[] = {3};
    const lg_area_polygon no_points = {NULL, ring, 1, LG_AREA_EVEN_ODD};
    const lg_area_polygon no_rings = {points, NULL, 1, LG_AREA_EVEN_ODD};
    const lg_area_polygon whole = {points, ring, 1, LG_AREA_EVEN_ODD};
    lg_error e = {LG_OK, ""};
    lg_areasum *a = NULL;
    lg_area_array array;
    int32_t *runs = NULL;
    size_t count;
    double out[4];
    int64_t sums[4];
    uint64_t bins[4];
    REFUSED(lg_area_array_of_image(NULL, &array, &e));
    REFUSED(lg_area_array_of_image(g->image, NULL, &e));
    REFUSED(lg_areasum_create(NULL, &g->array, NULL, &a, &e));
    REFUSED(lg_areasum_create(g->context, NULL, NULL, &a, &e));
    REFUSED(lg_areasum_create(g->context, &g->array, NULL, NULL, &e));
    REFUSED(lg_areasum_update(NULL, g->areasum, &g->array, &e));
    REFUSED(lg_areasum_update(g->context, NULL, &g->array, &e));
    REFUSED(lg_areasum_update(g->context, g->areasum, NULL, &e));
    REFUSED(lg_areasum_query(NULL, g->areasum, LG_AREA_SUM, box, 1, out, &e));
    REFUSED(lg_areasum_query(g->context, NULL, LG_AREA_SUM, box, 1, out, &e));
    REFUSED(lg_areasum_query(g->context, g->areasum, LG_AREA_SUM, NULL, 1, out, &e));
    REFUSED(lg_areasum_query(g->context, g->areasum, LG_AREA_SUM, box, 1, NULL, &e));
    REFUSED(lg_areasum_query_integers(g->context, NULL, box, 1, sums, &e));
    REFUSED(lg_areasum_query_integers(g->context, g->areasum, box, 1, NULL, &e));
    REFUSED(lg_areasum_query_histogram(g->context, NULL, box, 1, bins, &e));
    REFUSED(lg_areasum_query_histogram(g->context, g->areasum, box, 1, NULL, &e));
    REFUSED(lg_area_polygon_runs(NULL, 9, 9, &runs, &count, &e));
    REFUSED(lg_area_polygon_runs(&no_points, 9, 9, &runs, &count, &e));
    REFUSED(lg_area_polygon_runs(&no_rings, 9, 9, &runs, &count, &e));
    REFUSED(lg_area_polygon_runs(&whole, 9, 9, NULL, &count, &e));
    REFUSED(lg_area_polygon_runs(&whole, 9, 9, &runs, NULL, &e));
    REFUSED(lg_area_mask_runs(NULL, 9, 9, &runs, &count, &e));
    REFUSED(lg_area_mask_runs(g->image, 64, 64, NULL, &count, &e));
    REFUSED(lg_areasum_query_polygon(g->context, NULL, LG_AREA_SUM, &whole, out, &e));
    REFUSED(lg_areasum_query_polygon(g->context, g->areasum, LG_AREA_SUM, &whole, NULL, &e));
    REFUSED(lg_areasum_query_mask(g->context, NULL, LG_AREA_SUM, g->image, out, &e));
    REFUSED(lg_areasum_query_mask(g->context, g->areasum, LG_AREA_SUM, NULL, out, &e));
}

static void test_null_graphs(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_node node;
    lg_plan *p = NULL;
    lg_image_params shape;
    const lg_filter *f = NULL;
    const lg_filter_param *param = NULL;
    lg_image *images[1] = {g->image};
    REFUSED(lg_graph_create(NULL, &e));
    REFUSED(lg_graph_input(NULL, "a", &node, &e));
    REFUSED(lg_graph_input(g->graph, NULL, &node, &e));
    REFUSED(lg_graph_input(g->graph, "a", NULL, &e));
    REFUSED(lg_graph_filter(NULL, "median", &g->node, 1, NULL, &node, &e));
    REFUSED(lg_graph_filter(g->graph, NULL, &g->node, 1, NULL, &node, &e));
    REFUSED(lg_graph_filter(g->graph, "median", NULL, 1, NULL, &node, &e));
    REFUSED(lg_graph_filter(g->graph, "median", &g->node, 1, NULL, NULL, &e));
    REFUSED(lg_graph_set(NULL, g->node, "sigma", "1", &e));
    REFUSED(lg_graph_set(g->graph, g->node, NULL, "1", &e));
    REFUSED(lg_graph_set(g->graph, g->node, "sigma", NULL, &e));
    REFUSED(lg_graph_output(NULL, g->node, &e));
    REFUSED(lg_graph_output_channels(NULL, 0, 1, &e));
    REFUSED(lg_graph_parse(NULL, "median", g->node, &node, &e));
    REFUSED(lg_graph_parse(g->graph, NULL, g->node, &node, &e));
    REFUSED(lg_graph_parse(g->graph, "median", g->node, NULL, &e));
    REFUSED(lg_plan_create(NULL, g->graph, &grey, 1, NULL, &p, &e));
    REFUSED(lg_plan_create(g->context, NULL, &grey, 1, NULL, &p, &e));
    REFUSED(lg_plan_create(g->context, g->graph, NULL, 1, NULL, &p, &e));
    REFUSED(lg_plan_create(g->context, g->graph, &grey, 1, NULL, NULL, &e));
    REFUSED(lg_plan_output(NULL, 0, &shape, &e));
    REFUSED(lg_plan_output(g->plan, 0, NULL, &e));
    REFUSED(lg_plan_select(NULL, NULL, NULL, &e));
    REFUSED(lg_plan_run(NULL, images, images, &e));
    REFUSED(lg_plan_run(g->plan, NULL, images, &e));
    REFUSED(lg_plan_run(g->plan, images, NULL, &e));
    REFUSED(lg_filter_find(NULL, &f, &e));
    REFUSED(lg_filter_find("median", NULL, &e));
    REFUSED(lg_filter_find_param(NULL, "sigma", &param, &e));
    REFUSED(lg_filter_find_param(lg_filter_at(0), NULL, &param, &e));
    CHECK(lg_graph_find(NULL, "a") == -1 && lg_graph_find(g->graph, NULL) == -1 &&
              lg_graph_input_count(NULL) == 0 && lg_graph_output_count(NULL) == 0 &&
              !lg_graph_input_name(NULL, 0) && !lg_graph_output_name(NULL, 0) &&
              !lg_graph_figure_at(SIZE_MAX) && !lg_graph_measures(NULL) &&
              lg_plan_profile(NULL, NULL, 0) == 0 && !lg_plan_explain(NULL)[0],
          "a graph that is not there has something in it");
}

static void test_null_images(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_image *i = NULL;
    uint8_t bytes[4096] = {0};
    lg_region region;
    size_t count;
    REFUSED(lg_context_create(NULL, NULL, &e));
    REFUSED(lg_devices_list(NULL, 2, &count, NULL, &e));
    REFUSED(lg_devices_list(NULL, 0, NULL, NULL, &e));
    REFUSED(lg_image_points(NULL, g->image, NULL, NULL, 0, &count, &e));
    REFUSED(lg_image_points(g->context, NULL, NULL, NULL, 0, &count, &e));
    REFUSED(lg_image_points(g->context, g->image, NULL, NULL, 0, NULL, &e));
    REFUSED(lg_image_create(NULL, &grey, &i, &e));
    REFUSED(lg_image_create(g->context, NULL, &i, &e));
    REFUSED(lg_image_create(g->context, &grey, NULL, &e));
    REFUSED(lg_image_wrap(NULL, &grey, bytes, &i, &e));
    REFUSED(lg_image_wrap(g->context, NULL, bytes, &i, &e));
    REFUSED(lg_image_wrap(g->context, &grey, NULL, &i, &e));
    REFUSED(lg_image_wrap(g->context, &grey, bytes, NULL, &e));
    REFUSED(lg_image_create_device(NULL, &grey, &i, &e));
    REFUSED(lg_image_create_device(g->context, NULL, &i, &e));
    REFUSED(lg_image_create_device(g->context, &grey, NULL, &e));
    REFUSED(lg_image_upload(NULL, g->image, &e));
    REFUSED(lg_image_upload(g->context, NULL, &e));
    REFUSED(lg_image_download(NULL, g->image, &e));
    REFUSED(lg_image_download(g->context, NULL, &e));
    REFUSED(lg_image_changed(NULL, &e));
    REFUSED(lg_region_parse(NULL, &region, &e));
    REFUSED(lg_region_parse("4x4", NULL, &e));
    CHECK(!lg_nearest(NULL, (const char *const[]){"a", NULL}) && !lg_nearest("a", NULL) &&
              lg_image_measured_channels(NULL) == 0 && !lg_channel_name(NULL, 0)[0] &&
              lg_image_region(NULL).width == 0,
          "words and numbers of nothing");
    lg_context_device(NULL, NULL); // these have no status to give
    lg_context_report(NULL, NULL);
    lg_area_array_pack(NULL);
    lg_areasum_get_info(NULL, NULL);
    lg_image_destroy(NULL);
    lg_context_destroy(NULL);
}

// ---- *out ---------------------------------------------------------------------------------------

// Every constructor that refuses; the graph has no filter of that name, the shape no pixels.
static void test_out_stays(const given *g)
{
    const lg_image_params none = {.channels = 1};
    const lg_type no_type[] = {(lg_type)99};
    const uint8_t junk[400] = {1};
    lg_area_array array = g->array;
    array.extent[0] = 0;
    lg_context *context = UNTOUCHED(lg_context);
    lg_image *image = UNTOUCHED(lg_image), *binary = image;
    lg_labels *labels = UNTOUCHED(lg_labels);
    lg_components *components = UNTOUCHED(lg_components);
    lg_areasum *sums = UNTOUCHED(lg_areasum);
    lg_histogram *histogram = UNTOUCHED(lg_histogram);
    lg_moments_accumulator *state = UNTOUCHED(lg_moments_accumulator);
    lg_plan *plan = UNTOUCHED(lg_plan);
    const lg_filter *filter = UNTOUCHED(const lg_filter);
    const lg_filter_param *param = UNTOUCHED(const lg_filter_param);
    int32_t *runs = UNTOUCHED(int32_t);
    lg_node node = 7, second = 7, third = 7;
    lg_threshold t;
    size_t count = 7;
    const lg_label_params label = WITH(lg_label_params, it.level = 0, it.memory_limit = 1);
    lg_threshold_params method = lg_threshold_params_default();
    method.method = (lg_threshold_method)99;
    CHECK(
        lg_context_create(WITH_REF(lg_context_params, it.device = (lg_device_kind)9), &context,
                          NULL) &&
            lg_image_create(g->context, &none, &image, NULL) &&
            lg_image_create_device(g->context, &none, &image, NULL) &&
            lg_image_wrap(g->context, &none, &t, &image, NULL) &&
            lg_threshold_image(g->context, g->image, &method, &t, 1, &binary, NULL) &&
            lg_label_image(g->context, g->image, &label, NULL, &labels, &components, NULL) &&
            lg_labels_create(g->context, 0, 0, 0, &labels, NULL) &&
            lg_areasum_create(g->context, &array, NULL, &sums, NULL) &&
            lg_measure_histogram(g->context, g->image,
                                 WITH_REF(lg_histogram_params, it.lo = 0, it.space = LG_SPACE_HSV),
                                 &histogram, NULL) &&
            lg_moments_accumulator_create(LG_U8, 0, 1, 1, 1, &state, NULL) &&
            lg_moments_accumulator_load(junk, sizeof junk, &state, NULL) &&
            lg_plan_create(g->context, g->graph, &grey, 1, no_type, &plan, NULL) &&
            lg_plan_create(g->context, g->graph, &none, 1, NULL, &plan, NULL) &&
            lg_filter_find("no_such_filter", &filter, NULL) &&
            lg_filter_find_param(lg_filter_at(0), "no_such_word", &param, NULL) &&
            lg_area_polygon_runs(&(lg_area_polygon){0}, 9, 9, &runs, &count, NULL) &&
            lg_graph_input(g->graph, "in", &node, NULL) &&
            lg_graph_filter(g->graph, "no_such_filter", &g->node, 1, NULL, &second, NULL) &&
            lg_graph_parse(g->graph, "median | no_such_filter", g->node, &third, NULL),
        "one of them did not refuse");
    CHECK(context == UNTOUCHED(lg_context) && image == UNTOUCHED(lg_image) && binary == image &&
              labels == UNTOUCHED(lg_labels) && components == UNTOUCHED(lg_components) &&
              sums == UNTOUCHED(lg_areasum) && histogram == UNTOUCHED(lg_histogram) &&
              state == UNTOUCHED(lg_moments_accumulator) && plan == UNTOUCHED(lg_plan) &&
              filter == UNTOUCHED(const lg_filter) && param == UNTOUCHED(const lg_filter_param) &&
              runs == UNTOUCHED(int32_t) && node == 7 && second == 7 && third == 7 && count == 7,
          "a constructor that refused wrote *out");
    lg_plan *whole = NULL; // the graph is as it was: it still has one output and can be compiled
    NEED(!lg_plan_create(g->context, g->graph, &grey, 1, NULL, &whole, NULL), "the graph changed");
    lg_plan_destroy(&whole);
}

// ---- enumerations and sizes ---------------------------------------------------------------------

static void test_enumerations(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_context *c = NULL;
    lg_image *i = NULL;
    lg_plan *p = NULL;
    lg_areasum *a = NULL;
    lg_moments m;
    const lg_type types[] = {(lg_type)99};
    lg_image_params shape = grey;
    REFUSED(lg_context_create(WITH_REF(lg_context_params, it.device = (lg_device_kind)99), &c, &e));
    REFUSED(lg_context_create(
        WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.cpu_level = (lg_cpu_level)99), &c,
        &e));
    REFUSED(lg_context_create(
        WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.cpu_level = (lg_cpu_level)-2), &c,
        &e));
    REFUSED(lg_plan_create(g->context, g->graph, &grey, 1, types, &p, &e));
    shape.type = (lg_type)99;
    REFUSED(lg_image_create(g->context, &shape, &i, &e));
    shape = grey;
    shape.channels = 2;
    shape.alpha = (lg_alpha)77;
    REFUSED(lg_image_create(g->context, &shape, &i, &e));
    REFUSED(lg_plan_create(g->context, g->graph, &shape, 1, NULL, &p, &e));
    lg_area_array array = g->array;
    array.type = (lg_type)99;
    REFUSED(lg_areasum_create(g->context, &array, NULL, &a, &e));
    REFUSED(lg_moments_accumulator_finish(g->accumulator, (lg_nan)99, &m, 1, &e));
    const lg_moments_params nan = {.size = sizeof(lg_moments_params),
                                   .select = {.nan = (lg_nan)99, .step = 1}};
    REFUSED(lg_measure_moments(g->context, g->image, &nan, &m, 1, &e));
    lg_label_params label = lg_label_params_default();
    label.foreground = (lg_foreground)99;
    REFUSED(lg_label_image(g->context, g->image, &label, NULL, NULL, NULL, &e));
    double out[4];
    static const int32_t box[] = {0, 0, 4, 4};
    REFUSED(lg_areasum_query(g->context, g->areasum, (lg_area_figure)99, box, 1, out, &e));
    REFUSED(lg_components_column(g->components, (lg_column)99, out, &e));
    CHECK(!c && !i && !p && !a, "something was made");
}

static void test_sizes(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_context *c = NULL;
    lg_image *i = NULL;
    lg_areasum *a = NULL;
    static uint8_t bytes[64 * 64];
    static const int threads[] = {0, -2, 1025, 300000, INT32_MAX};
    for (size_t k = 0; k < LG_COUNT(threads); k++)
        REFUSED(lg_context_create(
            WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = threads[k]), &c,
            &e));
    static const struct {
        int height, layers;
        size_t row, layer;
    } strides[] = {{1, 1, SIZE_MAX, 0},
                   {1, 1, SIZE_MAX - 63, 0},
                   {64, 1, 63, 0},
                   {64, 1, SIZE_MAX / 64, 0},
                   {2, 1, SIZE_MAX / 2, 0},
                   {64, 2, 64, 64 * 63},
                   {64, 1, 64, SIZE_MAX},
                   {64, 2, 64, SIZE_MAX / 2},
                   {64, 2, SIZE_MAX, SIZE_MAX},
                   {1, 1, 0, 0}};
    for (size_t k = 0; k < LG_COUNT(strides); k++) {
        lg_image_params shape = grey;
        shape.height = strides[k].height;
        shape.layers = strides[k].layers;
        shape.row_stride = strides[k].row;
        shape.layer_stride = strides[k].layer;
        REFUSED(lg_image_wrap(g->context, &shape, bytes, &i, &e));
    }
    static const int64_t steps[] = {INT64_MAX, INT64_MAX / 4, INT64_MAX / 4 + 1, -1};
    for (size_t k = 0; k < LG_COUNT(steps); k++)
        for (int axis = 0; axis < 2; axis++) {
            lg_area_array array = {.data = bytes,
                                   .type = LG_U8,
                                   .dims = 2,
                                   .channels = 1,
                                   .extent = {4, 4},
                                   .stride = {1, 4}};
            array.stride[axis] = steps[k];
            REFUSED(lg_areasum_create(g->context, &array, NULL, &a, &e));
        }
    lg_area_array huge = {.data = bytes, .type = LG_F32, .dims = 6, .channels = 4};
    for (int d = 0; d < 6; d++)
        huge.extent[d] = INT64_MAX;
    lg_area_array_pack(&huge); // no overflow that a sanitizer would see
    REFUSED(lg_areasum_create(g->context, &huge, NULL, &a, &e));
    CHECK(!c && !i && !a, "something was made");
}

// ---- memory that is shared ----------------------------------------------------------------------

static lg_image *wrap(lg_context *context, lg_image_params shape, void *data)
{
    lg_image *image = NULL;
    lg_error e = {LG_OK, ""};
    NEED(!lg_image_wrap(context, &shape, data, &image, &e), "%s", e.message);
    return image;
}

// The filter that reads furthest, from and to places in one memory.
static void test_places(const given *g)
{
    enum { BYTES = 1 << 15, STRIDE = 160 };
    static uint8_t memory[BYTES], kept[BYTES];
    static const struct {
        int from, to;
        bool apart;
    } places[] = {{0, 0, false},
                  {0, 1, false},
                  {0, 63, false},
                  {0, STRIDE * 63 + 63, false},
                  {0, 97, false}, // its last columns are the first of the next rows
                  {97, 0, false},
                  {0, 64, true},
                  {64, 0, true},
                  {0, 96, true},
                  {0, STRIDE * 64, true},
                  {0, STRIDE * 3 + 80, true},
                  {80, STRIDE * 70 + 10, true}};
    for (size_t k = 0; k < LG_COUNT(places); k++) {
        lg_image_params shape = grey;
        lg_error e = {LG_OK, ""};
        shape.row_stride = STRIDE;
        for (size_t i = 0; i < BYTES; i++)
            memory[i] = kept[i] = (uint8_t)(i * 37);
        lg_image *from = wrap(g->context, shape, memory + places[k].from);
        lg_image *to = wrap(g->context, shape, memory + places[k].to);
        const lg_status status = lg_plan_run(g->plan, &from, &to, &e);
        const bool apart = places[k].apart;
        CHECK(status == (apart ? LG_OK : LG_ERROR_ARGUMENT), "from %d to %d: %s: %s",
              places[k].from, places[k].to, lg_status_name(status), e.message);
        CHECK(apart || memcmp(memory, kept, BYTES) == 0, "from %d to %d: pixels were written",
              places[k].from, places[k].to);
        lg_image_destroy(&from);
        lg_image_destroy(&to);
    }
}

static void test_outputs(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_graph *graph = NULL;
    lg_node in, out;
    lg_plan *plan = NULL;
    lg_image *a = NULL, *b = NULL;
    NEED(!lg_graph_create(&graph, &e) && !lg_graph_input(graph, "in", &in, &e) &&
             !lg_graph_parse(graph, "color_invert", in, &out, &e) &&
             !lg_graph_output(graph, out, &e) && !lg_graph_parse(graph, "median", in, &out, &e) &&
             !lg_graph_output(graph, out, &e) &&
             !lg_plan_create(g->context, graph, &grey, 1, NULL, &plan, &e) &&
             !lg_image_create(g->context, &grey, &a, &e),
         "%s", e.message);
    b = wrap(g->context, a->shape, a->data);
    lg_image *twice[] = {a, a}, *overlapping[] = {a, b}, *none[] = {a, NULL};
    REFUSED(lg_plan_run(plan, &g->image, twice, &e));
    REFUSED(lg_plan_run(plan, &g->image, overlapping, &e));
    REFUSED(lg_plan_run(plan, &g->image, none, &e));
    REFUSED(lg_plan_run(plan, &a, twice, &e));
    REFUSED(lg_plan_run(plan, &b, twice, &e));
    lg_image_destroy(&b);
    lg_image_destroy(&a);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
}

// Labels that are written over the samples which they are made of.
static void test_labels(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_labels *labels = NULL;
    NEED(!lg_labels_create(g->context, 64, 64, 1, &labels, &e), "%s", e.message);
    lg_image_params shape = grey;
    shape.row_stride = labels->row_stride;
    lg_image *over = wrap(g->context, shape, labels->data);
    REFUSED(lg_label_update(g->context, over, NULL, NULL, labels, NULL, &e));
    REFUSED(lg_label_update(g->context, g->image, NULL, over, labels, NULL, &e));
    lg_image_destroy(&over);
    lg_labels_destroy(&labels);
}

// A device copy is read until it is said that the host pixels changed.
static void test_changed(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_image *image = NULL;
    lg_moments m = {0};
    NEED(!lg_image_create(g->context, &grey, &image, &e) && !lg_image_upload(g->context, image, &e),
         "%s", e.message);
    memset(image->data, 200, image->shape.layer_stride);
    CHECK(!lg_image_changed(image, &e) && !lg_measure_moments(g->context, image, NULL, &m, 1, &e) &&
              m.mean == 200,
          "mean %g: %s", m.mean, e.message);
    memset(image->data, 100, image->shape.layer_stride);
    CHECK(!lg_image_upload(g->context, image, &e) &&
              !lg_measure_moments(g->context, image, NULL, &m, 1, &e) && m.mean == 100,
          "mean %g: %s", m.mean, e.message);
    lg_image_destroy(&image);
}

// What a context writes to another one's image with host pixels is what it writes to its own.
static void check_written(const given *g, lg_image *own, lg_image *foreign)
{
    lg_error e = {LG_OK, ""};
    const size_t bytes = own->shape.row_stride * (size_t)own->shape.height;
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)g->image->data)[i] = (uint8_t)(i * 7 + i / 64);
    memset(own->data, 1, bytes);
    memset(foreign->data, 2, bytes);
    CHECK(!lg_plan_run(g->plan, &g->image, &foreign, &e) &&
              !lg_plan_run(g->plan, &g->image, &own, &e),
          "%s", e.message);
    CHECK(memcmp(own->data, foreign->data, bytes) == 0, "other pixels of a plan");
}

// What one context made is not given to another one's device.
static void test_other_context(const given *g)
{
    lg_error e = {LG_OK, ""};
    lg_context *other = device_open_cpu();
    lg_image *image = NULL, *own = NULL;
    NEED(!lg_image_create(other, &grey, &image, &e) &&
             !lg_image_create(g->context, &grey, &own, &e),
         "%s", e.message);
    check_written(g, own, image);
    lg_image_destroy(&own);
    if (g->context->vk) {
        REFUSED(lg_image_upload(g->context, image, &e));
        REFUSED(lg_image_download(g->context, image, &e));
    }
    lg_moments m;
    CHECK(!lg_measure_moments(g->context, image, NULL, &m, 1, &e), "%s", e.message);
    lg_image_destroy(&image);
    lg_context_destroy(&other);
}

static void test_all(lg_context *context)
{
    given g;
    if (context && make(&g, context)) {
        test_null_measures(&g);
        test_null_labels(&g);
        test_null_areas(&g);
        test_null_graphs(&g);
        test_null_images(&g);
        test_out_stays(&g);
        test_enumerations(&g);
        test_sizes(&g);
        test_places(&g);
        test_outputs(&g);
        test_labels(&g);
        test_changed(&g);
        test_other_context(&g);
        drop(&g);
    }
}

int main(void)
{
    lg_context *cpu = device_open_cpu(), *vulkan = device_open(NULL, NULL);
    test_all(cpu);
    test_all(vulkan);
    device_close(&vulkan);
    lg_context_destroy(&cpu);
    return check_finish("arguments");
}
