// Images of bytes at half and at twice their size, for one CPU level: sums of 16 bits of few, small weights.
#include "cpu/cpu.h"
#include "filter/native/byte_vectors.h"
#include "filter/native/geometry/resize.h"

#include <string.h>

// ---- half the size ------------------------------------------------------------------------------

INLINE void halve_plain(const uint8_t *a, const uint8_t *b, size_t from, size_t count,
                        size_t channels, uint32_t set, uint8_t *to)
{
    for (size_t i = from; i < count; i++) {
        const size_t at = i / channels * channels + i;
        const int sum = a[at] + a[at + channels] + b[at] + b[at + channels];
        to[i] = (uint8_t)((sum + 2) >> 2) | set_at(set, i);
    }
}

#ifdef BYTES
// Sums of 16 bits to bytes.
INLINE vector quarter(vector first, vector second)
{
    const vector two = OP(set1_epi16)(2);
    return OP(packus_epi16)(OP(srli_epi16)(OP(add_epi16)(first, two), 2),
                            OP(srli_epi16)(OP(add_epi16)(second, two), 2));
}

// The 64-bit parts of vectors that were made of two, in order.
INLINE vector in_order(vector v)
{
#if defined(__AVX512BW__)
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), v);
#elif defined(__AVX2__)
    return _mm256_permute4x64_epi64(v, 0xd8);
#else
    return v;
#endif
}

INLINE vector pairs_of_bytes(const uint8_t *a, const uint8_t *b)
{
#if defined(__SSSE3__)
    const vector one = OP(set1_epi8)(1);
    return OP(add_epi16)(OP(maddubs_epi16)(load(a), one), OP(maddubs_epi16)(load(b), one));
#else
    const vector low = OP(set1_epi16)(255), v = load(a), u = load(b);
    const vector even = OP(add_epi16)(_mm_and_si128(v, low), _mm_and_si128(u, low));
    return OP(add_epi16)(even, OP(add_epi16)(OP(srli_epi16)(v, 8), OP(srli_epi16)(u, 8)));
#endif
}

// Pixels of even and of odd columns of two vectors, by the lanes of 128 bits.
INLINE vector every_other(vector v, vector u, const bool odd)
{
#if defined(__AVX512BW__)
    const __m512 x = _mm512_castsi512_ps(v), y = _mm512_castsi512_ps(u);
    return _mm512_castps_si512(odd ? _mm512_shuffle_ps(x, y, 0xdd) : _mm512_shuffle_ps(x, y, 0x88));
#elif defined(__AVX2__)
    const __m256 x = _mm256_castsi256_ps(v), y = _mm256_castsi256_ps(u);
    return _mm256_castps_si256(odd ? _mm256_shuffle_ps(x, y, 0xdd) : _mm256_shuffle_ps(x, y, 0x88));
#else
    const __m128 x = _mm_castsi128_ps(v), y = _mm_castsi128_ps(u);
    return _mm_castps_si128(odd ? _mm_shuffle_ps(x, y, 0xdd) : _mm_shuffle_ps(x, y, 0x88));
#endif
}

INLINE vector halve_fours(const uint8_t *a, const uint8_t *b)
{
    const vector zero = OP(set1_epi16)(0);
    vector low = zero, high = zero;
    for (int k = 0; k < 4; k++) {
        const uint8_t *row = k & 1 ? b : a;
        const vector v = every_other(load(row), load(row + BYTES), k >> 1);
        low = OP(add_epi16)(low, OP(unpacklo_epi8)(v, zero));
        high = OP(add_epi16)(high, OP(unpackhi_epi8)(v, zero));
    }
    return in_order(quarter(low, high));
}
#endif

#ifdef BYTES
// For what two vectors of each row will be.
INLINE void ask(const uint8_t *a, const uint8_t *b)
{
    for (int k = 0; k < 2 * BYTES; k += 64) {
        __builtin_prefetch(a + k);
        __builtin_prefetch(b + k);
    }
}
#endif

// The rows `ahead` bytes further on are asked for.
static void halve_row(const uint8_t *a, const uint8_t *b, size_t ahead, size_t count,
                      size_t channels, uint32_t set, uint8_t *to)
{
    size_t i = 0;
#ifdef BYTES
    for (; i + BYTES <= count && channels == 1; i += BYTES) {
        ask(a + 2 * i + ahead, b + 2 * i + ahead);
        store(to + i, in_order(quarter(pairs_of_bytes(a + 2 * i, b + 2 * i),
                                       pairs_of_bytes(a + 2 * i + BYTES, b + 2 * i + BYTES))));
    }
    for (; i + BYTES <= count && channels == 4; i += BYTES) {
        ask(a + 2 * i + ahead, b + 2 * i + ahead);
        store(to + i, or_set(halve_fours(a + 2 * i, b + 2 * i), set));
    }
#endif
    halve_plain(a, b, i, count, channels, set, to);
}

