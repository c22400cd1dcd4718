// The median of a box of pixels and layers: the entry.
#include "filter/native/median_3d/median_3d.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_median_3d_table, median_3d);

static lg_status median_3d_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_median_3d_table *table = LG_CPU_SELECT(median_3d, level);
    const lg_image_params *s = &call->out->shape;
    const lg_median_3d_job job = {
        .stage = lg_stage_get(level),
        .in = call->in[0],
        .out = call->out,
        .radius = (int)lg_native_value(call->filter, call->values, "radius"),
        .radius_z = (int)lg_native_value(call->filter, call->values, "radius_z"),
        .border = (lg_border)lg_native_value(call->filter, call->values, "border")};
    const lg_row_pass pass = {.run = table->run,
                              .job = &job,
                              .rows = (int64_t)s->height * s->layers,
                              .band = 1,
                              .scratch = table->scratch,
                              .what = "the boxes of median_3d"};
    return lg_rows_run(call->context, &pass, call->error);
}

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 1, 0, LG_MEDIAN_3D_MOST, "the box has 2 radius + 1 rows and columns") \
    X(INTEGER, radius_z, "layers", 1, 0, LG_MEDIAN_3D_MOST, "and 2 radius_z + 1 layers")           \
    LG_BORDER_PARAMETER(X)

LG_ROWS(median_3d)

static double cost(const lg_filter *filter, const float *values)
{
    const double side = 2 * (double)lg_native_value(filter, values, "radius") + 1;
    return 4 * side * side * (2 * (double)lg_native_value(filter, values, "radius_z") + 1);
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of((int64_t)lg_native_value(filter, values, "radius"));
}

static const lg_native median_3d_native = {.cpu = median_3d_cpu,
                                           .vulkan = LG_VULKAN(lg_median_3d_vulkan),
                                           .recorded = "radius radius_z border",
                                           .volume = true,
                                           .reach = reach,
                                           .cost = cost};

LG_NATIVE_FILTER(median_3d, &median_3d_native, 1,
                 .summary = "the median of a box of pixels and layers of a stack, per channel",
                 .formula = "c' = the middle one of the values in a box of 2 radius + 1 rows and "
                            "columns and 2 radius_z + 1 layers; alpha is the centre's",
                 .source = "the median of volumes, as ImageJ's Median 3D in a box",
                 .notes = "exact for every type. The border says what stands outside of rows, "
                          "columns and layers. radius_z=0 is `median`, radius=0 a median of times");
