// Rows of 8-bit images, for one CPU level.
#include "filter/native/canny_edge_detection/canny_rows.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

extern const lg_gaussian_bytes_table LG_CPU_TABLE(gaussian_bytes);

static void plain(const void *luma, void *to, int32_t count)
{
    const uint8_t *restrict v = luma;
    int16_t *restrict b = to;
    for (int32_t x = 0; x < count; x++)
        b[x] = (int16_t)(v[x] << 5);
}

static void feed(const lg_gaussian *g, void *state, size_t pitch, int64_t index, const void *luma,
                 int32_t count, void *out)
{
    LG_CPU_TABLE(gaussian_bytes).feed_row(g, state, pitch, index, luma, count, out);
}

static void line(const lg_gaussian *g, const void *line_, int32_t count, void *spare, void *to)
{
    LG_CPU_TABLE(gaussian_bytes).line(g, line_, count, to);
}

// ---- gradients ----------------------------------------------------------------------------------

// Down the columns, for a Sobel: smoothed, and the difference; two more columns on either side.
static void columns(const void *const *rows, int32_t count, int16_t *restrict smooth,
                    int16_t *restrict step)
{
    const int16_t *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];
    for (int32_t x = -2; x < count + 2; x++) {
        smooth[x] = (int16_t)(a[x] + 2 * b[x] + c[x]);
        step[x] = (int16_t)(c[x] - a[x]);
    }
}

// Of the columns beside a tile. At an edge of the image there are none: what comes out there is replaced, so
// it may wrap.
static void outer_magnitudes(const int16_t *smooth, const int16_t *step, int32_t count, int32_t *to)
{
    for (int32_t x = -1; x <= count; x += count + 1) {
        const int32_t gx = smooth[x + 1] - smooth[x - 1];
        const int32_t gy = step[x - 1] + 2 * step[x] + step[x + 1];
        to[x] = (int32_t)((uint32_t)gx * (uint32_t)gx + (uint32_t)gy * (uint32_t)gy);
    }
}

#if defined(__AVX2__)

static __m256i load(const int16_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

static __m256i direction_of(__m256i gx, __m256i gy)
{
    const __m256i tangent = _mm256_set1_epi16(LG_CANNY_TANGENT);
    const __m256i ax = _mm256_abs_epi16(gx), ay = _mm256_abs_epi16(gy);
    const __m256i steep_for = _mm256_cmpgt_epi16(ay, _mm256_mulhi_epu16(ax, tangent));
    const __m256i flat_for = _mm256_cmpgt_epi16(ax, _mm256_mulhi_epu16(ay, tangent));
    // Signs that differ: 3, else 1.
    const __m256i differ = _mm256_srli_epi16(_mm256_xor_si256(gx, gy), 15);
    const __m256i diagonal =
        _mm256_add_epi16(_mm256_add_epi16(differ, differ), _mm256_set1_epi16(LG_CANNY_FALLING));
    const __m256i code = _mm256_blendv_epi8(_mm256_set1_epi16(LG_CANNY_DOWN), diagonal, flat_for);
    return _mm256_and_si256(code, steep_for);
}

// Squared magnitudes of 16 pixels; returns which of them are above `low`.
static uint32_t magnitudes_of(__m256i gx, __m256i gy, __m256i low, int32_t *to)
{
    const __m256i a = _mm256_unpacklo_epi16(gx, gy), b = _mm256_unpackhi_epi16(gx, gy);
    const __m256i p = _mm256_madd_epi16(a, a), q = _mm256_madd_epi16(b, b);
    const __m256i left = _mm256_permute2x128_si256(p, q, 0x20);
    const __m256i right = _mm256_permute2x128_si256(p, q, 0x31);
    _mm256_storeu_si256((__m256i *)to, left);
    _mm256_storeu_si256((__m256i *)(to + 8), right);
    const __m256i l = _mm256_cmpgt_epi32(left, low), r = _mm256_cmpgt_epi32(right, low);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(l)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(r)) << 8;
}

static void gradient(const lg_canny_job *job, const void *const *rows, void *spare0, void *spare1,
                     int32_t count, void *magnitude, uint8_t *direction, uint64_t *candidate)
{
    const int16_t *smooth = spare0, *step = spare1;
    int32_t *to = magnitude;
    const __m256i low = _mm256_set1_epi32(job->low);
    columns(rows, count, spare0, spare1);
    for (int32_t x = 0; x < count; x += 64) {
        uint64_t bits = 0;
        for (int32_t i = x; i < x + 64; i += 32) {
            __m256i gx[2], gy[2];
            uint32_t above = 0;
            for (int k = 0; k < 2; k++) {
                const int32_t at = i + 16 * k;
                const __m256i centre = load(step + at);
                gx[k] = _mm256_sub_epi16(load(smooth + at + 1), load(smooth + at - 1));
                gy[k] = _mm256_add_epi16(_mm256_add_epi16(load(step + at - 1), load(step + at + 1)),
                                         _mm256_add_epi16(centre, centre));
                above |= magnitudes_of(gx[k], gy[k], low, to + at) << (16 * k);
            }
            if (above) {
                const __m256i codes =
                    _mm256_packs_epi16(direction_of(gx[0], gy[0]), direction_of(gx[1], gy[1]));
                _mm256_storeu_si256((__m256i *)(direction + i),
                                    _mm256_permute4x64_epi64(codes, 0xd8));
            }
            bits |= (uint64_t)above << (i - x);
        }
        const int32_t n = count - x;
        candidate[x / 64] = n < 64 ? bits & (((uint64_t)1 << n) - 1) : bits;
    }
    outer_magnitudes(smooth, step, count, to);
}