static void run_halves(const lg_resize_scaled_job *job, const lg_pixel_tile *t)
{
    const size_t channels = (size_t)job->channels, x = (size_t)t->x * channels;
    for (int32_t y = t->y; y < t->y_end; y++) {
        const uint8_t *a = (const uint8_t *)t->in.data + 2 * (size_t)y * t->in.row_stride + 2 * x;
        halve_row(a, a + t->in.row_stride, 2 * t->in.row_stride,
                  (size_t)(t->x_end - t->x) * channels, channels, job->set,
                  (uint8_t *)t->out.data + (size_t)y * t->out.row_stride + x);
    }
}

// ---- twice the size -----------------------------------------------------------------------------

// Three parts of the nearer row and one of the other.
static void mix_rows(const uint8_t *restrict near, const uint8_t *restrict far, size_t count,
                     uint16_t *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint16_t)(3 * near[i] + far[i]);
}

// The pixels of the output that lie to the left and to the right of an input's middle. `sums` has a pixel
// before the first one and one behind the last.
INLINE void double_plain(const uint16_t *sums, size_t from, size_t count, size_t channels,
                         uint32_t set, uint8_t *to)
{
    const uint16_t *before = sums - channels;
    for (size_t i = from; i < count; i++) {
        const int near = 3 * sums[i] + 8;
        const size_t at = i / channels * channels + i;
        to[at] = (uint8_t)((near + before[i]) >> 4) | set_at(set, i);
        to[at + channels] = (uint8_t)((near + sums[i + channels]) >> 4) | set_at(set, i);
    }
}

#ifdef BYTES
// A vector of sums makes a vector of bytes, of grey or of pixels of four channels.
INLINE vector double_vector(const uint16_t *sums, const size_t channels)
{
    const vector v = load(sums), eight = OP(set1_epi16)(8);
    const vector near = OP(add_epi16)(OP(add_epi16)(v, OP(slli_epi16)(v, 1)), eight);
    const vector left = OP(srli_epi16)(OP(add_epi16)(near, load(sums - channels)), 4);
    const vector right = OP(srli_epi16)(OP(add_epi16)(near, load(sums + channels)), 4);
    if (channels == 1)
        return OP(add_epi16)(left, OP(slli_epi16)(right, 8));
    return OP(shuffle_epi32)(OP(packus_epi16)(left, right), 0xd8);
}

INLINE size_t double_vectors(const uint16_t *sums, size_t count, const size_t channels,
                             uint32_t set, const bool past, uint8_t *to)
{
    size_t i = 0;
    for (; i + BYTES / 2 <= count; i += BYTES / 2) {
        const vector v = or_set(double_vector(sums + i, channels), set);
        if (past)
            store_past(to + 2 * i, v);
        else
            store(to + 2 * i, v);
    }
    return i;
}
#endif

static void double_row(const lg_resize_scaled_job *job, const uint16_t *sums, size_t count,
                       uint8_t *to)
{
    const size_t channels = (size_t)job->channels;
    size_t i = 0;
#ifdef BYTES
    const bool past = job->past_caches && (uintptr_t)to % BYTES == 0;
    if (channels == 1)
        i = past ? double_vectors(sums, count, 1, 0, true, to)
                 : double_vectors(sums, count, 1, 0, false, to);
    else if (channels == 4)
        i = past ? double_vectors(sums, count, 4, job->set, true, to)
                 : double_vectors(sums, count, 4, job->set, false, to);
#endif
    double_plain(sums, i, count, channels, job->set, to);
}

static void run_doubles(const lg_resize_scaled_job *job, const lg_pixel_tile *t, char *scratch)
{
    const size_t channels = (size_t)job->channels;
    const int32_t first = t->x / 2, end = t->x_end / 2; // columns of the input
    const int32_t from = LG_MAX(first - 1, 0), to = LG_MIN(end + 1, t->in.width);
    const size_t row = t->in.row_stride, count = (size_t)(end - first) * channels;
    uint16_t *sums = (uint16_t *)(void *)scratch + 32;
    const uint8_t *data = (const uint8_t *)t->in.data + (size_t)from * channels;
    for (int32_t y = t->y; y < t->y_end; y++) {
        const int32_t near = y / 2, other = y & 1 ? near + 1 : near - 1;
        const int32_t far = LG_MIN(LG_MAX(other, 0), t->in.height - 1);
        mix_rows(data + (size_t)near * row, data + (size_t)far * row,
                 (size_t)(to - from) * channels, sums - (size_t)(first - from) * channels);
        for (size_t c = 0; c < channels; c++) { // outside the image its edge goes on
            if (from == first)
                (sums - channels)[c] = sums[c];
            if (to == end)
                sums[count + c] = sums[count - channels + c];
        }
        double_row(job, sums, count,
                   (uint8_t *)t->out.data + (size_t)y * t->out.row_stride +
                       (size_t)t->x * channels);
    }
#ifdef BYTES
    if (job->past_caches)
        _mm_sfence(); // before other threads read the tile
#endif
}

static void run(const void *arg, const lg_pixel_tile *t, char *scratch)
{
    const lg_resize_scaled_job *job = arg;
    if (job->scale == LG_RESIZE_MEAN)
        run_halves(job, t);
    else
        run_doubles(job, t, scratch);
}

extern const lg_pixel_tiles LG_CPU_TABLE(resize_scaled);
const lg_pixel_tiles LG_CPU_TABLE(resize_scaled) = {.run = run};
