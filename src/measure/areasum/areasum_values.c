// Samples as the words that a plane sums.
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_planes.h"

#include <math.h>
#include <string.h>

#include "kernel/float_bits.h"
#include "measure/histogram/histogram.h"

const void *lg_area_span(const lg_area_array *array, size_t line, size_t first, size_t count,
                         void *scratch)
{
    const char *from = (const char *)array->data + (int64_t)first * array->stride[0];
    for (int d = 1; d < array->dims; d++) {
        from += (int64_t)(line % (size_t)array->extent[d]) * array->stride[d];
        line /= (size_t)array->extent[d];
    }
    const size_t pixel = lg_type_size(array->type) * (size_t)array->channels;
    if (array->stride[0] == (int64_t)pixel || array->extent[0] == 1)
        return from;
    char *to = scratch;
    for (size_t x = 0; x < count; x++, to += pixel)
        memcpy(to, from + (int64_t)x * array->stride[0], pixel);
    return scratch;
}

const void *lg_area_line(const lg_area_array *array, size_t line, void *scratch)
{
    return lg_area_span(array, line, 0, (size_t)array->extent[0], scratch);
}

// Samples need not be aligned to their own size.
#define LOAD(type, samples, i)                                                                     \
    (__extension__({                                                                               \
        type v_;                                                                                   \
        memcpy(&v_, (const char *)(samples) + (i) * sizeof v_, sizeof v_);                         \
        v_;                                                                                        \
    }))

// ---- keys -----------------------------------------------------------------------------------------------

bool lg_area_bins_fit(lg_type type, const lg_areasum_params *p)
{
    lg_histogram_rule rule;
    if (!isfinite(p->low) || !isfinite(p->high))
        return false;
    if (lg_area_is_float(type))
        return lg_histogram_set_rule(p->low, p->high, p->bins, &rule, NULL) == LG_OK;
    return p->low < p->high || (p->low == p->high && p->low == floor(p->low));
}

// In the bins of a histogram; rises with v.
static bool is_before_bin(const lg_areasum *a, int bin, double v)
{
    const lg_areasum_params *p = &a->params;
    const uint32_t bins = (uint32_t)p->bins;
    lg_histogram_rule rule;
    if (a->floats && (isinf(v) || lg_histogram_set_rule(p->low, p->high, p->bins, &rule, NULL)))
        return v < 0;
    const uint32_t at = a->floats ? lg_histogram_bin(&rule, bins, (float)v)
                                  : lg_histogram_exact_bin(p->low, p->high, bins, (int64_t)v);
    return at == bins + LG_OUTSIDE_BELOW || at < (uint32_t)bin;
}

// Whether a sample is below what a plane counts, of bins from this one on.
static bool is_before(const lg_areasum *a, lg_area_op op, int bin, double v)
{
    return op == LG_AREA_OP_BIN     ? is_before_bin(a, bin, v)
           : op == LG_AREA_OP_ABOVE ? !(v > a->params.above)
                                    : v == -(double)INFINITY;
}

