// Lines of words: adding, halving, running sums.
#include "measure/areasum/areasum_lines.h"

#include <string.h>

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
DEFINE_JOIN(least, uint32_t, a < b ? a : b)
DEFINE_JOIN(most, uint32_t, a > b ? a : b)

typedef uint32_t eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint8_t eight_u8 __attribute__((vector_size(8), aligned(1), may_alias));

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

static void row_u8(const uint8_t *from, uint32_t *sums, size_t elements, uint32_t *to)
{
    eight carry = {0};
    size_t i = 0;
    for (; i + 8 <= elements; i += 8) {
        const eight s =
            *(eight *)(sums + i) + __builtin_convertvector(*(const eight_u8 *)(from + i), eight);
        *(eight *)(sums + i) = s;
        put8(&carry, &s, to + i);
    }
    uint32_t sum = carry[0];
    for (; i < elements; i++)
        to[i] = sum += sums[i] += from[i];
}

// ---- plain floats ---------------------------------------------------------------------------------

typedef float eight_f32 __attribute__((vector_size(32), aligned(4), may_alias));

#define BLOCK 128 // samples of a block along the first axis

// Adds the last sum of each lower half to its upper half. -0 changes nothing, not even the sign of a zero.
static inline void scan_halves(eight_f32 *v)
{
    const eight_f32 none = {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f};
    *v += __builtin_shufflevector(*v, none, 8, 0, 8, 2, 8, 4, 8, 6);
    *v += __builtin_shufflevector(*v, none, 8, 8, 1, 1, 8, 8, 5, 5);
    *v += __builtin_shufflevector(*v, none, 8, 8, 8, 8, 3, 3, 3, 3);
}

// The sums of a block, and what came before; *carry is the latter in all lanes.
static inline void block_of_one(const float *from, eight_f32 *carry, float *to)
{
    enum { VECTORS = BLOCK / 8 };
    eight_f32 v[VECTORS];
    for (int k = 0; k < VECTORS; k++) {
        v[k] = *(const eight_f32 *)(from + 8 * k);
        scan_halves(&v[k]);
    }
    for (int half = 1; half < VECTORS; half *= 2)
        for (int first = half; first < VECTORS; first += 2 * half) {
            const eight_f32 lower = v[first - 1];
            for (int k = first; k < first + half; k++)
                v[k] += __builtin_shufflevector(lower, lower, 7, 7, 7, 7, 7, 7, 7, 7);
        }
    for (int k = 0; k < VECTORS; k++)
        *(eight_f32 *)(to + 8 * k) = *carry + v[k];
    *carry += __builtin_shufflevector(v[VECTORS - 1], v[VECTORS - 1], 7, 7, 7, 7, 7, 7, 7, 7);
}

static inline void block_of(const float *from, size_t block, size_t channels, float *carry,
                            float *to)
{
    float v[BLOCK];
    memcpy(v, from, block * channels * sizeof *v);
    for (size_t d = 1; d < block; d *= 2)
        for (size_t i = 0; i < block; i++)
            for (size_t c = 0; (i & d) && c < channels; c++)
                v[i * channels + c] = v[((i & ~(d - 1)) - 1) * channels + c] + v[i * channels + c];
    for (size_t i = 0; i < block; i++)
        for (size_t c = 0; c < channels; c++)
            to[i * channels + c] = carry[c] + v[i * channels + c];
    for (size_t c = 0; c < channels; c++)
        carry[c] += v[(block - 1) * channels + c];
}

static inline void blocks_of(const float *from, size_t elements, size_t channels, float *to)
{
    float carry[LG_MAX_CHANNELS] = {0}, rest[BLOCK] = {0};
    eight_f32 carry_of_one = {0};
    const size_t block = channels == 3 ? 32 : BLOCK / channels;
    const size_t whole = elements / block * block, step = block * channels;
    for (size_t i = 0; i < whole * channels; i += step)
        if (channels == 1)
            block_of_one(from + i, &carry_of_one, to + i);
        else
            block_of(from + i, block, channels, carry, to + i);
    if (channels == 1)
        carry[0] = carry_of_one[0];
    const size_t some = (elements - whole) * channels * sizeof *from;
    memcpy(rest, from + whole * channels, some);
    block_of(rest, block, channels, carry, rest);
    memcpy(to + whole * channels, rest, some);
}

static void prefix_f32(const float *from, size_t elements, int channels, float *to)
{
    switch (channels) { // so that the compiler knows how many
    case 1:
        blocks_of(from, elements, 1, to);
        break;
    case 2:
        blocks_of(from, elements, 2, to);
        break;
    case 3:
        blocks_of(from, elements, 3, to);
        break;
    default:
        blocks_of(from, elements, 4, to);
        break;
    }
}

// ---- floats ---------------------------------------------------------------------------------------

static inline uint32_t bits_of(const float *from)
{
    uint32_t bits; // samples need not be aligned
    memcpy(&bits, from, sizeof bits);
    return bits;
}

static void fixed(const float *from, size_t count, int exponent, uint64_t *to)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = bits_of(from + i), magnitude = bits & 0x7fffffffu;
        const int32_t field = (int32_t)(magnitude >> 23);
        const uint64_t m = field ? (magnitude & 0x7fffffu) | 0x800000u : magnitude;
        const int32_t shift = (field ? field : 1) - 150 - exponent;
        const uint64_t left = (uint64_t)(shift > 0 ? shift & 63 : 0);
        // Beyond 26 places nothing is left, not even a half.
        const uint64_t right = (uint64_t)(shift < 0 ? (shift > -26 ? -shift : 26) : 0);
        const uint64_t half = ((uint64_t)1 << right >> 1), odd = m >> right & 1;
        const uint64_t q = ((m + half - (half ? 1 - odd : 0)) >> right) << left;
        const uint64_t value = magnitude < 0x7f800000u ? q : 0;
        to[i] = bits >> 31 ? 0 - value : value;
    }
}

static void look(const float *from, size_t count, uint32_t *most, uint64_t *ignored)
{
    uint32_t largest = *most, out = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t magnitude = bits_of(from + i) & 0x7fffffffu,
                       counts = magnitude < 0x7f800000u;
        const uint32_t taken = counts ? magnitude : 0;
        largest = taken > largest ? taken : largest;
        out += 1 - counts;
    }
    *most = largest;
    *ignored += out;
}

static void without_infinities(const float *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = bits_of(from + i),
                       kept = (bits & 0x7fffffffu) < 0x7f800000u ? bits : 0;
        memcpy(to + i, &kept, sizeof kept);
    }
}

const lg_area_lines_table LG_CPU_TABLE(areasum_lines) = {
    {join_u32, join_u64, join_f32, join_least, join_most},
    {pairs_u32, pairs_u64, pairs_f32, pairs_least, pairs_most},
    prefix_u32,
    prefix_u64,
    prefix_f32,
    fixed,
    look,
    without_infinities,
    row_u8,
};
