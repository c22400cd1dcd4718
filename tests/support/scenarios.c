#include "scenarios.h"
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pipeline.h"

enum { WIDTH = SCENARIO_WIDTH, HEIGHT = SCENARIO_HEIGHT, PIXELS = WIDTH * HEIGHT };

#define UNTOUCHED SCENARIO_UNTOUCHED

// ---- images -------------------------------------------------------------------------------------

static uint8_t grey[PIXELS], rgba[4 * PIXELS], mask[PIXELS];
static float colors[4 * PIXELS];

void scenario_make_images(void)
{
    random_seed(7);
    for (int i = 0; i < PIXELS; i++) {
        grey[i] = (uint8_t)(40 + random_below(60) + (i % WIDTH / 9 % 2 ? 120 : 0));
        mask[i] = random_below(5) > 0;
    }
    for (int i = 0; i < 4 * PIXELS; i++) {
        rgba[i] = (uint8_t)random_below(256);
        colors[i] = (float)random_below(4096) / 2048;
    }
}

static lg_image_params shape_of(scenario_image k)
{
    const int channels = k == RGBA || k == COLORS ? 4 : 1;
    const lg_type type = k == COLORS ? LG_F32 : LG_U8;
    const size_t row = (size_t)WIDTH * (size_t)channels * lg_type_size(type);
    return (lg_image_params){WIDTH,    HEIGHT,      1,
                             channels, type,        channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE,
                             row,      row * HEIGHT};
}

bool scenario_memory_fails;

lg_image *scenario_wrap(lg_context *context, scenario_image k)
{
    void *const pixels[] = {grey, rgba, colors, mask};
    const lg_image_params shape = shape_of(k);
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    const lg_status status = lg_image_wrap(context, &shape, pixels[k], &image, &error);
    CHECK(!status || (scenario_memory_fails && status == LG_ERROR_MEMORY), "%s", error.message);
    return image;
}

static void hash_image(const lg_image *image, uint64_t *hash)
{
    const size_t row = (size_t)image->shape.width * lg_pixel_size(&image->shape);
    for (int32_t y = 0; y < image->shape.height; y++)
        *hash =
            lg_hash((const char *)image->data + (size_t)y * image->shape.row_stride, row, *hash);
}

// An image whose pixels are on the device alone, where there is one.
static lg_status make_device_only(lg_context *context, scenario_image k, lg_image **out,
                                  lg_error *error)
{
    lg_image *from = scenario_wrap(context, k);
    const lg_image_params shape = shape_of(k);
    if (!from)
        return lg_fail(error, LG_ERROR_MEMORY, "no image");
    lg_status status = lg_image_create(context, &shape, out, error);
    for (int y = 0; y < HEIGHT && !status; y++)
        memcpy((char *)(*out)->data + (size_t)y * (*out)->shape.row_stride,
               (const char *)from->data + (size_t)y * from->shape.row_stride,
               from->shape.row_stride);
    lg_image_destroy(&from);
    if (!status)
        status = lg_image_upload(context, *out, error);
    lg_image_private *image = (lg_image_private *)*out;
    if (!status && image->device) {
        lg_free(image->image.data);
        image->image.data = NULL;
        image->owns_data = false;
    }
    return status;
}

// ---- what is called: each leaves a hash of its results ------------------------------------------

bool scenario_is_untouched(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t i = 0;
    while (i < size && bytes[i] == UNTOUCHED)
        i++;
    return i == size;
}

static void put(outcome *o, lg_status status, const void *data, size_t size)
{
    if (status)
        o->touched = o->touched || !scenario_is_untouched(data, size);
    else
        o->hash = lg_hash(data, size, o->hash);
}

static lg_status moments_of(lg_context *context, const lg_image *image, const lg_image *of,
                            outcome *o, lg_error *error)
{
    lg_moments m[4];
    const int channels = lg_image_measured_channels(&image->shape);
    lg_moments_params params = lg_moments_params_default();
    params.select.mask = of;
    memset(m, UNTOUCHED, sizeof m);
    const lg_status status = lg_measure_moments(context, image, &params, m, 4, error);
    put(o, status, m, status ? sizeof m : (size_t)channels * sizeof *m);
    return status;
}

static lg_status moments(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *bytes = scenario_wrap(context, GREY), *floats = scenario_wrap(context, COLORS),
             *some = scenario_wrap(context, MASK);
    lg_status status = moments_of(context, bytes, NULL, o, error);
    if (!status)
        status = moments_of(context, floats, some, o, error);
    lg_image_destroy(&bytes);
    lg_image_destroy(&floats);
    lg_image_destroy(&some);
    return status;
}

