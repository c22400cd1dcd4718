// The definition of bilateral's grid, plainly: every pixel of every cell, every cell of every pixel.
#include "filter/native/bilateral/bilateral_grid.h"
#include "filter/native/bilateral/bilateral_grid_math.h"
#include "filter/native/planes.h"

typedef struct pixel {
    float planes[4];
    int level;
    float part;
} pixel;

typedef struct grid_ref {
    lg_pixels in, out;
    lg_bilateral_grid g;
    float *cells[2];
} grid_ref;

static void find_place(const lg_bilateral_grid *g, pixel *p)
{
    const float *v = p->planes;
    if (g->kind.bytes) {
        const int all = bilateral_grid_place_of_bytes((uint32_t)v[0], (uint32_t)v[1],
                                                      g->kind.planes > 2 ? (uint32_t)v[2] : 0,
                                                      g->grey, g->per_level);
        p->level = all / (1 << g->bits);
        p->part = (float)(all % (1 << g->bits));
    } else {
        const color c = {v[0], v[1], g->kind.planes > 2 ? v[2] : 0, 1};
        const float all = bilateral_grid_place(c, g->grey, g->per_level);
        p->level = (int)all;
        p->part = all - (float)p->level;
    }
}

static pixel pixel_at(const grid_ref *r, int64_t x, int64_t y)
{
    pixel p = {0};
    const int64_t column = lg_border_index(x, r->in.width, r->g.kind.border);
    const int64_t row = lg_border_index(y, r->in.height, r->g.kind.border);
    if (column < 0 || row < 0)
        return p;
    if (r->g.kind.bytes) {
        const uint8_t *from = (const uint8_t *)r->in.data + (size_t)row * r->in.row_stride +
                              (size_t)(column * r->in.channels);
        for (int k = 0; k < r->g.kind.planes; k++)
            p.planes[k] = from[k];
    } else {
        lg_planes_load(lg_stage_get(LG_CPU_BASE), &r->in, column, row, 1, p.planes, 1);
    }
    find_place(&r->g, &p);
    return p;
}

static float *cell_at(const grid_ref *r, int of, int column, int row, int level)
{
    const lg_bilateral_grid *g = &r->g;
    return r->cells[of] + (((size_t)row * (size_t)g->columns + (size_t)column) * (size_t)g->levels +
                           (size_t)level) *
                              (size_t)g->values;
}

// Adds a square of pixels to a cell, all levels.
static void sum_tile(const grid_ref *r, int column, int row, int left, int top)
{
    const lg_bilateral_grid *g = &r->g;
    const int width = LG_MIN(g->cell - left, LG_BILATERAL_GRID_TILE);
    const int height = LG_MIN(g->cell - top, LG_BILATERAL_GRID_TILE);
    for (int level = 0; level < g->levels; level++) {
        float sums[5] = {0};
        uint32_t wholes[5] = {0};
        for (int i = 0; i < width * height; i++) {
            const int64_t x =
                (int64_t)(column - LG_BILATERAL_GRID_BEYOND) * g->cell + left + i % width;
            const int64_t y = (int64_t)(row - LG_BILATERAL_GRID_BEYOND) * g->cell + top + i / width;
            const pixel p = pixel_at(r, x, y);
            if (p.level != level && p.level + 1 != level)
                continue;
            const float one = g->kind.bytes ? (float)(1 << g->bits) : 1.0f;
            const float weight = p.level == level ? one - p.part : p.part;
            for (int k = 0; k < g->values; k++) {
                const float v = k < g->kind.planes ? p.planes[k] : 1;
                if (g->kind.bytes)
                    wholes[k] += (uint32_t)v * (uint32_t)weight;
                else
                    sums[k] = sums[k] + v * weight;
            }
        }
        float *to = cell_at(r, 0, column, row, level);
        for (int k = 0; k < g->values; k++)
            to[k] = g->kind.bytes ? lg_from_bits(lg_bits(to[k]) + wholes[k]) : to[k] + sums[k];
    }
}

// The number k at the place `at` of an axis (0 luma, 1 y, 2 x) beside a cell; 0 beyond the grid.
static float beside(const grid_ref *r, int of, int axis, int away, int x, int y, int level, int k)
{
    level += axis == 0 ? away : 0;
    y += axis == 1 ? away : 0;
    x += axis == 2 ? away : 0;
    if (level < 0 || level >= r->g.levels || y < 0 || y >= r->g.rows || x < 0 || x >= r->g.columns)
        return 0;
    return cell_at(r, of, x, y, level)[k];
}

