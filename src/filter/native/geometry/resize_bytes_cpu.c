// Images of bytes at other sizes, for one CPU level: products of 16-bit integers, two of which are added at
// once, and sums in 32 bits.
#include "cpu/cpu.h"
#include "filter/native/byte_vectors.h"
#include "filter/native/geometry/resize.h"

#include <string.h>

#define FIRST_SHIFT (LG_RESIZE_BYTE_BITS - LG_RESIZE_FRACTION)
#define LAST_SHIFT  (LG_RESIZE_BYTE_BITS + LG_RESIZE_FRACTION)

// What a pass makes: 16-bit integers for the other pass, or bytes.
typedef enum result {
    RESULT_SHORTS,
    RESULT_BYTES,
} result;

INLINE int shift_of(result kind)
{
    return kind == RESULT_BYTES ? LAST_SHIFT : FIRST_SHIFT;
}

INLINE void put(int32_t sum, result kind, void *to, size_t i)
{
    const int32_t v = (sum + (1 << (shift_of(kind) - 1))) >> shift_of(kind);
    if (kind == RESULT_SHORTS)
        ((int16_t *)to)[i] = (int16_t)v;
    else
        ((uint8_t *)to)[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void expand(const uint8_t *restrict from, size_t count, int16_t *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

INLINE uint32_t pair_of(const int16_t *w)
{
    uint32_t pair;
    memcpy(&pair, w, sizeof pair);
    return pair;
}

// ---- down columns -------------------------------------------------------------------------------

INLINE void down_plain(const int16_t *const *rows, const int16_t *w, int taps, size_t from,
                       size_t count, result kind, uint32_t set, void *to)
{
    for (size_t i = from; i < count; i++) {
        int32_t sum = 0;
        for (int k = 0; k < taps; k++)
            sum += (int32_t)w[k] * rows[k][i];
        put(sum, kind, to, i);
        if (kind == RESULT_BYTES)
            ((uint8_t *)to)[i] |= set_at(set, i);
    }
}

#ifdef BYTES
#define SHORTS (BYTES / 2) // of a vector

// Sums of a vector of columns, shifted.
INLINE vector down_vector(const int16_t *const *rows, const int16_t *w, int pairs, size_t i,
                          result kind)
{
    const vector half = OP(set1_epi32)(1 << (shift_of(kind) - 1));
    vector low = half, high = half;
    for (int p = 0; p < pairs; p++) {
        const vector a = load(rows[2 * p] + i), b = load(rows[2 * p + 1] + i);
        const vector both = OP(set1_epi32)((int)pair_of(w + 2 * p));
        low = OP(add_epi32)(low, OP(madd_epi16)(OP(unpacklo_epi16)(a, b), both));
        high = OP(add_epi32)(high, OP(madd_epi16)(OP(unpackhi_epi16)(a, b), both));
    }
    return OP(packs_epi32)(OP(srai_epi32)(low, shift_of(kind)),
                           OP(srai_epi32)(high, shift_of(kind)));
}

INLINE size_t down_vectors(const int16_t *const *rows, const int16_t *w, int pairs, size_t count,
                           result kind, uint32_t set, void *to)
{
    size_t i = 0;
    if (kind == RESULT_SHORTS)
        for (; i < count; i += SHORTS) // there is room behind the row
            store((int16_t *)to + i, down_vector(rows, w, pairs, i, kind));
    else
        for (; i + BYTES <= count; i += BYTES)
            store((uint8_t *)to + i, or_set(to_bytes(down_vector(rows, w, pairs, i, kind),
                                                     down_vector(rows, w, pairs, i + SHORTS, kind)),
                                            set));
    return i;
}
#endif

INLINE void down_as(const int16_t *const *rows, const int16_t *w, int taps, size_t count,
                    result kind, uint32_t set, void *to)
{
    size_t i = 0;
#ifdef BYTES
    const int pairs = (taps + 1) / 2;
    i = pairs == 1   ? down_vectors(rows, w, 1, count, kind, set, to)
        : pairs == 2 ? down_vectors(rows, w, 2, count, kind, set, to)
        : pairs == 3 ? down_vectors(rows, w, 3, count, kind, set, to)
        : pairs == 4 ? down_vectors(rows, w, 4, count, kind, set, to)
                     : down_vectors(rows, w, pairs, count, kind, set, to);
#endif
    down_plain(rows, w, taps, i, count, kind, set, to);
}

static void down_to_shorts(const int16_t *const *rows, const int16_t *w, int taps, size_t count,
                           int16_t *to)
{
    down_as(rows, w, taps, count, RESULT_SHORTS, 0, to);
}

static void down_to_bytes(const int16_t *const *rows, const int16_t *w, int taps, size_t count,
                          uint32_t set, uint8_t *to)
{
    down_as(rows, w, taps, count, RESULT_BYTES, set, to);
}

// ---- along rows ---------------------------------------------------------------------------------

// `count` outputs from column x on. `from` begins with the input column `base`.
typedef struct line {
    const lg_resize_bytes_job *job;
    const int16_t *from;
    int32_t base, x, count;
    void *to;
} line;

INLINE const int16_t *line_at(const line *l, int32_t i, int channels)
{
    return l->from + (size_t)(l->job->r->axis[0].first[l->x + i] - l->base) * (size_t)channels;
}

INLINE const int16_t *line_weights(const line *l, int32_t i)
{
    return l->job->weights[0] + (size_t)(l->x + i) * (size_t)l->job->stride[0];
}

INLINE void along_plain(const line *l, int32_t begin, int32_t end, int channels, result kind)
{
    for (int32_t i = begin; i < end; i++) {
        const int16_t *from = line_at(l, i, channels), *w = line_weights(l, i);
        const int taps = l->job->r->axis[0].tap_count[l->x + i];
        for (int c = 0; c < channels; c++) {
            const size_t at = (size_t)i * (size_t)channels + (size_t)c;
            int32_t sum = 0;
            for (int k = 0; k < taps; k++)
                sum += (int32_t)w[k] * from[k * channels + c];
            put(sum, kind, l->to, at);
            if (kind == RESULT_BYTES)
                ((uint8_t *)l->to)[at] |= set_at(l->job->set, at);
        }
    }
}

#if defined(__SSE2__)
// Four pixels of four channels are four vectors of sums.
INLINE void put_fours(const __m128i sum[4], result kind, uint32_t set, void *to, int32_t i)
{
    const __m128i first = _mm_packs_epi32(_mm_srai_epi32(sum[0], shift_of(kind)),
                                          _mm_srai_epi32(sum[1], shift_of(kind)));
    const __m128i second = _mm_packs_epi32(_mm_srai_epi32(sum[2], shift_of(kind)),
                                           _mm_srai_epi32(sum[3], shift_of(kind)));
    if (kind == RESULT_BYTES) {
        const __m128i bytes = _mm_packus_epi16(first, second);
        _mm_storeu_si128((__m128i *)((uint8_t *)to + (size_t)i * 4),
                         _mm_or_si128(bytes, _mm_set1_epi32((int)set)));
    } else {
        __m128i *at = (__m128i *)((int16_t *)to + (size_t)i * 4);
        _mm_storeu_si128(at, first);
        _mm_storeu_si128(at + 1, second);
    }
}

INLINE int32_t along_fours(const line *l, int pairs, result kind)
{
    const __m128i half = _mm_set1_epi32(1 << (shift_of(kind) - 1));
    int32_t i = 0;
    for (; i + 4 <= l->count; i += 4) {
        __m128i sum[4];
        for (int j = 0; j < 4; j++) {
            const int16_t *from = line_at(l, i + j, 4), *w = line_weights(l, i + j);
            sum[j] = half;
            for (int p = 0; p < pairs; p++) {
                const __m128i two = _mm_loadu_si128((const __m128i *)(from + 8 * p));
                const __m128i mixed = _mm_unpacklo_epi16(two, _mm_srli_si128(two, 8));
                const __m128i both = _mm_set1_epi32((int)pair_of(w + 2 * p));
                sum[j] = _mm_add_epi32(sum[j], _mm_madd_epi16(mixed, both));
            }
        }
        put_fours(sum, kind, l->job->set, l->to, i);
    }
    return i;
}

INLINE int32_t along_4(const line *l, result kind)
{
    const int pairs = l->job->stride[0] / 2;
    return pairs == 1   ? along_fours(l, 1, kind)
           : pairs == 2 ? along_fours(l, 2, kind)
           : pairs == 3 ? along_fours(l, 3, kind)
           : pairs == 4 ? along_fours(l, 4, kind)
                        : along_fours(l, pairs, kind);
}

INLINE void put_four(__m128i sums, result kind, void *to, int32_t i)
{
    const __m128i half = _mm_set1_epi32(1 << (shift_of(kind) - 1));
    const __m128i v = _mm_srai_epi32(_mm_add_epi32(sums, half), shift_of(kind));
    const __m128i shorts = _mm_packs_epi32(v, v);
    if (kind == RESULT_SHORTS) {
        _mm_storel_epi64((__m128i *)((int16_t *)to + i), shorts);
    } else {
        const int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(shorts, shorts));
        memcpy((uint8_t *)to + i, &bytes, sizeof bytes);
    }
}

// Up to four weights: two outputs in a vector.
INLINE int32_t along_short(const line *l, result kind)
{
    int32_t i = 0;
    for (; i + 4 <= l->count; i += 4) {
        __m128i sums[2];
        for (int j = 0; j < 2; j++) {
            const __m128i a = _mm_loadl_epi64((const __m128i *)line_at(l, i + 2 * j, 1));
            const __m128i b = _mm_loadl_epi64((const __m128i *)line_at(l, i + 2 * j + 1, 1));
            const __m128i w = _mm_loadu_si128((const __m128i *)line_weights(l, i + 2 * j));
            sums[j] = _mm_madd_epi16(_mm_unpacklo_epi64(a, b), w);
        }
        const __m128 first = _mm_castsi128_ps(sums[0]), second = _mm_castsi128_ps(sums[1]);
        const __m128i even = _mm_castps_si128(_mm_shuffle_ps(first, second, 0x88));
        const __m128i odd = _mm_castps_si128(_mm_shuffle_ps(first, second, 0xdd));
        put_four(_mm_add_epi32(even, odd), kind, l->to, i);
    }
    return i;
}

INLINE int32_t along_long(const line *l, result kind)
{
    const int blocks = l->job->stride[0] / 8;
    int32_t i = 0;
    for (; i + 4 <= l->count; i += 4) {
        __m128i sum[4];
        for (int j = 0; j < 4; j++) {
            const int16_t *from = line_at(l, i + j, 1), *w = line_weights(l, i + j);
            sum[j] = _mm_setzero_si128();
            for (int b = 0; b < blocks; b++)
                sum[j] =
                    _mm_add_epi32(sum[j], _mm_madd_epi16(_mm_loadu_si128((const __m128i *)from + b),
                                                         _mm_loadu_si128((const __m128i *)w + b)));
        }
        const __m128i a =
            _mm_add_epi32(_mm_unpacklo_epi32(sum[0], sum[1]), _mm_unpackhi_epi32(sum[0], sum[1]));
        const __m128i b =
            _mm_add_epi32(_mm_unpacklo_epi32(sum[2], sum[3]), _mm_unpackhi_epi32(sum[2], sum[3]));
        put_four(_mm_add_epi32(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)), kind, l->to, i);
    }
    return i;
}
#endif

INLINE void along_as(const line *l, result kind)
{
    int32_t done = 0;
    const int channels = l->job->channels;
#if defined(__SSE2__)
    if (channels == 4)
        done = along_4(l, kind);
    else if (channels == 1)
        done = l->job->stride[0] == 4 ? along_short(l, kind) : along_long(l, kind);
#endif
    along_plain(l, done, l->count, channels, kind);
}

#ifdef BYTES
// Pixels of even and of odd columns, in turns.
INLINE void put_in_turns(vector even, vector odd, int channels, int16_t *to)
{
    const vector low =
        channels == 1 ? OP(unpacklo_epi16)(even, odd) : OP(unpacklo_epi64)(even, odd);
    const vector high =
        channels == 1 ? OP(unpackhi_epi16)(even, odd) : OP(unpackhi_epi64)(even, odd);
#if BYTES == 64
    store(to, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high));
    store(to + SHORTS,
          _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high));
