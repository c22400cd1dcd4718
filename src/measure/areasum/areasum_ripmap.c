// Summed-area ripmaps on the CPU: tiles with their levels of the first two axes, then what is larger than a
// tile, block by block.
#include "measure/areasum/areasum_ripmap.h"

#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);
LG_CPU_DECLARE(lg_area_blocks_table, areasum_blocks);
LG_CPU_DECLARE(lg_area_pairs_table, areasum_pairs);

#define JOB_WORDS 4096 // at least, of pairs of lines

typedef struct step {
    lg_area_ripmap r;
    const void *from;
    void *to;
    int axis;
    size_t inner, from_length, length,
        outer; // words before the axis, nodes along it, lines behind it
    // Sums of squared deviations: sums and, where samples are left out, counts of the same nodes.
    const float *sums;
    const uint32_t *counts;
    float half;               // 1 / (2 samples of a child)
    size_t count, jobs_lines; // calls of join_lines: all, and those of a job
} step;

// Two nodes' squared deviations become those of their union.
static float merge(const step *s, float m2, size_t first, size_t second)
{
    const float a = s->sums[first], b = s->sums[second];
    if (!s->counts)
        return m2 + (a - b) * (a - b) * s->half;
    const float na = (float)s->counts[first], nb = (float)s->counts[second];
    if (na == 0 || nb == 0)
        return m2;
    const float d = nb * a - na * b;
    return m2 + d / na * (d / nb) / (na + nb);
}

// Pairs of lines of `inner` words; along axis 0, whose lines are single elements, all pairs of a row.
static void join_lines(const step *s, size_t index)
{
    const size_t size = lg_area_word_size(s->r.plane->word);
    const size_t o = s->axis == 0 ? index : index / s->length,
                 i = s->axis == 0 ? 0 : index % s->length;
    const size_t at = (o * s->from_length + 2 * i) * s->inner, out = (o * s->length + i) * s->inner;
    const size_t count = (s->axis == 0 ? s->length : 1) * s->inner;
    if (s->sums) {
        const float *from = s->from;
        float *to = s->to;
        for (size_t k = 0; k < count; k++) {
            const size_t a = at + k / s->inner * 2 * s->inner + k % s->inner, b = a + s->inner;
            to[out + k] = merge(s, from[a] + from[b], a, b);
        }
        return;
    }
    const char *from = (const char *)s->from + at * size;
    char *to = (char *)s->to + out * size;
    if (s->axis == 0)
        s->r.lines->pairs[s->r.join](from, s->length, s->r.a->shape.channels, to);
    else
        s->r.lines->join[s->r.join](from, from + s->inner * size, s->inner, to);
}

// The block of `level`, whose level along `axis` is at least 1, from the one below along that axis.
static void prepare(step *s, const int *level, int axis)
{
    const lg_areasum *a = s->r.a;
    int below[LG_AREA_DIMS] = {0};
    int sum_of_levels = -1;
    s->axis = axis;
    s->inner = (size_t)a->shape.channels;
    s->outer = 1;
    for (int d = 0; d < a->shape.dims; d++) {
        below[d] = level[d] - (d == axis);
        sum_of_levels += level[d];
        if (d < axis)
            s->inner *= (size_t)(a->shape.extent[d] >> level[d]);
        if (d > axis)
            s->outer *= (size_t)(a->shape.extent[d] >> level[d]);
    }
    s->length = (size_t)(a->shape.extent[axis] >> level[axis]);
    s->from_length = (size_t)(a->shape.extent[axis] >> below[axis]);
    const size_t from = lg_area_block_index(a, below);
    s->from = lg_area_block(a, s->r.plane, from);
    s->to = lg_area_block(a, s->r.plane, lg_area_block_index(a, level));
    if (s->r.plane->op == LG_AREA_OP_SQUARES && s->r.plane->word == LG_AREA_F32) {
        const int counts = a->plane_of[LG_AREA_OP_COUNT];
        s->sums = lg_area_block(a, &a->planes[a->plane_of[LG_AREA_OP_SUM]], from);
        s->counts = counts < 0 ? NULL : lg_area_block(a, &a->planes[counts], from);
        s->half = 1 / (float)((uint64_t)2 << sum_of_levels);
    }
}