static lg_status histogram_of(lg_context *context, const lg_image *image,
                              const lg_histogram_params *params, outcome *o, lg_error *error)
{
    lg_histogram *h = NULL;
    const lg_status status = lg_measure_histogram(context, image, params, &h, error);
    o->touched = o->touched || (status && h);
    for (int32_t i = 0; !status && i < h->channels; i++)
        put(o, status, h->channel[i].counts, (size_t)h->channel[i].bins * sizeof(uint64_t));
    lg_histogram_destroy(&h);
    return status;
}

static lg_status histograms(lg_context *context, outcome *o, lg_error *error)
{
    lg_histogram_params automatic = lg_histogram_params_default();
    automatic.bins = 100;
    automatic.automatic_range = true;
    lg_image *bytes = scenario_wrap(context, RGBA), *floats = scenario_wrap(context, COLORS);
    lg_status status = histogram_of(context, bytes, NULL, o, error);
    if (!status)
        status = histogram_of(context, floats, &automatic, o, error);
    lg_image_destroy(&bytes);
    lg_image_destroy(&floats);
    return status;
}

static lg_status threshold_of(lg_context *context, const lg_image *image,
                              lg_threshold_method method, outcome *o, lg_error *error)
{
    lg_threshold_params params = lg_threshold_params_default();
    params.method = method;
    lg_threshold level;
    lg_image *binary = NULL;
    memset(&level, UNTOUCHED, sizeof level);
    const lg_status status = lg_threshold_image(context, image, &params, &level, 1, &binary, error);
    o->touched = o->touched || (status && binary);
    put(o, status, status ? (void *)&level : (void *)level.level, status ? sizeof level : 8);
    if (!status)
        hash_image(binary, &o->hash);
    lg_image_destroy(&binary);
    return status;
}

static lg_status thresholds(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *bytes = scenario_wrap(context, GREY), *floats = scenario_wrap(context, COLORS);
    lg_status status = threshold_of(context, bytes, LG_THRESHOLD_OTSU, o, error);
    if (!status)
        status = threshold_of(context, bytes, LG_THRESHOLD_LI, o, error);
    if (!status)
        status = threshold_of(context, floats, LG_THRESHOLD_MEAN, o, error);
    lg_image_destroy(&bytes);
    lg_image_destroy(&floats);
    return status;
}

static void hash_components(const lg_components *c, outcome *o)
{
    const uint32_t count = lg_components_count(c);
    double *values = malloc((count + 1) * sizeof *values);
    const lg_column columns[] = {LG_COLUMN_AREA, LG_COLUMN_CX, LG_COLUMN_PERIMETER};
    for (size_t i = 0; values && i < LG_COUNT(columns); i++) {
        lg_error error = {LG_OK, ""};
        CHECK(!lg_components_column(c, columns[i], values, &error), "%s", error.message);
        put(o, LG_OK, values, count * sizeof *values);
    }
    free(values);
}

static lg_status components_of(lg_context *context, const lg_image *image, bool fill, outcome *o,
                               lg_error *error)
{
    lg_label_params params = lg_label_params_default();
    params.foreground = LG_FOREGROUND_ABOVE;
    params.level = 120;
    params.shape = true;
    params.fill_holes = fill;
    lg_components *c = NULL;
    const lg_status status = lg_label_image(context, image, &params, image, NULL, &c, error);
    o->touched = o->touched || (status && c);
    if (!status)
        hash_components(c, o);
    lg_components_destroy(&c);
    return status;
}

static lg_status components(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *bytes = scenario_wrap(context, GREY);
    lg_status status = components_of(context, bytes, false, o, error);
    lg_image_destroy(&bytes);
    return status;
}

static lg_status hash_labels(lg_context *context, lg_labels *labels, outcome *o, lg_error *error)
{
    const lg_status status = lg_labels_download(context, labels, error);
    for (int32_t y = 0; y < HEIGHT && !status; y++)
        put(o, status, (const char *)labels->data + (size_t)y * labels->row_stride,
            WIDTH * sizeof(uint32_t));
    return status;
}

static lg_status labels(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *bytes = scenario_wrap(context, GREY);
    lg_label_params params = lg_label_params_default();
    params.foreground = LG_FOREGROUND_ABOVE;
    params.level = 120;
    lg_labels *l = NULL;
    lg_status status = lg_label_image(context, bytes, &params, NULL, &l, NULL, error);
    o->touched = o->touched || (status && l);
    if (!status)
        status = hash_labels(context, l, o, error);
    if (!status)
        status = lg_label_update(context, bytes, &params, NULL, l, NULL, error);
    if (!status)
        status = hash_labels(context, l, o, error);
    lg_labels_destroy(&l);
    lg_image_destroy(&bytes);
    return status;
}

