// Rows of a Poisson blend on the image itself, for one CPU level.
#include "filter/native/poisson_blend/poisson_blend.h"

#include "cpu/cpu.h"
#include "filter/native/color_rows.h"
#include "filter/native/poisson_blend/poisson_grids.h"

// A row of w, which may lie outside the image.
static const float *bordered_row(const lg_poisson_job *j, lg_poisson_rows value, int plane,
                                 int64_t y)
{
    const int64_t row = lg_border_index(y, j->out.height, j->border);
    return row < 0 ? j->zeros + LG_POISSON_LEAD
                   : lg_poisson_row(&j->grid[0], value, plane, (int32_t)row);
}

// The columns outside the image.
static void fill_sides(const lg_poisson_job *j, float *row)
{
    const int64_t width = j->out.width;
    const int64_t left = lg_border_index(-1, width, j->border);
    const int64_t right = lg_border_index(width, width, j->border);
    row[-1] = left < 0 ? 0 : row[left];
    row[width] = right < 0 ? 0 : row[right];
}

static void begin(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    const lg_poisson_grid *grid = &j->grid[0];
    const int32_t width = grid->width;
    float *restrict weight = lg_poisson_row(grid, grid->weight, 0, y);
    float *base[4], *over[4];
    for (int k = 0; k < 4; k++) {
        base[k] = scratch + (size_t)k * grid->stride;
        over[k] = base[k] + 4 * grid->stride;
    }
    lg_color_row(j->stage, &j->base, LG_BORDER_REPLICATE, 0, width, y, base);
    lg_color_row(j->stage, &j->over, LG_BORDER_REPLICATE, 0, width, y, over);
    for (int32_t x = 0; x < width; x++)
        weight[x] = lg_choose(j->solves, poisson_inside(over[3][x]), over[3][x] * j->mix);
    for (int k = 0; k < 3; k++) {
        float *restrict w = lg_poisson_row(grid, grid->value[0], k, y);
        for (int32_t x = 0; x < width; x++)
            w[x] = base[k][x] - over[k][x];
        fill_sides(j, w);
    }
}

static void step(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    const lg_poisson_grid *grid = &j->grid[0];
    const float *restrict weight = lg_poisson_row(grid, grid->weight, 0, y);
    for (int k = 0; k < 3; k++) {
        const float *t = bordered_row(j, grid->value[from], k, y - 1);
        const float *c = bordered_row(j, grid->value[from], k, y);
        const float *b = bordered_row(j, grid->value[from], k, y + 1);
        float *restrict next = lg_poisson_row(grid, grid->value[1 - from], k, y);
        for (int32_t x = 0; x < grid->width; x++)
            next[x] = poisson_step(c[x], poisson_flux(c[x], c[x - 1], c[x + 1], t[x], b[x]),
                                   weight[x] * part);
        fill_sides(j, next);
    }
}

static void finish(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    const lg_poisson_grid *grid = &j->grid[0];
    float *base[4], *over[4];
    for (int k = 0; k < 4; k++) {
        base[k] = scratch + k * LG_SPAN;
        over[k] = scratch + (4 + k) * LG_SPAN;
    }
    for (int32_t x = 0; x < grid->width; x += LG_SPAN) {
        const int32_t count = LG_MIN(LG_SPAN, grid->width - x);
        const float *restrict weight = lg_poisson_row(grid, grid->weight, 0, y) + x;
        j->stage->load(&j->base, x, y, count, base);
        j->stage->load(&j->over, x, y, count, over);
        for (int k = 0; k < 3; k++) {
            const float *restrict w = lg_poisson_row(grid, grid->value[from], k, y) + x;
            const float *restrict o = over[k];
            float *restrict b = base[k];
            for (int32_t i = 0; i < count; i++) {
                const float sum = o[i] + lg_choose(j->covered, j->mean[k], w[i]);
                b[i] = weight[i] > 0 ? sum : b[i];
            }
        }
        j->stage->store(&j->out, x, y, count, base);
    }
}

