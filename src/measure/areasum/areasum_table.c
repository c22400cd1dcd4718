// Summed-area tables on the CPU: the first two axes by a wavefront of groups of rows, or where rows are few
// strips of columns, or where slices are enough one for each thread; then a pass for each axis beyond them.
#include "measure/areasum/areasum_table.h"

#include "device/spill.h"
#include "engine/tile.h"

#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);
LG_CPU_DECLARE(lg_area_blocks_table, areasum_blocks);
LG_CPU_DECLARE(lg_area_across_table, areasum_across);

#define STEP_WORDS LG_AREA_STEP_WORDS
#define APART      24                 // words between rows, so that they do not meet in the caches
#define SPAN       1024               // words of a job of a pass along an axis
#define PART       ((int64_t)1 << 16) // the same of files

typedef lg_area_build build;

// ---- the first two axes -----------------------------------------------------------------------------

// Of a worker, for a step: samples that were gathered, words, and entries on their way past the caches.
typedef struct worker_room {
    uint64_t samples[LG_AREA_ROWS][STEP_WORDS + APART], words[LG_AREA_ROWS][STEP_WORDS + APART],
        entries[LG_AREA_ROWS][STEP_WORDS + APART];
    uint32_t max; // bits of the largest magnitude
} worker_room;

static void *entries_at(const build *b, size_t line, size_t word)
{
    return (char *)b->plane->data + (line * b->row + word) * b->word;
}

static worker_room *room_of(const build *b, int worker)
{
    return (worker_room *)b->workers + worker;
}

void lg_area_find_rows(const build *b, const lg_area_tile *tile, size_t first, int worker,
                       lg_area_rows *rows)
{
    const int channels = b->a->shape.channels;
    worker_room *room = room_of(b, worker);
    rows->rows = tile->count;
    rows->channels = channels;
    rows->scale = ldexp(1, -b->plane->exponent);
    rows->elements = LG_MIN(b->step, tile->end - first);
    for (size_t r = 0; r < tile->count; r++) {
        if (r > 0 && b->direct) {
            rows->from[r] = (const char *)rows->from[r - 1] + b->array->stride[1];
            continue;
        }
        rows->from[r] =
            lg_area_span(b->array, tile->line + r, first, rows->elements, room->samples[r]);
        if (b->direct)
            continue;
        lg_area_values(b->lines, b->a, b->plane, rows->from[r], rows->elements * (size_t)channels,
                       room->words[r]);
        rows->from[r] = room->words[r];
    }
}

void lg_area_write_tile(const build *b, const lg_area_tile *tile, int worker)
{
    const size_t channels = (size_t)b->a->shape.channels;
    const bool around = b->stream && !b->whole;
    worker_room *room = room_of(b, worker);
    for (size_t first = tile->first; first < tile->end; first += b->step) {
        lg_area_rows rows = {.sums = tile->sums + first * channels * b->word,
                             .blocks = (float *)(void *)tile->sums + b->row + first * channels,
                             .last = tile->last,
                             .carry = tile->carry,
                             .max = room->max,
                             .stream = b->stream && b->whole};
        lg_area_find_rows(b, tile, first, worker, &rows);
        if (b->rows == 1) { // nothing is above
            rows.sums = memset(room->words[1], 0, sizeof room->words[1]);
            rows.blocks = memset(room->words[2], 0, sizeof room->words[2]);
        }
        for (size_t r = 0; r < tile->count; r++)
            rows.to[r] =
                around ? (void *)room->entries[r] : entries_at(b, tile->line + r, first * channels);
        b->block->sum[b->source](&rows);
        room->max = rows.max;
        for (size_t r = 0; r < tile->count && around; r++)
            b->block->stream(room->entries[r], rows.elements * channels * b->word,
                             entries_at(b, tile->line + r, first * channels));
    }
}

bool lg_area_worker_is_above(const build *b, int worker)
{
    const uint32_t max = room_of(b, worker)->max;
    return b->finite && (max >= LG_AREA_INFINITE || (b->plane->word == LG_AREA_U64 &&
                                                     lg_area_magnitude_of(max) > b->a->magnitude));
}

// One slice after the other, each by one thread.
static lg_status write_slice(void *arg, const lg_tile *t)
{
    const build *b = arg;
    const size_t size = lg_area_sums_size(b->a);
    char *sums = b->sums + (size_t)t->worker * size;
    memset(sums, 0, size);
    for (size_t y = 0; y < b->rows; y += LG_AREA_ROWS) {
        uint64_t carry[LG_AREA_CARRIES] = {0};
        if (lg_area_worker_is_above(b, t->worker))
            break; // it is built again
        const lg_area_tile tile = {.line = (size_t)t->y * b->rows + y,
                                   .count = LG_MIN((size_t)LG_AREA_ROWS, b->rows - y),
                                   .end = (size_t)b->a->shape.extent[0],
                                   .last = lg_area_ends_block(y),
                                   .sums = sums,
                                   .carry = carry};
        lg_area_write_tile(b, &tile, t->worker);
        lg_context_relieve(b->context);
    }
    b->block->stream_end();
    return LG_OK;
}