static lg_status area_of(lg_context *context, const lg_area_array *array,
                         const lg_areasum_params *params, outcome *o, lg_error *error)
{
    const int32_t bounds[] = {3, 4, 60, 30, 0, 0, WIDTH, HEIGHT};
    lg_areasum *a = NULL;
    double out[2];
    memset(out, UNTOUCHED, sizeof out);
    lg_status status = lg_areasum_create(context, array, params, &a, error);
    o->touched = o->touched || (status && a);
    if (!status)
        status = lg_areasum_update(context, a, array, error);
    if (!status) {
        status = lg_areasum_query(context, a, LG_AREA_SUM, bounds, 2, out, error);
        put(o, status, out, sizeof out);
    }
    lg_areasum_destroy(&a);
    return status;
}

static lg_status area_sums(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *bytes = scenario_wrap(context, GREY);
    lg_areasum_params ripmap = lg_areasum_params_default();
    ripmap.kind = LG_AREASUM_RIPMAP;
    lg_area_array array;
    lg_status status = lg_area_array_of_image(bytes, &array, error);
    if (!status)
        status = area_of(context, &array, NULL, o, error);
    if (!status)
        status = area_of(context, &array, &ripmap, o, error);
    lg_image_destroy(&bytes);
    return status;
}

// ---- pipelines ----------------------------------------------------------------------------------

lg_status scenario_make_plan(lg_context *context, const char *text, const lg_image_params *shape,
                             lg_plan **out, lg_error *error)
{
    pipeline p;
    const lg_status status = pipeline_try(&p, context, text, shape, 1, NULL, error);
    *out = p.plan;
    return status;
}

static lg_status run_twice(lg_context *context, const char *text, scenario_image k, outcome *o,
                           lg_error *error)
{
    lg_image *in = scenario_wrap(context, k), *out = NULL;
    lg_plan *plan = NULL;
    lg_image_params shape = shape_of(k);
    lg_status status = scenario_make_plan(context, text, &shape, &plan, error);
    o->touched = o->touched || (status && plan);
    if (!status)
        status = lg_plan_output(plan, 0, &shape, error);
    if (!status)
        status = lg_image_create(context, &shape, &out, error);
    for (int i = 0; i < 2 && !status; i++) {
        const size_t size = out->shape.layer_stride;
        memset(out->data, UNTOUCHED, size);
        status = lg_plan_run(plan, &in, &out, error);
        if (status)
            o->touched = o->touched || !scenario_is_untouched(out->data, size);
        else
            hash_image(out, &o->hash);
    }
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    return status;
}

static lg_status plan_of_chain(lg_context *context, outcome *o, lg_error *error)
{
    return run_twice(context, "gamma:gamma=0.7 | contrast:contrast=1.2", RGBA, o, error);
}

static lg_status plan_of_blurs(lg_context *context, outcome *o, lg_error *error)
{
    return run_twice(context, "gaussian_blur:sigma=2 | box_blur:radius=3 | sepia", RGBA, o, error);
}

static lg_status plan_of_figures(lg_context *context, outcome *o, lg_error *error)
{
    return run_twice(context, "threshold:level=@otsu", GREY, o, error);
}

// Percentiles of floats are measured by the host, between submissions.
static lg_status plan_of_host_figures(lg_context *context, outcome *o, lg_error *error)
{
    return run_twice(context, "brightness:brightness=0.1 | levels:min=@p1:max=@p99", COLORS, o,
                     error);
}

static lg_status plan_of_labels(lg_context *context, outcome *o, lg_error *error)
{
    return run_twice(context, "threshold:level=0.5 | label", GREY, o, error);
}

static lg_status plan_of_native(lg_context *context, outcome *o, lg_error *error)
{
    return run_twice(context, "canny_edge_detection", GREY, o, error);
}

// ---- bands --------------------------------------------------------------------------------------

typedef struct band_rows {
    const lg_image *in;
    outcome *o;
} band_rows;

static lg_status read_rows(void *priv, size_t input, int64_t y, lg_image *rows, lg_error *error)
{
    const lg_image *in = ((const band_rows *)priv)->in;
    for (int32_t i = 0; i < rows->shape.height; i++)
        memcpy((char *)rows->data + (size_t)i * rows->shape.row_stride,
               (const char *)in->data + (size_t)(y + i) * in->shape.row_stride,
               (size_t)in->shape.width);
    return LG_OK;
}

