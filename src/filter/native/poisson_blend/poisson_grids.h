// Rows of the coarse grids of a Poisson blend. Included by the kernels of each CPU level.
#ifndef LG_POISSON_GRIDS_H
#define LG_POISSON_GRIDS_H

#include "filter/native/poisson_blend/poisson_blend.h"
#include "filter/native/poisson_blend/poisson_rule.h"

#include <string.h>

// The eight neighbours in their order; of the first two along each diagonal the equation has a link.
static const int poisson_x[8] = {1, 0, -1, 0, 1, -1, -1, 1};
static const int poisson_y[8] = {0, 1, 0, -1, 1, 1, -1, -1};

enum { RIGHT, BELOW, LEFT, ABOVE, RIGHT_BELOW, LEFT_BELOW, LEFT_ABOVE, RIGHT_ABOVE };
enum { LINK_RIGHT, LINK_BELOW, LINK_RIGHT_BELOW, LINK_LEFT_BELOW, DIAGONAL, PARTS };

static inline int poisson_neighbor(int dx, int dy)
{
    int i = 0;
    while (poisson_x[i] != dx || poisson_y[i] != dy)
        i++;
    return i;
}

// ---- equations ----------------------------------------------------------------------------------

// Parts of the equations of rows 2y - 2 .. 2y + 1, their even and odd columns apart, so that the
// neighbours of coarse points lie side by side.
typedef struct poisson_split {
    float *half[4][PARTS][2];
    size_t size; // floats of a half
} poisson_split;

// The equations of the image: four links of 1/4 inside it, between pixels inside the mask.
static void poisson_first(const lg_poisson_job *j, int32_t y, int32_t x, float part[PARTS])
{
    const lg_poisson_grid *g = &j->grid[0];
    const float *c = lg_poisson_row(g, g->weight, 0, y),
                *b = lg_poisson_row(g, g->weight, 0, y + 1);
    const int neighbors = (x > 0) + (x < g->width - 1) + (y > 0) + (y < g->height - 1);
    part[LINK_RIGHT] = 0.25f * (c[x] * c[x + 1]);
    part[LINK_BELOW] = 0.25f * (c[x] * b[x]);
    part[LINK_RIGHT_BELOW] = part[LINK_LEFT_BELOW] = 0;
    part[DIAGONAL] = 0.25f * (c[x] * (float)neighbors);
}

static void poisson_split_rows(const lg_poisson_job *j, int grid, int32_t y, float *scratch,
                               poisson_split *s)
{
    const lg_poisson_grid *g = &j->grid[grid], *fine = &j->grid[grid - 1];
    s->size = lg_align_up((size_t)g->width + 2 * LG_POISSON_LEAD, 16);
    memset(scratch, 0, 4 * PARTS * 2 * s->size * sizeof *scratch);
    for (int i = 0; i < 4 * PARTS * 2; i++)
        s->half[i / (2 * PARTS)][i / 2 % PARTS][i % 2] =
            scratch + (size_t)i * s->size + LG_POISSON_LEAD;
    for (int r = 0; r < 4; r++) {
        const int32_t row = 2 * y - 2 + r;
        if (row < 0 || row >= fine->height)
            continue;
        for (int32_t x = 0; grid == 1 && x < fine->width; x++) {
            float part[PARTS];
            poisson_first(j, row, x, part);
            for (int p = 0; p < PARTS; p++)
                s->half[r][p][x & 1][x >> 1] = part[p];
        }
        for (int p = 0; grid > 1 && p < PARTS; p++) {
            const float *from = lg_poisson_row(fine, fine->equation, p, row);
            for (int32_t x = 0; x < fine->width; x++)
                s->half[r][p][x & 1][x >> 1] = from[x];
        }
    }
}

// A part of the equations of the points at (dx, dy) from the middles 2x, 2y of coarse points x.
static const float *poisson_part(const poisson_split *s, int part, int dx, int dy)
{
    const int odd = dx & 1;
    return s->half[dy + 2][part][odd] + (dx - odd) / 2;
}

// The links of these points to those at (ex, ey) from them.
static const float *poisson_link(const poisson_split *s, int dx, int dy, int ex, int ey)
{
    if (ey < 0 || (ey == 0 && ex < 0)) {
        dx += ex, dy += ey;
        ex = -ex, ey = -ey;
    }
    return poisson_part(s,
                        ey == 0   ? LINK_RIGHT
                        : ex == 0 ? LINK_BELOW
                        : ex > 0  ? LINK_RIGHT_BELOW
                                  : LINK_LEFT_BELOW,
                        dx, dy);
}

