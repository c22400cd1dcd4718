#include "area_words.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static double sample_of(lg_type type, const void *data, size_t i)
{
    switch (type) {
    case LG_U8:
        return ((const uint8_t *)data)[i];
    case LG_U16:
        return ((const uint16_t *)data)[i];
    case LG_I32:
        return ((const int32_t *)data)[i];
    case LG_F16:
        return (double)lg_half_to_float(((const uint16_t *)data)[i]);
    default:
        return (double)((const float *)data)[i];
    }
}

typedef union word {
    uint32_t u32;
    uint64_t u64;
    float f32;
} word;

static word of_float(float v)
{
    word w = {.u64 = 0};
    w.f32 = v;
    return w;
}

static word word_at(const lg_area_plane *plane, const void *words, size_t i)
{
    word w = {.u64 = 0};
    const size_t size = lg_area_word_size(plane->word);
    memcpy(&w, (const char *)words + i * size, size);
    return w;
}

// Low bits of the square of an integer, or those above: as many as never carry out of a word.
static word of_square(const lg_areasum *sums, const lg_area_plane *plane, int64_t x)
{
    const unsigned __int128 square = (unsigned __int128)((__int128)x * x);
    int bits = 1;
    while ((size_t)1 << bits < sums->elements)
        bits++;
    const unsigned __int128 unit = (unsigned __int128)1 << (64 - bits);
    return (word){.u64 =
                      (uint64_t)(plane->op == LG_AREA_OP_SQUARES ? square % unit : square / unit)};
}

static word of_sample(const lg_areasum *sums, const lg_area_plane *plane, double v)
{
    if (plane->word == LG_AREA_F32)
        return of_float(isfinite(v) ? (float)v : 0);
    if (plane->op == LG_AREA_OP_COUNT)
        return (word){.u64 = isfinite(v)};
    if (plane->op == LG_AREA_OP_ABOVE)
        return (word){.u64 = isfinite(v) && v > sums->params.above};
    const int64_t x = isfinite(v) ? (int64_t)rint(ldexp(v, -plane->exponent)) : 0;
    if (plane->op == LG_AREA_OP_SUM)
        return (word){.u64 = (uint64_t)x};
    return sums->floats ? of_square(sums, plane, x) : (word){.u64 = (uint64_t)(x * x)};
}

static word join(const lg_area_plane *plane, word a, word b)
{
    if (plane->op == LG_AREA_OP_LEAST)
        return a.u32 < b.u32 ? a : b;
    if (plane->op == LG_AREA_OP_MOST)
        return a.u32 > b.u32 ? a : b;
    if (plane->word == LG_AREA_F32)
        return of_float(a.f32 + b.f32);
    return (word){.u64 = a.u64 + b.u64};
}

static bool is_same(const lg_area_plane *plane, word got, word want)
{
    return plane->word == LG_AREA_U64 ? got.u64 == want.u64 : got.u32 == want.u32;
}

// Sums of all that is before along each axis, in place.
static void sum_before(const lg_areasum *sums, uint64_t *words)
{
    size_t inner = (size_t)sums->shape.channels;
    const size_t count = sums->elements * inner;
    for (int d = 0; d < sums->shape.dims; d++) {
        const size_t line = inner * (size_t)sums->shape.extent[d];
        for (size_t i = 0; i < count; i++)
            words[i] += i % line >= inner ? words[i - inner] : 0;
        inner = line;
    }
}

static void check_table(const lg_areasum *sums, const void *data, const char *title)
{
    const size_t count = sums->elements * (size_t)sums->shape.channels;
    uint64_t *want = malloc(count * sizeof *want);
    NEED(want, "%zu words", count);
    for (int p = 0; p < sums->plane_count; p++) {
        const lg_area_plane *plane = &sums->planes[p];
        size_t wrong = 0, first = 0;
        for (size_t i = 0; i < count; i++)
            want[i] = of_sample(sums, plane, sample_of(sums->shape.type, data, i)).u64;
        if (plane->word == LG_AREA_F32)
            continue;
        sum_before(sums, want);
        for (size_t i = 0; i < count; i++)
            if (!is_same(plane, word_at(plane, plane->data, i), (word){.u64 = want[i]}) &&
                wrong++ == 0)
                first = i;
        CHECK(wrong == 0, "%s: %zu entries of plane %d are wrong, the first is %zu", title, wrong,
              p, first);
    }
    free(want);
}