static lg_status write_rows(void *priv, size_t output, int64_t y, const lg_image *rows,
                            lg_error *error)
{
    hash_image(rows, &((band_rows *)priv)->o->hash);
    return LG_OK;
}

// A number of floats between stages, which takes two passes, and a curve.
static lg_status figures_of_bands(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *in = scenario_wrap(context, GREY);
    band_rows rows = {in, o};
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node from, last;
    lg_bands_params params = lg_bands_params_default();
    params.read = read_rows;
    params.write = write_rows;
    params.priv = &rows;
    params.rows = 16;
    lg_status status = lg_graph_create(&graph, error);
    if (!status)
        status = lg_graph_input(graph, "in", &from, error);
    if (!status)
        status = lg_graph_parse(graph, "box_blur | brightness=@p10 | histogram_equalization", from,
                                &last, error);
    if (!status)
        status = lg_graph_output(graph, last, error);
    if (!status)
        status = lg_plan_create_bands(context, graph, &in->shape, 1, NULL, &plan, error);
    if (!status)
        status = lg_plan_run_bands(plan, NULL, &params, error);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&in);
    return status;
}

// ---- images on the device -----------------------------------------------------------------------

static lg_status device_measurements(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *bytes = NULL;
    lg_status status = make_device_only(context, GREY, &bytes, error);
    if (!status)
        status = moments_of(context, bytes, NULL, o, error);
    if (!status)
        status = histogram_of(context, bytes, NULL, o, error);
    if (!status)
        status = threshold_of(context, bytes, LG_THRESHOLD_LI, o, error);
    if (!status)
        status = components_of(context, bytes, false, o, error);
    lg_image_destroy(&bytes);
    return status;
}

// Devices do not fill holes.
static lg_status device_holes(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *bytes = NULL;
    lg_status status = make_device_only(context, GREY, &bytes, error);
    if (!status)
        status = components_of(context, bytes, true, o, error);
    lg_image_destroy(&bytes);
    return status;
}

static lg_status device_plan(lg_context *context, outcome *o, lg_error *error)
{
    lg_image *in = NULL, *out = NULL;
    lg_plan *plan = NULL;
    lg_status status = make_device_only(context, GREY, &in, error);
    const lg_image_params shape = shape_of(GREY);
    if (!status)
        status = scenario_make_plan(context, "gamma:gamma=0.5 | box_blur", &shape, &plan, error);
    if (!status)
        status = lg_image_create_device(context, &shape, &out, error);
    if (!status)
        status = lg_plan_run(plan, &in, &out, error);
    if (!status)
        status = lg_image_download(context, out, error);
    if (!status)
        hash_image(out, &o->hash);
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    return status;
}

// An image with pixels on both sides, which it keeps in step.
static lg_status uploaded(lg_context *context, outcome *o, lg_error *error)
{
    const lg_image_params shape = shape_of(GREY);
    lg_image *in = scenario_wrap(context, GREY), *out = NULL;
    lg_plan *plan = NULL;
    lg_status status = lg_image_upload(context, in, error);
    if (!status)
        status = lg_image_create(context, &shape, &out, error);
    if (!status)
        status = lg_image_upload(context, out, error);
    if (!status)
        status = scenario_make_plan(context, "contrast:contrast=1.5", &shape, &plan, error);
    if (!status)
        status = lg_plan_run(plan, &in, &out, error);
    if (!status)
        hash_image(out, &o->hash);
    if (!status) // of the device's copy, where there is one
        status = moments_of(context, out, NULL, o, error);
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    return status;
}

const scenario scenarios[SCENARIOS] = {
    {"moments", moments, 0},
    {"histograms", histograms, 0},
    {"thresholds", thresholds, 0},
    {"components", components, 0},
    {"labels", labels, KEEPS},
    {"area sums", area_sums, KEEPS | WRITES},
    {"a chain", plan_of_chain, FILTERS},
    {"blurs", plan_of_blurs, FILTERS},
    {"figures", plan_of_figures, FILTERS},
    {"figures by the host", plan_of_host_figures, FILTERS},
    {"labels in a graph", plan_of_labels, FILTERS},
    {"edges", plan_of_native, FILTERS},
    {"figures of bands", figures_of_bands, FILTERS | BANDS},
    {"measurements of device images", device_measurements, KEEPS},
    {"holes of a device image", device_holes, KEEPS | DECLINED},
    {"a plan on device images", device_plan, KEEPS | FILTERS},
    {"uploaded images", uploaded, FILTERS | MIXED},
};
