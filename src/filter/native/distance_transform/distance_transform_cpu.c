// The distance transform for one CPU level.
#include "filter/native/distance_transform/distance_transform.h"

#include "cpu/cpu.h"
#include "filter/native/distance_transform/distance_transform_rule.h"

typedef struct planes {
    float at[4][LG_SPAN] __attribute__((aligned(64)));
} planes;

// Rows down to the nearest site above, or that is the pixel itself.
static void go_down(const lg_distance_job *job, int32_t x, int count)
{
    planes p;
    float *const pointers[4] = {p.at[0], p.at[1], p.at[2], p.at[3]};
    const size_t width = (size_t)job->in.width;
    for (int32_t y = job->first; y < job->end; y++) {
        uint32_t *restrict to = job->rows + (size_t)y * width + (size_t)x;
        job->stage->load(&job->in, x, y, count, pointers);
        for (int i = 0; i < count; i++) {
            const uint32_t above = y ? (to - width)[i] : LG_DISTANCE_NONE;
            const color c = {p.at[0][i], p.at[1][i], p.at[2][i], p.at[3][i]};
            const bool site = distance_foreground(c) == job->of_sites;
            to[i] = site ? 0 : distance_further(above);
        }
    }
}

static void go_up(const lg_distance_job *job, int32_t x, int count)
{
    const size_t width = (size_t)job->in.width;
    for (int32_t y = LG_MIN(job->end, job->in.height - 1) - 1; y >= job->first; y--) {
        uint32_t *restrict to = job->rows + (size_t)y * width + (size_t)x;
        const uint32_t *restrict below = to + width;
        for (int i = 0; i < count; i++) {
            const uint32_t further = distance_further(below[i]);
            to[i] = further < to[i] ? further : to[i];
        }
    }
}

static void run_spans(const lg_distance_job *job, int64_t first, int64_t end, bool down, bool up)
{
    for (; first < end; first++) {
        const int32_t x = (int32_t)first * LG_SPAN;
        const int count = LG_MIN(LG_SPAN, job->in.width - x);
        if (down)
            go_down(job, x, count);
        if (up)
            go_up(job, x, count);
    }
}

static void columns(const void *job, int64_t first, int64_t end, char *scratch)
{
    run_spans(job, first, end, true, true);
}

static void down(const void *job, int64_t first, int64_t end, char *scratch)
{
    run_spans(job, first, end, true, false);
}

static void up(const void *job, int64_t first, int64_t end, char *scratch)
{
    run_spans(job, first, end, false, true);
}

static int64_t square_at(int64_t x, int64_t column, const uint32_t *rows)
{
    return (x - column) * (x - column) + (int64_t)rows[column] * rows[column];
}

// The columns whose parabolas are the least somewhere in a row, from left to right, and where each begins.
// Returns how many there are.
static int32_t find_least(const uint32_t *rows, int32_t width, int32_t *column, int32_t *begin)
{
    int32_t n = 0;
    for (int32_t u = 0; u < width; u++) {
        if (rows[u] == LG_DISTANCE_NONE)
            continue;
        while (n && square_at(begin[n - 1], column[n - 1], rows) > square_at(begin[n - 1], u, rows))
            n--;
        int64_t from = 0;
        if (n) {
            const int64_t v = column[n - 1], mine = (int64_t)rows[u] * rows[u],
                          its = (int64_t)rows[v] * rows[v];
            // The last column where the parabola of v is not above that of u; not left of begin[n - 1].
            from = 1 + ((int64_t)u * u - v * v + mine - its) / (2 * (u - v));
        }
        if (from < width) {
            column[n] = u;
            begin[n++] = (int32_t)from;
        }
    }
    return n;
}

static void write_row(const lg_distance_job *job, int32_t y, const uint32_t *squares)
{
    planes p;
    float *const pointers[4] = {p.at[0], p.at[1], p.at[2], p.at[3]};
    const bool squared = job->squared;
    const float unit = job->unit;
    for (int32_t x = 0; x < job->out.width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, job->out.width - x);
        for (int i = 0; i < count; i++) {
            const float value = distance_value(squares[x + i], squared, unit);
            p.at[0][i] = p.at[1][i] = p.at[2][i] = value;
            p.at[3][i] = 1;
        }
        job->stage->store(&job->out, x, y, count, pointers);
    }
}

static void finish(const void *job_, int64_t y, int64_t y_end, char *scratch)
{
    const lg_distance_job *job = job_;
    const int32_t width = job->in.width;
    int32_t *column = (int32_t *)(void *)scratch, *begin = column + width;
    uint32_t *squares = (uint32_t *)(begin + width);
    for (; y < y_end; y++) {
        const uint32_t *rows = job->rows + (size_t)y * (size_t)width;
        int32_t n = find_least(rows, width, column, begin);
        for (int32_t x = width - 1; x >= 0; x--) {
            squares[x] = n ? (uint32_t)square_at(x, column[n - 1], rows) : LG_DISTANCE_NONE;
            n -= n && x == begin[n - 1];
        }
        write_row(job, (int32_t)y, squares);
    }
}

extern const lg_distance_table LG_CPU_TABLE(distance_transform);
const lg_distance_table LG_CPU_TABLE(distance_transform) = {columns, down, up, finish};
