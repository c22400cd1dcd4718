// Tiles of a ripmap on the CPU: some columns and rows with all their levels of the first two axes, while they
// are in the caches. Long rows go to memory while they are made, short ones at the end of the tile.
#include <string.h>

#include "engine/tile.h"
#include "measure/areasum/areasum_ripmap.h"

#define TILE    (1 << LG_AREA_TILE_ACROSS)
#define ROWS    LG_AREA_TILE_ROWS
#define RELIEVE 8   // rows: of files, pages are let go of between these
#define STREAM  512 // bytes of a row that are worth going past the caches: a long one

// At most two rows are needed of each level of the second axis, at the long levels of the first; each of
// these begins at a multiple of 64 bytes.
typedef struct tile {
    const lg_area_ripmap *r;
    size_t slice, first, elements; // columns
    size_t begin, end;             // rows
    size_t pixel;                  // bytes
    int across, down;              // levels of both axes; of the second beyond the samples
    int longs;                     // of the first, with long rows
    size_t at[LG_AREA_TILE_ACROSS + 2], row_size; // where long levels begin in a row, bytes
    char *rows;
    // All rows of a short level without gaps, as where they belong; so too the samples' rows of the last
    // long level, from which the short ones are made. NULL: others.
    char *whole[LG_AREA_TILE_DOWN + 1][LG_AREA_TILE_ACROSS + 1];
} tile;

static size_t bytes_of(const tile *t, int across)
{
    return (t->elements >> across) * t->pixel;
}

// How many rows a level of the second axis has here.
static size_t rows_of(const tile *t, int down)
{
    return (t->end - t->begin) >> down;
}

static char *row_of(const tile *t, int down, size_t number, int across)
{
    if (t->whole[down][across])
        return t->whole[down][across] + (number - (t->begin >> down)) * bytes_of(t, across);
    return t->rows + ((size_t)down * 2 + number % 2) * t->row_size + t->at[across];
}

// Where a row belongs.
static char *place_of(const tile *t, int down, size_t number, int across)
{
    const lg_areasum *a = t->r->a;
    const size_t height = lg_area_rows_of(a) >> down, width = (size_t)a->shape.extent[0] >> across;
    const int levels[LG_AREA_DIMS] = {across, down};
    return (char *)lg_area_block(a, t->r->plane, lg_area_block_index(a, levels)) +
           ((t->slice * height + number) * width + (t->first >> across)) * t->pixel;
}

static void put(const tile *t, const char *from, size_t bytes, char *place)
{
    if (t->r->stream && bytes >= STREAM)
        t->r->block->stream(from, bytes, place);
    else
        memcpy(place, from, bytes);
}

static void put_row(const tile *t, int down, size_t number, int across)
{
    put(t, row_of(t, down, number, across), bytes_of(t, across), place_of(t, down, number, across));
}

// ---- long rows ----------------------------------------------------------------------------------------

// Whether a row goes past the caches while it is made.
static bool at_once(const tile *t, const char *place)
{
    const lg_area_ripmap *r = t->r;
    return r->stream && (uintptr_t)place % 32 == 0 && r->a->shape.channels == 1 &&
           r->lines->join_twice[r->join];
}

static const void *samples_of(const tile *t, size_t y, void *room)
{
    const lg_area_ripmap *r = t->r;
    return lg_area_span(r->array, t->slice * lg_area_rows_of(r->a) + y, t->first, t->elements,
                        room);
}

// A level of the first axis of a row, from the one below.
static void halve_row(const tile *t, size_t y, int across)
{
    t->r->lines->pairs[t->r->join](row_of(t, 0, y, across - 1), t->elements >> across,
                                   t->r->a->shape.channels, row_of(t, 0, y, across));
    put_row(t, 0, y, across);
}

// A row of samples at the long levels of the first axis.
static void make_row(const tile *t, size_t y, void *room, int worker)
{
    const lg_area_ripmap *r = t->r;
    const void *from = samples_of(t, y, room);
    if (r->a->guessed) {
        uint64_t ignored = 0;
        r->lines->find_max(from, t->elements, &r->met[worker].max, &ignored);
        if (ignored)
            r->met[worker].max = LG_AREA_INFINITE;
    }
    lg_area_values(r->lines, r->a, r->plane, from, t->elements * (size_t)r->a->shape.channels,
                   row_of(t, 0, y, 0));
    if (t->longs > 0 && !r->plane->shared)
        put_row(t, 0, y, 0);
    for (int l = 1; l < t->longs; l++)
        halve_row(t, y, l);
}

// Where a row is kept, and where it belongs.
static lg_area_twice twice(const tile *t, int down, size_t number, int across)
{
    return (lg_area_twice){row_of(t, down, number, across), place_of(t, down, number, across)};
}

