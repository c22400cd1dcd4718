// Summed-area tables on the CPU: bands of rows, each begun with the sums of the columns above it, or stripes
// of columns, then one pass for each axis beyond the second.
#include "measure/areasum/areasum_table.h"

#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);
LG_CPU_DECLARE(lg_area_blocks_table, areasum_blocks);
LG_CPU_DECLARE(lg_area_across_table, areasum_across);

#define BAND_LEAST 32  // rows
#define PART_LEAST 256 // elements of a band's columns that a job sums up
#define PARTS      2   // for each thread
#define STEP_WORDS LG_AREA_STEP_WORDS
#define APART      24   // words between rows, so that they do not meet in the caches
#define CHUNK      1024 // words of a job of a pass along an axis

typedef lg_area_build build;

// ---- the first two axes -----------------------------------------------------------------------------

// Of a worker, for a step: samples that were gathered, words, and entries on their way past the caches.
typedef struct worker_room {
    uint64_t samples[LG_AREA_ROWS][STEP_WORDS / 2 + APART], words[LG_AREA_ROWS][STEP_WORDS + APART],
        entries[LG_AREA_ROWS][STEP_WORDS + APART];
    uint32_t most; // bits of the largest magnitude
} worker_room;

static void *entries_at(const build *b, size_t line, size_t word)
{
    return (char *)b->plane->data + (line * b->row + word) * b->word;
}

static char *sums_of(const build *b, size_t number)
{
    return b->sums + number * lg_align_up(b->row * sizeof(uint64_t), 64);
}

static worker_room *room_of(const build *b, int worker)
{
    return (worker_room *)b->workers + worker;
}

void lg_area_find_rows(const build *b, const lg_area_piece *piece, size_t first, int worker,
                       lg_area_rows *rows)
{
    const int channels = b->a->shape.channels;
    worker_room *room = room_of(b, worker);
    rows->rows = piece->count;
    rows->channels = channels;
    rows->scale = 1 / b->plane->unit;
    rows->elements = LG_MIN(b->step, piece->end - first);
    for (size_t r = 0; r < piece->count; r++) {
        if (r > 0 && b->direct) {
            rows->from[r] = (const char *)rows->from[r - 1] + b->array->stride[1];
            continue;
        }
        rows->from[r] =
            lg_area_part(b->array, piece->line + r, first, rows->elements, room->samples[r]);
        if (b->direct)
            continue;
        lg_area_values(b->lines, b->a, b->plane, rows->from[r], rows->elements * (size_t)channels,
                       room->words[r]);
        rows->from[r] = room->words[r];
    }
}

// The sums of a part of a band's columns; of plain floats, whose order begins on the left, of all of them,
// and those of its groups of rows, to the last row of each.
static void sum_columns(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t part = index % b->parts, place = index / b->parts;
    const size_t slice = place / (b->bands - 1), band = place % (b->bands - 1);
    const size_t pixel = (size_t)b->a->shape.channels * b->word,
                 columns = (size_t)b->a->shape.extent[0];
    const size_t each = lg_align_up((columns + b->parts - 1) / b->parts, LG_AREA_PART_UNIT);
    const size_t begin = LG_MIN(part * each, columns), end = LG_MIN(begin + each, columns);
    char *sums = sums_of(b, slice * b->bands + band);
    memset(sums + begin * pixel, 0, (end - begin) * pixel);
    for (size_t y = band * b->band_rows; y < (band + 1) * b->band_rows; y += LG_AREA_ROWS) {
        const size_t line = slice * b->rows + y;
        uint64_t carry[LG_AREA_ROWS * LG_MAX_CHANNELS] = {0};
        for (size_t first = begin; first < end; first += b->step) {
            const lg_area_piece piece = {.line = line, .count = LG_AREA_ROWS, .end = end};
            lg_area_rows rows = {.sums = sums + first * pixel, .carry = carry};
            lg_area_find_rows(b, &piece, first, worker, &rows);
            rows.to[0] = entries_at(b, line + LG_AREA_ROWS - 1, first * pixel / b->word);
            b->block->columns[b->source](&rows);
        }
    }
}

