// Summed-area tables on the CPU: bands of rows, each begun with the sums of the columns above it, then one
// pass for each axis beyond the second.
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_planes.h"

#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);

typedef struct build {
    const lg_areasum *a;
    const lg_area_array *array;
    lg_area_plane *plane;
    const lg_area_lines_table *lines;
    size_t row;          // words
    size_t rows, slices; // of a slice; of the first two axes
    size_t bands, band_rows;
    char *scratch; // for each job gathered samples, words of a row, sums of columns
    size_t scratch_samples, scratch_words; // bytes
    int axis;                              // of the passes beyond the second axis
    size_t inner, length, outer;
} build;

#define GROUP       8 // of plain tables, along all axes but the first: summed before the next carry
#define BLOCK       64   // groups of which are summed likewise
#define CHUNK_WORDS 4096 // of a job of a pass along an axis

static void *words_at(const build *b, size_t row)
{
    return (char *)b->plane->data + row * b->row * lg_area_word_size(b->plane->word);
}

static lg_area_join join_of(lg_area_word word)
{
    return word == LG_AREA_U32   ? LG_AREA_ADD_U32
           : word == LG_AREA_U64 ? LG_AREA_ADD_U64
                                 : LG_AREA_ADD_F32;
}

// The scratch of a job, in three parts.
typedef struct parts {
    void *samples, *words, *sums;
} parts;

static parts scratch_of(const build *b, size_t job)
{
    char *at = b->scratch + job * (b->scratch_samples + 2 * b->scratch_words);
    return (parts){at, at + b->scratch_samples, at + b->scratch_samples + b->scratch_words};
}

static void add_row(const build *b, const parts *s, size_t row)
{
    const void *samples = lg_area_line(b->array, row, s->samples);
    lg_area_values(b->lines, b->a, b->plane, samples, b->row, s->words);
    b->lines->join[join_of(b->plane->word)](s->sums, s->words, b->row, s->sums);
}

static void sum_band(void *arg, size_t index, int worker)
{
    const build *b = arg;
    (void)worker;
    const size_t slice = index / b->bands, band = index % b->bands;
    const parts s = scratch_of(b, index);
    memset(s.sums, 0, b->scratch_words);
    for (size_t y = band * b->band_rows; y < LG_MIN((band + 1) * b->band_rows, b->rows); y++)
        add_row(b, &s, slice * b->rows + y);
}

// From the sums of a band to those of all bands above it.
static void carry_bands(const build *b)
{
    const size_t bytes = b->scratch_words;
    const lg_area_join join = join_of(b->plane->word);
    for (size_t slice = 0; slice < b->slices; slice++) {
        for (size_t band = 1; band < b->bands; band++) {
            const parts s = scratch_of(b, slice * b->bands + band),
                        before = scratch_of(b, slice * b->bands + band - 1);
            b->lines->join[join](s.sums, before.sums, b->row, s.sums);
        }
        for (size_t band = b->bands - 1; band > 0; band--)
            memcpy(scratch_of(b, slice * b->bands + band).sums,
                   scratch_of(b, slice * b->bands + band - 1).sums, bytes);
        memset(scratch_of(b, slice * b->bands).sums, 0, bytes);
    }
}

static void write_band(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t slice = index / b->bands, band = index % b->bands;
    const parts s = scratch_of(b, b->bands > 1 ? index : (size_t)worker);
    if (b->bands == 1)
        memset(s.sums, 0, b->scratch_words);
    const int channels = b->a->shape.channels;
    const size_t elements = (size_t)b->a->shape.extent[0];
    const bool bytes =
        b->a->shape.type == LG_ELEMENT_U8 && channels == 1 && b->plane->op == LG_AREA_OP_SUM;
    for (size_t y = band * b->band_rows; y < LG_MIN((band + 1) * b->band_rows, b->rows); y++) {
        const size_t row = slice * b->rows + y;
        if (bytes) {
            b->lines->row_u8(lg_area_line(b->array, row, s.samples), s.sums, elements,
                             words_at(b, row));
            continue;
        }
        add_row(b, &s, row);
        if (b->plane->word == LG_AREA_U32)
            b->lines->prefix_u32(s.sums, elements, channels, words_at(b, row));
        else
            b->lines->prefix_u64(s.sums, elements, channels, words_at(b, row));
    }
}

// ---- plain floats -------------------------------------------------------------------------------

// Entries of a row.
static void plain_row(void *arg, size_t row, int worker)
{
    const build *b = arg;
    const parts s = scratch_of(b, (size_t)worker);
    float *to = words_at(b, row);
    lg_area_values(b->lines, b->a, b->plane, lg_area_line(b->array, row, s.samples), b->row, to);
    b->lines->prefix_f32(to, (size_t)b->a->shape.extent[0], b->a->shape.channels, to);
}

