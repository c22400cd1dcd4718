// Projections along the layers: the entry.
#include "filter/native/project/project.h"

#include "cpu/cpu.h"
#include "filter/native/project/project_rule.h"

LG_CPU_DECLARE(lg_project_table, project);

static lg_status project_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_project_job job = {.stage = lg_stage_get(level),
                                .in = call->in[0],
                                .out = lg_layer_pixels(call->out, 0),
                                .figure =
                                    (int)lg_native_value(call->filter, call->values, "figure")};
    const lg_row_pass pass = {
        .run = LG_CPU_SELECT(project, level)->run, .job = &job, .rows = job.out.height, .band = 4};
    return lg_rows_run(call->context, &pass, call->error);
}

static lg_status project_shape(float *values, lg_image_params *shape, lg_error *error)
{
    extern const lg_filter_entry lg_filter_project;
    shape->layers = 1;
    if (lg_native_value(&lg_filter_project.filter, values, "figure") == LG_PROJECT_SUM)
        shape->type = LG_F32;
    return LG_OK;
}

#define PARAMETERS(X)                                                                              \
    X(CHOICE, figure, 0, "max|min|mean|sum|stddev", "of the layers, at each pixel")

LG_ROWS(project)

static double cost(const lg_filter *filter, const float *values)
{
    return 2;
}

// All layers of a row, which alone it needs.
static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of(0);
}

static const lg_native project_native = {.cpu = project_cpu,
                                         .vulkan = LG_VULKAN(lg_project_vulkan),
                                         .recorded = "figure",
                                         .volume = true,
                                         .reach = reach,
                                         .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    project, &project_native, project_shape, 1,
    .summary = "one layer of a stack: the largest, the mean ... of the layers at each pixel",
    .formula =
        "C' = max, min, mean, sum or population standard deviation of C over the layers, for "
        "r, g and b; alpha is the mean with sum and stddev, else as colours",
    .source = "the projections along z of microscopy",
    .notes = "sums are compensated, in the order of the layers, so that all devices have the same "
             "bits. Colours are 0..1, so the sum is in full scales, and its type is f32; --type "
             "f32 keeps fractions of means");
