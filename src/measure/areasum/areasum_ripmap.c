// Summed-area ripmaps on the CPU: tiles of some columns and rows with all their levels of the first two axes;
// then what is larger than a tile, block by block.
#include "measure/areasum/areasum_blocks.h"
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_pairs.h"
#include "measure/areasum/areasum_planes.h"

#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);
LG_CPU_DECLARE(lg_area_blocks_table, areasum_blocks);
LG_CPU_DECLARE(lg_area_pairs_table, areasum_pairs);

#define TILE_LEVELS 13 // of the first axis
#define TILE        (1 << TILE_LEVELS)
#define BAND_LEVELS 6 // of the second axis
#define BAND        (1 << BAND_LEVELS)
#define STREAM      512  // bytes of a row that are worth going past the caches
#define JOB_WORDS   4096 // at least, of pairs of lines

typedef struct ripmap_met {
    uint32_t most;  // bits of the largest magnitude, finite or not
    char apart[60]; // workers write at the same time
} ripmap_met;

typedef struct step {
    const lg_areasum *a;
    const lg_area_plane *plane;
    const lg_area_lines_table *lines;
    const lg_area_blocks_table *block;
    const lg_area_pairs_table *pairs;
    lg_area_join join;
    bool stream;   // store past the caches
    bool by_pairs; // two rows of samples at once
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
    char *scratch; // of each worker
    size_t scratch_size, samples_size, row_size;
    size_t count, jobs_lines; // calls of join_lines: all, and those of a job
    struct ripmap_met *met;   // of each worker
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
    const size_t size = lg_area_word_size(s->plane->word);
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

// ---- the first two axes, while their rows are in the caches ------------------------------------------

// Rows of a tile at a level of the second axis: all levels of the first, one behind the other, each beginning
// at a multiple of 64 bytes. At most two rows are needed of each level of the second axis.
typedef struct tile {
    const step *s;
    size_t slice, first, elements; // columns
    int levels;                    // of the first axis
    size_t at[TILE_LEVELS + 2];    // where they begin, in bytes
    char *rows;
} tile;

static char *row_of(const tile *t, int level, size_t number)
{
    return t->rows + ((size_t)level * 2 + number % 2) * t->s->row_size;
}

static size_t row_size(const lg_areasum *a, size_t word)
{
    const size_t columns = LG_MIN((size_t)a->shape.extent[0], (size_t)TILE);
    return lg_align_up(2 * columns * (size_t)a->shape.channels * word, 64) + 64 * (TILE_LEVELS + 1);
}

// Where a row of the tile belongs, at level `across` of the first axis.
static char *place_of(const tile *t, int level, size_t number, int across)
{
    const lg_areasum *a = t->s->a;
    const size_t word = (size_t)a->shape.channels * lg_area_word_size(t->s->plane->word);
    const size_t height = lg_area_rows_of(a) >> level, width = (size_t)a->shape.extent[0] >> across;
    const int levels[LG_AREA_DIMS] = {across, level};
    return (char *)lg_area_block(a, t->s->plane, lg_area_block_index(a, levels)) +
           ((t->slice * height + number) * width + (t->first >> across)) * word;
}

static size_t bytes_of(const tile *t, int across)
{
    return (t->elements >> across) * (size_t)t->s->a->shape.channels *
           lg_area_word_size(t->s->plane->word);
}

// Whether a row goes past the caches while it is made.
static bool at_once(const tile *t, const char *place, int across)
{
    const step *s = t->s;
    return s->stream && bytes_of(t, across) >= STREAM && (uintptr_t)place % 32 == 0 &&
           s->a->shape.channels == 1 && s->lines->join_twice[s->join];
}

static void write_row(const tile *t, const char *row, char *place, int across)
{
    if (t->s->stream && bytes_of(t, across) >= STREAM)
        t->s->block->stream(row + t->at[across], bytes_of(t, across), place);
    else
        memcpy(place, row + t->at[across], bytes_of(t, across));
}

// Words of the samples of a row.
static void begin_row(const tile *t, size_t y, const void *from, char *row, int worker)
{
    const step *s = t->s;
    if (s->a->guessed) {
        uint64_t ignored = 0;
        s->lines->look(from, t->elements, &s->met[worker].most, &ignored);
        if (ignored)
            s->met[worker].most = LG_AREA_INFINITE;
    }
    lg_area_values(s->lines, s->a, s->plane, from, t->elements * (size_t)s->a->shape.channels, row);
    write_row(t, row, place_of(t, 0, y, 0), 0);
}

static const void *samples_of(const tile *t, size_t y, void *room)
{
    const step *s = t->s;
    return lg_area_part(s->array, t->slice * lg_area_rows_of(s->a) + y, t->first, t->elements,
                        room);
}

// A level of the first axis of a row, from the one below.
static void halve_row(const tile *t, size_t y, int across)
{
    const step *s = t->s;
    char *row = row_of(t, 0, y);
    s->lines->pairs[s->join](row + t->at[across - 1], t->elements >> across, s->a->shape.channels,
                             row + t->at[across]);
    write_row(t, row, place_of(t, 0, y, across), across);
}

// A row of samples at all levels of the first axis.
static void make_row(const tile *t, size_t y, void *samples, int worker)
{
    begin_row(t, y, samples_of(t, y, samples), row_of(t, 0, y), worker);
    for (int l = 1; l < t->levels; l++)
        halve_row(t, y, l);
}

// Where a row of the tile is kept, and where it belongs.
static lg_area_twice twice(const tile *t, int level, size_t number, int across)
{
    return (lg_area_twice){row_of(t, level, number) + t->at[across],
                           place_of(t, level, number, across)};
}

// Whether two rows at this level of the first axis, the next one, and what they are joined to go past the
// caches while they are made.
static bool pairs_at_once(const tile *t, size_t y, int across)
{
    bool all = t->s->stream && across + 1 < t->levels && bytes_of(t, across + 1) >= STREAM;
    for (int l = across; l <= across + 1 && all; l++)
        all = (uintptr_t)place_of(t, 0, y, l) % 32 == 0 &&
              (uintptr_t)place_of(t, 0, y + 1, l) % 32 == 0 &&
              (uintptr_t)place_of(t, 1, y / 2, l) % 32 == 0;
    return all;
}

// Rows y and y + 1 of samples and what they are joined to, as far as that goes at once: how many levels of
// the first axis have become complete.
static int make_pair(const tile *t, size_t y, size_t end, int worker)
{
    const step *s = t->s;
    const lg_element type = s->a->shape.type;
    int l = 0;
    for (; pairs_at_once(t, y, l); l++) {
        lg_area_pair p = {.count = t->elements >> l,
                          .sum = twice(t, 1, y / 2, l),
                          .quarter = twice(t, 1, y / 2, l + 1),
                          .most = s->met[worker].most};
        for (size_t r = 0; r < 2; r++) {
            const size_t next = y + r + 2 < end ? y + r + 2 : y + r;
            p.from[r] = l ? twice(t, 0, y + r, l).near : samples_of(t, y + r, NULL);
            p.next[r] = l ? NULL : samples_of(t, next, NULL);
            p.words[r] = twice(t, 0, y + r, l).far;
            p.half[r] = twice(t, 0, y + r, l + 1);
        }
        if (l)
            (s->join == LG_AREA_ADD_F32 ? s->pairs->words_f32 : s->pairs->words_u32)(&p);
        else
            (type == LG_ELEMENT_F32 ? s->pairs->floats : s->pairs->bytes)(&p);
        s->met[worker].most = p.most;
    }
    if (l == 0)
        return 0;
    for (int rest = l + 1; rest < t->levels; rest++) {
        halve_row(t, y, rest);
        halve_row(t, y + 1, rest);
    }
    return l + 1;
}

// The row above two of level `level`, from a level of the first axis on: long ones go out while they are made,
// the short ones behind them are joined together.
static void join_rows(const tile *t, int level, size_t number, int across)
{
    const step *s = t->s;
    const size_t word = lg_area_word_size(s->plane->word);
    const char *first = row_of(t, level, 0), *second = row_of(t, level, 1);
    char *row = row_of(t, level + 1, number);
    int l = across;
    for (; l < t->levels; l++) {
        char *place = place_of(t, level + 1, number, l);
        if (!at_once(t, place, l))
            break;
        s->lines->join_twice[s->join](first + t->at[l], second + t->at[l], t->elements >> l,
                                      row + t->at[l], place);
    }
    s->lines->join[s->join](first + t->at[l], second + t->at[l],
                            (t->at[t->levels] - t->at[l]) / word, row + t->at[l]);
    for (; l < t->levels; l++)
        write_row(t, row, place_of(t, level + 1, number, l), l);
}

static void make_tile(void *arg, size_t index, int worker)
{
    const step *s = arg;
    const lg_areasum *a = s->a;
    const size_t rows = lg_area_rows_of(a), bands = (rows + BAND - 1) / BAND,
                 columns = (size_t)a->shape.extent[0], tiles = (columns + TILE - 1) / TILE;
    char *scratch = s->scratch + (size_t)worker * s->scratch_size;
    tile t = {.s = s, .slice = index / tiles / bands, .first = index % tiles * TILE};
    t.rows = scratch + s->samples_size;
    t.elements = LG_MIN((size_t)TILE, columns - t.first);
    t.levels = LG_MIN(a->levels[0], TILE_LEVELS + 1);
    const size_t word = (size_t)a->shape.channels * lg_area_word_size(s->plane->word);
    for (int l = 0; l < t.levels; l++)
        t.at[l + 1] = t.at[l] + lg_align_up((t.elements >> l) * word, 64);
    const size_t begin = index / tiles % bands * BAND, end = LG_MIN(begin + BAND, rows);
    memset(t.rows, 0,
           (BAND_LEVELS + 1) * 2 * s->row_size); // what is between the levels is added too
    for (size_t y = begin; y < end; y += 2) {
        const bool two = y + 1 < end;
        const int made = two && s->by_pairs ? make_pair(&t, y, end, worker) : 0;
        for (size_t i = y; made == 0 && i < y + 1 + two; i++)
            make_row(&t, i, scratch, worker);
        int level = 0;
        for (size_t i = y + 1; two && i % 2 && level < LG_MIN(a->levels[1] - 1, BAND_LEVELS);
             i /= 2, level++)
            join_rows(&t, level, i / 2, level ? 0 : made);
    }
    s->block->stream_end();
}

// Bands of whole rows, where nodes are not made from those below alone.
static void make_band(void *arg, size_t index, int worker)
{
    step s = *(const step *)arg;
    const lg_areasum *a = s.a;
    const size_t rows = lg_area_rows_of(a), bands = (rows + BAND - 1) / BAND;
    const size_t slice = index / bands, first = index % bands * BAND,
                 end = LG_MIN(first + BAND, rows);
    int level[LG_AREA_DIMS] = {0};
    for (size_t y = first; y < end; y++) {
        const size_t line = slice * rows + y,
                     words = (size_t)a->shape.extent[0] * (size_t)a->shape.channels;
        memset((float *)s.plane->level0 + line * words, 0, words * sizeof(float));
        for (level[0] = 1; level[0] < a->levels[0]; level[0]++) {
            prepare(&s, level, 0);
            join_lines(&s, line);
        }
    }
    for (level[0] = 0; level[0] < a->levels[0] && a->shape.dims > 1; level[0]++)
        for (level[1] = 1; level[1] < LG_MIN(a->levels[1], BAND_LEVELS + 1); level[1]++) {
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

static size_t samples_size(const lg_areasum *a)
{
    const size_t columns = LG_MIN((size_t)a->shape.extent[0], (size_t)TILE);
    return lg_align_up(columns * (size_t)a->shape.channels * lg_area_sample_size(a->shape.type),
                       64);
}

static size_t worker_size(const lg_areasum *a)
{
    return samples_size(a) + (BAND_LEVELS + 1) * 2 * row_size(a, sizeof(uint64_t));
}

size_t lg_area_ripmap_scratch(const lg_context *context, const lg_areasum *a)
{
    return (size_t)lg_pool_threads(context->pool) * (worker_size(a) + sizeof(ripmap_met));
}

// The first two axes; of the second only the levels of a band where they were made by bands.
static void make_two_axes(lg_context *context, step *s)
{
    const lg_areasum *a = s->a;
    const size_t bands = (lg_area_rows_of(a) + BAND - 1) / BAND * lg_area_slices_of(a);
    const bool squares = s->plane->op == LG_AREA_OP_SQUARES && s->plane->word == LG_AREA_F32;
    if (squares)
        lg_pool_run(context->pool, bands, make_band, s);
    else
        lg_pool_run(context->pool, bands * (((size_t)a->shape.extent[0] + TILE - 1) / TILE),
                    make_tile, s);
    const int across = squares ? a->levels[0] : LG_MIN(a->levels[0], TILE_LEVELS + 1);
    int level[LG_AREA_DIMS] = {0};
    for (level[0] = across; level[0] < a->levels[0]; level[0]++)
        make_block(context, s, level, 0);
    for (level[1] = 1; level[1] < a->levels[1]; level[1]++)
        for (level[0] = level[1] > BAND_LEVELS ? 0 : across; level[0] < a->levels[0]; level[0]++)
            make_block(context, s, level, 1);
}

bool lg_area_build_ripmap(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                          lg_area_plane *plane, void *scratch)
{
    step s = {.a = a,
              .plane = plane,
              .join = lg_area_join_of(plane),
              .array = array,
              .scratch = scratch,
              .scratch_size = worker_size(a),
              .samples_size = samples_size(a),
              .row_size = row_size(a, lg_area_word_size(plane->word))};
    s.lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    s.block = LG_CPU_SELECT(areasum_blocks, context->cpu_level);
    s.pairs = LG_CPU_SELECT(areasum_pairs, context->cpu_level);
    s.stream = (a->elements + a->block_elements) * (size_t)a->shape.channels *
                   lg_area_word_size(plane->word) >=
               lg_area_stream_least;
    s.by_pairs = plane->op == LG_AREA_OP_SUM && a->shape.channels == 1 &&
                 (a->shape.type == LG_ELEMENT_F32 || a->shape.type == LG_ELEMENT_U8) &&
                 array->stride[0] == (int64_t)lg_area_sample_size(a->shape.type);
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    s.met = (ripmap_met *)(void *)(s.scratch + threads * s.scratch_size);
    memset(s.met, 0, threads * sizeof *s.met);
    make_two_axes(context, &s);
    for (size_t i = 0; i < threads && a->guessed; i++)
        if (s.met[i].most >= LG_AREA_INFINITE)
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