// Bands of whole rows, where nodes are not made from those below alone.
static void make_band(void *arg, size_t index, int worker)
{
    step s = *(const step *)arg;
    const lg_areasum *a = s.r.a;
    const size_t rows = lg_area_rows_of(a),
                 bands = (rows + LG_AREA_TILE_ROWS - 1) / LG_AREA_TILE_ROWS;
    const size_t slice = index / bands, first = index % bands * LG_AREA_TILE_ROWS,
                 end = LG_MIN(first + LG_AREA_TILE_ROWS, rows);
    int level[LG_AREA_DIMS] = {0};
    for (size_t y = first; y < end; y++) {
        const size_t line = slice * rows + y,
                     words = (size_t)a->shape.extent[0] * (size_t)a->shape.channels;
        memset((float *)s.r.plane->level0 + line * words, 0, words * sizeof(float));
        for (level[0] = 1; level[0] < a->levels[0]; level[0]++) {
            prepare(&s, level, 0);
            join_lines(&s, line);
        }
    }
    for (level[0] = 0; level[0] < a->levels[0] && a->shape.dims > 1; level[0]++)
        for (level[1] = 1; level[1] < LG_MIN(a->levels[1], LG_AREA_TILE_DOWN + 1); level[1]++) {
            prepare(&s, level, 1);
            for (size_t i = first >> level[1]; i < LG_MIN(end >> level[1], s.length); i++)
                join_lines(&s, slice * s.length + i);
        }
    (void)worker;
}

// ---- all --------------------------------------------------------------------------------------------

static void join_some(void *arg, size_t index, int worker)
{
    const step *s = arg;
    const size_t end = LG_MIN((index + 1) * s->jobs_lines, s->count);
    for (size_t i = index * s->jobs_lines; i < end; i++)
        join_lines(s, i);
}

// Small ones are not worth waking the other threads.
static void make_block(lg_context *context, step *s, const int *level, int axis)
{
    prepare(s, level, axis);
    const size_t words = (axis == 0 ? s->length : 1) * s->inner;
    s->count = s->outer * (axis == 0 ? 1 : s->length);
    s->jobs_lines = (JOB_WORDS + words - 1) / words;
    const size_t jobs = (s->count + s->jobs_lines - 1) / s->jobs_lines;
    if (jobs > 4)
        lg_pool_run(context->pool, jobs, join_some, s);
    for (size_t i = 0; i < jobs && jobs <= 4; i++)
        join_some(s, i, 0);
}

// The next tuple of levels of the first `axes` axes.
static bool next_level(const lg_areasum *a, int *level, int axes)
{
    for (int d = 0; d < axes; d++) {
        if (++level[d] < a->levels[d])
            return true;
        level[d] = 0;
    }
    return false;
}

static size_t scratch_of(const lg_areasum *a)
{
    return lg_align_up(lg_area_tiles_scratch(a), 64);
}

size_t lg_area_ripmap_scratch(const lg_context *context, const lg_areasum *a)
{
    return (size_t)lg_pool_threads(context->pool) * (scratch_of(a) + sizeof(lg_area_met));
}

// The first two axes; of the second only the levels of a band where they were made by bands.
static void make_two_axes(lg_context *context, step *s)
{
    const lg_areasum *a = s->r.a;
    const size_t bands =
        (lg_area_rows_of(a) + LG_AREA_TILE_ROWS - 1) / LG_AREA_TILE_ROWS * lg_area_slices_of(a);
    const bool squares = s->r.plane->op == LG_AREA_OP_SQUARES && s->r.plane->word == LG_AREA_F32;
    if (squares)
        lg_pool_run(context->pool, bands, make_band, s);
    else
        lg_area_write_tiles(context, &s->r);
    const int across = squares ? a->levels[0] : LG_MIN(a->levels[0], LG_AREA_TILE_ACROSS + 1);
    int level[LG_AREA_DIMS] = {0};
    for (level[0] = across; level[0] < a->levels[0]; level[0]++)
        make_block(context, s, level, 0);
    for (level[1] = 1; level[1] < a->levels[1]; level[1]++)
        for (level[0] = level[1] > LG_AREA_TILE_DOWN ? 0 : across; level[0] < a->levels[0];
             level[0]++)
            make_block(context, s, level, 1);
}

bool lg_area_build_ripmap(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                          lg_area_plane *plane, void *scratch)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool),
                 words = a->elements + a->block_elements;
    step s = {.r = {.a = a,
                    .plane = plane,
                    .array = array,
                    .lines = LG_CPU_SELECT(areasum_lines, context->cpu_level),
                    .block = LG_CPU_SELECT(areasum_blocks, context->cpu_level),
                    .pairs = LG_CPU_SELECT(areasum_pairs, context->cpu_level),
                    .join = lg_area_join_of(plane),
                    .stream = words * (size_t)a->shape.channels * lg_area_word_size(plane->word) >=
                              lg_area_stream_least,
                    .scratch = scratch,
                    .scratch_size = scratch_of(a)}};
    s.r.met = (lg_area_met *)(void *)(s.r.scratch + threads * s.r.scratch_size);
    memset(s.r.met, 0, threads * sizeof *s.r.met);
    make_two_axes(context, &s);
    for (size_t i = 0; i < threads && a->guessed; i++)
        if (s.r.met[i].most >= LG_AREA_INFINITE)
            return false;
    for (int axis = 2; axis < a->shape.dims; axis++) {
        int level[LG_AREA_DIMS] = {0};
        for (level[axis] = 1; level[axis] < a->levels[axis]; level[axis]++) {
            do
                make_block(context, &s, level, axis);
            while (next_level(a, level, axis));
        }
    }
    return true;
}
