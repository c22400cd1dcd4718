// Kuwahara's smoothing: the entry.
#include "filter/native/kuwahara/kuwahara.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_kuwahara_table, kuwahara);

static lg_status kuwahara_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_kuwahara_table *table = LG_CPU_SELECT(kuwahara, level);
    lg_kuwahara_job job = {.stage = lg_stage_get(level),
                           .radius = (int32_t)lg_native_value(call->filter, call->values, "radius"),
                           .border =
                               (lg_border)lg_native_value(call->filter, call->values, "border")};
    const int64_t size = (int64_t)job.radius + 1;
    lg_pixel_tiles tiles = {.run = table->run, .job = &job};
    // Planes of floats are about eight times as large as pixels.
    lg_pixel_tiles_cut(&tiles, call, 3 * size, 32 << 10, LG_MAX(8 * size, 512), 4 * size,
                       LG_BORDER_REPLICATE);
    job.strip = tiles.strip;
    tiles.scratch = table->scratch(&job);
    return lg_pixel_tiles_run(call, &tiles);
}

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 3, 0, LG_KUWAHARA_RADIUS, "a quarter has radius + 1 pixels a side")   \
    LG_BORDER_PARAMETER(X)

LG_ROWS(kuwahara)

// Where blocks begin has a say in the order of sums.
static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    lg_row_reach r = lg_row_reach_of((int64_t)lg_native_value(filter, values, "radius"));
    r.step = r.above + 1;
    r.above += r.step - 1;
    return r;
}

static double cost(const lg_filter *filter, const float *values)
{
    return 6;
}

static const lg_native kuwahara_native = {.cpu = kuwahara_cpu,
                                          .vulkan = LG_VULKAN(lg_kuwahara_vulkan),
                                          .recorded = "radius",
                                          .reach = reach,
                                          .cost = cost};

LG_NATIVE_FILTER(
    kuwahara, &kuwahara_native, 1, .summary = "smooth areas with sharp edges, as painted",
    .formula =
        "of the four squares of (radius + 1)^2 pixels that have the pixel at a corner, the mean "
        "of the one with the least variance, summed over r, g, b; the first of equals, of "
        "upper left, upper right, lower right, lower left; where there is alpha, of c a and a",
    .source = "M. Kuwahara et al., 1976; GPUImageKuwaharaFilter",
    .notes = "the cost does not depend on the radius. GPUImage steps by 1/768 and 1/1024 of any "
             "image, and makes what is transparent opaque black");
