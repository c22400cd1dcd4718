// Blocks of tables: running sums of rows in registers, on top of the sums of the columns above.
#include "measure/areasum/areasum_blocks.h"

#include <string.h>

#include "measure/areasum/areasum_vectors.h"

#define INLINE    static inline __attribute__((always_inline))
#define LAST(v)   __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7)
#define LAST64(v) __builtin_shufflevector(v, v, 3, 3, 3, 3)

typedef uint16_t u16x8 __attribute__((vector_size(16)));
// ---- integers -------------------------------------------------------------------------------------

#define DEFINE_REST(name, from_type, type)                                                         \
    INLINE void name(const lg_area_rows *b, size_t first, size_t channels)                         \
    {                                                                                              \
        for (size_t r = 0; r < b->rows; r++) {                                                     \
            const from_type *from = b->from[r];                                                    \
            type *to = b->to[r], *sums = b->sums;                                                  \
            uint64_t *carry = b->carry + r * LG_MAX_CHANNELS;                                      \
            type of[LG_MAX_CHANNELS];                                                              \
            for (size_t c = 0; c < channels; c++)                                                  \
                of[c] = (type)carry[c];                                                            \
            for (size_t i = first * channels; i < b->elements * channels; i += channels)           \
                for (size_t c = 0; c < channels; c++)                                              \
                    to[i + c] = sums[i + c] += of[c] += from[i + c];                               \
            for (size_t c = 0; c < channels; c++)                                                  \
                carry[c] = of[c];                                                                  \
        }                                                                                          \
    }

DEFINE_REST(rest_u8, uint8_t, uint32_t)
DEFINE_REST(rest_u32, uint32_t, uint32_t)
DEFINE_REST(rest_u64, uint64_t, uint64_t)

// Sums of up to 16 samples: those of the first eight and those of the others.
INLINE void scan_bytes(const uint8_t *from, lg_u32x8 out[2])
{
#ifdef __AVX2__
    const __m256i upper = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 6, 7, 6, 7, 6, 7, 6, 7,
                                           -1, -1, -1, -1, -1, -1, -1, -1, 6, 7, 6, 7, 6, 7, 6, 7);
    __m256i v = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
    // Sums of four samples fit the lanes of a word of 64 bits.
    v = _mm256_add_epi64(v, _mm256_slli_epi64(v, 16));
    v = _mm256_add_epi64(v, _mm256_slli_epi64(v, 32));
    const lg_u16x16 sums = (lg_u16x16)_mm256_add_epi16(v, _mm256_shuffle_epi8(v, upper));
    lg_widen_u16(&sums, out);
#else
    for (int k = 0; k < 2; k++) {
        uint64_t low, high; // four samples each, in lanes of 16 bits
        uint16_t lane[8];
        for (int i = 0; i < 8; i++)
            lane[i] = from[8 * k + i];
        memcpy(&low, lane, 8);
        memcpy(&high, lane + 4, 8);
        low *= 0x0001000100010001u; // sums up to each lane
        high *= 0x0001000100010001u;
        const uint32_t four = (uint32_t)(low >> 48);
        for (int i = 0; i < 4; i++) {
            out[k][i] = (uint16_t)(low >> 16 * i);
            out[k][i + 4] = four + (uint16_t)(high >> 16 * i);
        }
    }
#endif
}

// Row after row for so many bytes of sums that they stay in the first cache: memory likes long runs of a row
// better than short ones of many.
#define RUN_BYTES 8192

// From a sample of a row of a run to the one of the row that follows. The processor does not foresee that it
// will be wanted; after the last row of all nothing is lost.
INLINE ptrdiff_t ahead(const lg_area_rows *b, size_t r, size_t run_bytes)
{
    const uintptr_t from = (uintptr_t)b->from[r];
    return r + 1 < b->rows ? (ptrdiff_t)((uintptr_t)b->from[r + 1] - from)
                           : (ptrdiff_t)((uintptr_t)b->from[0] + run_bytes - from);
}

INLINE void fetch(const void *sample, ptrdiff_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)sample + (uintptr_t)ahead));
}