// From the sums of a band to those of all bands above it.
static void carry_bands(const build *b)
{
    const lg_area_join join = lg_area_join_of(b->plane);
    for (size_t slice = 0; slice < b->slices; slice++) {
        const size_t first = slice * b->bands;
        for (size_t band = 1; band + 1 < b->bands; band++)
            b->lines->join[join](sums_of(b, first + band), sums_of(b, first + band - 1), b->row,
                                 sums_of(b, first + band));
        for (size_t band = b->bands - 1; band > 0; band--)
            memcpy(sums_of(b, first + band), sums_of(b, first + band - 1), b->row * b->word);
        memset(sums_of(b, first), 0, b->row * b->word);
    }
}

// The same of plain floats, group by group, for a chunk of columns.
static void carry_groups(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t chunks = (b->row + CHUNK - 1) / CHUNK, first = index % chunks * CHUNK;
    const size_t slice = index / chunks, count = LG_MIN((size_t)CHUNK, b->row - first);
    float groups[CHUNK] = {0}, blocks[CHUNK] = {0};
    (void)worker;
    for (size_t band = 0; band < b->bands; band++) {
        float *sums = (float *)(void *)sums_of(b, slice * b->bands + band);
        memcpy(sums + first, groups, count * sizeof *groups);
        memcpy(sums + b->row + first, blocks, count * sizeof *blocks);
        for (size_t i = 0; i < b->band_rows && band + 1 < b->bands; i += LG_AREA_ROWS) {
            const size_t y = band * b->band_rows + i + LG_AREA_ROWS - 1;
            b->lines->join[LG_AREA_ADD_F32](groups, entries_at(b, slice * b->rows + y, first),
                                            count, groups);
            if (y % LG_AREA_BLOCK != LG_AREA_BLOCK - 1)
                continue;
            b->lines->join[LG_AREA_ADD_F32](blocks, groups, count, blocks);
            memset(groups, 0, sizeof groups);
        }
    }
}

void lg_area_write_piece(const build *b, const lg_area_piece *piece, int worker)
{
    const size_t channels = (size_t)b->a->shape.channels;
    const bool around = b->stream && !b->whole;
    worker_room *room = room_of(b, worker);
    for (size_t first = piece->first; first < piece->end; first += b->step) {
        lg_area_rows rows = {.sums = piece->sums + first * channels * b->word,
                             .blocks = (float *)(void *)piece->sums + b->row + first * channels,
                             .last = piece->last,
                             .carry = piece->carry,
                             .most = room->most,
                             .stream = b->stream && b->whole};
        lg_area_find_rows(b, piece, first, worker, &rows);
        if (b->rows == 1) { // nothing is above
            rows.sums = memset(room->words[1], 0, sizeof room->words[1]);
            rows.blocks = memset(room->words[2], 0, sizeof room->words[2]);
        }
        for (size_t r = 0; r < piece->count; r++)
            rows.to[r] = around ? (void *)room->entries[r]
                                : entries_at(b, piece->line + r, first * channels);
        b->block->sum[b->source](&rows);
        room->most = rows.most;
        for (size_t r = 0; r < piece->count && around; r++)
            b->block->stream(room->entries[r], rows.elements * channels * b->word,
                             entries_at(b, piece->line + r, first * channels));
    }
}

// From sums of columns to entries of the row above a band.
static void sum_along(const build *b, char *sums, worker_room *room)
{
    const size_t channels = (size_t)b->a->shape.channels, columns = (size_t)b->a->shape.extent[0];
    const size_t step = STEP_WORDS / (channels == 3 ? 4 : channels);
    uint64_t carry[LG_MAX_CHANNELS] = {0};
    for (size_t first = 0; first < columns; first += step) {
        char *at = sums + first * channels * b->word;
        memset(room->words[0], 0, sizeof room->words[0]);
        b->block->sum[b->word == 4 ? LG_AREA_FROM_U32 : LG_AREA_FROM_U64](
            &(lg_area_rows){.from = {at},
                            .to = {at},
                            .sums = room->words[0],
                            .carry = carry,
                            .rows = 1,
                            .elements = LG_MIN(step, columns - first),
                            .channels = (int)channels});
    }
}

static bool is_above_guess(const build *b, uint32_t most)
{
    return b->finite &&
           (most >= LG_AREA_INFINITE ||
            (b->plane->word == LG_AREA_U64 && lg_area_magnitude_of(most) > b->a->magnitude));
}

