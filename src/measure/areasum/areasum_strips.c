// Summed-area tables in strips of columns: what is on the left of a strip is summed up first, then each
// strip goes down its columns, whose sums stay in the caches. Some rows at a time, so that these are read
// from memory once.
#include <string.h>

#include "measure/areasum/areasum_table.h"

#define STRIPS      1   // for each thread: long runs of a row are worth more than even work
#define STRIP_LEAST 512 // elements
#define FEW_ROWS    64  // for each thread: too few for a wavefront
#define ROWS_LEAST  64
#define GROUPS      4 // of rows, of a job

typedef struct strip_work {
    const lg_area_build *b;
    size_t slice, top, end; // rows of the slice now
    uint64_t *starts;       // [group of rows][strip][row][channel]
    size_t groups,
        split; // jobs that share the strips of some groups: more than one where rows are few
} strip_work;

void lg_area_choose_strips(const lg_context *context, const lg_areasum *a, size_t *strip,
                           size_t *strips)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool),
                 columns = (size_t)a->shape.extent[0];
    *strip = *strips = 0;
    if (threads == 1 || lg_area_slices_of(a) >= threads || columns / STRIP_LEAST < threads ||
        lg_area_rows_of(a) >= FEW_ROWS * threads)
        return;
    *strip =
        LG_MAX(lg_align_up(columns / (STRIPS * threads), LG_AREA_PART_UNIT), (size_t)STRIP_LEAST);
    *strips = (columns + *strip - 1) / *strip;
}

// Rows at a time.
static size_t rows_at_once(const lg_areasum *a)
{
    const size_t bytes =
        (size_t)a->shape.extent[0] * (size_t)a->shape.channels * lg_type_size(a->shape.type);
    return LG_MAX(lg_area_cached / bytes / ROWS_LEAST, (size_t)1) * ROWS_LEAST;
}

size_t lg_area_strips_scratch(const lg_context *context, const lg_areasum *a)
{
    size_t strip, strips;
    lg_area_choose_strips(context, a, &strip, &strips);
    const size_t rows = LG_MIN(rows_at_once(a), lg_area_rows_of(a));
    return lg_area_sums_size(a) +
           (rows + LG_AREA_ROWS - 1) / LG_AREA_ROWS * strips * LG_AREA_CARRIES * 8;
}

static uint64_t *starts_of(const strip_work *s, size_t group, size_t strip)
{
    return s->starts + (group * s->b->strips + strip) * LG_AREA_CARRIES;
}

static lg_area_tile tile_of(const strip_work *s, size_t group, size_t strip)
{
    const lg_area_build *b = s->b;
    const size_t y = s->top + group * LG_AREA_ROWS, columns = (size_t)b->a->shape.extent[0];
    return (lg_area_tile){.line = s->slice * b->rows + y,
                          .count = LG_MIN((size_t)LG_AREA_ROWS, s->end - y),
                          .first = strip * b->strip,
                          .end = LG_MIN((strip + 1) * b->strip, columns),
                          .last = lg_area_ends_block(y),
                          .sums = b->sums};
}

static void add_across(const strip_work *s, size_t group, size_t strip, uint64_t *carry, int worker)
{
    const lg_area_build *b = s->b;
    const lg_area_tile tile = tile_of(s, group, strip);
    for (size_t first = tile.first; first < tile.end; first += b->step) {
        lg_area_rows rows = {.carry = carry};
        lg_area_find_rows(b, &tile, first, worker, &rows);
        b->across->across[b->source](&rows);
    }
}

// What strips add to the rows; of plain floats, whose order counts, what is before each strip.
static void sum_across(void *arg, size_t index, int worker)
{
    const strip_work *s = arg;
    const size_t begin = index / s->split * GROUPS, end = LG_MIN(begin + GROUPS, s->groups),
                 bytes = LG_AREA_CARRIES * sizeof(uint64_t);
    const bool plain = lg_area_is_plain(s->b->source);
    for (size_t group = begin; group < end; group++)
        for (size_t strip = index % s->split; strip + 1 < s->b->strips; strip += s->split) {
            uint64_t *carry = starts_of(s, group, strip), *next = starts_of(s, group, strip + 1);
            if (!plain || strip == 0)
                memset(carry, 0, bytes);
            if (plain)
                memcpy(next, carry, bytes);
            add_across(s, group, strip, plain ? next : carry, worker);
        }
}

static void write_strip(void *arg, size_t index, int worker)
{
    const strip_work *s = arg;
    const lg_area_build *b = s->b;
    for (size_t group = 0; s->top + group * LG_AREA_ROWS < s->end; group++) {
        uint64_t carry[LG_AREA_CARRIES] = {0};
        lg_area_tile tile = tile_of(s, group, index);
        tile.carry = carry;
        if (lg_area_is_plain(b->source))
            memcpy(carry, starts_of(s, group, index), sizeof carry);
        for (size_t left = 0; left < index && !lg_area_is_plain(b->source); left++)
            for (size_t i = 0; i < LG_AREA_CARRIES; i++)
                carry[i] += starts_of(s, group, left)[i];
        lg_area_write_tile(b, &tile, worker);
    }
    b->block->stream_end();
}

lg_status lg_area_write_strips(lg_context *context, const lg_area_build *b, lg_error *error)
{
    const bool plain = lg_area_is_plain(b->source);
    strip_work s = {.b = b, .starts = (uint64_t *)(void *)(b->sums + lg_area_sums_size(b->a))};
    lg_status status = LG_OK;
    for (s.slice = 0; s.slice < b->slices && !status; s.slice++) {
        memset(b->sums, 0, lg_area_sums_size(b->a));
        for (s.top = 0; s.top < b->rows && !lg_area_any_is_above(context, b) && !status;
             s.top = s.end) {
            s.end = LG_MIN(s.top + rows_at_once(b->a), b->rows);
            s.groups = (s.end - s.top + LG_AREA_ROWS - 1) / LG_AREA_ROWS;
            const size_t jobs = (s.groups + GROUPS - 1) / GROUPS;
            const bool few = jobs < 2 * (size_t)lg_pool_threads(context->pool);
            s.split = few && !plain ? b->strips - 1 : 1;
            lg_pool_run(context->pool, jobs * s.split, sum_across, &s);
            lg_pool_run(context->pool, b->strips, write_strip, &s);
            status = lg_pool_report(context->pool, (double)s.end / (double)b->rows, error);
        }
    }
    return status;
}