// Elements from `first` to `end` of a row.
INLINE void bytes_of(const lg_area_rows *b, size_t r, size_t first, size_t end, bool stream)
{
    const uint8_t *from = b->from[r];
    const ptrdiff_t next = ahead(b, r, RUN_BYTES / sizeof(uint32_t));
    uint32_t *to = b->to[r];
    lg_u32x8 carry = (lg_u32x8){0} + (uint32_t)b->carry[r * LG_MAX_CHANNELS];
    for (size_t i = first; i < end; i += 16) {
        lg_u32x8 *sums = (lg_u32x8 *)((uint32_t *)b->sums + i), v[2];
        fetch(from + i, next);
        scan_bytes(from + i, v);
        const lg_u32x8 between = carry + LAST(v[0]), low = sums[0] + (carry + v[0]),
                       high = sums[1] + (between + v[1]);
        carry = between + LAST(v[1]);
        lg_put32(to + i, &low, stream);
        lg_put32(to + i + 8, &high, stream);
        sums[0] = low;
        sums[1] = high;
    }
    b->carry[r * LG_MAX_CHANNELS] = carry[0];
}

#define BY_RUNS(call, b, size, end, stream)                                                        \
    do {                                                                                           \
        const size_t run_ = RUN_BYTES / (size);                                                    \
        for (size_t i_ = 0; i_ < (end); i_ += run_)                                                \
            for (size_t r_ = 0; r_ < (b)->rows; r_++)                                              \
                call(b, r_, i_, LG_MIN(i_ + run_, (end)), stream);                                 \
    } while (0)

static void sum_u8(lg_area_rows *b)
{
    const size_t end = b->elements / 16 * 16;
    if (b->stream)
        BY_RUNS(bytes_of, b, 4, end, true);
    else
        BY_RUNS(bytes_of, b, 4, end, false);
    rest_u8(b, end, 1);
}

// Running sums of eight lanes, and of four.
INLINE void scan_u32(lg_u32x8 *v)
{
    const lg_u32x8 zero = {0}, upper = {0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u};
    *v += __builtin_shufflevector(zero, *v, 0, 8, 9, 10, 4, 12, 13, 14);
    *v += __builtin_shufflevector(zero, *v, 0, 1, 8, 9, 4, 5, 12, 13);
    *v += __builtin_shufflevector(*v, *v, 3, 3, 3, 3, 3, 3, 3, 3) & upper;
}

INLINE void scan_u64(lg_u64x4 *v)
{
#ifdef __AVX2__
    *v += (lg_u64x4)_mm256_slli_si256((__m256i)*v, 8);
    const __m256i low = _mm256_permute2x128_si256((__m256i)*v, (__m256i)*v, 0x08);
    *v += (lg_u64x4)_mm256_unpackhi_epi64(low, low);
#else
    const lg_u64x4 zero = {0}, upper = {0, 0, UINT64_MAX, UINT64_MAX};
    *v += __builtin_shufflevector(zero, *v, 0, 4, 2, 6);
    *v += __builtin_shufflevector(*v, *v, 1, 1, 1, 1) & upper;
#endif
}

// A whole cache line at a time: stores past the caches want it.
#define DEFINE_WORDS(name, type, vector, scan, last)                                               \
    INLINE void name(const lg_area_rows *b, size_t r, size_t first, size_t end, bool stream)       \
    {                                                                                              \
        const size_t lanes = sizeof(vector) / sizeof(type);                                        \
        const type *from = b->from[r];                                                             \
        type *to = b->to[r];                                                                       \
        vector carry = (vector){0} + (type)b->carry[r * LG_MAX_CHANNELS];                          \
        for (size_t i = first; i < end; i += 2 * lanes) {                                          \
            vector *sums = (vector *)((type *)b->sums + i);                                        \
            const vector *v = (const vector *)(from + i);                                          \
            vector v0 = v[0], v1 = v[1];                                                           \
            scan(&v0);                                                                             \
            scan(&v1);                                                                             \
            const vector between = carry + last(v0);                                               \
            sums[0] += carry + v0;                                                                 \
            sums[1] += between + v1;                                                               \
            carry = between + last(v1);                                                            \
            const lg_u32x8 low = (lg_u32x8)sums[0], high = (lg_u32x8)sums[1];                      \
            lg_put32(to + i, &low, stream);                                                        \
            lg_put32(to + i + lanes, &high, stream);                                               \
        }                                                                                          \
        b->carry[r * LG_MAX_CHANNELS] = carry[0];                                                  \
    }