static void blur_axis(const grid_ref *r, int from, int axis, float middle, float near, float far)
{
    const lg_bilateral_grid *g = &r->g;
    for (int y = 0; y < g->rows; y++)
        for (int x = 0; x < g->columns; x++)
            for (int i = 0; i < g->levels * g->values; i++) {
                const int level = i / g->values, k = i % g->values;
                float v[5];
                for (int away = -2; away <= 2; away++)
                    v[away + 2] = beside(r, from, axis, away, x, y, level, k);
                cell_at(r, !from, x, y, level)[k] =
                    (v[2] * middle + (v[1] + v[3]) * near) + (v[0] + v[4]) * far;
            }
}

static int before(const lg_bilateral_grid *g, int64_t at, float *part)
{
    const int64_t twice = 2 * at + 1 - g->cell;
    const int64_t cell = twice < 0 ? -1 : twice / (2 * g->cell);
    *part = (float)(int)(twice - cell * 2 * g->cell) * g->inverse;
    return (int)cell + LG_BILATERAL_GRID_BEYOND;
}

static float mix(float a, float b, float part)
{
    return a * (1 - part) + b * part;
}

static void look_up(const grid_ref *r, int64_t x, int64_t y)
{
    const lg_bilateral_grid *g = &r->g;
    const pixel p = pixel_at(r, x, y);
    float right, down, sums[5];
    const int column = before(g, x, &right), row = before(g, y, &down);
    const float part = g->kind.bytes ? p.part * lg_div(1, (float)(1 << g->bits)) : p.part;
    for (int k = 0; k < g->values; k++) {
        float at[2][2];
        for (int level = 0; level < 2; level++)
            for (int side = 0; side < 2; side++)
                at[level][side] =
                    mix(cell_at(r, 1, column + side, row, p.level + level)[k],
                        cell_at(r, 1, column + side, row + 1, p.level + level)[k], down);
        sums[k] = mix(mix(at[0][0], at[0][1], right), mix(at[1][0], at[1][1], right), part);
    }
    for (int k = 0; k < g->kind.planes; k++)
        sums[k] = lg_div(sums[k], sums[g->values - 1]) * g->kind.unit;
    if (!g->kind.rounded) {
        lg_planes_store(lg_stage_get(LG_CPU_BASE), &r->in, &r->out, x, y, 1, sums, 1);
        return;
    }
    uint8_t *to =
        (uint8_t *)r->out.data + (size_t)y * r->out.row_stride + (size_t)(x * r->out.channels);
    for (int c = 0; c < r->out.channels; c++)
        to[c] = c < g->kind.planes ? (uint8_t)(int)(sums[c] + 0.5f) : 255;
}

static void layer(const grid_ref *r)
{
    const lg_bilateral_grid *g = &r->g;
    const size_t count = g->row * (size_t)g->rows;
    memset(r->cells[0], 0, count * sizeof(float));
    for (int row = 0; row < g->rows; row++)
        for (int column = 0; column < g->columns; column++)
            for (int top = 0; top < g->cell; top += LG_BILATERAL_GRID_TILE)
                for (int left = 0; left < g->cell; left += LG_BILATERAL_GRID_TILE)
                    sum_tile(r, column, row, left, top);
    for (size_t i = 0; i < count && g->kind.bytes; i++)
        r->cells[0][i] = bilateral_grid_from_sum(lg_bits(r->cells[0][i]));
    blur_axis(r, 0, 0, LG_BILATERAL_GRID_RANGE);
    blur_axis(r, 1, 1, g->space[0], g->space[1], g->space[2]);
    blur_axis(r, 0, 2, g->space[0], g->space[1], g->space[2]);
    for (int64_t y = 0; y < r->in.height; y++)
        for (int64_t x = 0; x < r->in.width; x++)
            look_up(r, x, y);
}

lg_status lg_bilateral_grid_ref(const lg_native_call *call)
{
    grid_ref r = {.in = lg_layer_pixels(call->in[0], 0), .out = lg_layer_pixels(call->out, 0)};
    const lg_status status =
        lg_bilateral_grid_describe(call->filter, call->values, &r.in, &r.out, &r.g, call->error);
    if (status)
        return status;
    const size_t count = r.g.row * (size_t)r.g.rows;
    r.cells[0] = lg_alloc_array(2 * count, sizeof(float));
    if (!r.cells[0])
        return lg_fail_memory(call->error, 2 * count * sizeof(float), "the cells of bilateral");
    r.cells[1] = r.cells[0] + count;
    for (int32_t z = 0; z < call->out->shape.layers; z++) {
        r.in = lg_layer_pixels(call->in[0], z);
        r.out = lg_layer_pixels(call->out, z);
        layer(&r);
    }
    lg_free(r.cells[0]);
    return LG_OK;
}
