// How much of a corner each pixel is: the entry. Where the Gaussian goes by way of smaller images, the CPU
// has products and their means in memory.
#include "filter/native/corner_measure/corner_measure.h"

#include "cpu/cpu.h"
#include "filter/native/inner.h"

LG_CPU_DECLARE(lg_pixel_tiles, corner_measure);
LG_CPU_DECLARE(lg_gaussian_weigh_table, gaussian_weigh);

extern const lg_filter_entry lg_filter_xy_derivative, lg_filter_corner_response;

#define VALUE(call, name) lg_native_value((call)->filter, (call)->values, name)

static lg_status derive(const lg_native_call *call, lg_image *products)
{
    const lg_filter *f = &lg_filter_xy_derivative.filter;
    float values[LG_INNER_VALUES];
    lg_inner_defaults(f, values);
    lg_inner_set(f, values, "offset", 0);
    const lg_inner_stage stage = {.filter = f,
                                  .values = values,
                                  .in = call->in[0],
                                  .out = products,
                                  .border = VALUE(call, "border"),
                                  .what = "the derivatives of corner_measure"};
    return lg_inner_stage_run(call, &stage);
}

static lg_status measure(const lg_native_call *call, const lg_image *means)
{
    const lg_filter *f = &lg_filter_corner_response.filter;
    float values[LG_INNER_VALUES];
    lg_inner_defaults(f, values);
    lg_inner_set(f, values, "method", VALUE(call, "method"));
    lg_inner_set(f, values, "sensitivity", VALUE(call, "sensitivity"));
    lg_inner_set(f, values, "k", VALUE(call, "k"));
    const lg_inner_stage stage = {.filter = f,
                                  .values = values,
                                  .in = means,
                                  .out = call->out,
                                  .what = "the rows of corner_measure"};
    return lg_inner_stage_run(call, &stage);
}

static lg_status run_stages(const lg_native_call *call)
{
    const lg_image_params shape = lg_corner_products_shape(&call->in[0]->shape);
    const lg_inner_blur blur = {VALUE(call, "sigma"), VALUE(call, "border")};
    lg_image *products = NULL, *means = NULL;
    lg_status status = lg_image_create_uninit(call->context, &shape, &products, call->error);
    if (!status)
        status = derive(call, products);
    if (!status)
        status = lg_image_create_uninit(call->context, &shape, &means, call->error);
    if (!status)
        status = lg_inner_blur_run(call, blur, products, means);
    lg_image_destroy(&products);
    if (!status)
        status = measure(call, means);
    lg_image_destroy(&means);
    return status;
}

#define STRIP 512 // columns: the products of a window's rows stay in the second cache

static lg_status run_tiles(const lg_native_call *call, const lg_gaussian *g)
{
    const lg_border border = (lg_border)VALUE(call, "border");
    const int32_t width = call->out->shape.width, height = call->out->shape.height;
    const int64_t parts = 2 * (int64_t)lg_pool_threads(call->context->pool);
    const lg_corner_job job = {.stage = lg_stage_get(call->context->cpu_level),
                               .g = g,
                               .weigh =
                                   LG_CPU_SELECT(gaussian_weigh, call->context->cpu_level)->floats,
                               .border = border,
                               .method = VALUE(call, "method"),
                               .k = VALUE(call, "k"),
                               .sensitivity = VALUE(call, "sensitivity"),
                               .strip = border == LG_BORDER_WRAP ? width : LG_MIN(STRIP, width)};
    lg_pixel_tiles tiles = *LG_CPU_SELECT(corner_measure, call->context->cpu_level);
    tiles.job = &job;
    tiles.strip = job.strip;
    // The rows above and below a band are made twice.
    tiles.band = (int32_t)LG_MAX(height / parts, 8 * (int64_t)g->taps + 16);
    tiles.scratch = lg_corner_scratch(g, job.strip);
    return lg_pixel_tiles_run(call, &tiles);
}

static lg_status corner_measure(const lg_native_call *call)
{
    lg_gaussian g;
    lg_status status =
        lg_gaussian_create(VALUE(call, "sigma"), 0, LG_GAUSSIAN_AUTO, &g, call->error);
    if (status)
        return status;
    status = g.levels ? run_stages(call) : run_tiles(call, &g);
    lg_gaussian_destroy(&g);
    return status;
}

static lg_status shape_of(float *values, lg_image_params *shape, lg_error *error)
{
    (void)values, (void)error;
    shape->channels = 1;
    shape->alpha = LG_ALPHA_NONE;
    return LG_OK;
}

// The Gaussian, and the windows of derivatives.
static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    lg_row_reach r = lg_inner_blur_reach(lg_native_value(filter, values, "sigma"), in);
    return lg_row_reach_through(lg_row_reach_of(1), r);
}

// Its filters compute four channels for a sample of the result.
static double cost(const lg_filter *filter, const float *values)
{
    (void)filter, (void)values;
    return 12;
}

#define PARAMETERS(X)                                                                              \
    X(CHOICE, method, 0, "harris|noble|shi_tomasi", "which measure")                               \
    X(NUMBER, sigma, "px", 2, 0, 64, "of the Gaussian over the products of derivatives")           \
    X(NUMBER, sensitivity, "", 5, 0, 1000, "factor of the measure")                                \
    X(NUMBER, k, "", 0.04f, 0, 0.25f, "of Harris: how much an edge lowers the measure")            \
    LG_BORDER_PARAMETER(X)

LG_ROWS(corner_measure)

static const lg_native corner_native = {.cpu = corner_measure,
                                        .vulkan = LG_VULKAN(lg_corner_measure_vulkan),
                                        .recorded = "sigma",
                                        .reach = reach,
                                        .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    corner_measure, &corner_native, shape_of, 1,
    .summary = "how much of a corner the surroundings of a pixel are",
    .formula = "corner_response of the products of derivatives, xy_derivative with offset=0, "
               "blurred by gaussian_blur",
    .source = "C. Harris and M. Stephens 1988; J. A. Noble 1988; J. Shi and C. Tomasi 1994",
    .notes = "one channel of floats with their sign. What harris_corner_detection, "
             "noble_corner_detection and shi_tomasi_feature_detection take the peaks of");
