// Counting u8 samples in bit vectors, for processors with AVX-512 VBMI2, BITALG and GFNI. No table is
// incremented, so the speed does not depend on the data.
//
// Samples are sorted into four ranges by their two high bits (byte compression). In a range each
// sample becomes a 64-bit word with bit v set, v its six low bits; eight words make a vector. Carry-save
// adders compress 16 vectors into one that counts 16 fold, and its bits are added up by position.
#include "measure/histogram/histogram_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,"             \
                          "avx512vpopcntdq,avx512bitalg,gfni,popcnt")))
#define INLINE static inline TARGET __attribute__((always_inline))

#define GROUP 128 // samples that 16 vectors hold

// Bit-sliced counters: a set bit of carry[k] stands for 2^k samples.
typedef struct carry_state {
    __m512i carry[4];
} carry_state;

// carry, sum = low + a + b, bit by bit.
INLINE __m512i add_bits(__m512i *low, __m512i a, __m512i b)
{
    const __m512i carry = _mm512_ternarylogic_epi64(*low, a, b, 0xe8); // majority
    *low = _mm512_ternarylogic_epi64(*low, a, b, 0x96);                // parity
    return carry;
}

// Eight samples below 64 as words with one bit set.
INLINE __m512i one_hot(const uint8_t *samples)
{
    const __m512i shift = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)samples));
    return _mm512_sllv_epi64(_mm512_set1_epi64(1), shift);
}

INLINE __m512i add_4(carry_state *s, const uint8_t *p)
{
    const __m512i a = add_bits(&s->carry[0], one_hot(p), one_hot(p + 8));
    const __m512i b = add_bits(&s->carry[0], one_hot(p + 16), one_hot(p + 24));
    return add_bits(&s->carry[1], a, b);
}

INLINE __m512i add_8(carry_state *s, const uint8_t *p)
{
    const __m512i a = add_4(s, p), b = add_4(s, p + 32);
    return add_bits(&s->carry[2], a, b);
}

// Adds GROUP samples and gives the bits that stand for 16 each.
INLINE __m512i add_16(carry_state *s, const uint8_t *p)
{
    const __m512i a = add_8(s, p), b = add_8(s, p + 64);
    return add_bits(&s->carry[3], a, b);
}

// Byte v: how many of the eight words have bit v set.
INLINE __m512i count_bits(__m512i words)
{
    // Byte k of word q goes to byte q of word k; then each word is an 8 x 8 matrix of bits, which
    // multiplied with the unit bytes gives its columns.
    const __m512i row = _mm512_set_epi64(
        0x3830282018100800 + 0x0707070707070707, 0x3830282018100800 + 0x0606060606060606,
        0x3830282018100800 + 0x0505050505050505, 0x3830282018100800 + 0x0404040404040404,
        0x3830282018100800 + 0x0303030303030303, 0x3830282018100800 + 0x0202020202020202,
        0x3830282018100800 + 0x0101010101010101, 0x3830282018100800);
    const __m512i unit = _mm512_set1_epi64((int64_t)0x8040201008040201u);
    const __m512i matrix = _mm512_permutexvar_epi8(row, words);
    return _mm512_popcnt_epi8(_mm512_gf2p8affine_epi64_epi8(unit, matrix, 0));
}

// table[v] += byte v of counts << shift, for 64 values.
INLINE void add_to_table(uint32_t *table, __m512i counts, unsigned shift)
{
    uint8_t bytes[64];
    _mm512_storeu_si512(bytes, counts);
    for (int i = 0; i < 64; i += 16) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(bytes + i));
        const __m512i wide = _mm512_slli_epi32(_mm512_cvtepu8_epi32(part), shift);
        const __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(table + i), wide);
        _mm512_storeu_si512(table + i, sum);
    }
}

INLINE void load_carry(const lg_histogram_avx512 *state, int range, carry_state *out)
{
    for (int k = 0; k < 4; k++)
        out->carry[k] = _mm512_loadu_si512(state->carry[range][k]);
}

// Counts a full queue and keeps what lies beyond.
TARGET static __attribute__((noinline)) void drain(lg_histogram_avx512 *state, int range,
                                                   uint32_t *table)
{
    uint8_t *queue = state->queue[range];
    carry_state s;
    load_carry(state, range, &s);
    // Each group adds at most 8 to a byte; a batch has too few groups to overflow it.
    __m512i sixteens = _mm512_setzero_si512();
    for (size_t i = 0; i < LG_AVX512_BATCH; i += GROUP)
        sixteens = _mm512_add_epi8(sixteens, count_bits(add_16(&s, queue + i)));
    for (int k = 0; k < 4; k++)
        _mm512_storeu_si512(state->carry[range][k], s.carry[k]);
    add_to_table(table + 64 * range, sixteens, 4);
    memcpy(queue, queue + LG_AVX512_BATCH, 64);
    state->length[range] -= LG_AVX512_BATCH;
}

