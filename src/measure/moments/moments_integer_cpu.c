// Sums, sums of squares, minimum and maximum of u8 and u16 samples.
#include "core/pixel_colors.h"
#include "measure/moments/moments_kernels.h"

#if defined(__AVX2__)
#include "measure/moments/moments_colors.h"
#endif

#define INLINE static inline __attribute__((always_inline))

// ---- any processor, and the end of a row --------------------------------------------------------

// 32-bit sums hold for a row of LG_INTEGER_ROW pixels: 65536 * 255^2 < 2^32.
#define DEFINE_PLAIN(type, square_type)                                                            \
    INLINE void plain_##type(const type *p, size_t pixels, const int channels, lg_integer_sums *s) \
    {                                                                                              \
        for (int c = 0; c < channels; c++) {                                                       \
            uint32_t sum = 0, min = s->min[c], max = s->max[c];                                    \
            square_type squares = 0;                                                               \
            for (size_t i = 0; i < pixels; i++) {                                                  \
                const uint32_t v = p[i * (size_t)channels + (size_t)c];                            \
                sum += v;                                                                          \
                squares += (square_type)v * v;                                                     \
                min = v < min ? v : min;                                                           \
                max = v > max ? v : max;                                                           \
            }                                                                                      \
            s->sum[c] += sum;                                                                      \
            s->squares[c] += squares;                                                              \
            s->min[c] = min;                                                                       \
            s->max[c] = max;                                                                       \
        }                                                                                          \
    }

DEFINE_PLAIN(uint8_t, uint32_t)
DEFINE_PLAIN(uint16_t, uint64_t)

#if defined(__SSE4_2__)

#include <immintrin.h>

#if defined(__AVX512BW__)
#define BYTES 64
typedef __m512i vi;
#define OP(name)   _mm512_##name
#define BITS(name) _mm512_##name##_si512
#elif defined(__AVX2__)
#define BYTES      32
typedef __m256i vi;
#define OP(name)   _mm256_##name
#define BITS(name) _mm256_##name##_si256
#else
#define BYTES      16
typedef __m128i vi;
#define OP(name)   _mm_##name
#define BITS(name) _mm_##name##_si128
#endif

#define LANES64 (BYTES / 8)

INLINE vi load(const void *p)
{
    return BITS(loadu)((const void *)p);
}

// The same 16 bytes in every 128-bit part: byte shuffles stay inside one.
INLINE vi repeat16(const uint8_t *control)
{
    uint8_t all[BYTES];
    for (int i = 0; i < BYTES; i++)
        all[i] = control[i % 16];
    return load(all);
}

// Adds the 64-bit lanes: even ones to out[even], odd ones to out[odd].
INLINE void spill64(vi lanes, uint64_t *even, uint64_t *odd)
{
    uint64_t v[LANES64];
    BITS(storeu)((void *)v, lanes);
    for (int i = 0; i < LANES64; i += 2) {
        *even += v[i];
        *odd += v[i + 1];
    }
}