#else

static void gradient(const lg_canny_job *job, const void *const *rows, void *spare0, void *spare1,
                     int32_t count, void *magnitude, uint8_t *direction, uint64_t *candidate)
{
    const int16_t *restrict smooth = spare0, *restrict step = spare1;
    int32_t *restrict to = magnitude;
    uint8_t *restrict codes = direction;
    const int32_t low = job->low;
    uint8_t above[64] = {0};
    columns(rows, count, spare0, spare1);
    for (int32_t x = 0; x < count; x += 64) {
        const int32_t n = LG_MIN(64, count - x);
        for (int32_t i = x; i < x + n; i++) {
            const int32_t gx = smooth[i + 1] - smooth[i - 1];
            const int32_t gy = step[i - 1] + 2 * step[i] + step[i + 1];
            const int32_t ax = gx < 0 ? -gx : gx, ay = gy < 0 ? -gy : gy;
            const int32_t diagonal = (gx ^ gy) < 0 ? LG_CANNY_RISING : LG_CANNY_FALLING;
            const int32_t code = ax > (ay * LG_CANNY_TANGENT >> 16) ? diagonal : LG_CANNY_DOWN;
            to[i] = gx * gx + gy * gy;
            codes[i] = (uint8_t)(ay > (ax * LG_CANNY_TANGENT >> 16) ? code : LG_CANNY_ACROSS);
        }
        for (int32_t i = 0; i < n; i++)
            above[i] = to[x + i] > low;
        candidate[x / 64] = lg_canny_pack(above, n);
    }
    outer_magnitudes(smooth, step, count, to);
}

#endif

// ---- suppression --------------------------------------------------------------------------------

#if defined(__AVX2__)

#define NEIGHBOUR(row, offset) _mm256_loadu_si256((const __m256i *)(rows[row] + x + (offset)))

// Eight pixels from x on; returns which pass, and those among them that are not below `high`.
static uint32_t thin_eight(const int32_t *const *rows, const uint8_t *direction, int32_t x,
                           __m256i high, uint32_t *strong)
{
    const __m256i d = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(direction + x)));
    const __m256i falling = _mm256_cmpeq_epi32(d, _mm256_set1_epi32(LG_CANNY_FALLING));
    const __m256i downward = _mm256_cmpeq_epi32(d, _mm256_set1_epi32(LG_CANNY_DOWN));
    const __m256i rising = _mm256_cmpeq_epi32(d, _mm256_set1_epi32(LG_CANNY_RISING));
    __m256i first = NEIGHBOUR(1, -1), second = NEIGHBOUR(1, 1);
    first = _mm256_blendv_epi8(first, NEIGHBOUR(0, -1), falling);
    second = _mm256_blendv_epi8(second, NEIGHBOUR(2, 1), falling);
    first = _mm256_blendv_epi8(first, NEIGHBOUR(0, 0), downward);
    second = _mm256_blendv_epi8(second, NEIGHBOUR(2, 0), downward);
    first = _mm256_blendv_epi8(first, NEIGHBOUR(0, 1), rising);
    second = _mm256_blendv_epi8(second, NEIGHBOUR(2, -1), rising);
    const __m256i here = NEIGHBOUR(1, 0);
    const __m256i kept =
        _mm256_andnot_si256(_mm256_cmpgt_epi32(second, here), _mm256_cmpgt_epi32(here, first));
    *strong = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(here, high)));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(kept));
}

static void thin_word(const int32_t *const *rows, const uint8_t *direction, uint64_t candidates,
                      int32_t x, int32_t high, uint64_t *weak, uint64_t *strong)
{
    uint64_t passed = 0, above = 0;
    const __m256i below_high = _mm256_set1_epi32(high - 1);
    for (int i = 0; i < 64; i += 8) {
        if (!(candidates >> i & 255))
            continue;
        uint32_t strong_bits;
        passed |= (uint64_t)thin_eight(rows, direction, x + i, below_high, &strong_bits) << i;
        above |= (uint64_t)strong_bits << i;
    }
    *weak = passed & candidates;
    *strong = above & *weak;
}

#else

LG_CANNY_THIN(thin_word, int32_t)

#endif

static void thin(const lg_canny_job *job, const void *const *magnitudes, int32_t count,
                 const uint8_t *direction, const uint64_t *candidate, uint64_t *weak,
                 uint64_t *strong)
{
    for (int32_t x = 0; x < count; x += 64) {
        weak[x / 64] = strong[x / 64] = 0;
        if (candidate[x / 64])
            thin_word((const int32_t *const *)magnitudes, direction, candidate[x / 64], x,
                      job->high, &weak[x / 64], &strong[x / 64]);
    }
}

static float magnitude_at(const void *magnitudes, int32_t x)
{
    return lg_sqrt((float)((const int32_t *)magnitudes)[x]) * (1.0f / LG_CANNY_UNIT);
}

const lg_canny_rows LG_CPU_TABLE(canny_integer) = {plain, feed, line,        gradient,
                                                   NULL,  thin, magnitude_at};