// The smallest key that is not below; 2^32: none.
static uint64_t first_key(const lg_areasum *a, lg_area_op op, int bin)
{
    const lg_type type = a->shape.type == LG_F64 ? LG_F32 : a->shape.type;
    uint64_t low = 0, end = (uint64_t)UINT32_MAX + 1;
    while (low < end) {
        const uint64_t middle = low + (end - low) / 2;
        const double v = lg_area_sample_of_key(type, middle);
        if (isnan(v) ? middle < 0x80000000u : is_before(a, op, bin, v))
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

void lg_area_find_keys(const lg_areasum *a, lg_area_plane *plane)
{
    const uint64_t first = first_key(a, plane->op, plane->bin);
    uint64_t end = a->floats ? lg_float_key(INFINITY) : (uint64_t)UINT32_MAX + 1;
    if (plane->op == LG_AREA_OP_BIN)
        end = LG_MIN(end, first_key(a, plane->op, plane->bin + 1));
    plane->first = first < end ? (uint32_t)first : 1;
    plane->last = first < end ? (uint32_t)(end - 1) : 0;
}

static void key_words(const lg_area_lines_table *lines, const lg_areasum *a,
                      const lg_area_plane *plane, const void *samples, size_t count,
                      uint32_t *words)
{
    lines->keys[a->shape.type](samples, count, words);
    if (plane->op != LG_AREA_OP_LEAST && plane->op != LG_AREA_OP_MOST)
        lines->in_range(plane->first, plane->last, count, words);
    else if (a->floats)
        lines->only_range(plane->first, plane->last, plane->op == LG_AREA_OP_LEAST ? UINT32_MAX : 0,
                          count, words);
}

// ---- sums and squares -----------------------------------------------------------------------------------

// Of integers, in loops that the compiler makes vectors of.
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

static void integer_sums(lg_type type, const lg_area_plane *plane, const void *samples,
                         size_t count, void *words)
{
    if (type == LG_U8)
        WIDEN_BY_OP(uint8_t);
    else if (type == LG_U16)
        WIDEN_BY_OP(uint16_t);
    else
        WIDEN_BY_OP(int32_t);
}

static void float_words(const lg_area_lines_table *lines, const lg_areasum *a,
                        const lg_area_plane *plane, const float *from, size_t count, void *words)
{
    if (plane->word == LG_AREA_F32)
        lines->finite(from, count, words);
    else if (plane->op != LG_AREA_OP_SUM)
        lines->squares(from, count, plane->exponent, lg_area_split(a->elements),
                       plane->op == LG_AREA_OP_SQUARES_TOP, words);
    else if (lg_area_by_doubles(a, plane))
        lines->units(from, count, ldexp(1, -plane->exponent), words);
    else
        lines->fixed(from, count, plane->exponent, words);
}

static void half_words(const lg_area_lines_table *lines, const lg_areasum *a,
                       const lg_area_plane *plane, const uint16_t *from, size_t count, void *words)
{
    const size_t word = lg_area_word_size(plane->word);
    float halves[256];
    for (size_t i = 0; i < count; i += LG_COUNT(halves)) {
        const size_t some = LG_MIN(LG_COUNT(halves), count - i);
        lines->halves(from + i, some, halves);
        float_words(lines, a, plane, halves, some, (char *)words + i * word);
    }
}

// f64 are counted as the nearest f32.
static void binned_doubles(const lg_area_lines_table *lines, const lg_area_plane *plane,
                           const void *samples, size_t count, uint32_t *words)
{
    float floats[256];
    for (size_t i = 0; i < count; i += LG_COUNT(floats)) {
        const size_t some = LG_MIN(LG_COUNT(floats), count - i);
        for (size_t k = 0; k < some; k++)
            floats[k] = (float)LOAD(double, samples, i + k);
        lines->keys[LG_F32](floats, some, words + i);
        lines->in_range(plane->first, plane->last, some, words + i);
    }
}

void lg_area_values(const struct lg_area_lines_table *lines, const lg_areasum *a,
                    const lg_area_plane *plane, const void *samples, size_t count, void *words)
{
    const lg_type type = a->shape.type;
    if (type == LG_F64 && plane->op == LG_AREA_OP_BIN)
        binned_doubles(lines, plane, samples, count, words);
    else if (type == LG_F64)
        lg_area_double_words(a, plane, samples, count, words);
    else if (!lg_area_is_of_values(plane->op))
        key_words(lines, a, plane, samples, count, words);
    else if (type == LG_F16)
        half_words(lines, a, plane, samples, count, words);
    else if (type == LG_F32)
        float_words(lines, a, plane, samples, count, words);
    else
        integer_sums(type, plane, samples, count, words);
}

size_t lg_area_stream_least = (size_t)16 << 20;
size_t lg_area_guess_least = (size_t)1 << 20;
size_t lg_area_cached = (size_t)4 << 20;
