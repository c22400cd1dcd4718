// Pixels that move without being mixed, for one CPU level.
#include "cpu/cpu.h"
#include "filter/native/geometry/rearrange.h"

#include <string.h>

typedef struct lg_pixel_of_16 {
    uint64_t low, high;
} lg_pixel_of_16;

// A block of the output: `columns` from x, `rows` from y, in memory with this stride.
typedef struct block {
    const lg_rearrange_job *job;
    const lg_pixels *in;
    int32_t x, y, columns, rows;
    char *to;
    size_t stride;
} block;

typedef void move_fn(const block *b);

// Squares of pixels, of which both sides lie in the first cache.
#define SQUARE 16

#define MOVE(name, type)                                                                           \
    static void name##_any(const type *restrict from, const int32_t *restrict at, int32_t count,   \
                           type *restrict to)                                                      \
    {                                                                                              \
        for (int32_t i = 0; i < count; i++)                                                        \
            to[i] = from[at[i] < 0 ? 0 : at[i]];                                                   \
    }                                                                                              \
    static void name##_back(const type *restrict last, int32_t count, type *restrict to)           \
    {                                                                                              \
        const type *restrict from = last - (count - 1);                                            \
        for (int32_t i = 0; i < count; i++)                                                        \
            to[i] = from[count - 1 - i];                                                           \
    }                                                                                              \
    static void name##_row(const block *b, const type *from, type *to)                             \
    {                                                                                              \
        const int32_t *at = b->job->r->across, end = b->x + b->columns;                            \
        const int32_t run = LG_MIN(LG_MAX(b->job->run, b->x), end);                                \
        const int32_t run_end = LG_MAX(LG_MIN(b->job->end, end), run);                             \
        name##_any(from, at + b->x, run - b->x, to);                                               \
        if (run < run_end && b->job->step > 0)                                                     \
            memcpy(to + (run - b->x), from + at[run], (size_t)(run_end - run) * sizeof *to);       \
        else if (run < run_end)                                                                    \
            name##_back(from + at[run], run_end - run, to + (run - b->x));                         \
        name##_any(from, at + run_end, end - run_end, to + (run_end - b->x));                      \
    }                                                                                              \
    static void name##_square(const block *b, int32_t x, int32_t y)                                \
    {                                                                                              \
        const lg_rearrangement *r = b->job->r;                                                     \
        const int32_t columns = LG_MIN(SQUARE, b->columns - x);                                    \
        for (int32_t j = y; j < LG_MIN(y + SQUARE, b->rows); j++) {                                \
            const int32_t column = LG_MAX(r->down[b->y + j], 0);                                   \
            type *restrict to = (type *)(void *)(b->to + (size_t)j * b->stride) + x;               \
            for (int32_t i = 0; i < columns; i++) {                                                \
                const int32_t row = LG_MAX(r->across[b->x + x + i], 0);                            \
                to[i] = ((const type *)(void *)(b->in->data +                                      \
                                                (size_t)row * b->in->row_stride))[column];         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name(const block *b)                                                               \
    {                                                                                              \
        const lg_rearrangement *r = b->job->r;                                                     \
        for (int32_t j = 0; j < b->rows && !r->swap; j++)                                          \
            name##_row(b,                                                                          \
                       (const type *)(void *)(b->in->data + (size_t)LG_MAX(r->down[b->y + j], 0) * \
                                                                b->in->row_stride),                \
                       (type *)(void *)(b->to + (size_t)j * b->stride));                           \
        for (int32_t y = 0; y < b->rows && r->swap; y += SQUARE)                                   \
            for (int32_t x = 0; x < b->columns; x += SQUARE)                                       \
                name##_square(b, x, y);                                                            \
    }

MOVE(move_1, uint8_t)
MOVE(move_2, uint16_t)
MOVE(move_4, uint32_t)
MOVE(move_8, uint64_t)
MOVE(move_16, lg_pixel_of_16)

static void convert(const block *b, const lg_pixels *out)
{
    float planes[4][LG_SPAN] __attribute__((aligned(64)));
    float *const all[4] = {planes[0], planes[1], planes[2], planes[3]};
    lg_pixels line = *b->in;
    for (int32_t j = 0; j < b->rows; j++) {
        line.data = b->to + (size_t)j * b->stride;
        b->job->stage->load(&line, 0, 0, b->columns, all);
        b->job->stage->store(out, b->x, b->y + j, b->columns, all);
    }
}

// Pixels that are the colour. What is stored may be changed by it.
static void fill_part(const block *b, const lg_pixels *out, int32_t x, int32_t y, int32_t count)
{
    float planes[4][LG_SPAN] __attribute__((aligned(64)));
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < LG_SPAN; i++)
            planes[k][i] = k == 3 && out->alpha == LG_ALPHA_OPAQUE ? 1 : b->job->r->color[k];
    b->job->stage->store(out, x, y, count,
                         (float *const[4]){planes[0], planes[1], planes[2], planes[3]});
}

static void fill(const block *b, const lg_pixels *out)
{
    const lg_rearrangement *r = b->job->r;
    for (int32_t j = 0; j < b->rows; j++)
        for (int32_t x = 0, end; x < b->columns; x = end) {
            const bool row = r->down[b->y + j] < 0;
            end = x;
            while (end < b->columns && (row || r->across[b->x + end] < 0))
                end++;
            if (end > x)
                fill_part(b, out, b->x + x, b->y + j, end - x);
            while (end < b->columns && !row && r->across[b->x + end] >= 0)
                end++;
        }
}

static void run(const void *arg, const lg_pixel_tile *t, char *scratch)
{
    static move_fn *const moves[17] = {
        [1] = move_1, [2] = move_2, [4] = move_4, [8] = move_8, [16] = move_16};
    const lg_rearrange_job *job = arg;
    const size_t pixel = lg_type_size(t->in.type) * (size_t)t->in.channels;
    block b = {.job = job, .in = &t->in, .to = scratch, .stride = LG_SPAN * pixel};
    for (b.y = t->y; b.y < t->y_end; b.y += b.rows) {
        b.rows = LG_MIN(SQUARE, t->y_end - b.y);
        for (b.x = t->x; b.x < t->x_end; b.x += b.columns) {
            b.columns = LG_MIN(LG_SPAN, t->x_end - b.x);
            if (job->same) {
                b.to = t->out.data + (size_t)b.y * t->out.row_stride + (size_t)b.x * pixel;
                b.stride = t->out.row_stride;
            }
            moves[pixel](&b);
            if (!job->same)
                convert(&b, &t->out);
            if (job->r->colored)
                fill(&b, &t->out);
        }
    }
}

extern const lg_pixel_tiles LG_CPU_TABLE(rearrange);
const lg_pixel_tiles LG_CPU_TABLE(rearrange) = {.run = run};