static void write_band(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t slice = index / b->bands, band = index % b->bands;
    const size_t end = LG_MIN((band + 1) * b->band_rows, b->rows);
    char *sums = sums_of(b, b->bands > 1 ? index : (size_t)worker);
    if (b->bands > 1 && !lg_area_is_plain(b->source))
        sum_along(b, sums, (worker_room *)b->workers + worker);
    else if (b->bands == 1 && b->rows > 1)
        memset(sums, 0, b->row * sizeof(uint64_t)); // of plain floats two lines
    for (size_t y = band * b->band_rows; y < end; y += LG_AREA_ROWS) {
        uint64_t carry[LG_AREA_ROWS * LG_MAX_CHANNELS] = {0};
        if (is_above_guess(b, room_of(b, worker)->most))
            break; // it is built again
        lg_area_write_piece(
            b,
            &(lg_area_piece){.line = slice * b->rows + y,
                             .count = LG_MIN((size_t)LG_AREA_ROWS, end - y),
                             .end = (size_t)b->a->shape.extent[0],
                             .last = y % LG_AREA_BLOCK == LG_AREA_BLOCK - LG_AREA_ROWS,
                             .sums = sums,
                             .carry = carry},
            worker);
    }
    b->block->stream_end();
}

// ---- axes beyond the second ---------------------------------------------------------------------

// For a chunk of adjacent words.
static void plain_axis(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t chunks = (b->inner + CHUNK - 1) / CHUNK, first = index % chunks * CHUNK;
    const size_t count = LG_MIN((size_t)CHUNK, b->inner - first);
    float *at = (float *)b->plane->data + index / chunks * b->length * b->inner + first;
    float blocks[CHUNK] = {0}, groups[CHUNK] = {0}, sum[CHUNK];
    (void)worker;
    for (size_t i = 0; i < b->length; i++, at += b->inner) {
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
}

static void exact_axis(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t chunks = (b->inner + CHUNK - 1) / CHUNK, first = index % chunks * CHUNK;
    const size_t size = lg_area_word_size(b->plane->word), step = b->inner * size;
    char *at = (char *)b->plane->data + (index / chunks * b->length * b->inner + first) * size;
    (void)worker;
    for (size_t i = 1; i < b->length; i++, at += step)
        b->lines->join[lg_area_join_of(b->plane)](
            at + step, at, LG_MIN((size_t)CHUNK, b->inner - first), at + step);
}

static void sum_axis(lg_context *context, build *b, int axis)
{
    const lg_area_array *shape = &b->a->shape;
    b->inner = (size_t)shape->channels;
    for (int d = 0; d < axis; d++)
        b->inner *= (size_t)shape->extent[d];
    b->length = (size_t)shape->extent[axis];
    b->outer = b->a->elements * (size_t)shape->channels / b->inner / b->length;
    const size_t chunks = (b->inner + CHUNK - 1) / CHUNK;
    lg_pool_run(context->pool, b->outer * chunks,
                b->plane->word == LG_AREA_F32 ? plain_axis : exact_axis, b);
}

// ---- all ----------------------------------------------------------------------------------------

static lg_area_source source_of(const build *b)
{
    const bool sums = b->plane->op == LG_AREA_OP_SUM && b->a->shape.channels == 1;
    const lg_element type = b->a->shape.type;
    if (sums && type == LG_ELEMENT_U8)
        return LG_AREA_FROM_U8;
    if (b->plane->word == LG_AREA_F32)
        return b->finite ? LG_AREA_FROM_PLAIN_FINITE : LG_AREA_FROM_PLAIN;
    if (sums && type == LG_ELEMENT_F32 && b->plane->exponent >= b->a->magnitude - 51)
        return b->finite ? LG_AREA_FROM_F32_FINITE : LG_AREA_FROM_F32;
    return b->plane->word == LG_AREA_U32 ? LG_AREA_FROM_U32 : LG_AREA_FROM_U64;
}

// Bands: one for each thread, or where there are slices enough, or too few rows to gain from more, one. All
// but the last have a multiple of LG_AREA_ROWS rows.
static void choose_bands(const lg_context *context, const lg_areasum *a, size_t *bands,
                         size_t *band_rows)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool), rows = lg_area_rows_of(a);
    const bool one = threads == 1 || lg_area_slices_of(a) >= threads;
    const size_t wanted = one ? rows : LG_MAX((rows + threads - 1) / threads, (size_t)BAND_LEAST);
    *band_rows = lg_align_up(wanted, LG_AREA_ROWS);
    *bands = (rows + *band_rows - 1) / *band_rows;
}

