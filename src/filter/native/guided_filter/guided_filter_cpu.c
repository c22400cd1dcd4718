// The guided filter on rows of cells and of pixels, for one CPU level.
#include "filter/native/guided_filter/guided_filter.h"

#include "cpu/cpu.h"

#include <string.h>

static void fill_row(const lg_guided_job *job, int row, float *scratch)
{
    const lg_guided *g = &job->g;
    const lg_stage_table *stage = lg_stage_get(LG_CPU_LEVEL_ID);
    float *const planes[4] = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                              scratch + 3 * LG_SPAN};
    const int y = LG_MIN(row * g->side + g->side / 2, job->in.height - 1), last = job->in.width - 1;
    guided_cell *to =
        (guided_cell *)(void *)(job->a + (size_t)row * (size_t)g->columns * LG_GUIDED_NUMBERS);
    int cell = 0;
    for (int x = 0; x <= last; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, last + 1 - x);
        stage->load(&job->in, x, y, count, planes);
        for (; cell < g->columns; cell++) {
            const int at = LG_MIN(cell * g->side + g->side / 2, last) - x;
            if (at >= count)
                break;
            to[cell] = guided_products(
                (color){planes[0][at], planes[1][at], planes[2][at], planes[3][at]});
        }
    }
}

static void add_line(const float *restrict line, float *restrict to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] += line[i];
}

static void sum_row(const lg_guided_job *job, int row, float *scratch)
{
    const lg_guided *g = &job->g;
    const size_t cell = (size_t)job->numbers, size = (size_t)g->columns * cell;
    const float *line = job->from + (size_t)row * size;
    float *sums = job->to + (size_t)row * size;
    for (int i = 0; i < g->radius; i++) {
        memcpy(scratch + (size_t)i * cell, line, cell * sizeof *line);
        memcpy(scratch + (size_t)(g->radius + g->columns + i) * cell, line + size - cell,
               cell * sizeof *line);
    }
    memcpy(scratch + (size_t)g->radius * cell, line, size * sizeof *line);
    memset(sums, 0, size * sizeof *sums);
    for (int i = 0; i <= 2 * g->radius; i++)
        add_line(scratch + (size_t)i * cell, sums, size);
}

static void sum_column_row(const lg_guided_job *job, int row, float *scratch)
{
    const lg_guided *g = &job->g;
    const size_t size = (size_t)g->columns * (size_t)job->numbers;
    float *sums = job->to + (size_t)row * size;
    memset(sums, 0, size * sizeof *sums);
    for (int i = -g->radius; i <= g->radius; i++)
        add_line(job->from + (size_t)LG_MIN(LG_MAX(row + i, 0), g->rows - 1) * size, sums, size);
}

#define BLOCK 64 // cells whose numbers are taken apart

// Number k of every cell at planes[k], so that cells are solved side by side.
static void solve_block(float planes[LG_GUIDED_NUMBERS][BLOCK], float inverse, float eps,
                        float lines[LG_GUIDED_LINE][BLOCK])
{
    for (int i = 0; i < BLOCK; i++) {
        const guided_cell c = {planes[0][i], planes[1][i], planes[2][i],  planes[3][i],
                               planes[4][i], planes[5][i], planes[6][i],  planes[7][i],
                               planes[8][i], planes[9][i], planes[10][i], planes[11][i],
                               planes[12][i]};
        const color line = guided_solve(c, inverse, eps);
        lines[0][i] = line.r, lines[1][i] = line.g, lines[2][i] = line.b, lines[3][i] = line.a;
    }
}

static void solve_row(const lg_guided_job *job, int row, float *scratch)
{
    const lg_guided *g = &job->g;
    const size_t first = (size_t)row * (size_t)g->columns;
    const float *restrict from = job->a + first * LG_GUIDED_NUMBERS;
    float *restrict to = job->b + first * LG_GUIDED_LINE;
    float planes[LG_GUIDED_NUMBERS][BLOCK] = {{0}}, lines[LG_GUIDED_LINE][BLOCK];
    for (int at = 0; at < g->columns; at += BLOCK) {
        const int count = LG_MIN(BLOCK, g->columns - at);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < LG_GUIDED_NUMBERS; k++)
                planes[k][i] = from[(size_t)(at + i) * LG_GUIDED_NUMBERS + (size_t)k];
        solve_block(planes, g->inverse_count, g->eps, lines);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < LG_GUIDED_LINE; k++)
                to[(size_t)(at + i) * LG_GUIDED_LINE + (size_t)k] = lines[k][i];
    }
}