// ---- axes beyond the second ---------------------------------------------------------------------

// The ith of words along an axis, from the sums so far: of a block, of its groups, of this group.
static void plain_line(size_t i, size_t count, float *at, float *blocks, float *groups, float *sum)
{
    for (size_t k = 0; k < count; k++) {
        sum[k] = i % LG_AREA_ROWS ? sum[k] + at[k] : at[k];
        at[k] = blocks[k] + (groups[k] + sum[k]);
    }
    for (size_t k = 0; k < count && i % LG_AREA_ROWS == LG_AREA_ROWS - 1; k++)
        groups[k] += sum[k];
    for (size_t k = 0; k < count && i % LG_AREA_BLOCK == LG_AREA_BLOCK - 1; k++) {
        blocks[k] += groups[k];
        groups[k] = 0;
    }
}

// For a chunk of adjacent words.
static lg_status plain_axis(void *arg, const lg_tile *t)
{
    const build *b = arg;
    float *at = (float *)b->plane->data + (size_t)t->y * b->length * b->inner + (size_t)t->x;
    float blocks[SPAN] = {0}, groups[SPAN] = {0}, sum[SPAN];
    for (size_t i = 0; i < b->length; i++, at += b->inner)
        plain_line(i, (size_t)(t->x_end - t->x), at, blocks, groups, sum);
    return LG_OK;
}

static lg_status exact_axis(void *arg, const lg_tile *t)
{
    const build *b = arg;
    const size_t size = lg_area_word_size(b->plane->word), step = b->inner * size;
    char *at = (char *)b->plane->data + ((size_t)t->y * b->length * b->inner + (size_t)t->x) * size;
    for (size_t i = 1; i < b->length; i++, at += step)
        b->lines->join[lg_area_join_of(b->plane)](at + step, at, (size_t)(t->x_end - t->x),
                                                  at + step);
    return LG_OK;
}

// One step along an axis, for a part of its words.
typedef struct axis_step {
    const build *b;
    size_t outer, i;
    float *sums; // of plain floats: as in plain_axis, for all words before the axis
} axis_step;

static lg_status step_of_axis(void *arg, const lg_tile *t)
{
    const axis_step *s = arg;
    const build *b = s->b;
    const size_t size = lg_area_word_size(b->plane->word), count = (size_t)(t->x_end - t->x);
    const size_t word = (s->outer * b->length + s->i) * b->inner + (size_t)t->x;
    char *at = (char *)b->plane->data + word * size;
    float *sums = s->sums ? s->sums + t->x : NULL;
    if (sums)
        plain_line(s->i, count, (float *)(void *)at, sums, sums + b->inner, sums + 2 * b->inner);
    else if (s->i > 0)
        b->lines->join[lg_area_join_of(b->plane)](at, at - b->inner * size, count, at);
    return LG_OK;
}

// Files in the order that their words have: a chunk of few words along all of an axis has pages of
// all of the file.
static lg_status sum_mapped_axis(lg_context *context, const build *b, lg_error *error)
{
    const size_t bytes = 3 * b->inner * sizeof(float);
    axis_step s = {.b = b};
    void *sums = NULL;
    lg_status status = LG_OK;
    if (b->plane->word == LG_AREA_F32)
        status = lg_block_take(context, bytes, "area sums", &sums, error);
    s.sums = sums;
    for (s.outer = 0; s.outer < b->outer && !status; s.outer++) {
        if (sums)
            memset(sums, 0, bytes);
        for (s.i = 0; s.i < b->length && !status; s.i++) {
            const lg_tiling parts = {.width = (int64_t)b->inner,
                                     .height = 1,
                                     .strip = PART,
                                     .run = step_of_axis,
                                     .job = &s};
            status = lg_tiling_run(context->pool, &parts, error);
        }
    }
    lg_block_give(context, sums);
    return status;
}

static lg_status sum_axis(lg_context *context, build *b, int axis, lg_error *error)
{
    const lg_area_array *shape = &b->a->shape;
    b->inner = (size_t)shape->channels;
    for (int d = 0; d < axis; d++)
        b->inner *= (size_t)shape->extent[d];
    b->length = (size_t)shape->extent[axis];
    b->outer = b->a->elements * (size_t)shape->channels / b->inner / b->length;
    if (lg_blocks_are_mapped(context))
        return sum_mapped_axis(context, b, error);
    const lg_tiling spans = {.width = (int64_t)b->inner,
                             .height = (int64_t)b->outer,
                             .strip = SPAN,
                             .band = 1,
                             .run = b->plane->word == LG_AREA_F32 ? plain_axis : exact_axis,
                             .job = b};
    return lg_tiling_run(context->pool, &spans, error);
}

// ---- all ----------------------------------------------------------------------------------------

