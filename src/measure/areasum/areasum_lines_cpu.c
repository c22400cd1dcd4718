// Lines of words: adding, halving, running sums; floats as integers.
#include "measure/areasum/areasum_lines.h"

#include <string.h>

#include "cpu/halves.h"
#include "kernel/float_bits.h"
#include "measure/areasum/areasum_vectors.h"

#define DEFINE_JOIN(name, type, expression)                                                        \
    static void join_##name(const void *first, const void *second, size_t count, void *out)        \
    {                                                                                              \
        const type *a_ = first, *b_ = second;                                                      \
        type *to = out;                                                                            \
        for (size_t i = 0; i < count; i++) {                                                       \
            const type a = a_[i], b = b_[i];                                                       \
            to[i] = expression;                                                                    \
        }                                                                                          \
    }                                                                                              \
    static void pairs_##name(const void *source, size_t pairs, int channels, void *out)            \
    {                                                                                              \
        const type *restrict from = source;                                                        \
        type *restrict to = out;                                                                   \
        if (channels == 1) {                                                                       \
            for (size_t i = 0; i < pairs; i++) {                                                   \
                const type a = from[2 * i], b = from[2 * i + 1];                                   \
                to[i] = expression;                                                                \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        const size_t step = (size_t)channels;                                                      \
        for (size_t i = 0; i < pairs; i++)                                                         \
            for (size_t c = 0; c < step; c++) {                                                    \
                const type a = from[2 * i * step + c], b = from[(2 * i + 1) * step + c];           \
                to[i * step + c] = expression;                                                     \
            }                                                                                      \
    }

DEFINE_JOIN(u32, uint32_t, a + b)
DEFINE_JOIN(u64, uint64_t, a + b)
DEFINE_JOIN(f32, float, a + b)
DEFINE_JOIN(min, uint32_t, a < b ? a : b)
DEFINE_JOIN(max, uint32_t, a > b ? a : b)
DEFINE_JOIN(min64, uint64_t, a < b ? a : b)
DEFINE_JOIN(max64, uint64_t, a > b ? a : b)

// Pairs of one channel, eight at a time; the rest as above.
#define DEFINE_PAIRS(name, type, vector, expression)                                               \
    static void vector_pairs_##name(const void *source, size_t pairs, int channels, void *out)     \
    {                                                                                              \
        const type *from = source;                                                                 \
        const size_t end = channels == 1 ? pairs / 8 * 8 : 0;                                      \
        for (size_t i = 0; i < end; i += 8) {                                                      \
            const vector a = *(const vector *)(from + 2 * i),                                      \
                         b = *(const vector *)(from + 2 * i + 8);                                  \
            const vector x = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),             \
                         y = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);             \
            *(vector *)((type *)out + i) = expression;                                             \
        }                                                                                          \
        pairs_##name(from + 2 * end, pairs - end, channels, (type *)out + end);                    \
    }

#define CHOOSE(those, x, y) (((x) & (lg_u32x8)(those)) | ((y) & ~(lg_u32x8)(those)))

DEFINE_PAIRS(u32, uint32_t, lg_u32x8, x + y)
DEFINE_PAIRS(f32, float, lg_f32x8, x + y)
DEFINE_PAIRS(min, uint32_t, lg_u32x8, CHOOSE(x < y, x, y))
DEFINE_PAIRS(max, uint32_t, lg_u32x8, CHOOSE(x > y, x, y))

typedef uint32_t eight __attribute__((vector_size(32), aligned(4), may_alias));

// Running sums of eight lanes, by additions of shifted copies. In place: some levels cannot return a vector.
static inline void scan8(eight *v)
{
    const eight zero = {0};
    *v += __builtin_shufflevector(zero, *v, 0, 8, 9, 10, 11, 12, 13, 14);
    *v += __builtin_shufflevector(zero, *v, 0, 1, 8, 9, 10, 11, 12, 13);
    *v += __builtin_shufflevector(zero, *v, 0, 1, 2, 3, 8, 9, 10, 11);
}

// Adds the running sums of v and what came before to memory, and keeps the total.
static inline void put8(eight *carry, const eight *sums, uint32_t *to)
{
    eight v = *sums;
    scan8(&v);
    v += *carry;
    *(eight *)to = v;
    *carry = __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7);
}

