// FAST-9 corners: the entry.
#include "filter/native/fast_corner_detection/fast_corner_detection.h"

#include "cpu/cpu.h"
#include "filter/native/luminance.h"

#include <math.h>

LG_CPU_DECLARE(lg_fast_table, fast_corner_detection);

void lg_fast_set_up(lg_fast_job *job, const lg_native_call *call)
{
    const float threshold = lg_native_value(call->filter, call->values, "threshold");
    *job = (lg_fast_job){
        .integer = lg_luminance_is_byte(&call->in[0]->shape),
        .suppress = lg_native_value(call->filter, call->values, "non_maximum_suppression") != 0,
        .write_score = lg_native_value(call->filter, call->values, "output") != 0,
        .threshold = (uint8_t)floorf(threshold * 255 + 0.5f),
        .real_threshold = threshold,
        .stage = lg_stage_get(call->context->cpu_level)};
}

static lg_status fast_cpu(const lg_native_call *call)
{
    const lg_fast_table *table = LG_CPU_SELECT(fast_corner_detection, call->context->cpu_level);
    lg_fast_job job;
    lg_fast_set_up(&job, call);
    lg_pixel_tiles tiles = {.run = table->run, .job = &job};
    lg_pixel_tiles_cut(&tiles, call, 8 + 4, 192 << 10, 1024, 32, LG_BORDER_REPLICATE);
    job.strip = tiles.strip;
    tiles.scratch = table->scratch(&job);
    return lg_pixel_tiles_run(call, &tiles);
}

#define PARAMETERS(X)                                                                              \
    X(NUMBER, threshold, "", 0.08f, 0, 1, "luminance by which the circle differs from the centre") \
    X(FLAG, non_maximum_suppression, 1, "keep only the best of neighbouring corners")              \
    X(CHOICE, output, 0, "corners|score", "1 at corners, or their scores")

LG_ROWS(fast_corner_detection)

// The circle, and the scores of neighbours.
static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of(lg_native_value(filter, values, "non_maximum_suppression") != 0 ? 3 + 1
                                                                                           : 3);
}

static const lg_native fast_native = {
    .cpu = fast_cpu, .vulkan = LG_VULKAN(lg_fast_vulkan), .reach = reach};

LG_NATIVE_FILTER(fast_corner_detection, &fast_native, 1, .summary = "corners by FAST-9",
                 .formula =
                     "a corner: 9 contiguous of the 16 pixels on a circle of radius 3 have "
                     "l > centre + threshold, or all l < centre - threshold; its score is the "
                     "least threshold for which it is none; luminance l",
                 .source = "E. Rosten and T. Drummond, 2006; GPUImageFASTCornerDetectionFilter",
                 .notes = "GPUImage's is not connected to anything. Corners are at least 3 px from "
                          "the edges; of neighbours with equal scores none is kept");
