// A Gaussian along the layers of a stack: the entry.
#include "filter/native/layer_gaussian/layer_gaussian.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_layer_gaussian_table, layer_gaussian);

lg_status lg_layer_gaussian_weights(const lg_filter *filter, const float *values, lg_gaussian *out,
                                    lg_error *error)
{
    return lg_gaussian_create(lg_native_value(filter, values, "sigma"), 0, LG_GAUSSIAN_EXACT, out,
                              error);
}

static lg_status layer_gaussian_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_image_params *s = &call->in[0]->shape;
    lg_gaussian g;
    lg_status status = lg_layer_gaussian_weights(call->filter, call->values, &g, call->error);
    if (status)
        return status;
    const lg_layer_gaussian_job job = {
        .stage = lg_stage_get(level),
        .in = call->in[0],
        .out = call->out,
        .g = &g,
        .border = (lg_border)lg_native_value(call->filter, call->values, "border"),
        .planes = !lg_reads_opaque(s->channels, s->alpha) ? 4
                  : lg_reads_grey(s->channels, s->alpha)  ? 1
                                                          : 3};
    const lg_row_pass pass = {.run = LG_CPU_SELECT(layer_gaussian, level)->run,
                              .job = &job,
                              .rows = (int64_t)s->height * s->layers,
                              .band = 4};
    status = lg_rows_run(call->context, &pass, call->error);
    lg_gaussian_destroy(&g);
    return status;
}

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "layers", 1, 0, 64, "standard deviation")                                     \
    LG_BORDER_PARAMETER(X)

LG_ROWS(layer_gaussian)

static double cost(const lg_filter *filter, const float *values)
{
    return 1 + 3 * (double)lg_native_value(filter, values, "sigma");
}

// All layers of a row, which alone it needs.
static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of(0);
}

static const lg_native layer_gaussian_native = {.cpu = layer_gaussian_cpu,
                                                .vulkan = LG_VULKAN(lg_layer_gaussian_vulkan),
                                                .recorded = "sigma border",
                                                .volume = true,
                                                .reach = reach,
                                                .cost = cost};

LG_NATIVE_FILTER(
    layer_gaussian, &layer_gaussian_native, 1,
    .summary = "convolution with a Gaussian along the layers of a stack",
    .formula = "c'(z) = sum of w(i) c(z + i), w(i) proportional to exp(-i^2 / (2 sigma^2)), sum of "
               "w = 1, i up to 3 sigma or more; where there is alpha, of c a and a",
    .source = "the third pass of a separable Gaussian of volumes",
    .notes = "gaussian_blur_3d blurs within the layers as well. The border says what stands in "
             "front of the first layer and behind the last one");