#define DEFINE_PREFIX(name, type)                                                                  \
    static void name(const type *from, size_t elements, int channels, type *to)                    \
    {                                                                                              \
        for (int c = 0; c < channels; c++) {                                                       \
            type sum = 0;                                                                          \
            for (size_t i = (size_t)c; i < elements * (size_t)channels; i += (size_t)channels)     \
                to[i] = sum += from[i];                                                            \
        }                                                                                          \
    }

DEFINE_PREFIX(prefix_any_u32, uint32_t)
DEFINE_PREFIX(prefix_u64, uint64_t)

static void prefix_u32(const uint32_t *from, size_t elements, int channels, uint32_t *to)
{
    if (channels != 1) {
        prefix_any_u32(from, elements, channels, to);
        return;
    }
    eight carry = {0};
    size_t i = 0;
    for (; i + 8 <= elements; i += 8)
        put8(&carry, (const eight *)(from + i), to + i);
    uint32_t sum = carry[0];
    for (; i < elements; i++)
        to[i] = sum += from[i];
}

// ---- floats ---------------------------------------------------------------------------------------

static inline uint32_t bits_of(const float *from)
{
    uint32_t bits; // samples need not be aligned
    memcpy(&bits, from, sizeof bits);
    return bits;
}

// A magnitude is m 2^left units: m has 24 bits, and none where it is not finite.
static inline uint64_t digits_of(uint32_t bits, int exponent, uint64_t *left)
{
    const uint32_t magnitude = bits & INT32_MAX;
    const int32_t field = (int32_t)(magnitude >> 23);
    const uint64_t m = field ? (magnitude & 0x7fffffu) | 0x800000u : magnitude;
    const int32_t shift = (field ? field : 1) - 150 - exponent;
    *left = (uint64_t)(shift > 0 ? shift & 63 : 0);
    // Beyond 26 places nothing is left, not even a half.
    const uint64_t right = (uint64_t)(shift < 0 ? (shift > -26 ? -shift : 26) : 0);
    const uint64_t half = ((uint64_t)1 << right >> 1), odd = m >> right & 1;
    const uint64_t q = (m + half - (half ? 1 - odd : 0)) >> right;
    return magnitude < LG_INFINITE ? q : 0;
}

static void fixed(const float *from, size_t count, int exponent, uint64_t *to)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t left;
        const uint32_t bits = bits_of(from + i);
        const uint64_t digits = digits_of(bits, exponent, &left), value = digits << left;
        to[i] = bits >> 31 ? 0 - value : value;
    }
}

static void units(const float *from, size_t count, double scale, uint64_t *to)
{
    const size_t end = count / 8 * 8;
    lg_f32x8 x = {0};
    lg_u64x4 v[2] = {{0}, {0}};
    for (size_t i = 0; i < end; i += 8) {
        x = *(const lg_f32x8 *)(from + i);
        lg_only_finite(&x);
        lg_units(&x, scale, (lg_u64x4 *)(to + i));
    }
    x = (lg_f32x8){0};
    memcpy(&x, from + end, (count - end) * sizeof(float));
    lg_only_finite(&x);
    lg_units(&x, scale, v);
    memcpy(to + end, v, (count - end) * sizeof *to);
}

static void low_squares(const float *from, size_t count, int exponent, int split, uint64_t *to)
{
    const uint64_t low = ((uint64_t)1 << split) - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t left;
        const uint64_t m = digits_of(bits_of(from + i), exponent, &left), square = m * m;
        to[i] = 2 * left < 64 ? square << (2 * left & 63) & low : 0;
    }
}

static void top_squares(const float *from, size_t count, int exponent, int split, uint64_t *to)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t left;
        const uint64_t m = digits_of(bits_of(from + i), exponent, &left), square = m * m;
        const int shift = 2 * (int)left - split;
        to[i] = shift < 0 ? square >> (-shift & 63) : square << (shift & 63);
    }
}

static void squares(const float *from, size_t count, int exponent, int split, bool top,
                    uint64_t *to)
{
    if (top)
        top_squares(from, count, exponent, split, to);
    else
        low_squares(from, count, exponent, split, to);
}

static void find_max(const float *from, size_t count, uint32_t *max, uint64_t *ignored)
{
    const size_t end = count / 8 * 8;
    lg_seen seen = {.max = {(int32_t)*max}};
    lg_f32x8 x = {0};
    memcpy(&x, from + end, (count - end) * sizeof(float)); // zeros are nothing new
    lg_look(&x, &seen);
    for (size_t i = 0; i < end; i += 8) {
        x = *(const lg_f32x8 *)(from + i);
        lg_look(&x, &seen);
    }
    lg_add_seen(&seen, end + 8, max, ignored);
}