#elif BYTES == 32
    store(to, _mm256_permute2x128_si256(low, high, 0x20));
    store(to + SHORTS, _mm256_permute2x128_si256(low, high, 0x31));
#else
    store(to, low);
    store(to + SHORTS, high);
#endif
}

// `count` outputs from output i of the line on. What is written behind them means nothing yet.
INLINE void along_pairs(const line *l, int32_t i, int32_t count, int pairs, int channels)
{
    const int16_t *even[LG_RESIZE_BYTE_TAPS], *odd[LG_RESIZE_BYTE_TAPS];
    const int16_t *w_even = line_weights(l, i), *w_odd = line_weights(l, i + 1);
    const size_t samples = (size_t)count / 2 * (size_t)channels;
    int16_t *to = (int16_t *)l->to + (size_t)i * (size_t)channels;
    for (int k = 0; k < 2 * pairs; k++) {
        even[k] = line_at(l, i, channels) + k * channels;
        odd[k] = line_at(l, i + 1, channels) + k * channels;
    }
    for (size_t j = 0; j < samples; j += SHORTS)
        put_in_turns(down_vector(even, w_even, pairs, j, RESULT_SHORTS),
                     down_vector(odd, w_odd, pairs, j, RESULT_SHORTS), channels, to + 2 * j);
}