// Brings the samples of a channel together inside 16 bytes, so that pairs belong to one channel.
static const uint8_t group8x2[16] = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
static const uint8_t group8x4[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
static const uint8_t group16x2[16] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
static const uint8_t group16x4[16] = {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};

// ---- u8 -----------------------------------------------------------------------------------------

// Caches fetch ahead by themselves, but not far enough for memory: one page more, by request.
#define AHEAD 4096
#define SPAN  1024 // bytes whose sums fit 16 bits: 64 vectors of 16 bytes, 510 each

typedef struct byte_sums {
    vi min, max, sum, low, high;                   // of a span: sum 16 bits wide, low and high 32
    vi sum_even, sum_odd, square_low, square_high; // 64 bits wide
} byte_sums;

// Grouped 16 bytes: 1 channel: any order; 2: 8 of each; 4: 4 of each. Unpacked to 16 bits and
// multiplied in pairs, the low half holds channels 0 (and 1 of 4), the high half the others.
INLINE void vector_u8(const uint8_t *p, const int channels, vi group, byte_sums *s)
{
    const vi zero = BITS(setzero)(), x = load(p);
    const vi y = channels > 1 ? OP(shuffle_epi8)(x, group) : x;
    const vi a = OP(unpacklo_epi8)(y, zero), b = OP(unpackhi_epi8)(y, zero);
    s->low = OP(add_epi32)(s->low, OP(madd_epi16)(a, a));
    s->high = OP(add_epi32)(s->high, OP(madd_epi16)(b, b));
    if (channels == 4)
        s->sum = OP(add_epi16)(s->sum, OP(maddubs_epi16)(y, OP(set1_epi8)(1)));
    else
        s->sum_even = OP(add_epi64)(s->sum_even, OP(sad_epu8)(y, zero));
    s->min = OP(min_epu8)(s->min, x);
    s->max = OP(max_epu8)(s->max, x);
}

INLINE void span_u8(const uint8_t *p, size_t bytes, const int channels, vi group, byte_sums *s)
{
    const vi zero = BITS(setzero)(), low32 = OP(srli_epi64)(OP(set1_epi8)(-1), 32);
    size_t i = 0;
    s->low = s->high = s->sum = zero;
    for (; i + 64 <= bytes; i += 64) {
        __builtin_prefetch(p + i + AHEAD, 0, 2);
        for (size_t k = 0; k < 64; k += BYTES)
            vector_u8(p + i + k, channels, group, s);
    }
    for (; i < bytes; i += BYTES)
        vector_u8(p + i, channels, group, s);
    const vi sum = OP(madd_epi16)(s->sum, OP(set1_epi16)(1));
    s->square_low = OP(add_epi64)(s->square_low, BITS(and)(s->low, low32));
    s->square_low = OP(add_epi64)(s->square_low, OP(srli_epi64)(s->low, 32));
    s->square_high = OP(add_epi64)(s->square_high, BITS(and)(s->high, low32));
    s->square_high = OP(add_epi64)(s->square_high, OP(srli_epi64)(s->high, 32));
    s->sum_even = OP(add_epi64)(s->sum_even, BITS(and)(sum, low32));
    s->sum_odd = OP(add_epi64)(s->sum_odd, OP(srli_epi64)(sum, 32));
}

INLINE void rows_u8(const lg_integer_rows *rows, const int channels, lg_integer_sums *s)
{
    const vi zero = BITS(setzero)(), group = repeat16(channels == 2 ? group8x2 : group8x4);
    const size_t bytes = rows->pixels * (size_t)channels, whole = bytes / BYTES * BYTES;
    byte_sums v = {.min = OP(set1_epi8)(-1),
                   .max = zero,
                   .sum_even = zero,
                   .sum_odd = zero,
                   .square_low = zero,
                   .square_high = zero};
    const uint8_t *p = rows->data;
    for (size_t row = 0; row < rows->rows; row++, p += rows->stride) {
        for (size_t at = 0; at < whole; at += SPAN)
            span_u8(p + at, LG_MIN(whole - at, (size_t)SPAN), channels, group, &v);
        plain_uint8_t(p + whole, (bytes - whole) / (size_t)channels, channels, s);
    }
    if (whole == 0)
        return;
    const int last = channels - 1, middle = channels / 2;
    // 4 channels: 32-bit lanes r g b a; 2: 64-bit lanes g a; 1: all.
    spill64(v.sum_even, &s->sum[0], &s->sum[channels == 1 ? 0 : middle]);
    spill64(v.sum_odd, &s->sum[channels == 4], &s->sum[last]);
    spill64(v.square_low, &s->squares[0], &s->squares[channels == 4]);
    spill64(v.square_high, &s->squares[middle], &s->squares[last]);
    uint8_t lowest[BYTES], highest[BYTES];
    BITS(storeu)((void *)lowest, v.min);
    BITS(storeu)((void *)highest, v.max);
    for (int i = 0; i < BYTES; i++) {
        const int c = i % channels;
        s->min[c] = LG_MIN(s->min[c], lowest[i]);
        s->max[c] = LG_MAX(s->max[c], highest[i]);
    }
}

// ---- u16 ----------------------------------------------------------------------------------------

// Products are signed, so the samples are moved down by 32768 and the sums corrected at the end:
// x = y + 2^15, x^2 = y^2 + 2^16 y + 2^30.
INLINE void rows_u16(const lg_integer_rows *rows, const int channels, lg_integer_sums *s)
{
    const vi zero = BITS(setzero)(), low32 = OP(srli_epi64)(OP(set1_epi8)(-1), 32);
    const vi ones = OP(set1_epi16)(1), half = OP(set1_epi16)(-32768);
    const vi group = repeat16(channels == 2 ? group16x2 : group16x4);
    const size_t lanes = BYTES / 2, samples = rows->pixels * (size_t)channels;
    const size_t whole = samples / lanes * lanes;
    vi min = OP(set1_epi8)(-1), max = zero, even = zero, odd = zero;
    int64_t moved[LG_MAX_CHANNELS] = {0};
    const uint8_t *bytes = rows->data;
    for (size_t row = 0; row < rows->rows; row++, bytes += rows->stride) {
        const uint16_t *p = (const void *)bytes;
        vi sum = zero; // at least -2^15 * 2^16
        for (size_t i = 0; i < whole; i += lanes) {
            const vi x = load(p + i);
            const vi g = channels > 1 ? OP(shuffle_epi8)(x, group) : x;
            const vi y = BITS(xor)(g, half);
            const vi squares = OP(madd_epi16)(y, y); // unsigned: 2^31 occurs
            even = OP(add_epi64)(even, BITS(and)(squares, low32));
            odd = OP(add_epi64)(odd, OP(srli_epi64)(squares, 32));
            sum = OP(add_epi32)(sum, OP(madd_epi16)(y, ones));
            min = OP(min_epu16)(min, x);
            max = OP(max_epu16)(max, x);
        }
        int32_t sums[BYTES / 4];
        BITS(storeu)((void *)sums, sum);
        for (int i = 0; i < BYTES / 4; i++)
            moved[i % 4 * channels / 4] += sums[i];
        plain_uint16_t(p + whole, (samples - whole) / (size_t)channels, channels, s);
    }
    if (whole == 0)
        return;
    uint64_t squares[LG_MAX_CHANNELS] = {0};
    const int last = channels - 1, middle = channels / 2;
    spill64(even, &squares[0], &squares[channels == 1 ? 0 : middle]);
    spill64(odd, &squares[channels == 4], &squares[last]);
    const uint64_t n = (uint64_t)rows->rows * (whole / (size_t)channels);
    for (int c = 0; c < channels; c++) {
        s->sum[c] += (uint64_t)moved[c] + (n << 15);
        s->squares[c] += squares[c] + ((uint64_t)moved[c] << 16) + (n << 30);
    }
    uint16_t lowest[BYTES / 2], highest[BYTES / 2];
    BITS(storeu)((void *)lowest, min);
    BITS(storeu)((void *)highest, max);
    for (int i = 0; i < BYTES / 2; i++) {
        const int c = i % channels;
        s->min[c] = LG_MIN(s->min[c], lowest[i]);
        s->max[c] = LG_MAX(s->max[c], highest[i]);
    }
}

#else

#define DEFINE_ROWS(name, type)                                                                    \
    INLINE void name(const lg_integer_rows *rows, const int channels, lg_integer_sums *s)          \
    {                                                                                              \
        const uint8_t *p = rows->data;                                                             \
        for (size_t row = 0; row < rows->rows; row++, p += rows->stride)                           \
            plain_##type((const void *)p, rows->pixels, channels, s);                              \
    }

DEFINE_ROWS(rows_u8, uint8_t)
DEFINE_ROWS(rows_u16, uint16_t)

#endif

#define DEFINE_ENTRY(name)                                                                         \
    static void name(const lg_integer_rows *rows, lg_integer_sums *sums)                           \
    {                                                                                              \
        if (rows->channels == 1)                                                                   \
            rows_##name(rows, 1, sums);                                                            \
        else if (rows->channels == 2)                                                              \
            rows_##name(rows, 2, sums);                                                            \
        else                                                                                       \
            rows_##name(rows, 4, sums);                                                            \
    }

DEFINE_ENTRY(u8)
DEFINE_ENTRY(u16)

static void colors(const lg_planar *planes, int32_t x, int32_t y, int count, void *out)
{
    lg_colors_read(planes, x, y, count, out);
}

// ---- colours of planes --------------------------------------------------------------------------

// At most LG_PLANAR_SPAN pixels: their colours are made first, and stay in the cache. Rarely called where
// color_rows is, whose loops need the registers.
__attribute__((noinline)) static void color_part(const lg_planar *p, int32_t x, int32_t y,
                                                 int count, lg_integer_sums *sums)
{
    uint64_t pixels[LG_PLANAR_SPAN];
    const lg_integer_rows rows = {
        .data = pixels, .rows = 1, .pixels = (size_t)count, .channels = p->chroma ? 4 : 1};
    lg_planar_read(p, x, y, count, pixels);
    if (p->sample == 1)
        u8(&rows, sums);
    else
        u16(&rows, sums);
}

static void planes(const lg_planar *p, int32_t x, int32_t y, int32_t width, int32_t height,
                   lg_integer_sums *sums)
{
#if defined(__AVX2__)
    if (lg_colors_are_fast(p)) {
        color_rows(p, x, y, width, height, sums, color_part);
        return;
    }
#endif
    for (int32_t row = y; row < y + height; row++)
        for (int32_t at = 0; at < width; at += LG_PLANAR_SPAN)
            color_part(p, x + at, row, LG_MIN(width - at, LG_PLANAR_SPAN), sums);
}

const lg_moments_integer_table LG_CPU_TABLE(moments_integer) = {
    .u8 = u8, .u16 = u16, .colors = colors, .planes = planes};
