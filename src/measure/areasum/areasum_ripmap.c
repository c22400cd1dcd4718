// Summed-area ripmaps on the CPU: tiles with their levels of the first two axes, then what is larger than a
// tile, block by block.
#include "measure/areasum/areasum_ripmap.h"

#include "engine/tile.h"

#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);
LG_CPU_DECLARE(lg_area_blocks_table, areasum_blocks);
LG_CPU_DECLARE(lg_area_pairs_table, areasum_pairs);

#define JOB_WORDS 4096              // at least, of pairs of lines
#define PART      ((size_t)1 << 16) // of a line, until pages of files are let go of

typedef struct step {
    lg_area_ripmap r;
    const void *from;
    void *to;
    int axis;
    size_t inner, from_length, length,
        outer;    // words before the axis, nodes along it, lines behind it
    size_t count; // calls of join_lines
} step;

// Pairs of lines of `inner` words; along axis 0, whose lines are single elements, all pairs of a row.
static void join_lines(const step *s, size_t index)
{
    const size_t size = lg_area_word_size(s->r.plane->word);
    const size_t o = s->axis == 0 ? index : index / s->length,
                 i = s->axis == 0 ? 0 : index % s->length;
    const size_t at = (o * s->from_length + 2 * i) * s->inner, out = (o * s->length + i) * s->inner;
    const char *from = (const char *)s->from + at * size;
    char *to = (char *)s->to + out * size;
    if (s->axis == 0)
        s->r.lines->pairs[s->r.join](from, s->length, s->r.a->shape.channels, to);
    for (size_t first = 0; first < s->inner && s->axis > 0; first += PART) {
        const size_t from_here = first * size;
        s->r.lines->join[s->r.join](from + from_here, from + from_here + s->inner * size,
                                    LG_MIN(s->inner - first, PART), to + from_here);
        if (s->inner > PART)
            lg_context_relieve(s->r.context);
    }
}

// The block of `level`, whose level along `axis` is at least 1, from the one below along that axis.
static void prepare(step *s, const int *level, int axis)
{
    const lg_areasum *a = s->r.a;
    int below[LG_AREA_DIMS] = {0};
    s->axis = axis;
    s->inner = (size_t)a->shape.channels;
    s->outer = 1;
    for (int d = 0; d < a->shape.dims; d++) {
        below[d] = level[d] - (d == axis);
        if (d < axis)
            s->inner *= (size_t)(a->shape.extent[d] >> level[d]);
        if (d > axis)
            s->outer *= (size_t)(a->shape.extent[d] >> level[d]);
    }
    s->length = (size_t)(a->shape.extent[axis] >> level[axis]);
    s->from_length = (size_t)(a->shape.extent[axis] >> below[axis]);
    s->from = lg_area_block(a, s->r.plane, lg_area_block_index(a, below));
    s->to = lg_area_block(a, s->r.plane, lg_area_block_index(a, level));
}

// ---- all --------------------------------------------------------------------------------------------

static lg_status join_some(void *arg, const lg_tile *t)
{
    const step *s = arg;
    for (int64_t i = t->y; i < t->y_end; i++)
        join_lines(s, (size_t)i);
    return LG_OK;
}

// Small ones are not worth waking the other threads.
static lg_status make_block(lg_context *context, step *s, const int *level, int axis,
                            lg_error *error)
{
    prepare(s, level, axis);
    const size_t words = (axis == 0 ? s->length : 1) * s->inner;
    s->count = s->outer * (axis == 0 ? 1 : s->length);
    const size_t lines = (JOB_WORDS + words - 1) / words; // of a tile
    if (s->count <= 4 * lines) {
        for (size_t i = 0; i < s->count; i++)
            join_lines(s, i);
        return LG_OK;
    }
    const lg_tiling tiling = {
        .height = (int64_t)s->count, .band = (int64_t)lines, .run = join_some, .job = s};
    return lg_tiling_run(context->pool, &tiling, error);
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

static lg_status make_two_axes(lg_context *context, step *s, lg_error *error)
{
    const lg_areasum *a = s->r.a;
    const int across = LG_MIN(a->levels[0], LG_AREA_TILE_ACROSS + 1);
    int level[LG_AREA_DIMS] = {0};
    lg_status status = lg_area_write_tiles(context, &s->r, error);
    for (level[0] = across; level[0] < a->levels[0] && !status; level[0]++)
        status = make_block(context, s, level, 0, error);
    for (level[1] = 1; level[1] < a->levels[1] && !status; level[1]++)
        for (level[0] = level[1] > LG_AREA_TILE_DOWN ? 0 : across;
             level[0] < a->levels[0] && !status; level[0]++)
            status = make_block(context, s, level, 1, error);
    return status;
}

// Whether samples are as they were guessed to be, after all have been met.
static bool as_guessed(const lg_context *context, const lg_area_ripmap *r)
{
    uint32_t max = 0;
    for (int worker = 0; worker < lg_pool_threads(context->pool); worker++)
        max = LG_MAX(max, r->met[worker].max);
    return !r->a->guessed ||
           (!lg_area_is_above_guess(r, max) &&
            (r->plane->word == LG_AREA_F32 || lg_area_magnitude_of(max) == r->a->magnitude));
}

static lg_status make_axis(lg_context *context, step *s, int axis, lg_error *error)
{
    const lg_areasum *a = s->r.a;
    int level[LG_AREA_DIMS] = {0};
    lg_status status = LG_OK;
    for (level[axis] = 1; level[axis] < a->levels[axis]; level[axis]++) {
        do
            status = make_block(context, s, level, axis, error);
        while (!status && next_level(a, level, axis));
        if (status)
            break;
    }
    return status;
}

lg_status lg_area_build_ripmap(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                               lg_area_plane *plane, void *scratch, bool *right, lg_error *error)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool),
                 words = a->elements + a->block_elements;
    step s = {.r = {.context = context,
                    .a = a,
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
    lg_status status = make_two_axes(context, &s, error);
    *right = as_guessed(context, &s.r);
    for (int axis = 2; axis < a->shape.dims && !status && *right; axis++)
        status = make_axis(context, &s, axis, error);
    return status;
}