DEFINE_WORDS(words_of, uint32_t, lg_u32x8, scan_u32, LAST)
DEFINE_WORDS(wide_words_of, uint64_t, lg_u64x4, scan_u64, LAST64)

// Channels, so that the compiler knows how many.
#define BY_CHANNELS(call, b, ...)                                                                  \
    do {                                                                                           \
        if ((b)->channels == 2)                                                                    \
            call(b, __VA_ARGS__, 2);                                                               \
        else if ((b)->channels == 3)                                                               \
            call(b, __VA_ARGS__, 3);                                                               \
        else                                                                                       \
            call(b, __VA_ARGS__, 4);                                                               \
    } while (0)

static void sum_u32(lg_area_rows *b)
{
    const size_t end = b->elements / 16 * 16;
    if (b->channels > 1) {
        BY_CHANNELS(rest_u32, b, 0);
        return;
    }
    if (b->stream)
        BY_RUNS(words_of, b, 4, end, true);
    else
        BY_RUNS(words_of, b, 4, end, false);
    rest_u32(b, end, 1);
}

static void sum_u64(lg_area_rows *b)
{
    const size_t end = b->elements / 8 * 8;
    if (b->channels > 1) {
        BY_CHANNELS(rest_u64, b, 0);
        return;
    }
    if (b->stream)
        BY_RUNS(wide_words_of, b, 8, end, true);
    else
        BY_RUNS(wide_words_of, b, 8, end, false);
    rest_u64(b, end, 1);
}

// ---- exact floats -----------------------------------------------------------------------------------

// Running sums of eight samples in units, behind `carry`, which goes on.
INLINE void units_up_to(const lg_f32x8 *x, double scale, lg_u64x4 *carry, lg_u64x4 v[2])
{
#ifdef __AVX512F__
    const __m512i none = _mm512_setzero_si512(),
                  magic = _mm512_set1_epi64((int64_t)lg_magic_bits()),
                  before = _mm512_broadcast_i64x4((__m256i)*carry);
    const __m512d near_units = _mm512_fmadd_pd(_mm512_cvtps_pd((__m256)*x), _mm512_set1_pd(scale),
                                               _mm512_set1_pd(LG_MAGIC));
    __m512i u = _mm512_sub_epi64(_mm512_castpd_si512(near_units), magic);
    u = _mm512_add_epi64(u, _mm512_alignr_epi64(u, none, 7));
    u = _mm512_add_epi64(u, _mm512_alignr_epi64(u, none, 6));
    u = _mm512_add_epi64(u, _mm512_alignr_epi64(u, none, 4));
    const __m512i sums = _mm512_add_epi64(u, before);
    *carry += (lg_u64x4)_mm512_castsi512_si256(_mm512_permutexvar_epi64(_mm512_set1_epi64(7), u));
    v[0] = (lg_u64x4)_mm512_castsi512_si256(sums);
    v[1] = (lg_u64x4)_mm512_extracti64x4_epi64(sums, 1);
#else
    lg_units(x, scale, v);
    scan_u64(&v[0]);
    scan_u64(&v[1]);
    const lg_u64x4 between = *carry + LAST64(v[0]);
    const lg_u64x4 after = between + LAST64(v[1]);
    v[0] += *carry;
    v[1] += between;
    *carry = after;
#endif
}