// Appends the samples of `mask` to a queue.
INLINE void append(lg_histogram_avx512 *state, int range, __mmask64 mask, __m512i low,
                   uint32_t *table)
{
    const size_t length = state->length[range];
    _mm512_storeu_si512(state->queue[range] + length, _mm512_maskz_compress_epi8(mask, low));
    state->length[range] = length + (size_t)_mm_popcnt_u64(mask);
    if (state->length[range] >= LG_AVX512_BATCH)
        drain(state, range, table);
}

// Counts the bytes of x that `taken` names.
INLINE void add_vector(lg_histogram_avx512 *state, __m512i x, __mmask64 taken, uint32_t *table)
{
    const __m512i low = _mm512_and_si512(x, _mm512_set1_epi8(63));
    const __mmask64 bit_7 = _mm512_test_epi8_mask(x, _mm512_set1_epi8((char)0x80));
    const __mmask64 bit_6 = _mm512_test_epi8_mask(x, _mm512_set1_epi8(0x40));
    append(state, 0, taken & ~bit_7 & ~bit_6, low, table);
    append(state, 1, taken & ~bit_7 & bit_6, low, table);
    append(state, 2, taken & bit_7 & ~bit_6, low, table);
    append(state, 3, taken & bit_7 & bit_6, low, table);
}

// The first `left` of 64 bytes.
INLINE __mmask64 first_bytes(size_t left)
{
    return left >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << left) - 1;
}

TARGET void lg_histogram_avx512_add(lg_histogram_avx512 *state, const uint8_t *samples,
                                    size_t count, uint32_t *table)
{
    for (size_t i = 0; i < count; i += 64) {
        const __mmask64 taken = first_bytes(count - i);
        add_vector(state, _mm512_maskz_loadu_epi8(taken, samples + i), taken, table);
    }
}

// 64 pixels of four bytes to four vectors of one channel each.
INLINE void split_channels(const uint8_t *pixels, size_t left, __m512i out[4])
{
    // Within a vector: its 16 first bytes, 16 second bytes, 16 third, 16 fourth.
    const __m512i order =
        _mm512_set_epi32(0x3f3b3733, 0x2f2b2723, 0x1f1b1713, 0x0f0b0703, 0x3e3a3632, 0x2e2a2622,
                         0x1e1a1612, 0x0e0a0602, 0x3d393531, 0x2d292521, 0x1d191511, 0x0d090501,
                         0x3c383430, 0x2c282420, 0x1c181410, 0x0c080400);
    __m512i v[4];
    for (size_t k = 0; k < 4; k++) {
        const size_t bytes = 4 * left > 64 * k ? 4 * left - 64 * k : 0;
        v[k] = _mm512_maskz_loadu_epi8(first_bytes(bytes), pixels + 64 * k);
        v[k] = _mm512_permutexvar_epi8(order, v[k]);
    }
    // A transposition of 4 x 4 parts of 16 bytes: even parts, odd parts.
    const __m512i even_a = _mm512_shuffle_i32x4(v[0], v[1], 0x88);
    const __m512i even_b = _mm512_shuffle_i32x4(v[2], v[3], 0x88);
    const __m512i odd_a = _mm512_shuffle_i32x4(v[0], v[1], 0xdd);
    const __m512i odd_b = _mm512_shuffle_i32x4(v[2], v[3], 0xdd);
    out[0] = _mm512_shuffle_i32x4(even_a, even_b, 0x88);
    out[1] = _mm512_shuffle_i32x4(odd_a, odd_b, 0x88);
    out[2] = _mm512_shuffle_i32x4(even_a, even_b, 0xdd);
    out[3] = _mm512_shuffle_i32x4(odd_a, odd_b, 0xdd);
}

TARGET void lg_histogram_avx512_add_4(lg_histogram_avx512 *states, int counted,
                                      const uint8_t *pixels, size_t count, uint32_t *tables,
                                      size_t stride)
{
    for (size_t i = 0; i < count; i += 64) {
        const size_t left = count - i < 64 ? count - i : 64;
        __m512i channel[4];
        split_channels(pixels + 4 * i, left, channel);
        for (int c = 0; c < counted; c++)
            add_vector(&states[c], channel[c], first_bytes(left), tables + (size_t)c * stride);
    }
}

TARGET void lg_histogram_avx512_finish(lg_histogram_avx512 *state, uint32_t *table)
{
    for (int range = 0; range < 4; range++) {
        carry_state s;
        load_carry(state, range, &s);
        for (unsigned k = 0; k < 4; k++)
            add_to_table(table + 64 * range, count_bits(s.carry[k]), k);
        for (size_t i = 0; i < state->length[range]; i++)
            table[64 * range + state->queue[range][i]]++;
    }
    memset(state, 0, sizeof *state);
}

#else

void lg_histogram_avx512_add(lg_histogram_avx512 *state, const uint8_t *samples, size_t count,
                             uint32_t *table)
{
    for (size_t i = 0; i < count; i++)
        table[samples[i]]++;
}

void lg_histogram_avx512_add_4(lg_histogram_avx512 *states, int counted, const uint8_t *pixels,
                               size_t count, uint32_t *tables, size_t stride)
{
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < counted; c++)
            tables[(size_t)c * stride + pixels[4 * i + (size_t)c]]++;
}

void lg_histogram_avx512_finish(lg_histogram_avx512 *state, uint32_t *table)
{
}

#endif