static size_t wrong_elements(const lg_areasum *sums, const lg_area_plane *plane, const void *data)
{
    size_t wrong = 0;
    for (size_t i = 0; i < sums->elements * (size_t)sums->shape.channels; i++)
        wrong += !is_same(plane, word_at(plane, plane->level0, i),
                          of_sample(sums, plane, sample_of(sums->shape.type, data, i)));
    return wrong;
}

// A node is two of the level below along the last axis that is not at level 0.
static size_t wrong_nodes(const lg_areasum *sums, const lg_area_plane *plane, const int *level)
{
    int below[LG_AREA_DIMS], axis = sums->shape.dims - 1;
    while (level[axis] == 0)
        axis--;
    memcpy(below, level, sizeof below);
    below[axis]--;
    size_t inner = (size_t)sums->shape.channels, outer = 1, wrong = 0;
    for (int d = 0; d < sums->shape.dims; d++) {
        const size_t extent = (size_t)(sums->shape.extent[d] >> level[d]);
        inner *= d < axis ? extent : 1;
        outer *= d > axis ? extent : 1;
    }
    const size_t length = (size_t)(sums->shape.extent[axis] >> level[axis]),
                 before = (size_t)(sums->shape.extent[axis] >> below[axis]);
    const void *to = lg_area_block(sums, plane, lg_area_block_index(sums, level)),
               *from = lg_area_block(sums, plane, lg_area_block_index(sums, below));
    for (size_t i = 0; i < outer * length * inner; i++) {
        const size_t at = (i / inner / length * before + i / inner % length * 2) * inner;
        const word a = word_at(plane, from, at + i % inner),
                   b = word_at(plane, from, at + i % inner + inner);
        wrong += !is_same(plane, word_at(plane, to, i), join(plane, a, b));
    }
    return wrong;
}

static void check_ripmap(const lg_areasum *sums, const void *data, const char *title)
{
    for (int p = 0; p < sums->plane_count; p++) {
        const lg_area_plane *plane = &sums->planes[p];
        const bool keys = plane->op >= LG_AREA_OP_LEAST;
        int level[LG_AREA_DIMS] = {0};
        const size_t elements = keys ? 0 : wrong_elements(sums, plane, data);
        CHECK(elements == 0, "%s: plane %d of %d x %d: %zu elements", title, p,
              (int)sums->shape.extent[0], (int)sums->shape.extent[1], elements);
        for (size_t block = 1; block < sums->blocks; block++) {
            size_t rest = block;
            for (int d = 0; d < sums->shape.dims; d++, rest /= (size_t)sums->levels[d - 1])
                level[d] = (int)(rest % (size_t)sums->levels[d]);
            const size_t wrong = wrong_nodes(sums, plane, level);
            CHECK(wrong == 0, "%s: plane %d of %d x %d: %zu nodes of level %d, %d", title, p,
                  (int)sums->shape.extent[0], (int)sums->shape.extent[1], wrong, level[0],
                  level[1]);
        }
    }
}

void area_check_words(const lg_areasum *sums, const void *data, const char *title)
{
    (sums->params.kind == LG_AREASUM_RIPMAP ? check_ripmap : check_table)(sums, data, title);
}

bool area_same_words(const lg_areasum *a, const lg_areasum *b, char text[AREA_TEXT])
{
    const bool ripmap = a->params.kind == LG_AREASUM_RIPMAP;
    const size_t channels = (size_t)a->shape.channels,
                 words = (ripmap ? a->block_elements : a->elements) * channels;
    for (int i = 0; i < a->plane_count; i++) {
        const lg_area_plane *x = &a->planes[i], *y = &b->planes[i];
        const size_t size = lg_area_word_size(x->word);
        if (a->plane_count == b->plane_count && x->word == y->word &&
            !memcmp(x->data, y->data, words * size) &&
            (!ripmap || !memcmp(x->level0, y->level0, a->elements * channels * size)))
            continue;
        snprintf(text, AREA_TEXT, "plane %d of %d differs", i, a->plane_count);
        return false;
    }
    return true;
}