static bool is_by_pairs(const tile *t)
{
    const lg_area_ripmap *r = t->r;
    const lg_type type = r->a->shape.type;
    return t->down > 0 && r->plane->op == LG_AREA_OP_SUM && r->a->shape.channels == 1 &&
           r->pairs->samples[type][r->plane->word] &&
           (r->plane->word == LG_AREA_F32 || !r->a->floats || lg_area_by_doubles(r->a, r->plane)) &&
           r->array->stride[0] == (int64_t)lg_type_size(type);
}

// Whether two rows at this level of the first axis, the next one, and what they are joined to go past the
// caches while they are made.
static bool are_at_once(const tile *t, size_t y, int across)
{
    bool all = across + 1 < t->longs;
    for (int l = across; l <= across + 1 && all; l++) {
        const bool there = l == 0 && t->r->plane->shared;
        all = (there || at_once(t, place_of(t, 0, y, l))) &&
              (there || at_once(t, place_of(t, 0, y + 1, l))) &&
              at_once(t, place_of(t, 1, y / 2, l));
    }
    return all;
}

// Rows y and y + 1 of samples and what they are joined to, as far as that goes at once: how many levels of
// the first axis have become complete.
static int make_pair(const tile *t, size_t y, int worker)
{
    const lg_area_ripmap *r = t->r;
    const lg_type type = r->a->shape.type;
    int l = 0;
    for (; are_at_once(t, y, l); l++) {
        lg_area_pair p = {.count = t->elements >> l,
                          .scale = ldexp(1, -r->plane->exponent),
                          .sum = twice(t, 1, y / 2, l),
                          .quarter = twice(t, 1, y / 2, l + 1),
                          .max = r->met[worker].max};
        for (size_t i = 0; i < 2; i++) {
            const size_t next = y + i + 2 < t->end ? y + i + 2 : y + i;
            p.from[i] = l ? row_of(t, 0, y + i, l) : samples_of(t, y + i, NULL);
            p.next[i] = l ? NULL : samples_of(t, next, NULL);
            p.words[i] = l || r->plane->shared ? NULL : place_of(t, 0, y + i, l);
            p.half[i] = twice(t, 0, y + i, l + 1);
        }
        if (l)
            r->pairs->words[r->plane->word](&p);
        else
            r->pairs->samples[type][r->plane->word](&p);
        r->met[worker].max = p.max;
    }
    if (l == 0)
        return 0;
    for (int rest = l + 1; rest < t->longs; rest++) {
        halve_row(t, y, rest);
        halve_row(t, y + 1, rest);
    }
    return l + 1;
}

// The row above two of level `down`, from a level of the first axis on.
static void join_rows(const tile *t, int down, size_t number, int across)
{
    const lg_area_ripmap *r = t->r;
    for (int l = across; l < t->longs; l++) {
        const char *first = row_of(t, down, 2 * number, l),
                   *second = row_of(t, down, 2 * number + 1, l);
        const size_t words = bytes_of(t, l) / lg_area_word_size(r->plane->word);
        const lg_area_twice to = twice(t, down + 1, number, l);
        if (at_once(t, to.far)) {
            r->lines->join_twice[r->join](first, second, words, to.near, to.far);
            continue;
        }
        r->lines->join[r->join](first, second, words, to.near);
        put(t, to.near, bytes_of(t, l), to.far);
    }
}

static void make_long_rows(const tile *t, void *room, int worker)
{
    const bool by_pairs = is_by_pairs(t);
    for (size_t y = t->begin; y < t->end; y += 2) {
        const size_t count = LG_MIN(t->end - y, (size_t)2);
        const int made = by_pairs && count == 2 ? make_pair(t, y, worker) : 0;
        for (size_t i = 0; i < count && made == 0; i++)
            make_row(t, y + i, room, worker);
        int down = 0;
        for (size_t i = y + 1; count == 2 && i % 2 && down < t->down; i /= 2, down++)
            join_rows(t, down, i / 2, down ? 0 : made);
        if (y % RELIEVE == 0)
            lg_context_relieve(t->r->context);
    }
}

// ---- short rows ---------------------------------------------------------------------------------------

static void halve_all(const tile *t, int across)
{
    const char *from = t->whole[0][across - 1];
    char *to = t->whole[0][across];
    const size_t before = t->elements >> (across - 1), pairs = t->elements >> across;
    // Where no element is left over, all rows are one.
    const size_t calls = before == 2 * pairs ? 1 : rows_of(t, 0), each = rows_of(t, 0) / calls;
    for (size_t i = 0; i < calls; i++)
        t->r->lines->pairs[t->r->join](from + i * before * t->pixel, each * pairs,
                                       t->r->a->shape.channels, to + i * pairs * t->pixel);
}