// ---- from the image to the first coarse grid ----------------------------------------------------

// Rows of three planes with zeros at both sides, as of a grid: w, or what its equations leave.
static void fill_row(const lg_poisson_job *j, bool leaves, int32_t y, float *to)
{
    const lg_poisson_grid *grid = &j->grid[0];
    memset(to, 0, 3 * grid->stride * sizeof *to);
    if (y < 0 || y >= grid->height)
        return;
    const float *restrict weight = lg_poisson_row(grid, grid->weight, 0, y);
    for (int k = 0; k < 3; k++) {
        const float *t = bordered_row(j, grid->value[0], k, y - 1);
        const float *c = bordered_row(j, grid->value[0], k, y);
        const float *b = bordered_row(j, grid->value[0], k, y + 1);
        float *restrict row = to + (size_t)k * grid->stride + LG_POISSON_LEAD;
        if (!leaves)
            memcpy(row, c, (size_t)grid->width * sizeof *row);
        for (int32_t x = 0; leaves && x < grid->width; x++)
            row[x] = poisson_flux(c[x], c[x - 1], c[x + 1], t[x], b[x]) * weight[x];
    }
}

static void gather_from(const lg_poisson_job *j, int g, bool leaves, int32_t y, float *scratch)
{
    const lg_poisson_grid *above = &j->grid[g - 1];
    const float *rows[3][3];
    for (int i = 0; i < 3; i++) {
        float *row = scratch + (size_t)(3 * i) * above->stride;
        if (g == 1)
            fill_row(j, leaves, 2 * y - 1 + i, row);
        for (int k = 0; k < 3; k++)
            rows[k][i] = g == 1 ? row + (size_t)k * above->stride + LG_POISSON_LEAD
                                : lg_poisson_row(above, above->right_side, k, 2 * y - 1 + i);
    }
    for (int k = 0; k < 3; k++)
        poisson_gather(&j->grid[g], k, y, rows[k]);
}

static void sum(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    gather_from(j, g, false, y, scratch);
}

static void gather(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    gather_from(j, g, true, y, scratch);
}

static void expand(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    const lg_poisson_grid *grid = &j->grid[g];
    for (int k = 0; k < 3; k++) {
        float *to = lg_poisson_row(grid, grid->value[1 - from], k, y);
        const float *value = lg_poisson_row(grid, grid->value[from], k, y);
        poisson_expand(&j->grid[g + 1], k, y, grid->width, to);
        if (g)
            continue;
        const float *weight = lg_poisson_row(grid, grid->weight, 0, y);
        for (int32_t x = 0; x < grid->width; x++)
            to[x] = poisson_step(value[x], to[x], weight[x]);
        fill_sides(j, to);
    }
}

static void relax(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    for (int k = 0; k < 3; k++)
        poisson_relax(&j->grid[g], k, from, part, y);
}

static void last(const lg_poisson_job *j, int g, int from, float part, int32_t y, float *scratch)
{
    const lg_poisson_grid *grid = &j->grid[g];
    const float inverse = lg_poisson_row(grid, grid->equation, LG_POISSON_INVERSE, 0)[0];
    const float pinned = lg_poisson_row(grid, grid->equation, LG_POISSON_PINNED, 0)[0];
    for (int k = 0; k < 3; k++)
        lg_poisson_row(grid, grid->value[0], k, 0)[0] =
            lg_poisson_row(grid, grid->right_side, k, 0)[0] * (inverse * pinned);
}

extern const lg_poisson_table LG_CPU_TABLE(poisson_blend);
const lg_poisson_table LG_CPU_TABLE(poisson_blend) = {.begin = begin,
                                                      .step = step,
                                                      .finish = finish,
                                                      .basis = poisson_basis,
                                                      .combine = poisson_combine,
                                                      .sum = sum,
                                                      .gather = gather,
                                                      .expand = expand,
                                                      .relax = relax,
                                                      .last = last};