static void poisson_basis(const lg_poisson_job *j, int grid, int from, float part, int32_t y,
                          float *scratch)
{
    const lg_poisson_grid *g = &j->grid[grid];
    poisson_split s;
    poisson_split_rows(j, grid, y, scratch, &s);
    for (int i = 0; i < 8; i++) {
        const int dx = poisson_x[i], dy = poisson_y[i];
        const float *diagonal = poisson_part(&s, DIAGONAL, dx, dy);
        float *restrict weight = lg_poisson_row(g, g->basis, i, y);
        if (i < 4) {
            const float *towards = poisson_link(&s, dx, dy, -dx, -dy);
            const float *beside = poisson_link(&s, dx, dy, -dx + dy, -dy + dx);
            const float *other_side = poisson_link(&s, dx, dy, -dx - dy, -dy - dx);
            const float *across = poisson_link(&s, dx, dy, dy, dx);
            const float *other_across = poisson_link(&s, dx, dy, -dy, -dx);
            for (int32_t x = 0; x < g->width; x++)
                weight[x] = poisson_weight_along(towards[x], beside[x], other_side[x], diagonal[x],
                                                 across[x], other_across[x]);
            continue;
        }
        const float *link = poisson_link(&s, dx, dy, -dx, -dy);
        const float *first = poisson_link(&s, dx, dy, 0, -dy);
        const float *second = poisson_link(&s, dx, dy, -dx, 0);
        const float *first_weight = lg_poisson_row(g, g->basis, poisson_neighbor(dx, 0), y);
        const float *second_weight = lg_poisson_row(g, g->basis, poisson_neighbor(0, dy), y);
        for (int32_t x = 0; x < g->width; x++)
            weight[x] = poisson_weight_across(link[x], first[x], first_weight[x], second[x],
                                              second_weight[x], diagonal[x]);
    }
}

// What the equations of the points at (ix, iy) have of the coarse points at (tx, ty) from x, y.
static bool poisson_share(const lg_poisson_grid *g, const poisson_split *s, int ix, int iy, int tx,
                          int ty, int32_t y, float *restrict sum)
{
    bool any = false;
    for (int jy = iy - 1; jy <= iy + 1; jy++)
        for (int jx = ix - 1; jx <= ix + 1; jx++) {
            const int dx = jx - 2 * tx, dy = jy - 2 * ty;
            if (dx < -1 || dx > 1 || dy < -1 || dy > 1)
                continue;
            if (!any)
                memset(sum, 0, (size_t)g->width * sizeof *sum);
            any = true;
            const bool own = jx == ix && jy == iy;
            const float *a =
                own ? poisson_part(s, DIAGONAL, ix, iy) : poisson_link(s, ix, iy, jx - ix, jy - iy);
            const float sign = own ? 1 : -1;
            if (dx == 0 && dy == 0) {
                for (int32_t x = 0; x < g->width; x++)
                    sum[x] += a[x] * sign;
                continue;
            }
            const float *w = lg_poisson_row(g, g->basis, poisson_neighbor(dx, dy), y + ty) + tx;
            for (int32_t x = 0; x < g->width; x++)
                sum[x] += (a[x] * sign) * w[x];
        }
    return any;
}

// Whether one of the nine points above each point depends on a pixel outside the mask.
static void poisson_pin(const lg_poisson_job *j, int grid, int32_t y)
{
    const lg_poisson_grid *g = &j->grid[grid], *fine = &j->grid[grid - 1];
    float *pinned = lg_poisson_row(g, g->equation, LG_POISSON_PINNED, y);
    for (int32_t x = 0; x < g->width; x++) {
        float any = 0;
        for (int32_t i = LG_MAX(2 * y - 1, 0); i <= LG_MIN(2 * y + 1, fine->height - 1); i++)
            for (int32_t k = LG_MAX(2 * x - 1, 0); k <= LG_MIN(2 * x + 1, fine->width - 1); k++)
                any = fmaxf(
                    any, grid == 1 ? 1 - lg_poisson_row(fine, fine->weight, 0, i)[k]
                                   : lg_poisson_row(fine, fine->equation, LG_POISSON_PINNED, i)[k]);
        pinned[x] = any;
    }
}

// Galerkin's equations: those of the grid above, for values that the weights make of coarse ones.
static void poisson_combine(const lg_poisson_job *j, int grid, int from, float part, int32_t y,
                            float *scratch)
{
    static const int target[PARTS][3] = {{LINK_RIGHT, 1, 0},
                                         {LINK_BELOW, 0, 1},
                                         {LINK_RIGHT_BELOW, 1, 1},
                                         {LINK_LEFT_BELOW, -1, 1},
                                         {DIAGONAL, 0, 0}};
    const lg_poisson_grid *g = &j->grid[grid];
    poisson_split s;
    float *restrict sum = scratch;
    poisson_split_rows(j, grid, y, scratch + g->stride, &s);
    for (int t = 0; t < PARTS; t++) {
        float *restrict to = lg_poisson_row(g, g->equation, target[t][0], y);
        memset(to, 0, (size_t)g->width * sizeof *to);
        for (int i = 0; i < 9; i++) {
            const int ix = i % 3 - 1, iy = i / 3 - 1;
            if (!poisson_share(g, &s, ix, iy, target[t][1], target[t][2], y, sum))
                continue;
            const float sign = t == DIAGONAL ? 1 : -1;
            if (ix == 0 && iy == 0) {
                for (int32_t x = 0; x < g->width; x++)
                    to[x] += sum[x] * sign;
                continue;
            }
            const float *w = lg_poisson_row(g, g->basis, poisson_neighbor(ix, iy), y);
            for (int32_t x = 0; x < g->width; x++)
                to[x] += (w[x] * sign) * sum[x];
        }
    }
    const float *diagonal = lg_poisson_row(g, g->equation, LG_POISSON_DIAGONAL, y);
    float *restrict inverse = lg_poisson_row(g, g->equation, LG_POISSON_INVERSE, y);
    for (int32_t x = 0; x < g->width; x++)
        inverse[x] = poisson_inverse(diagonal[x]);
    poisson_pin(j, grid, y);
}