static bool along_twice(const line *l)
{
    const lg_resize_bytes_job *job = l->job;
    const int32_t first = LG_MAX(job->paired, l->x), end = LG_MIN(job->paired_end, l->x + l->count);
    const int32_t i = first - l->x, count = (end - first) / 2 * 2, taps = job->r->axis[0].taps;
    if (count <= 0 || l->x % 2 || taps < 3 || taps > 6)
        return false;
    if (job->channels == 1 && taps <= 4)
        along_pairs(l, i, count, 2, 1);
    else if (job->channels == 1)
        along_pairs(l, i, count, 3, 1);
    else if (job->channels == 4 && taps <= 4)
        along_pairs(l, i, count, 2, 4);
    else if (job->channels == 4)
        along_pairs(l, i, count, 3, 4);
    else
        return false;
    along_plain(l, 0, i, job->channels, RESULT_SHORTS);
    along_plain(l, i + count, l->count, job->channels, RESULT_SHORTS);
    return true;
}
#else
static bool along_twice(const line *l)
{
    return false;
}
#endif

static void along_to_shorts(const line *l)
{
    if (!along_twice(l))
        along_as(l, RESULT_SHORTS);
}

static void along_to_bytes(const line *l)
{
    along_as(l, RESULT_BYTES);
}