// Sums along a further axis, for a chunk of adjacent words.
static void plain_axis(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t chunks = (b->inner + CHUNK_WORDS - 1) / CHUNK_WORDS,
                 first = index % chunks * CHUNK_WORDS;
    const size_t count = LG_MIN((size_t)CHUNK_WORDS, b->inner - first);
    float *at = (float *)b->plane->data + index / chunks * b->length * b->inner + first;
    float blocks[CHUNK_WORDS] = {0}, groups[CHUNK_WORDS] = {0}, sum[CHUNK_WORDS];
    (void)worker;
    for (size_t i = 0; i < b->length; i++, at += b->inner) {
        for (size_t k = 0; k < count; k++) {
            sum[k] = i % GROUP ? sum[k] + at[k] : at[k];
            at[k] = blocks[k] + (groups[k] + sum[k]);
        }
        if (i % GROUP == GROUP - 1)
            for (size_t k = 0; k < count; k++)
                groups[k] += sum[k];
        if (i % BLOCK == BLOCK - 1)
            for (size_t k = 0; k < count; k++) {
                blocks[k] += groups[k];
                groups[k] = 0;
            }
    }
}

// ---- axes beyond the second ---------------------------------------------------------------------

static void exact_axis(void *arg, size_t index, int worker)
{
    const build *b = arg;
    const size_t chunks = (b->inner + CHUNK_WORDS - 1) / CHUNK_WORDS,
                 first = index % chunks * CHUNK_WORDS;
    const size_t size = lg_area_word_size(b->plane->word), step = b->inner * size;
    char *at = (char *)b->plane->data + (index / chunks * b->length * b->inner + first) * size;
    (void)worker;
    for (size_t i = 1; i < b->length; i++, at += step)
        b->lines->join[join_of(b->plane->word)](
            at + step, at, LG_MIN((size_t)CHUNK_WORDS, b->inner - first), at + step);
}

static void sum_axis(lg_context *context, build *b, int axis)
{
    const lg_area_array *shape = &b->a->shape;
    b->inner = (size_t)shape->channels;
    for (int d = 0; d < axis; d++)
        b->inner *= (size_t)shape->extent[d];
    b->length = (size_t)shape->extent[axis];
    b->outer = b->a->elements * (size_t)shape->channels / b->inner / b->length;
    const size_t chunks = (b->inner + CHUNK_WORDS - 1) / CHUNK_WORDS;
    lg_pool_run(context->pool, b->outer * chunks,
                b->plane->word == LG_AREA_F32 ? plain_axis : exact_axis, b);
}

// ---- all ----------------------------------------------------------------------------------------

// Bands: none where there are slices enough, or too few rows to gain from them.
static size_t bands_of(const lg_context *context, const lg_areasum *a)
{
    const size_t rows = a->shape.dims > 1 ? (size_t)a->shape.extent[1] : 1;
    const size_t slices = a->elements / (size_t)a->shape.extent[0] / rows;
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    return slices >= threads ? 1 : LG_MIN(threads, (rows + 63) / 64);
}

static size_t words_bytes(const lg_areasum *a)
{
    return lg_align_up((size_t)a->shape.extent[0] * (size_t)a->shape.channels * 8, 64);
}

static size_t samples_bytes(const lg_areasum *a)
{
    return lg_align_up((size_t)a->shape.extent[0] * (size_t)a->shape.channels *
                           lg_area_sample_size(a->shape.type),
                       64);
}

size_t lg_area_scratch_size(const lg_context *context, const lg_areasum *a)
{
    const size_t rows = a->shape.dims > 1 ? (size_t)a->shape.extent[1] : 1;
    const size_t slices = a->elements / (size_t)a->shape.extent[0] / rows;
    const size_t bands = bands_of(context, a);
    const size_t jobs =
        LG_MAX(bands > 1 ? bands * slices : 1, (size_t)lg_pool_threads(context->pool));
    return jobs * (samples_bytes(a) + 2 * words_bytes(a));
}

void lg_area_build_table(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                         lg_area_plane *plane, void *scratch)
{
    build b = {.a = a, .array = array, .plane = plane, .scratch = scratch};
    b.lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    b.row = (size_t)a->shape.extent[0] * (size_t)a->shape.channels;
    b.rows = a->shape.dims > 1 ? (size_t)a->shape.extent[1] : 1;
    b.slices = a->elements / (size_t)a->shape.extent[0] / b.rows;
    b.bands = bands_of(context, a);
    b.band_rows = (b.rows + b.bands - 1) / b.bands;
    b.scratch_samples = samples_bytes(a);
    b.scratch_words = words_bytes(a);
    if (plane->word == LG_AREA_F32) {
        lg_pool_run(context->pool, b.rows * b.slices, plain_row, &b);
        for (int axis = 1; axis < a->shape.dims; axis++)
            sum_axis(context, &b, axis);
        return;
    }
    if (b.bands > 1) {
        lg_pool_run(context->pool, b.bands * b.slices, sum_band, &b);
        carry_bands(&b);
    }
    lg_pool_run(context->pool, b.bands * b.slices, write_band, &b);
    for (int axis = 2; axis < a->shape.dims; axis++)
        sum_axis(context, &b, axis);
}