// ---- values -------------------------------------------------------------------------------------

// The right side of row y from three rows of the grid above: each point counts as it is weighted.
static void poisson_gather(const lg_poisson_grid *g, int plane, int32_t y, const float *const v[3])
{
    const float *w[8];
    for (int i = 0; i < 8; i++)
        w[i] = lg_poisson_row(g, g->basis, i, y);
    const float *a = v[0], *c = v[1], *b = v[2];
    float *restrict to = lg_poisson_row(g, g->right_side, plane, y);
    for (int32_t x = 0; x < g->width; x++) {
        const int32_t m = 2 * x;
        to[x] = (c[m] + poisson_four(c[m + 1], w[RIGHT][x], b[m], w[BELOW][x], c[m - 1], w[LEFT][x],
                                     a[m], w[ABOVE][x])) +
                poisson_four(b[m + 1], w[RIGHT_BELOW][x], b[m - 1], w[LEFT_BELOW][x], a[m - 1],
                             w[LEFT_ABOVE][x], a[m + 1], w[RIGHT_ABOVE][x]);
    }
}

// Row y of the grid above `g`, from the values of g.
static void poisson_expand(const lg_poisson_grid *g, int plane, int32_t y, int32_t width,
                           float *restrict to)
{
    const int32_t row = y / 2, pairs = width / 2;
    const float *e = lg_poisson_row(g, g->value[0], plane, row);
    const float *below = lg_poisson_row(g, g->value[0], plane, row + 1);
    const float *w[8], *u[8];
    for (int i = 0; i < 8; i++) {
        w[i] = lg_poisson_row(g, g->basis, i, row);
        u[i] = lg_poisson_row(g, g->basis, i, row + 1);
    }
    if (y % 2 == 0) {
        for (int32_t x = 0; x < pairs; x++) {
            to[2 * x] = e[x];
            to[2 * x + 1] = poisson_two(e[x], w[RIGHT][x], e[x + 1], w[LEFT][x + 1]);
        }
        if (width & 1)
            to[width - 1] = e[pairs];
        return;
    }
    for (int32_t x = 0; x < pairs; x++) {
        to[2 * x] = poisson_two(e[x], w[BELOW][x], below[x], u[ABOVE][x]);
        to[2 * x + 1] =
            poisson_four(e[x], w[RIGHT_BELOW][x], e[x + 1], w[LEFT_BELOW][x + 1], below[x + 1],
                         u[LEFT_ABOVE][x + 1], below[x], u[RIGHT_ABOVE][x]);
    }
    if (width & 1)
        to[width - 1] = poisson_two(e[pairs], w[BELOW][pairs], below[pairs], u[ABOVE][pairs]);
}

static void poisson_relax(const lg_poisson_grid *g, int plane, int from, float part, int32_t y)
{
    const float *a = lg_poisson_row(g, g->value[from], plane, y - 1);
    const float *c = lg_poisson_row(g, g->value[from], plane, y);
    const float *b = lg_poisson_row(g, g->value[from], plane, y + 1);
    const float *right_side = lg_poisson_row(g, g->right_side, plane, y);
    const float *right = lg_poisson_row(g, g->equation, LINK_RIGHT, y);
    const float *down = lg_poisson_row(g, g->equation, LINK_BELOW, y);
    const float *up = lg_poisson_row(g, g->equation, LINK_BELOW, y - 1);
    const float *right_down = lg_poisson_row(g, g->equation, LINK_RIGHT_BELOW, y);
    const float *left_up = lg_poisson_row(g, g->equation, LINK_RIGHT_BELOW, y - 1);
    const float *left_down = lg_poisson_row(g, g->equation, LINK_LEFT_BELOW, y);
    const float *right_up = lg_poisson_row(g, g->equation, LINK_LEFT_BELOW, y - 1);
    const float *inverse = lg_poisson_row(g, g->equation, LG_POISSON_INVERSE, y);
    float *restrict to = lg_poisson_row(g, g->value[1 - from], plane, y);
    for (int32_t x = 0; x < g->width; x++) {
        const float ring =
            poisson_four(c[x + 1], right[x], b[x], down[x], c[x - 1], right[x - 1], a[x], up[x]) +
            poisson_four(b[x + 1], right_down[x], b[x - 1], left_down[x], a[x - 1], left_up[x - 1],
                         a[x + 1], right_up[x + 1]);
        to[x] = poisson_relaxed(c[x], ring, right_side[x], inverse[x], part);
    }
}

#endif
