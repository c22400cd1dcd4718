// Samples as the words that a plane sums.
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_planes.h"

#include <math.h>
#include <string.h>

#include "measure/moments/moments_leaf.h"

const void *lg_area_part(const lg_area_array *array, size_t line, size_t first, size_t count,
                         void *scratch)
{
    const char *from = (const char *)array->data + (int64_t)first * array->stride[0];
    for (int d = 1; d < array->dims; d++) {
        from += (int64_t)(line % (size_t)array->extent[d]) * array->stride[d];
        line /= (size_t)array->extent[d];
    }
    const size_t pixel = lg_area_sample_size(array->type) * (size_t)array->channels;
    if (array->stride[0] == (int64_t)pixel || array->extent[0] == 1)
        return from;
    char *to = scratch;
    for (size_t x = 0; x < count; x++, to += pixel)
        memcpy(to, from + (int64_t)x * array->stride[0], pixel);
    return scratch;
}

const void *lg_area_line(const lg_area_array *array, size_t line, void *scratch)
{
    return lg_area_part(array, line, 0, (size_t)array->extent[0], scratch);
}

// Samples need not be aligned to their own size.
#define LOAD(type, samples, i)                                                                     \
    (__extension__({                                                                               \
        type v_;                                                                                   \
        memcpy(&v_, (const char *)(samples) + (i) * sizeof v_, sizeof v_);                         \
        v_;                                                                                        \
    }))

static int64_t integer_at(lg_element type, const void *samples, size_t i)
{
    return type == LG_ELEMENT_U8    ? LOAD(uint8_t, samples, i)
           : type == LG_ELEMENT_U16 ? LOAD(uint16_t, samples, i)
                                    : LOAD(int32_t, samples, i);
}

static float float_at(lg_element type, const void *samples, size_t i)
{
    return type == LG_ELEMENT_F16 ? lg_half_to_float(LOAD(uint16_t, samples, i))
                                  : LOAD(float, samples, i);
}

int lg_area_bin_of(const lg_areasum_params *p, double v)
{
    if (!(v >= p->low && v <= p->high))
        return -1;
    const double at = floor((v - p->low) * p->bins / (p->high - p->low));
    return at >= p->bins ? p->bins - 1 : (int)at;
}

static uint64_t integer_word(const lg_areasum *a, const lg_area_plane *plane, int64_t v)
{
    switch (plane->op) {
    case LG_AREA_OP_ABOVE:
        return (double)v > a->params.above;
    case LG_AREA_OP_BIN:
        return lg_area_bin_of(&a->params, (double)v) == plane->bin;
    case LG_AREA_OP_LEAST:
    case LG_AREA_OP_MOST:
        return (uint32_t)v ^ (a->shape.type == LG_ELEMENT_I32 ? 0x80000000u : 0);
    default:
        return 1;
    }
}

static uint64_t float_word(const lg_areasum *a, const lg_area_plane *plane, float x, double scale)
{
    const bool counts = isfinite(x);
    switch (plane->op) {
    case LG_AREA_OP_SQUARES:
        return counts ? (uint64_t)(int64_t)rint((double)x * (double)x * scale) : 0;
    case LG_AREA_OP_ABOVE:
        return counts && (double)x > a->params.above;
    case LG_AREA_OP_BIN:
        return counts && lg_area_bin_of(&a->params, (double)x) == plane->bin;
    case LG_AREA_OP_LEAST:
        return counts ? lg_float_key(x) : UINT32_MAX;
    case LG_AREA_OP_MOST:
        return counts ? lg_float_key(x) : 0;
    default:
        return counts;
    }
}

static void put(lg_area_word word, void *words, size_t i, uint64_t value)
{
    if (word == LG_AREA_U64)
        ((uint64_t *)words)[i] = value;
    else
        ((uint32_t *)words)[i] = (uint32_t)value;
}

// Sums and squares of integers, in loops that the compiler makes vectors of.
#define WIDEN(from_type, to_type, expression)                                                      \
    do {                                                                                           \
        to_type *restrict to = words;                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            const to_type v = (to_type)LOAD(from_type, samples, i);                                \
            to[i] = expression;                                                                    \
        }                                                                                          \
    } while (0)

#define WIDEN_BY_WORD(from_type, expression)                                                       \
    do {                                                                                           \
        if (plane->word == LG_AREA_U32)                                                            \
            WIDEN(from_type, uint32_t, expression);                                                \
        else                                                                                       \
            WIDEN(from_type, uint64_t, expression);                                                \
    } while (0)

#define WIDEN_BY_OP(from_type)                                                                     \
    do {                                                                                           \
        if (plane->op == LG_AREA_OP_SUM)                                                           \
            WIDEN_BY_WORD(from_type, v);                                                           \
        else                                                                                       \
            WIDEN_BY_WORD(from_type, v *v);                                                        \
    } while (0)

static void integer_sums(lg_element type, const lg_area_plane *plane, const void *samples,
                         size_t count, void *words)
{
    if (type == LG_ELEMENT_U8)
        WIDEN_BY_OP(uint8_t);
    else if (type == LG_ELEMENT_U16)
        WIDEN_BY_OP(uint16_t);
    else
        WIDEN_BY_OP(int32_t);
}

static void float_sums(const lg_area_lines_table *lines, lg_element type,
                       const lg_area_plane *plane, const void *samples, size_t count, void *words)
{
    float halves[256];
    for (size_t i = 0; i < count; i += LG_COUNT(halves)) {
        const size_t some = LG_MIN(LG_COUNT(halves), count - i);
        const float *from = (const float *)samples + i;
        for (size_t k = 0; type == LG_ELEMENT_F16 && k < some; k++)
            halves[k] = lg_half_to_float(LOAD(uint16_t, samples, i + k));
        if (type == LG_ELEMENT_F16)
            from = halves;
        if (plane->word == LG_AREA_F32)
            lines->finite(from, some, (float *)words + i);
        else
            lines->fixed(from, some, plane->exponent, (uint64_t *)words + i);
    }
}

void lg_area_values(const struct lg_area_lines_table *lines, const lg_areasum *a,
                    const lg_area_plane *plane, const void *samples, size_t count, void *words)
{
    const lg_element type = a->shape.type;
    if (plane->word == LG_AREA_F32 && plane->op == LG_AREA_OP_SQUARES) {
        memset(words, 0, count * sizeof(float)); // a sample does not deviate from itself
        return;
    }
    const bool sums = plane->op == LG_AREA_OP_SUM;
    if (!a->floats && (sums || plane->op == LG_AREA_OP_SQUARES)) {
        integer_sums(type, plane, samples, count, words);
        return;
    }
    if (a->floats && sums) {
        float_sums(lines, type, plane, samples, count, words);
        return;
    }
    if (a->floats) {
        const double scale = ldexp(1, -plane->exponent);
        for (size_t i = 0; i < count; i++)
            put(plane->word, words, i, float_word(a, plane, float_at(type, samples, i), scale));
        return;
    }
    for (size_t i = 0; i < count; i++)
        put(plane->word, words, i, integer_word(a, plane, integer_at(type, samples, i)));
}

size_t lg_area_stream_least = (size_t)16 << 20;
size_t lg_area_guess_least = (size_t)1 << 20;
size_t lg_area_cached = (size_t)4 << 20;