// `finite`: they are, or nobody will look at the entries.
INLINE void floats_of(const lg_area_rows *b, size_t r, size_t first, size_t end, lg_i32x8 *all,
                      bool stream, bool finite)
{
    const float *from = b->from[r];
    const ptrdiff_t next = ahead(b, r, RUN_BYTES / sizeof(uint64_t) * sizeof(float));
    uint64_t *to = b->to[r];
    const double scale = b->scale;
    lg_u64x4 carry = (lg_u64x4){0} + b->carry[r * LG_MAX_CHANNELS];
    lg_i32x8 max = *all;
    for (size_t i = first; i < end; i += 8) {
        lg_u64x4 *sums = (lg_u64x4 *)((uint64_t *)b->sums + i), v[2];
        lg_f32x8 x = *(const lg_f32x8 *)(from + i);
        fetch(from + i, next);
        if (finite)
            lg_look_at_finite(&x, &max);
        else
            lg_only_finite(&x);
        units_up_to(&x, scale, &carry, v);
        sums[0] += v[0];
        sums[1] += v[1];
        const lg_u32x8 low = (lg_u32x8)sums[0], high = (lg_u32x8)sums[1];
        lg_put32(to + i, &low, stream);
        lg_put32(to + i + 4, &high, stream);
    }
    b->carry[r * LG_MAX_CHANNELS] = carry[0];
    *all = max;
}

INLINE void float_runs(const lg_area_rows *b, size_t count, lg_i32x8 *max, bool finite)
{
    const size_t run = RUN_BYTES / 8;
    for (size_t i = 0; i < count; i += run)
        for (size_t r = 0; r < b->rows; r++)
            if (b->stream)
                floats_of(b, r, i, LG_MIN(i + run, count), max, true, finite);
            else
                floats_of(b, r, i, LG_MIN(i + run, count), max, false, finite);
}

INLINE void sum_floats(lg_area_rows *b, bool finite)
{
    const size_t end = b->elements / 8 * 8, rest = b->elements - end;
    lg_i32x8 max = {(int32_t)b->max};
    float_runs(b, end, &max, finite);
    if (rest) {
        float from[LG_AREA_ROWS][8];
        uint64_t to[LG_AREA_ROWS][8], sums[8] = {0};
        lg_area_rows last = *b;
        memset(from, 0, sizeof from); // 0 adds nothing
        memcpy(sums, (uint64_t *)b->sums + end, rest * sizeof *sums);
        last.sums = sums;
        last.stream = false;
        for (size_t r = 0; r < b->rows; r++) {
            memcpy(from[r], (const float *)b->from[r] + end, rest * sizeof(float));
            last.from[r] = from[r];
            last.to[r] = to[r];
        }
        float_runs(&last, 8, &max, finite);
        memcpy((uint64_t *)b->sums + end, sums, rest * sizeof *sums);
        for (size_t r = 0; r < b->rows; r++)
            memcpy((uint64_t *)b->to[r] + end, to[r], rest * sizeof *sums);
    }
    b->max = lg_most_of(&max);
}

static void sum_f32(lg_area_rows *b)
{
    sum_floats(b, false);
}

static void sum_f32_finite(lg_area_rows *b)
{
    sum_floats(b, true);
}

// ---- plain floats -----------------------------------------------------------------------------------

#define BLOCK     LG_AREA_PLAIN_BLOCK
#define PLAIN_RUN (RUN_BYTES / 8) // elements: groups and blocks have sums

// Changes nothing, not even the sign of a zero.
#define NOTHING                                                                                    \
    {                                                                                              \
        -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f                                     \
    }

// Adds the last sum of each lower half to its upper half.
INLINE void scan_halves(lg_f32x8 *v)
{
    const lg_f32x8 none = NOTHING;
    *v += __builtin_shufflevector(*v, none, 8, 0, 8, 2, 8, 4, 8, 6);
    *v += __builtin_shufflevector(*v, none, 8, 8, 1, 1, 8, 8, 5, 5);
    *v += __builtin_shufflevector(*v, none, 8, 8, 8, 8, 3, 3, 3, 3);
}

typedef struct plain_row {
    // What is on the left of a block, the last sum of the quarter that is added to this one, and that of the
    // third quarter alone; in all lanes.
    lg_f32x8 carry, lower, third;
    lg_i32x8 max;
} plain_row;

