// The descriptor of GPUImage's ColourFAST: the entry.
#include "filter/native/colour_fast_sampling/colour_fast_sampling.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_color_fast_table, colour_fast_sampling);

static lg_status color_fast_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_color_fast_table *table = LG_CPU_SELECT(colour_fast_sampling, level);
    lg_color_fast_job job = {.border =
                                 (lg_border)lg_native_value(call->filter, call->values, "border"),
                             .stage = lg_stage_get(level)};
    lg_pixel_tiles tiles = {.run = table->run, .job = &job};
    lg_pixel_tiles_cut(&tiles, call, 9, 192 << 10, 256, 32, LG_BORDER_REPLICATE);
    job.strip = tiles.strip;
    tiles.scratch = table->scratch(&job);
    return lg_pixel_tiles_run(call, &tiles);
}

// The angle stands where alpha is.
static lg_status color_fast_shape(float *values, lg_image_params *shape, lg_error *error)
{
    shape->channels = 4;
    shape->alpha = LG_ALPHA_NONE;
    return LG_OK;
}

#define PARAMETERS(X) LG_BORDER_PARAMETER(X)

LG_ROWS(colour_fast_sampling)

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of(3);
}

static double cost(const lg_filter *filter, const float *values)
{
    return 15; // it has an arc tangent
}

static const lg_native color_fast_native = {
    .cpu = color_fast_cpu, .vulkan = LG_VULKAN(lg_color_fast_vulkan), .reach = reach, .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    colour_fast_sampling, &color_fast_native, color_fast_shape, 1,
    .summary = "contrast and direction of eight samples around a pixel",
    .formula =
        "samples A B C D E F G H at (3,1) (1,3) (-1,3) (-3,1) (-3,-1) (-1,-3) (1,-3) (3,-1); "
        "k = mean - centre; x = 0.94868 (A-D-E+H) + 0.316227 (B-C-F+G), "
        "y = 0.316227 (A+D-E-H) + 0.94868 (B+C-F-G), both times |k|, summed over r, g, b; "
        "(k + 1) / 2 in r, g, b and (atan2(y, x) + pi) / (2 pi) in place of alpha",
    .source = "GPUImageColourFASTSamplingOperation",
    .notes =
        "where there is no direction the angle is 0, that is 1/2. Four numbers, not a colour: "
        "formats with alpha, such as PNG, show the angle as transparency; .npy keeps all four");
