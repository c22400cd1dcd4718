// The bilateral grid: its entry, its size, and the passes on the CPU.
#include "filter/native/bilateral/bilateral_grid.h"
#include "device/spill.h"
#include "filter/native/bilateral/bilateral_grid_math.h"
#include "filter/native/planes.h"

#include <math.h>

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma_space, "px", 3, 2, 1000, "standard deviation of distances")                    \
    X(NUMBER, sigma_color, "", 0.1f, 0.001f, 1000, "standard deviation of differences of luma")    \
    LG_BORDER_PARAMETER(X)

LG_ROWS(bilateral_grid)

LG_CPU_DECLARE(lg_bilateral_grid_table, bilateral_grid);

static void find_cells(lg_bilateral_grid *g, float sigma)
{
    // The smallest cells that two of them, as far as blurring reaches, suffice for.
    g->cell = LG_MAX((int)ceilf(0.8f * sigma), 1);
    g->inverse = lg_div(1, (float)(2 * g->cell));
    // What summing over a cell and looking up between cells leave of the variance, in cells.
    const float ratio = lg_div(sigma, (float)g->cell);
    const float variance = ratio * ratio - 0.25f;
    g->space[2] = LG_MAX(variance * (2 * variance - 1) * 0.0625f, 0.0f);
    g->space[1] = (variance - 8 * g->space[2]) * 0.5f;
    g->space[0] = 1 - 2 * (g->space[1] + g->space[2]);
}

static void find_levels(lg_bilateral_grid *g, float sigma)
{
    const float count = lg_div(2, sigma); // of intervals of luma
    g->levels = (int)(count + 0.5f) + 2;
    g->per_level = count;
    if (!g->kind.bytes)
        return;
    const uint64_t pixels = (uint64_t)g->cell * (uint64_t)g->cell;
    for (g->bits = 8; pixels * 255 << g->bits > UINT32_MAX;)
        g->bits--;
    g->per_level = lg_div(count * (float)(1 << g->bits), 255 * 65536.0f);
}

lg_status lg_bilateral_grid_describe(const lg_filter *filter, const float *values,
                                     const lg_pixels *in, const lg_pixels *out,
                                     lg_bilateral_grid *grid, lg_error *error)
{
    const float space = lg_native_value(filter, values, "sigma_space");
    lg_bilateral_grid g = {.kind = lg_bilateral_describe(filter, values, in, out)};
    g.grey = g.kind.planes == 1 || (g.kind.planes == 2 && lg_pixels_have_alpha(in));
    g.values = g.kind.planes + 1;
    find_cells(&g, space);
    find_levels(&g, lg_native_value(filter, values, "sigma_color"));
    const int beyond = 2 * LG_BILATERAL_GRID_BEYOND;
    g.columns = (in->width + g.cell - 1) / g.cell + beyond;
    g.rows = (in->height + g.cell - 1) / g.cell + beyond;
    g.row = (size_t)g.columns * (size_t)g.levels * (size_t)g.values;
    size_t bytes;
    if (!lg_size_mul(g.row * sizeof(float), (size_t)g.rows, &bytes) ||
        bytes > LG_BILATERAL_GRID_BYTES)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "bilateral_grid: %d x %d x %d cells take %zu MiB; allowed are %zu: "
                       "sigma_space or sigma_color must be larger, or use bilateral",
                       g.columns, g.rows, g.levels, bytes >> 20, LG_BILATERAL_GRID_BYTES >> 20);
    *grid = g;
    return LG_OK;
}

int lg_bilateral_grid_tiles(const lg_bilateral_grid *grid)
{
    return (grid->cell + LG_BILATERAL_GRID_TILE - 1) / LG_BILATERAL_GRID_TILE;
}

// A worker's: a row of pixels with what lies beyond it, levels of a cell, and a row of cells or of their
// tiles.
static size_t scratch_size(const lg_bilateral_grid *g)
{
    const size_t line = LG_MAX((size_t)g->columns * (size_t)g->cell, LG_SPAN) + LG_SPAN;
    const size_t tiles = (size_t)lg_bilateral_grid_tiles(g);
    const size_t level = ((size_t)g->levels + 4) * (size_t)g->values;
    return lg_align_up(
        (line * (size_t)(g->values + 2) + g->row * tiles + level) * sizeof(float) + 1024, 64);
}

static lg_status run_layer(const lg_bilateral_grid_job *j, const lg_native_call *call)
{
    const lg_bilateral_grid *g = &j->grid;
    const lg_bilateral_grid_table *table = LG_CPU_SELECT(bilateral_grid, call->context->cpu_level);
    const lg_row_pass passes[] = {
        {.run = table->sum, .rows = g->rows, .band = 1},
        {.run = table->blur, .first = 2, .rows = g->rows - 4, .band = 1},
        {.run = table->look_up, .rows = j->in.height, .band = LG_BILATERAL_GRID_LINES}};
    lg_status status = LG_OK;
    for (int i = 0; i < 3 && !status; i++) {
        lg_row_pass pass = passes[i];
        pass.job = j;
        pass.scratch = scratch_size(g);
        pass.what = "rows of cells of bilateral";
        status = lg_rows_run(call->context, &pass, call->error);
    }
    return status;
}

lg_status lg_bilateral_grid_cpu(const lg_native_call *call)
{
    lg_bilateral_grid_job job = {.in = lg_layer_pixels(call->in[0], 0),
                                 .out = lg_layer_pixels(call->out, 0)};
    lg_bilateral_grid *g = &job.grid;
    lg_status status =
        lg_bilateral_grid_describe(call->filter, call->values, &job.in, &job.out, g, call->error);
    if (status)
        return status;
    const size_t cells = lg_align_up(g->row * (size_t)g->rows, 16);
    void *memory = NULL;
    status = lg_block_take(call->context, 2 * cells * sizeof(float), "the cells of bilateral_grid",
                           &memory, call->error);
    if (status)
        return status;
    job.cells = memory;
    job.blurred = job.cells + cells;
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        job.in = lg_layer_pixels(call->in[0], z);
        job.out = lg_layer_pixels(call->out, z);
        status = run_layer(&job, call);
    }
    lg_block_give(call->context, memory);
    return status;
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_whole("its cells are those of the whole image");
}

#define PIXEL_COST 4  // nanoseconds a sample, to fill the cells and to look into them
#define CELL_COST  20 // and to blur a cell

static double cost(const lg_filter *filter, const float *values)
{
    const double side = ceil(0.8 * (double)lg_native_value(filter, values, "sigma_space"));
    const double levels = 2 / (double)lg_native_value(filter, values, "sigma_color");
    return PIXEL_COST + CELL_COST * levels / (side * side);
}

static const lg_native bilateral_grid_native = {.cpu = lg_bilateral_grid_cpu,
                                                .vulkan = LG_VULKAN(lg_bilateral_grid_vulkan),
                                                .recorded = "sigma_space sigma_color",
                                                .reach = reach,
                                                .cost = cost};

LG_NATIVE_FILTER(
    bilateral_grid, &bilateral_grid_native, 1,
    .summary = "smooths, but not across edges of luma, in a time that no sigma changes",
    .formula = "cells of about 0.8 sigma_space pixels and sigma_color / 2 of luma have sums of "
               "weighted pixels and of weights; they are blurred along x, y and luma, and a pixel "
               "is the quotient between the cells around it",
    .source = "Chen, Paris and Durand 2007",
    .notes = "near bilateral on greys; colours of one luma are one to it. Its weights reach 3 to 4 "
             "sigma_space. Colours are premultiplied; what is transparent is black, so that edges "
             "of alpha beside dark colours are smoothed");
