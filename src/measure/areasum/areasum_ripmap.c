// Summed-area ripmaps on the CPU: the array as words, then axis by axis all levels of it.
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_planes.h"

#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);

typedef struct step {
    const lg_areasum *a;
    const lg_area_plane *plane;
    const lg_area_lines_table *lines;
    lg_area_join join;
    const void *from;
    void *to;
    int axis;
    size_t inner, from_length, length,
        outer; // words before the axis, nodes along it, lines behind it
    // Sums of squared deviations: sums and, where samples are left out, counts of the same nodes.
    const float *sums;
    const uint32_t *counts;
    float half; // 1 / (2 samples of a child)
    const lg_area_array *array;
    char *scratch;
    size_t scratch_size;
} step;

static lg_area_join join_of(const lg_area_plane *plane)
{
    if (plane->op == LG_AREA_OP_LEAST)
        return LG_AREA_LEAST;
    if (plane->op == LG_AREA_OP_MOST)
        return LG_AREA_MOST;
    return plane->word == LG_AREA_U32   ? LG_AREA_ADD_U32
           : plane->word == LG_AREA_U64 ? LG_AREA_ADD_U64
                                        : LG_AREA_ADD_F32;
}

static void fill_line(void *arg, size_t line, int worker)
{
    const step *s = arg;
    const size_t words = (size_t)s->a->shape.extent[0] * (size_t)s->a->shape.channels;
    const void *samples =
        lg_area_line(s->array, line, s->scratch + (size_t)worker * s->scratch_size);
    lg_area_values(s->lines, s->a, s->plane, samples, words,
                   (char *)s->plane->level0 + line * words * lg_area_word_size(s->plane->word));
}

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
static void join_lines(void *arg, size_t index, int worker)
{
    const step *s = arg;
    const size_t size = lg_area_word_size(s->plane->word);
    const size_t o = s->axis == 0 ? index : index / s->length,
                 i = s->axis == 0 ? 0 : index % s->length;
    const size_t at = (o * s->from_length + 2 * i) * s->inner, out = (o * s->length + i) * s->inner;
    const size_t count = (s->axis == 0 ? s->length : 1) * s->inner;
    (void)worker;
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
        s->lines->pairs[s->join](from, s->length, s->a->shape.channels, to);
    else
        s->lines->join[s->join](from, from + s->inner * size, s->inner, to);
}

// The block of `level`, whose level along `axis` is at least 1, from the one below along that axis.
static void prepare(step *s, const int *level, int axis)
{
    const lg_areasum *a = s->a;
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
    s->from = lg_area_block(a, s->plane, from);
    s->to = lg_area_block(a, s->plane, lg_area_block_index(a, level));
    if (s->plane->op == LG_AREA_OP_SQUARES && s->plane->word == LG_AREA_F32) {
        const int counts = a->plane_of[LG_AREA_OP_COUNT];
        s->sums = lg_area_block(a, &a->planes[a->plane_of[LG_AREA_OP_SUM]], from);
        s->counts = counts < 0 ? NULL : lg_area_block(a, &a->planes[counts], from);
        s->half = 1 / (float)((uint64_t)2 << sum_of_levels);
    }
}

// ---- the first two axes: bands of rows, while they are in the caches ------------------------------

#define BAND_LEVELS 6 // of the second axis
#define BAND        (1 << BAND_LEVELS)

static size_t rows_of(const lg_areasum *a)
{
    return a->shape.dims > 1 ? (size_t)a->shape.extent[1] : 1;
}

static void make_band(void *arg, size_t index, int worker)
{
    step s = *(const step *)arg;
    const lg_areasum *a = s.a;
    const size_t rows = rows_of(a), bands = (rows + BAND - 1) / BAND;
    const size_t slice = index / bands, first = index % bands * BAND,
                 end = LG_MIN(first + BAND, rows);
    int level[LG_AREA_DIMS] = {0};
    for (size_t y = first; y < end; y++) {
        fill_line(&s, slice * rows + y, worker);
        for (level[0] = 1; level[0] < a->levels[0]; level[0]++) {
            prepare(&s, level, 0);
            join_lines(&s, slice * rows + y, worker);
        }
    }
    for (level[0] = 0; level[0] < a->levels[0] && a->shape.dims > 1; level[0]++)
        for (level[1] = 1; level[1] < LG_MIN(a->levels[1], BAND_LEVELS + 1); level[1]++) {
            prepare(&s, level, 1);
            for (size_t i = first >> level[1]; i < LG_MIN(end >> level[1], s.length); i++)
                join_lines(&s, slice * s.length + i, worker);
        }
}

static void make_block(lg_context *context, step *s, const int *level, int axis)
{
    prepare(s, level, axis);
    lg_pool_run(context->pool, s->outer * s->length, join_lines, s);
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

void lg_area_build_ripmap(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                          lg_area_plane *plane, void *scratch)
{
    step s = {.a = a, .plane = plane, .join = join_of(plane), .array = array, .scratch = scratch};
    s.lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    s.scratch_size =
        lg_area_scratch_size(context, a) / (size_t)lg_pool_threads(context->pool) / 64 * 64;
    const size_t rows = rows_of(a), slices = a->elements / (size_t)a->shape.extent[0] / rows;
    lg_pool_run(context->pool, slices * ((rows + BAND - 1) / BAND), make_band, &s);
    for (int axis = 1; axis < a->shape.dims; axis++) {
        int level[LG_AREA_DIMS] = {0};
        for (level[axis] = axis == 1 ? BAND_LEVELS + 1 : 1; level[axis] < a->levels[axis];
             level[axis]++) {
            do
                make_block(context, &s, level, axis);
            while (next_level(a, level, axis));
        }
    }
}