static void join_all(const tile *t, int down, int across)
{
    const size_t bytes = bytes_of(t, across), word = lg_area_word_size(t->r->plane->word);
    const char *from = t->whole[down][across];
    for (size_t i = 0; i < rows_of(t, down + 1); i++)
        t->r->lines->join[t->r->join](from + 2 * i * bytes, from + (2 * i + 1) * bytes,
                                      bytes / word, t->whole[down + 1][across] + i * bytes);
}

static void put_all(const tile *t, int down, int across)
{
    const size_t rows = rows_of(t, down), top = t->begin >> down;
    if (t->elements == (size_t)t->r->a->shape.extent[0]) {
        put(t, t->whole[down][across], rows * bytes_of(t, across), place_of(t, down, top, across));
        return;
    }
    for (size_t i = 0; i < rows; i++)
        put_row(t, down, top + i, across);
}

static void make_short_rows(const tile *t)
{
    for (int l = t->longs; l < t->across; l++) {
        if (l > 0)
            halve_all(t, l);
        for (int down = 0; down < t->down; down++)
            join_all(t, down, l);
        for (int down = l == 0 && t->r->plane->shared; down <= t->down; down++)
            put_all(t, down, l);
    }
}

// ---- tiles --------------------------------------------------------------------------------------------

static size_t samples_size(const lg_areasum *a)
{
    const size_t columns = LG_MIN((size_t)a->shape.extent[0], (size_t)TILE);
    return lg_align_up(columns * (size_t)a->shape.channels * lg_type_size(a->shape.type), 64);
}

// Long levels of a row, of words of 64 bits at most.
static size_t row_size(const lg_areasum *a)
{
    const size_t columns = LG_MIN((size_t)a->shape.extent[0], (size_t)TILE);
    return lg_align_up(2 * columns * (size_t)a->shape.channels * sizeof(uint64_t), 64) +
           64 * (LG_AREA_TILE_ACROSS + 1);
}

// Rows of the first short level are shorter than STREAM, those of the last long one twice that and a pixel;
// all short levels of the first axis are less than twice the first of them, of the second likewise.
#define WHOLE_SIZE                                                                                 \
    (ROWS * (2 * STREAM + 64 + 4 * STREAM) +                                                       \
     64 * (LG_AREA_TILE_DOWN + 1) * (LG_AREA_TILE_ACROSS + 2))

size_t lg_area_tiles_scratch(const lg_areasum *a)
{
    return samples_size(a) + 2 * (LG_AREA_TILE_DOWN + 1) * row_size(a) + WHOLE_SIZE;
}

static void lay_out(tile *t)
{
    size_t at = 0;
    for (t->longs = 0; t->longs < t->across && bytes_of(t, t->longs) >= STREAM; t->longs++) {
        t->at[t->longs] = at;
        at += lg_align_up(bytes_of(t, t->longs), 64);
    }
    t->row_size = at;
    char *whole = t->rows + 2 * (size_t)(LG_AREA_TILE_DOWN + 1) * row_size(t->r->a);
    for (int down = 0; down <= t->down; down++)
        for (int l = LG_MAX(t->longs - (down == 0), 0); l < t->across; l++) {
            t->whole[down][l] = whole;
            whole += lg_align_up(rows_of(t, down) * bytes_of(t, l), 64);
        }
}

static lg_status make_tile(void *arg, const lg_tile *place)
{
    const lg_area_ripmap *r = arg;
    const lg_areasum *a = r->a;
    char *scratch = r->scratch + (size_t)place->worker * r->scratch_size;
    tile t = {.r = r,
              .slice = (size_t)place->layer,
              .first = (size_t)place->x,
              .elements = (size_t)(place->x_end - place->x),
              .begin = (size_t)place->y,
              .end = (size_t)place->y_end,
              .pixel = (size_t)a->shape.channels * lg_area_word_size(r->plane->word),
              .across = LG_MIN(a->levels[0], LG_AREA_TILE_ACROSS + 1),
              .down = a->shape.dims > 1 ? LG_MIN(a->levels[1] - 1, LG_AREA_TILE_DOWN) : 0,
              .rows = scratch + samples_size(a)};
    if (a->guessed && lg_area_is_above_guess(r, r->met[place->worker].max))
        return LG_OK; // it is built again
    lay_out(&t);
    make_long_rows(&t, scratch, place->worker);
    make_short_rows(&t);
    r->block->stream_end();
    return LG_OK;
}

lg_status lg_area_write_tiles(lg_context *context, const lg_area_ripmap *r, lg_error *error)
{
    const lg_tiling tiling = {.width = r->a->shape.extent[0],
                              .height = (int64_t)lg_area_rows_of(r->a),
                              .layers = (int64_t)lg_area_slices_of(r->a),
                              .strip = TILE,
                              .band = ROWS,
                              .run = make_tile,
                              .job = (void *)(uintptr_t)r};
    return lg_tiling_run(context->pool, &tiling, error);
}