// ---- both ---------------------------------------------------------------------------------------

typedef struct strip {
    const lg_resize_bytes_job *job;
    const lg_pixel_tile *t;
    int32_t first, end; // columns of the input
    size_t row;         // of the ring
    int16_t *ring, *wide;
    int32_t have; // rows of the input before this one are in the ring
} strip;

static int16_t *ring_row(const strip *s, int32_t y)
{
    return s->ring + (size_t)(y % s->job->ring) * s->row;
}

// Row y of the input, as it is or at its new width.
static void take_row(const strip *s, int32_t y)
{
    const size_t channels = (size_t)s->job->channels;
    const uint8_t *from = (const uint8_t *)s->t->in.data + (size_t)y * s->t->in.row_stride +
                          (size_t)s->first * channels;
    const bool narrow = !s->job->r->columns_first;
    expand(from, (size_t)(s->end - s->first) * channels, narrow ? s->wide : ring_row(s, y));
    if (narrow) {
        const line l = {s->job, s->wide, s->first, s->t->x, s->t->x_end - s->t->x, ring_row(s, y)};
        along_to_shorts(&l);
    }
}

// The rows of the ring that make row y of the output; returns how many.
static int gather_rows(strip *s, int32_t y, const int16_t *rows[LG_RESIZE_BYTE_TAPS + 1])
{
    const lg_resize_axis *axis = &s->job->r->axis[1];
    const int32_t first = axis->first[y], taps = axis->tap_count[y];
    s->have = LG_MAX(s->have, axis->from[y]);
    for (; s->have < first + taps; s->have++)
        take_row(s, s->have);
    for (int k = 0; k < taps; k++)
        rows[k] = ring_row(s, first + k);
    rows[taps] = rows[taps - 1]; // with a weight of 0
    return taps;
}

static void run(const void *arg, const lg_pixel_tile *t, char *scratch)
{
    const lg_resize_bytes_job *job = arg;
    strip s = {.job = job, .t = t};
    const size_t channels = (size_t)job->channels;
    lg_resize_reach(&job->r->axis[0], t->x, t->x_end, &s.first, &s.end);
    s.row = ((size_t)LG_MAX(job->across, job->strip) + LG_RESIZE_SLACK) * channels;
    s.wide = (int16_t *)(void *)scratch;
    s.ring = s.wide + s.row;
    memset(scratch, 0, ((size_t)job->ring + 1) * s.row * sizeof *s.wide);
    for (int32_t y = t->y; y < t->y_end; y++) {
        const int16_t *rows[LG_RESIZE_BYTE_TAPS + 1];
        const int taps = gather_rows(&s, y, rows);
        const int16_t *w = job->weights[1] + (size_t)y * (size_t)job->stride[1];
        uint8_t *to =
            (uint8_t *)t->out.data + (size_t)y * t->out.row_stride + (size_t)t->x * channels;
        if (job->r->columns_first) {
            down_to_shorts(rows, w, taps, (size_t)(s.end - s.first) * channels, s.wide);
            const line l = {job, s.wide, s.first, t->x, t->x_end - t->x, to};
            along_to_bytes(&l);
        } else {
            down_to_bytes(rows, w, taps, (size_t)(t->x_end - t->x) * channels, job->set, to);
        }
    }
}

extern const lg_pixel_tiles LG_CPU_TABLE(resize_bytes);
const lg_pixel_tiles LG_CPU_TABLE(resize_bytes) = {.run = run};
