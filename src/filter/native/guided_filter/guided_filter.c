// The guided filter: the entry, and the passes over cells on the CPU.
#include "filter/native/guided_filter/guided_filter.h"

#include "cpu/cpu.h"
#include "device/spill.h"

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
    const lg_native_call *call;
    const lg_guided_table *table;
    lg_guided_job job;
} passes;

static lg_status run_rows(passes *p, lg_rows_fn *run, int64_t rows, int64_t band)
{
    const lg_row_pass pass = {.run = run,
                              .job = &p->job,
                              .rows = rows,
                              .band = band,
                              .scratch = lg_guided_scratch(&p->job.g) * sizeof(float),
                              .what = "the rows of guided_filter"};
    return lg_rows_run(p->call->context, &pass, p->call->error);
}

// Sums over squares: `from` -> `by_rows` -> `to`, which may be `from`.
static lg_status sum_squares(passes *p, const float *from, float *by_rows, float *to, int numbers)
{
    lg_guided_job *j = &p->job;
    j->numbers = numbers;
    j->from = from;
    j->to = by_rows;
    const lg_status status = run_rows(p, p->table->sum_rows, j->g.rows, 1);
    j->from = by_rows;
    j->to = to;
    return status ? status : run_rows(p, p->table->sum_columns, j->g.rows, 1);
}

static lg_status run_layer(passes *p, int32_t z)
{
    lg_guided_job *j = &p->job;
    j->in = lg_layer_pixels(p->call->in[0], z);
    j->out = lg_layer_pixels(p->call->out, z);
    lg_status status = run_rows(p, p->table->fill, j->g.rows, 1);
    if (!status)
        status = sum_squares(p, j->a, j->b, j->a, LG_GUIDED_NUMBERS);
    if (!status)
        status = run_rows(p, p->table->solve, j->g.rows, 1);
    if (!status)
        status = sum_squares(p, j->b, j->a, j->b, LG_GUIDED_LINE);
    return status ? status : run_rows(p, p->table->finish, j->out.height, 16);
}

static lg_status guided_filter(const lg_native_call *call)
{
    passes p = {.call = call, .table = LG_CPU_SELECT(guided_filter, call->context->cpu_level)};
    lg_status status =
        lg_guided_describe(call->filter, call->values, &call->in[0]->shape, &p.job.g, call->error);
    if (status)
        return status;
    const size_t bytes = 2 * p.job.g.numbers * sizeof(float);
    void *memory = NULL;
    status =
        lg_block_take(call->context, bytes, "the cells of guided_filter", &memory, call->error);
    p.job.a = memory;
    p.job.b = status ? NULL : p.job.a + p.job.g.numbers;
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++)
        status = run_layer(&p, z);
    lg_block_give(call->context, memory);
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