static void mix_rows(const float *restrict above, const float *restrict below, float part,
                     size_t size, float *restrict to)
{
    for (size_t i = 0; i < size; i++)
        to[i] = lg_mix(above[i], below[i], part);
}

// Of every pixel of a span: the lines of the cells around it, and how far it lies towards the second.
typedef struct lines_around {
    float left[LG_GUIDED_LINE][LG_SPAN], right[LG_GUIDED_LINE][LG_SPAN], part[LG_SPAN];
} lines_around;

static void spread(float value, float *restrict to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = value;
}

static void find_lines(const lg_guided *g, const float *between, int x, int count, lines_around *to)
{
    for (int i = 0, end; i < count; i = end) {
        const int cell = guided_cell_before(x + i, g->side, g->columns);
        const int next = LG_MIN(cell + 1, g->columns - 1);
        end = next > cell ? LG_MIN(g->side / 2 + next * g->side - x, count) : count;
        for (int k = 0; k < LG_GUIDED_LINE; k++) {
            spread(between[cell * LG_GUIDED_LINE + k], to->left[k] + i, end - i);
            spread(between[next * LG_GUIDED_LINE + k], to->right[k] + i, end - i);
        }
        for (int j = i; j < end; j++)
            to->part[j] = guided_fraction(x + j, cell, g->side, g->inverse_side);
    }
}

static void finish_span(const lg_guided_job *job, const float *between, int x, int count,
                        float *const planes[4])
{
    lines_around n;
    find_lines(&job->g, between, x, count, &n);
    const float *restrict r = planes[0], *restrict gr = planes[1], *restrict b = planes[2];
    float *restrict a = planes[3];
    const float inverse = job->g.inverse_count;
    for (int i = 0; i < count; i++) {
        const float part = n.part[i];
        const color line = {
            lg_mix(n.left[0][i], n.right[0][i], part), lg_mix(n.left[1][i], n.right[1][i], part),
            lg_mix(n.left[2][i], n.right[2][i], part), lg_mix(n.left[3][i], n.right[3][i], part)};
        a[i] = guided_alpha((color){r[i], gr[i], b[i], 0}, line, inverse);
    }
}

static void finish_row(const lg_guided_job *job, int y, float *scratch)
{
    const lg_guided *g = &job->g;
    const lg_stage_table *stage = lg_stage_get(LG_CPU_LEVEL_ID);
    float *const planes[4] = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                              scratch + 3 * LG_SPAN};
    float *between = scratch + 4 * LG_SPAN;
    const size_t size = (size_t)g->columns * LG_GUIDED_LINE;
    const int row = guided_cell_before(y, g->side, g->rows);
    mix_rows(job->b + (size_t)row * size, job->b + (size_t)LG_MIN(row + 1, g->rows - 1) * size,
             guided_fraction(y, row, g->side, g->inverse_side), size, between);
    for (int x = 0; x < job->out.width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, job->out.width - x);
        stage->load(&job->in, x, y, count, planes);
        finish_span(job, between, x, count, planes);
        stage->store(&job->out, x, y, count, planes);
    }
}

#define ROWS(name, row)                                                                            \
    static void name(const void *job, int64_t y, int64_t y_end, char *scratch)                     \
    {                                                                                              \
        for (; y < y_end; y++)                                                                     \
            row(job, (int)y, (float *)(void *)scratch);                                            \
    }

ROWS(fill, fill_row)
ROWS(sum_rows, sum_row)
ROWS(sum_columns, sum_column_row)
ROWS(solve, solve_row)
ROWS(finish, finish_row)

extern const lg_guided_table LG_CPU_TABLE(guided_filter);
const lg_guided_table LG_CPU_TABLE(guided_filter) = {fill, sum_rows, sum_columns, solve, finish};
