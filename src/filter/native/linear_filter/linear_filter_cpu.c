// A convolution with any kernel, on tiles, for one CPU level.
#include "filter/native/linear_filter/linear_filter.h"

#include "cpu/cpu.h"
#include "filter/native/color_rows.h"

static float *row_at(const lg_linear *l, float *rows, int64_t y)
{
    const int64_t slot = (y % l->rows + l->rows) % l->rows;
    return rows + (size_t)slot * 4 * l->stride;
}

static void weigh(const float *restrict from, float weight, int count, float *restrict to)
{
    for (int i = 0; i < count; i++)
        to[i] += weight * from[i];
}

// One channel of a row of results.
static void sum_channel(const lg_linear *l, float *rows, int k, int64_t y, int count, float *to)
{
    for (int i = 0; i < count; i++)
        to[i] = 0;
    for (int j = 0; j < l->rows; j++) {
        const float *line = row_at(l, rows, y - l->top + j) + (size_t)k * l->stride;
        for (int i = 0; i < l->columns; i++)
            weigh(line + i, l->weights[j * l->columns + i], count, to);
    }
    for (int i = 0; i < count; i++)
        to[i] += l->offset;
}

static void run(const void *job, const lg_pixel_tile *t, char *scratch)
{
    const lg_linear *l = job;
    const lg_stage_table *stage = lg_stage_get(LG_CPU_LEVEL_ID);
    float *rows = (float *)(void *)scratch, *sums = rows + (size_t)l->rows * 4 * l->stride;
    int64_t loaded = (int64_t)t->y - l->top;
    for (int32_t y = t->y; y < t->y_end; y++) {
        for (; loaded < (int64_t)y - l->top + l->rows; loaded++) {
            float *row = row_at(l, rows, loaded);
            float *const planes[4] = {row, row + l->stride, row + 2 * l->stride,
                                      row + 3 * l->stride};
            lg_color_row(stage, &t->in, l->border, (int64_t)t->x - l->left,
                         (int64_t)t->x_end - l->left + l->columns - 1, loaded, planes);
        }
        const int width = t->x_end - t->x;
        for (int k = 0; k < 3; k++)
            sum_channel(l, rows, k, y, width, sums + (size_t)k * l->stride);
        memcpy(sums + 3 * l->stride, row_at(l, rows, y) + 3 * l->stride + l->left,
               (size_t)width * sizeof *sums);
        for (int x = 0; x < width; x += LG_SPAN) {
            float *const out[4] = {sums + x, sums + l->stride + x, sums + 2 * l->stride + x,
                                   sums + 3 * l->stride + x};
            stage->store(&t->out, t->x + x, y, LG_MIN(LG_SPAN, width - x), out);
        }
    }
}

extern const lg_pixel_tiles LG_CPU_TABLE(linear_filter);
const lg_pixel_tiles LG_CPU_TABLE(linear_filter) = {.run = run};
