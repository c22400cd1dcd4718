// The background below a rolling ball: the entry, the ball, and the passes over the image.
#include "filter/native/rolling_ball/rolling_ball.h"

#include "cpu/cpu.h"
#include "device/spill.h"

#include <math.h>
#include <stdlib.h>

LG_CPU_DECLARE(lg_ball_table, rolling_ball);

// ---- the ball -----------------------------------------------------------------------------------

int32_t lg_ball_reach(const lg_filter *filter, const float *values)
{
    return (int32_t)lg_native_value(filter, values, "radius");
}

void lg_ball_heights(const lg_filter *filter, const float *values, float *heights)
{
    const double radius = lg_native_value(filter, values, "radius");
    const double given = lg_native_value(filter, values, "height");
    const double height = given > 0 ? given : radius;
    const int32_t reach = lg_ball_reach(filter, values);
    for (int32_t dy = 0; dy <= reach; dy++)
        for (int32_t dx = 0; dx <= reach; dx++) {
            const double rest = radius * radius - ((double)dx * dx + (double)dy * dy);
            *heights++ = rest < 0 ? -1 : (float)(height * sqrt(rest) / radius / 255);
        }
}

// How far a cell is from a tile, which are both `at` cells from each other's first row or column.
static int32_t nearest(int32_t at)
{
    const int32_t in_tile = LG_BALL_TILE / LG_BALL_CELL;
    return at < 0          ? -at * LG_BALL_CELL - (LG_BALL_CELL - 1)
           : at >= in_tile ? at * LG_BALL_CELL - (LG_BALL_TILE - 1)
                           : 0;
}

static size_t rows_size(const lg_ball *ball)
{
    return (size_t)(ball->reach + LG_BALL_BEYOND) * (size_t)ball->stride;
}

static lg_ball size_ball(int32_t reach)
{
    const int32_t cells = (reach + LG_BALL_CELL - 1) / LG_BALL_CELL;
    return (lg_ball){.reach = reach,
                     .stride = 2 * (reach + LG_BALL_BEYOND),
                     .cells = cells,
                     .bound_stride = (int32_t)lg_align_up((size_t)(2 * cells + 2), LG_BALL_BLOCK)};
}

static float or_nothing(float height)
{
    return height < 0 ? -INFINITY : height;
}

// Needs rows_size floats, then those of bounds.
static void fill_ball(lg_ball *ball, const float *heights, float *to)
{
    const int32_t reach = ball->reach, middle = ball->stride / 2;
    ball->rows = to + middle;
    for (int32_t dy = 0; dy < reach + LG_BALL_BEYOND; dy++)
        for (int32_t dx = -middle; dx < middle; dx++)
            *to++ = dy <= reach && abs(dx) <= reach
                        ? or_nothing(heights[(size_t)dy * (size_t)(reach + 1) + (size_t)abs(dx)])
                        : -INFINITY;
    ball->bounds = to;
    for (int32_t dy = -ball->cells; dy <= ball->cells + 1; dy++)
        for (int32_t dx = -ball->cells; dx < ball->bound_stride - ball->cells; dx++)
            *to++ = dx <= ball->cells + 1
                        ? ball->rows[(size_t)nearest(dy) * (size_t)ball->stride + nearest(dx)]
                        : -INFINITY;
}

// ---- the passes ---------------------------------------------------------------------------------

typedef struct runner {
    const lg_native_call *call;
    const lg_ball_table *table;
    lg_ball_job *job;
} runner;

static lg_status run_rows(const runner *r, lg_rows_fn *run, int32_t rows, int32_t band)
{
    const lg_row_pass pass = {.run = run, .job = r->job, .rows = rows, .band = band};
    return lg_rows_run(r->call->context, &pass, r->call->error);
}

static lg_status roll(const runner *r, const float *from, float *to)
{
    const int32_t height = r->job->in.height;
    r->job->from = from;
    r->job->to = to;
    const lg_status status =
        run_rows(r, r->table->find_least, (height + LG_BALL_CELL - 1) / LG_BALL_CELL, LG_BALL_CELL);
    return status ? status
                  : run_rows(r, r->table->roll, (height + LG_BALL_TILE - 1) / LG_BALL_TILE, 1);
}

