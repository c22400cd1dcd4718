// The guided filter: the entry, and the passes over cells on the CPU.
#include "filter/native/guided_filter/guided_filter.h"

#include "cpu/cpu.h"
#include "filter/native/tiles.h"

LG_CPU_DECLARE(lg_guided_table, guided_filter);

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "cells", 4, 0, LG_GUIDED_RADIUS,                                            \
      "the window has 2 radius + 1 cells on a side; a cell is scale pixels")                       \
    X(NUMBER, eps, "", 1e-4f, 1e-5f, 1, "variance of colour that counts as none")                  \
    X(INTEGER, scale, "px", 8, 1, LG_GUIDED_SIDE,                                                  \
      "every so many pixels one is looked at; results lie between, so details stay")               \
    X(ALIAS, box_size, radius)

LG_ROWS(guided_filter)

lg_status lg_guided_describe(const lg_filter *filter, const float *values,
                             const lg_image_params *in, lg_guided *out, lg_error *error)
{
    lg_guided g = {.radius = (int)lg_native_value(filter, values, "radius"),
                   .side = (int)lg_native_value(filter, values, "scale"),
                   .eps = lg_native_value(filter, values, "eps")};
    const int window = 2 * g.radius + 1;
    g.columns = (in->width + g.side - 1) / g.side;
    g.rows = (in->height + g.side - 1) / g.side;
    g.inverse_side = lg_div(1, (float)g.side);
    g.inverse_count = lg_div(1, (float)(window * window));
    g.numbers = (size_t)g.columns * (size_t)g.rows * LG_GUIDED_NUMBERS;
    if (g.numbers * 2 * sizeof(float) > LG_GUIDED_BYTES)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "guided_filter: %d x %d cells take %zu MiB; allowed are %zu: scale must be "
                       "larger",
                       g.columns, g.rows, g.numbers * 2 * sizeof(float) >> 20,
                       LG_GUIDED_BYTES >> 20);
    *out = g;
    return LG_OK;
}

// ---- passes -------------------------------------------------------------------------------------

typedef struct passes {
    const lg_guided_table *table;
    lg_guided_job job;
    int numbers; // of a cell
    const float *from;
    float *to;
} passes;

static lg_status fill(void *arg, const lg_tile *t)
{
    const passes *p = arg;
    p->table->fill(&p->job, (int)t->y, (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status sum_rows(void *arg, const lg_tile *t)
{
    const passes *p = arg;
    p->table->sum_rows(&p->job.g, p->from, p->to, p->numbers, (int)t->y,
                       (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status sum_columns(void *arg, const lg_tile *t)
{
    const passes *p = arg;
    p->table->sum_columns(&p->job.g, p->from, p->to, p->numbers, (int)t->y);
    return LG_OK;
}

static lg_status solve(void *arg, const lg_tile *t)
{
    const passes *p = arg;
    p->table->solve(&p->job, (int)t->y);
    return LG_OK;
}

static lg_status finish(void *arg, const lg_tile *t)
{
    const passes *p = arg;
    for (int y = (int)t->y; y < t->y_end; y++)
        p->table->finish(&p->job, y, (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status run_rows(passes *p, const lg_native_call *call, lg_tile_fn *run, int64_t rows,
                          int64_t band)
{
    const lg_tiling tiling = {.height = rows,
                              .band = band,
                              .scratch =
                                  lg_align_up(lg_guided_scratch(&p->job.g) * sizeof(float), 64),
                              .what = "the rows of guided_filter",
                              .run = run,
                              .job = p};
    return lg_tiling_run(call->context->pool, &tiling, call->error);
}

// Sums over squares: `from` -> `by_rows` -> `to`, which may be `from`.
static lg_status sum_squares(passes *p, const lg_native_call *call, const float *from,
                             float *by_rows, float *to, int numbers)
{
    const int rows = p->job.g.rows;
    p->numbers = numbers;
    p->from = from;
    p->to = by_rows;
    lg_status status = run_rows(p, call, sum_rows, rows, 1);
    p->from = by_rows;
    p->to = to;
    return status ? status : run_rows(p, call, sum_columns, rows, 1);
}

static lg_status run_layer(passes *p, const lg_native_call *call)
{
    lg_guided_job *j = &p->job;
    lg_status status = run_rows(p, call, fill, j->g.rows, 1);
    if (!status)
        status = sum_squares(p, call, j->a, j->b, j->a, LG_GUIDED_NUMBERS);
    if (!status)
        status = run_rows(p, call, solve, j->g.rows, 1);
    if (!status)
        status = sum_squares(p, call, j->b, j->a, j->b, LG_GUIDED_LINE);
    return status ? status : run_rows(p, call, finish, j->out.height, 16);
}

static lg_status guided_filter(const lg_native_call *call)
{
    passes p = {.table = LG_CPU_SELECT(guided_filter, call->context->cpu_level)};
    lg_status status =
        lg_guided_describe(call->filter, call->values, &call->in[0]->shape, &p.job.g, call->error);
    if (status)
        return status;
    float *memory = lg_alloc_uninit(2 * p.job.g.numbers * sizeof *memory);
    if (!memory)
        return lg_fail_memory(call->error, 2 * p.job.g.numbers * sizeof *memory,
                              "the cells of guided_filter");
    p.job.a = memory;
    p.job.b = memory + p.job.g.numbers;
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        p.job.in = lg_layer_pixels(call->in[0], z);
        p.job.out = lg_layer_pixels(call->out, z);
        status = run_layer(&p, call);
    }
    lg_free(memory);
    return status;
}

// ---- the entry ----------------------------------------------------------------------------------

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    (void)filter, (void)values, (void)in;
    return lg_row_reach_whole("its cells are those of the whole image");
}

static double cost(const lg_filter *filter, const float *values)
{
    const double side = (double)lg_native_value(filter, values, "scale");
    const double window = 2 * (double)lg_native_value(filter, values, "radius") + 1;
    return 2 + (20 + 8 * window) / (side * side);
}

static const lg_native guided_native = {.cpu = guided_filter,
                                        .vulkan = LG_VULKAN(lg_guided_vulkan),
                                        .recorded = "radius scale eps",
                                        .reach = reach,
                                        .cost = cost};

LG_NATIVE_FILTER(
    guided_filter, &guided_native, 1, .summary = "makes alpha follow the edges of the colours",
    .formula =
        "in every window alpha is fitted as A . (r, g, b) + B: A = (S + eps E)^-1 s, B = mean "
        "of alpha - A . mean of (r, g, b), S the covariances of r, g, b, s those with alpha. "
        "a' = clamp of the means of A and B around the pixel, at its colour",
    .source = "VkGuidedLayer of aoce; K. He, J. Sun, X. Tang, Guided image filtering, 2010; Fast "
              "guided filter, 2015",
    .notes =
        "for rough mattes and masks: `chroma_key | guided_filter`, `alpha_combine:over=#mask | "
        "guided_filter`. Colours stay, and opaque images as they are. Means repeat the cells at "
        "the edges; scale=1 looks at every pixel, at a cost that grows with the window. aoce has "
        "radius 10 and eps 1e-6, which is less than what floats tell apart");