// A quarter of a block of a row: 32 samples.
INLINE void scan_quarter(const float *from, int quarter, plain_row *p, bool finite, lg_f32x8 v[4])
{
    for (int k = 0; k < 4; k++) {
        v[k] = *(const lg_f32x8 *)(from + 8 * k);
        if (finite)
            lg_look_at_finite(&v[k], &p->max);
        else
            lg_only_finite(&v[k]);
        scan_halves(&v[k]);
    }
    v[1] += LAST(v[0]);
    v[3] += LAST(v[2]);
    const lg_f32x8 half = LAST(v[1]);
    v[2] += half;
    v[3] += half;
    const lg_f32x8 alone = LAST(v[3]);
    for (int k = 0; k < 4; k++) {
        if (quarter == 3)
            v[k] += p->third;
        if (quarter > 0)
            v[k] += p->lower;
    }
    if (quarter < 2)
        p->lower = LAST(v[3]);
    else
        p->third = alone;
}

// Adds to the sums of a group of rows so far.
INLINE void plain_quarter(const lg_area_rows *b, size_t r, size_t i, int quarter, lg_f32x8 *group,
                          plain_row *p, bool stream, bool finite)
{
    const lg_f32x8 *groups = (const lg_f32x8 *)((const float *)b->sums + i),
                   *blocks = (const lg_f32x8 *)(b->blocks + i);
    const ptrdiff_t next = ahead(b, r, PLAIN_RUN * sizeof(float));
    lg_f32x8 v[4];
    fetch((const float *)b->from[r] + i, next);
    fetch((const float *)b->from[r] + i + 16, next);
    scan_quarter((const float *)b->from[r] + i, quarter, p, finite, v);
    for (int k = 0; k < 4; k++) {
        group[k] += p->carry + v[k];
        const lg_u32x8 out = (lg_u32x8)(blocks[k] + (groups[k] + group[k]));
        lg_put32((float *)b->to[r] + i + 8 * k, &out, stream);
    }
    if (quarter == 3)
        p->carry += LAST(v[3]);
}

// Whole blocks of a row.
INLINE void plain_of(const lg_area_rows *b, size_t r, size_t first, size_t end, float *group,
                     lg_i32x8 *max, bool stream, bool finite)
{
    plain_row p = {.max = *max};
    float before;
    memcpy(&before, b->carry + r * LG_MAX_CHANNELS, sizeof before);
    p.carry = (lg_f32x8){before, before, before, before, before, before, before, before};
    for (size_t i = first; i < end; i += BLOCK, group += BLOCK) {
        plain_quarter(b, r, i, 0, (lg_f32x8 *)group, &p, stream, finite);
        plain_quarter(b, r, i + 32, 1, (lg_f32x8 *)(group + 32), &p, stream, finite);
        plain_quarter(b, r, i + 64, 2, (lg_f32x8 *)(group + 64), &p, stream, finite);
        plain_quarter(b, r, i + 96, 3, (lg_f32x8 *)(group + 96), &p, stream, finite);
    }
    memcpy(b->carry + r * LG_MAX_CHANNELS, &p.carry, sizeof(float));
    *max = p.max;
}

// All rows of a group.
INLINE void plain_runs(const lg_area_rows *b, size_t count, lg_i32x8 *max, bool stream, bool finite)
{
    for (size_t first = 0; first < count; first += PLAIN_RUN) {
        const size_t end = LG_MIN(first + PLAIN_RUN, count);
        float group[PLAIN_RUN];
        for (size_t i = 0; i < end - first; i++)
            group[i] = -0.0f;
        for (size_t r = 0; r < b->rows; r++)
            plain_of(b, r, first, end, group, max, stream, finite);
        float *groups = (float *)b->sums + first, *blocks = b->blocks + first;
        for (size_t i = 0; i < end - first; i++)
            groups[i] += group[i];
        for (size_t i = 0; b->last && i < end - first; i++) {
            blocks[i] += groups[i];
            groups[i] = 0;
        }
    }
}