static lg_status run_layer(const runner *r, int32_t z, float *between)
{
    lg_ball_job *job = r->job;
    job->in = lg_layer_pixels(r->call->in[0], z);
    job->out = lg_layer_pixels(r->call->out, z);
    const size_t pixels = (size_t)job->in.width * (size_t)job->in.height;
    lg_status status = run_rows(r, r->table->load, job->in.height, 16);
    for (int k = 0; k < job->plane_count && !status; k++) {
        float *plane = job->planes + (size_t)k * pixels;
        status = roll(r, plane, between);
        if (!status)
            status = roll(r, between, plane);
    }
    return status ? status : run_rows(r, r->table->store, job->in.height, 16);
}

static lg_status rolling_ball_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_image_params *s = &call->in[0]->shape;
    lg_ball_job job = {.stage = lg_stage_get(level),
                       .ball = size_ball(lg_ball_reach(call->filter, call->values)),
                       .plane_count = lg_reads_grey(s->channels, s->alpha) ? 1 : 3,
                       .light = lg_native_value(call->filter, call->values, "light") != 0,
                       .background = lg_native_value(call->filter, call->values, "output") != 0};
    const size_t pixels = (size_t)s->width * (size_t)s->height;
    const size_t cell_rows = ((size_t)s->height + LG_BALL_CELL - 1) / LG_BALL_CELL;
    const size_t heights = (size_t)(job.ball.reach + 1) * (size_t)(job.ball.reach + 1);
    const size_t bounds = (size_t)(2 * job.ball.cells + 2) * (size_t)job.ball.bound_stride;
    job.cell_stride = (s->width + LG_BALL_TILE - 1) / LG_BALL_TILE * (LG_BALL_TILE / LG_BALL_CELL) +
                      2 * job.ball.cells + LG_BALL_BLOCK;
    const size_t cells = cell_rows * (size_t)job.cell_stride;
    const size_t bytes =
        (pixels * ((size_t)job.plane_count + 1) + cells + heights + rows_size(&job.ball) + bounds) *
        sizeof(float);
    void *memory = NULL;
    lg_status status =
        lg_block_take(call->context, bytes, "the planes of rolling_ball", &memory, call->error);
    if (status)
        return status;
    job.planes = memory;
    float *between = job.planes + pixels * (size_t)job.plane_count;
    job.cells = between + pixels;
    lg_ball_heights(call->filter, call->values, job.cells + cells);
    fill_ball(&job.ball, job.cells + cells, job.cells + cells + heights);
    const runner r = {call, LG_CPU_SELECT(rolling_ball, level), &job};
    for (int32_t z = 0; z < s->layers && !status; z++)
        status = run_layer(&r, z, between);
    lg_block_give(call->context, memory);
    return status;
}

// ---- the entry ----------------------------------------------------------------------------------

#define PARAMETERS(X)                                                                              \
    X(NUMBER, radius, "px", 50, 1, LG_BALL_RADIUS,                                                 \
      "of the ball: at least that of the largest object that is no background")                    \
    X(CHOICE, output, 0, "subtracted|background", "the image less the background, or that")        \
    X(FLAG, light, 0, "objects are dark on a light background, which becomes white")               \
    X(NUMBER, height, "levels", 0, 0, 65535,                                                       \
      "of the ball above its rim, where white is 255; 0: as many as radius")

LG_ROWS(rolling_ball)

static lg_row_reach rolling_ball_reach(const lg_filter *filter, const float *values,
                                       const lg_image_params *in)
{
    return lg_row_reach_of(2 * (int64_t)lg_ball_reach(filter, values));
}

static double cost(const lg_filter *filter, const float *values)
{
    const double radius = lg_native_value(filter, values, "radius");
    return 100 + 6 * radius; // noise: most of the ball is left out
}

static const lg_native rolling_ball_native = {.cpu = rolling_ball_cpu,
                                              .vulkan = LG_VULKAN(lg_rolling_ball_vulkan),
                                              .recorded = "radius height light output",
                                              .reach = rolling_ball_reach,
                                              .cost = cost};

LG_NATIVE_FILTER(
    rolling_ball, &rolling_ball_native, 1,
    .summary = "subtracts the background that a ball rolls along below the image",
    .formula = "with h(b) = height sqrt(radius^2 - b^2) / radius / 255, e(x) = min of c(x + b) - "
               "h(b) and g(x) = max of e(x - b) + h(b) over |b| <= radius inside the image, g at "
               "most c: c' = c - g, per channel. light: of the negative, plus 1",
    .source = "S. R. Sternberg, Biomedical image processing, 1983; ImageJ's Subtract Background",
    .notes = "an opening by half a ball, without the smaller copy of the image that ImageJ rolls "
             "its ball below. Alpha stays. A NaN is left out, and stays one");
