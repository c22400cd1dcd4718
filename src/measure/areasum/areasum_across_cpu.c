// What pieces of rows add to the entries on their right.
#include "measure/areasum/areasum_blocks.h"

#include <string.h>

#include "measure/areasum/areasum_vectors.h"

#define INLINE static inline __attribute__((always_inline))

// ---- integers -------------------------------------------------------------------------------------

static uint64_t sum_of_bytes(const uint8_t *from, size_t count)
{
    uint64_t sum = 0;
    size_t i = 0;
#ifdef __AVX2__
    const __m256i zero = _mm256_setzero_si256();
    __m256i s[2] = {zero, zero};
    for (; i + 64 <= count; i += 64)
        for (int k = 0; k < 2; k++) {
            const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(from + i) + k);
            s[k] = _mm256_add_epi64(s[k], _mm256_sad_epu8(v, zero));
        }
    const lg_u64x4 both = (lg_u64x4)_mm256_add_epi64(s[0], s[1]);
    sum = both[0] + both[1] + both[2] + both[3];
#else
    for (; i + 64 <= count; i += 64) {
        uint32_t some = 0;
        for (size_t k = 0; k < 64; k++)
            some += from[i + k];
        sum += some;
    }
#endif
    for (; i < count; i++)
        sum += from[i];
    return sum;
}

static void across_u8(lg_area_rows *b)
{
    for (size_t r = 0; r < b->rows; r++)
        b->carry[r * LG_MAX_CHANNELS] += sum_of_bytes(b->from[r], b->elements);
}

#define DEFINE_ACROSS(name, type)                                                                  \
    static void name(lg_area_rows *b)                                                              \
    {                                                                                              \
        const size_t channels = (size_t)b->channels;                                               \
        for (size_t r = 0; r < b->rows; r++) {                                                     \
            const type *from = b->from[r];                                                         \
            type sums[LG_MAX_CHANNELS] = {0};                                                      \
            for (size_t i = 0; channels == 1 && i < b->elements; i++)                              \
                sums[0] += from[i];                                                                \
            for (size_t i = 0; channels > 1 && i < b->elements; i++)                               \
                for (size_t c = 0; c < channels; c++)                                              \
                    sums[c] += from[i * channels + c];                                             \
            for (size_t c = 0; c < channels; c++)                                                  \
                b->carry[r * LG_MAX_CHANNELS + c] += sums[c];                                      \
        }                                                                                          \
    }

DEFINE_ACROSS(across_u32, uint32_t)
DEFINE_ACROSS(across_u64, uint64_t)

// ---- floats -----------------------------------------------------------------------------------------

INLINE uint64_t sum_of(const lg_u64x4 s[2])
{
    const lg_u64x4 both = s[0] + s[1];
    return both[0] + both[1] + both[2] + both[3];
}

static void across_f32(lg_area_rows *b)
{
    const size_t end = b->elements / 8 * 8, rest = b->elements - end;
    for (size_t r = 0; r < b->rows; r++) {
        const float *from = b->from[r];
        lg_u64x4 s[2] = {{0}, {0}};
        lg_f32x8 x = {0};
        for (size_t i = 0; i < end; i += 8)
            lg_add_in_units((const lg_f32x8 *)(from + i), b->scale, s);
        memcpy(&x, from + end, rest * sizeof *from);
        lg_add_in_units(&x, b->scale, s);
        b->carry[r * LG_MAX_CHANNELS] += sum_of(s);
    }
}

// The magic number is taken off all at once.
static void across_f32_finite(lg_area_rows *b)
{
    const size_t end = b->elements / 8 * 8, rest = b->elements - end;
    for (size_t r = 0; r < b->rows; r++) {
        const float *from = b->from[r];
        lg_u64x4 s[2] = {{0}, {0}}, v[2];
        lg_f32x8 x = {0};
        for (size_t i = 0; i < end; i += 8) {
            lg_near_units((const lg_f32x8 *)(from + i), b->scale, v);
            s[0] += v[0];
            s[1] += v[1];
        }
        memcpy(&x, from + end, rest * sizeof *from);
        lg_near_units(&x, b->scale, v);
        s[0] += v[0];
        s[1] += v[1];
        b->carry[r * LG_MAX_CHANNELS] += sum_of(s) - (end + 8) * lg_magic_bits();
    }
}

// Sums of adjacent pairs; vectors are handed over by address, as some levels cannot return them.
INLINE void pairs(const lg_f32x8 *a, const lg_f32x8 *b, lg_f32x8 *sums)
{
    *sums = __builtin_shufflevector(*a, *b, 0, 2, 4, 6, 8, 10, 12, 14) +
            __builtin_shufflevector(*a, *b, 1, 3, 5, 7, 9, 11, 13, 15);
}

// The last sum of a block of one channel, which is made by halves.
INLINE float sum_of_block(const float *from, bool finite)
{
    lg_f32x8 v[LG_AREA_PLAIN_BLOCK / 8];
    for (int k = 0; k < LG_AREA_PLAIN_BLOCK / 8; k++) {
        v[k] = *(const lg_f32x8 *)(from + 8 * k);
        if (!finite)
            lg_only_finite(&v[k]);
    }
    for (int count = LG_AREA_PLAIN_BLOCK / 16; count; count /= 2)
        for (int k = 0; k < count; k++)
            pairs(&v[2 * k], &v[2 * k + 1], &v[k]);
    const lg_f32x8 s = v[0];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

// The same of several channels, one after the other.
static void add_block(const float *from, size_t block, size_t channels, float *carry)
{
    for (size_t c = 0; c < channels; c++) {
        float v[LG_AREA_PLAIN_BLOCK];
        for (size_t i = 0; i < block; i++) {
            uint32_t bits;
            memcpy(&bits, from + i * channels + c, sizeof bits);
            bits = (bits & INT32_MAX) < LG_INFINITE ? bits : 0;
            memcpy(&v[i], &bits, sizeof bits);
        }
        for (size_t count = block / 2; count; count /= 2)
            for (size_t i = 0; i < count; i++)
                v[i] = v[2 * i] + v[2 * i + 1];
        carry[c] += v[0];
    }
}

INLINE void across_floats(lg_area_rows *b, bool finite)
{
    const size_t channels = (size_t)b->channels, block = lg_area_plain_block(channels);
    for (size_t r = 0; r < b->rows; r++) {
        const float *from = b->from[r];
        float carry[LG_MAX_CHANNELS];
        memcpy(carry, b->carry + r * LG_MAX_CHANNELS, sizeof carry);
        if (channels == 1)
            for (size_t i = 0; i < b->elements; i += block)
                carry[0] += sum_of_block(from + i, finite);
        else
            for (size_t i = 0; i < b->elements; i += block)
                add_block(from + i * channels, block, channels, carry);
        memcpy(b->carry + r * LG_MAX_CHANNELS, carry, sizeof carry);
    }
}

static void across_plain(lg_area_rows *b)
{
    across_floats(b, false);
}

static void across_plain_finite(lg_area_rows *b)
{
    across_floats(b, true);
}

const lg_area_across_table LG_CPU_TABLE(areasum_across) = {
    {across_u8, across_u32, across_u64, across_f32, across_plain, across_f32_finite,
     across_plain_finite}};