static void without_infinities(const float *from, size_t count, float *to)
{
    const size_t end = count / 8 * 8;
    for (size_t i = 0; i < end; i += 8) {
        const lg_i32x8 bits = *(const lg_i32x8 *)(from + i);
        *(lg_i32x8 *)(to + i) = bits & ((bits & INT32_MAX) < LG_INFINITE);
    }
    for (size_t i = end; i < count; i++) {
        const uint32_t bits = bits_of(from + i), kept = (bits & INT32_MAX) < LG_INFINITE ? bits : 0;
        memcpy(to + i, &kept, sizeof kept);
    }
}

// ---- keys: integers in the order of the samples -----------------------------------------------------

// Samples need not be aligned.
typedef uint16_t any_u16 __attribute__((aligned(1), may_alias));
typedef uint32_t any_u32 __attribute__((aligned(1), may_alias));

#define DEFINE_KEYS(name, type, expression)                                                        \
    static void keys_##name(const void *from, size_t count, uint32_t *to)                          \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            const uint32_t v = ((const type *)from)[i];                                            \
            to[i] = expression;                                                                    \
        }                                                                                          \
    }

DEFINE_KEYS(u8, uint8_t, v)
DEFINE_KEYS(u16, any_u16, v)
DEFINE_KEYS(i32, any_u32, v ^ 0x80000000u)
DEFINE_KEYS(f32, any_u32, lg_float_key(lg_from_bits(v)))

static void keys_f16(const void *from, size_t count, uint32_t *to)
{
    lg_halves_to_floats(from, count, (float *)(void *)to);
    keys_f32(to, count, to);
}

static void in_range(uint32_t first, uint32_t last, size_t count, uint32_t *keys)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = (keys[i] >= first) & (keys[i] <= last);
}

static void only_range(uint32_t first, uint32_t last, uint32_t other, size_t count, uint32_t *keys)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = ((keys[i] >= first) & (keys[i] <= last)) ? keys[i] : other;
}

// ---- to two places ----------------------------------------------------------------------------------

// Whole vectors; the caller does the rest.
#define DEFINE_TWICE(name, type, vector)                                                           \
    static void join_twice_##name(const void *a, const void *b, size_t count, void *to, void *out) \
    {                                                                                              \
        const size_t size = sizeof(type), lanes = sizeof(vector) / size,                           \
                     end = count / lanes * lanes;                                                  \
        for (size_t i = 0; i < end; i += lanes) {                                                  \
            const vector v =                                                                       \
                *(const vector *)((const type *)a + i) + *(const vector *)((const type *)b + i);   \
            *(vector *)((type *)to + i) = v;                                                       \
            const lg_u32x8 bits = (lg_u32x8)v;                                                     \
            lg_put32((type *)out + i, &bits, true);                                                \
        }                                                                                          \
        join_##name((const type *)a + end, (const type *)b + end, count - end, (type *)to + end);  \
        memcpy((type *)out + end, (type *)to + end, (count - end) * size);                         \
    }

DEFINE_TWICE(u32, uint32_t, lg_u32x8)
DEFINE_TWICE(u64, uint64_t, lg_u64x4)
DEFINE_TWICE(f32, float, lg_f32x8)

const lg_area_lines_table LG_CPU_TABLE(areasum_lines) = {
    {join_u32, join_u64, join_f32, join_min, join_max, join_min64, join_max64},
    {vector_pairs_u32, pairs_u64, vector_pairs_f32, vector_pairs_min, vector_pairs_max, pairs_min64,
     pairs_max64},
    prefix_u32,
    prefix_u64,
    fixed,
    units,
    squares,
    find_max,
    without_infinities,
    {[LG_AREA_ADD_U32] = join_twice_u32,
     [LG_AREA_ADD_U64] = join_twice_u64,
     [LG_AREA_ADD_F32] = join_twice_f32},
    lg_halves_to_floats,
    {[LG_U8] = keys_u8,
     [LG_U16] = keys_u16,
     [LG_I32] = keys_i32,
     [LG_F16] = keys_f16,
     [LG_F32] = keys_f32},
    in_range,
    only_range,
};