// The sums of a block of a row in place, and what came before.
INLINE void plain_block(float *v, size_t block, size_t channels, float *carry)
{
    for (size_t d = 1; d < block; d *= 2)
        for (size_t i = 0; i < block; i++)
            for (size_t c = 0; (i & d) && c < channels; c++)
                v[i * channels + c] = v[((i & ~(d - 1)) - 1) * channels + c] + v[i * channels + c];
    float last[LG_MAX_CHANNELS];
    memcpy(last, v + (block - 1) * channels, channels * sizeof *last);
    for (size_t i = 0; i < block; i++)
        for (size_t c = 0; c < channels; c++)
            v[i * channels + c] = carry[c] + v[i * channels + c];
    for (size_t c = 0; c < channels; c++)
        carry[c] += last[c];
}

// Elements from `first` on, the last block with zeros behind them.
INLINE void plain_any(const lg_area_rows *b, size_t first, size_t channels)
{
    const size_t block = lg_area_plain_block(channels);
    for (size_t i = first; i < b->elements; i += block) {
        const size_t count = LG_MIN(block, b->elements - i) * channels, at = i * channels;
        float s[BLOCK] = {0}, *groups = (float *)b->sums + at, *blocks = b->blocks + at;
        for (size_t r = 0; r < b->rows; r++) {
            uint32_t bits[BLOCK] = {0};
            float v[BLOCK], carry[LG_MAX_CHANNELS], *to = b->to[r];
            memcpy(bits, (const float *)b->from[r] + at, count * sizeof *v);
            for (size_t k = 0; k < BLOCK; k++)
                bits[k] = (bits[k] & INT32_MAX) < LG_INFINITE ? bits[k] : 0;
            memcpy(v, bits, sizeof v);
            memcpy(carry, b->carry + r * LG_MAX_CHANNELS, sizeof carry);
            plain_block(v, block, channels, carry);
            memcpy(b->carry + r * LG_MAX_CHANNELS, carry, sizeof carry);
            for (size_t k = 0; k < count; k++) {
                s[k] = r ? s[k] + v[k] : v[k];
                to[at + k] = blocks[k] + (groups[k] + s[k]);
            }
        }
        for (size_t k = 0; k < count; k++) {
            groups[k] += s[k];
            if (!b->last)
                continue;
            blocks[k] += groups[k];
            groups[k] = 0;
        }
    }
}

static void sum_plain(lg_area_rows *b)
{
    const size_t end = b->elements / BLOCK * BLOCK;
    if (b->channels > 1) {
        BY_CHANNELS(plain_any, b, 0);
        return;
    }
    lg_i32x8 max = {0};
    if (b->stream)
        plain_runs(b, end, &max, true, false);
    else
        plain_runs(b, end, &max, false, false);
    plain_any(b, end, 1);
}

static void sum_plain_finite(lg_area_rows *b)
{
    const size_t end = b->elements / BLOCK * BLOCK;
    lg_i32x8 max = {(int32_t)b->max};
    if (b->stream)
        plain_runs(b, end, &max, true, true);
    else
        plain_runs(b, end, &max, false, true);
    for (size_t r = 0; r < b->rows; r++)
        for (size_t i = end; i < b->elements; i++) {
            lg_f32x8 x = {0};
            memcpy(&x, (const float *)b->from[r] + i, sizeof(float));
            lg_look_at_finite(&x, &max);
        }
    b->max = lg_most_of(&max);
    plain_any(b, end, 1);
}

// ---- stores -----------------------------------------------------------------------------------------

static void stream(const void *from, size_t bytes, void *to)
{
    const char *a = from;
    char *b = to;
    const size_t head = LG_MIN(bytes, (size_t)(-(uintptr_t)b % LG_STREAM_ALIGN));
    memcpy(b, a, head);
    size_t i = head;
    for (; i + LG_STREAM_ALIGN <= bytes; i += LG_STREAM_ALIGN) {
        lg_put32(b + i, (const lg_u32x8 *)(const void *)(a + i), true);
        lg_put32(b + i + 32, (const lg_u32x8 *)(const void *)(a + i + 32), true);
    }
    memcpy(b + i, a + i, bytes - i);
}

static void stream_end(void)
{
    lg_put_end();
}

const lg_area_blocks_table LG_CPU_TABLE(areasum_blocks) = {
    {sum_u8, sum_u32, sum_u64, sum_f32, sum_plain, sum_f32_finite, sum_plain_finite},
    stream,
    stream_end};