static size_t sums_bytes(const lg_context *context, const lg_areasum *a)
{
    if (lg_area_rows_of(a) == 1)
        return lg_align_up(lg_area_stripes_scratch(context, a), 64);
    size_t bands, band_rows;
    choose_bands(context, a, &bands, &band_rows);
    const size_t count = LG_MAX(bands > 1 ? bands * lg_area_slices_of(a) : 1,
                                (size_t)lg_pool_threads(context->pool));
    const size_t bytes =
        count * lg_align_up((size_t)a->shape.extent[0] * (size_t)a->shape.channels * 8, 64);
    return lg_align_up(LG_MAX(bytes, lg_area_stripes_scratch(context, a)), 64);
}

size_t lg_area_table_scratch(const lg_context *context, const lg_areasum *a)
{
    return sums_bytes(context, a) + (size_t)lg_pool_threads(context->pool) * sizeof(worker_room);
}

static void sum_two_axes(lg_context *context, build *b)
{
    if (b->stripes) {
        lg_area_write_stripes(context, b);
        return;
    }
    if (b->bands > 1) {
        const size_t parts = PARTS * (size_t)lg_pool_threads(context->pool);
        const bool wide = (size_t)b->a->shape.extent[0] >= parts * PART_LEAST;
        b->parts = wide && !lg_area_is_plain(b->source) ? parts : 1;
        lg_pool_run(context->pool, (b->bands - 1) * b->slices * b->parts, sum_columns, b);
        if (lg_area_is_plain(b->source))
            lg_pool_run(context->pool, (b->row + CHUNK - 1) / CHUNK * b->slices, carry_groups, b);
        else
            carry_bands(b);
    }
    lg_pool_run(context->pool, b->bands * b->slices, write_band, b);
}

static uint32_t most_met(const lg_context *context, const build *b)
{
    uint32_t most = 0;
    for (int worker = 0; worker < lg_pool_threads(context->pool); worker++)
        most = LG_MAX(most, room_of(b, worker)->most);
    return most;
}

bool lg_area_above_guess(const lg_context *context, const build *b)
{
    return is_above_guess(b, most_met(context, b));
}

// Whether samples are as they were guessed to be, after all have been met.
static bool as_guessed(const lg_context *context, const build *b)
{
    const bool met = b->source == LG_AREA_FROM_F32_FINITE || b->source == LG_AREA_FROM_PLAIN_FINITE;
    return !b->finite || (met && !lg_area_above_guess(context, b) &&
                          (b->plane->word == LG_AREA_F32 ||
                           lg_area_magnitude_of(most_met(context, b)) == b->a->magnitude));
}

bool lg_area_build_table(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                         lg_area_plane *plane, void *scratch)
{
    build b = {.a = a, .array = array, .plane = plane, .sums = scratch, .finite = a->guessed};
    b.lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    b.block = LG_CPU_SELECT(areasum_blocks, context->cpu_level);
    b.across = LG_CPU_SELECT(areasum_across, context->cpu_level);
    b.workers = b.sums + sums_bytes(context, a);
    b.word = lg_area_word_size(plane->word);
    b.row = (size_t)a->shape.extent[0] * (size_t)a->shape.channels;
    b.rows = lg_area_rows_of(a);
    b.slices = lg_area_slices_of(a);
    choose_bands(context, a, &b.bands, &b.band_rows);
    b.source = source_of(&b);
    lg_area_choose_stripes(context, a, lg_area_is_plain(b.source), &b.stripe, &b.stripes);
    b.direct = b.source == LG_AREA_FROM_U8 || b.source == LG_AREA_FROM_F32 ||
               b.source == LG_AREA_FROM_F32_FINITE ||
               (lg_area_is_plain(b.source) && a->shape.type == LG_ELEMENT_F32);
    b.direct = b.direct &&
               array->stride[0] == (int64_t)lg_area_sample_size(a->shape.type) * a->shape.channels;
    b.stream = b.row * b.rows * b.slices * b.word >= lg_area_stream_least;
    b.whole = b.row * b.word % 32 == 0 && a->shape.channels == 1;
    b.step = b.direct && (b.whole || !b.stream) && b.rows > 1
                 ? (size_t)a->shape.extent[0]
                 : (size_t)(STEP_WORDS / (a->shape.channels == 3 ? 4 : a->shape.channels));
    for (int worker = 0; worker < lg_pool_threads(context->pool); worker++)
        room_of(&b, worker)->most = 0;
    sum_two_axes(context, &b);
    if (!as_guessed(context, &b))
        return false;
    for (int axis = 2; axis < a->shape.dims; axis++)
        sum_axis(context, &b, axis);
    return true;
}