static lg_area_source source_of(const build *b)
{
    const lg_type type = b->a->shape.type;
    // Other samples are gathered and become words.
    const bool adjacent = b->array->stride[0] == (int64_t)lg_type_size(type);
    const bool sums = b->plane->op == LG_AREA_OP_SUM && b->a->shape.channels == 1 && adjacent;
    if (sums && type == LG_U8)
        return LG_AREA_FROM_U8;
    if (b->plane->word == LG_AREA_F32)
        return b->finite ? LG_AREA_FROM_PLAIN_FINITE : LG_AREA_FROM_PLAIN;
    if (sums && type == LG_F32 && lg_area_by_doubles(b->a, b->plane))
        return b->finite ? LG_AREA_FROM_F32_FINITE : LG_AREA_FROM_F32;
    return b->plane->word == LG_AREA_U32 ? LG_AREA_FROM_U32 : LG_AREA_FROM_U64;
}

// Sums of columns, with what the ways to share a slice keep behind them.
static size_t sums_bytes(const lg_context *context, const lg_areasum *a)
{
    const size_t slices = lg_area_sums_size(a) * (size_t)lg_pool_threads(context->pool),
                 strips = lg_area_strips_scratch(context, a),
                 wavefront = lg_area_wavefront_scratch(context, a);
    return lg_align_up(LG_MAX(slices, LG_MAX(strips, wavefront)), 64);
}

size_t lg_area_table_scratch(const lg_context *context, const lg_areasum *a)
{
    return sums_bytes(context, a) + (size_t)lg_pool_threads(context->pool) * sizeof(worker_room);
}

static lg_status write_slices(lg_context *context, build *b, lg_error *error)
{
    const lg_tiling slices = {
        .height = (int64_t)b->slices, .band = 1, .run = write_slice, .job = b};
    return lg_tiling_run(context->pool, &slices, error);
}

static lg_status sum_two_axes(lg_context *context, build *b, lg_error *error)
{
    return b->strips                                 ? lg_area_write_strips(context, b, error)
           : lg_area_choose_wavefront(context, b->a) ? lg_area_write_wavefront(context, b, error)
                                                     : write_slices(context, b, error);
}

static uint32_t most_met(const lg_context *context, const build *b)
{
    uint32_t max = 0;
    for (int worker = 0; worker < lg_pool_threads(context->pool); worker++)
        max = LG_MAX(max, room_of(b, worker)->max);
    return max;
}

bool lg_area_any_is_above(const lg_context *context, const build *b)
{
    bool above = false;
    for (int worker = 0; worker < lg_pool_threads(context->pool); worker++)
        above |= lg_area_worker_is_above(b, worker);
    return above;
}

// Whether samples are as they were guessed to be, after all have been met.
static bool as_guessed(const lg_context *context, const build *b)
{
    const bool met = b->source == LG_AREA_FROM_F32_FINITE || b->source == LG_AREA_FROM_PLAIN_FINITE;
    return !b->finite || (met && !lg_area_any_is_above(context, b) &&
                          (b->plane->word == LG_AREA_F32 ||
                           lg_area_magnitude_of(most_met(context, b)) == b->a->magnitude));
}

lg_status lg_area_build_table(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                              lg_area_plane *plane, void *scratch, bool *right, lg_error *error)
{
    build b = {.context = context,
               .a = a,
               .array = array,
               .plane = plane,
               .sums = scratch,
               .finite = a->guessed};
    b.lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    b.block = LG_CPU_SELECT(areasum_blocks, context->cpu_level);
    b.across = LG_CPU_SELECT(areasum_across, context->cpu_level);
    b.workers = b.sums + sums_bytes(context, a);
    b.word = lg_area_word_size(plane->word);
    b.row = (size_t)a->shape.extent[0] * (size_t)a->shape.channels;
    b.rows = lg_area_rows_of(a);
    b.slices = lg_area_slices_of(a);
    b.source = source_of(&b);
    lg_area_choose_strips(context, a, &b.strip, &b.strips);
    b.direct = b.source == LG_AREA_FROM_U8 || b.source == LG_AREA_FROM_F32 ||
               b.source == LG_AREA_FROM_F32_FINITE ||
               (lg_area_is_plain(b.source) && a->shape.type == LG_F32);
    b.direct =
        b.direct && array->stride[0] == (int64_t)lg_type_size(a->shape.type) * a->shape.channels;
    b.stream = b.row * b.rows * b.slices * b.word >= lg_area_stream_least;
    b.whole = b.row * b.word % 32 == 0 && a->shape.channels == 1;
    b.step = b.direct && (b.whole || !b.stream) && b.rows > 1
                 ? (size_t)a->shape.extent[0]
                 : (size_t)(STEP_WORDS / (a->shape.channels == 3 ? 4 : a->shape.channels));
    for (int worker = 0; worker < lg_pool_threads(context->pool); worker++)
        room_of(&b, worker)->max = 0;
    lg_status status = sum_two_axes(context, &b, error);
    *right = as_guessed(context, &b);
    for (int axis = 2; axis < a->shape.dims && !status && *right; axis++)
        status = sum_axis(context, &b, axis, error);
    return status;
}
