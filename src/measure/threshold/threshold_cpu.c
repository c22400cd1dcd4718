// Pixels against levels: chunks of a row pass through buffers that stay in the first-level cache.
#include "cpu/cpu.h"
#include "cpu/halves.h"
#include "kernel/space/luma.h"
#include "measure/sample_rows.h"
#include "measure/threshold/threshold_kernels.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LG_SPAN   2048
#define LG_HALVES 1024
#define LG_AHEAD  4096 // bytes that are asked for before they are read
#define INLINE    static inline __attribute__((always_inline))

// ---- one sample per pixel ---------------------------------------------------------------------------

#define FIRST_OF_PAIRS(name, type)                                                                 \
    static void name(const type *restrict pixels, size_t n, type *restrict out)                    \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = pixels[2 * i];                                                                \
    }

FIRST_OF_PAIRS(first_u8, uint8_t)
FIRST_OF_PAIRS(first_u16, uint16_t)
FIRST_OF_PAIRS(first_f32, float)

// A pixel with a NaN is a NaN, one with an infinity is infinite: as in the histogram.
INLINE float luma_guarded(const lg_compare *c, bool max, float r, float g, float b)
{
    const float sum =
        lg_luma_float(r, g, b, c->weight_float[0], c->weight_float[1], c->weight_float[2]);
    const float y = max ? lg_luma_float_max(r, g, b) : sum;
    // NaN with a NaN, else infinite with an infinity, else finite: quarters do not overflow.
    const float guard = fabsf(r) * 0.25f + fabsf(g) * 0.25f + fabsf(b) * 0.25f;
    return guard < INFINITY ? y : guard;
}

static void luma_f32(const lg_compare *c, const float *restrict pixels, size_t n,
                     float *restrict out)
{
    const bool max = c->luma == LG_LUMA_MAX;
    for (size_t i = 0; i < n; i++)
        out[i] = luma_guarded(c, max, pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]);
}

// Side by side samples convert in whole vectors.
static void luma_f16(const lg_compare *c, const uint16_t *restrict pixels, size_t n,
                     float *restrict out)
{
    float floats[LG_HALVES];
    for (size_t at = 0; at < n; at += LG_HALVES / 4) {
        const size_t length = LG_MIN(n - at, (size_t)LG_HALVES / 4);
        lg_halves_to_floats(pixels + 4 * at, 4 * length, floats);
        luma_f32(c, floats, length, out + at);
    }
}

// ---- classes ----------------------------------------------------------------------------------------

// Adds `step` to the bytes of the samples that pass; the first level sets them. A level that no
// sample passes is told by a flag: 65536 does not fit the type that the loop compares in.
#define COMPARE(name, type, passes)                                                                \
    static void name(const type *restrict samples, size_t n, const lg_compare *c, int level,       \
                     uint8_t *restrict out)                                                        \
    {                                                                                              \
        const lg_cut cut = c->cut[level];                                                          \
        const uint8_t step = c->step[level];                                                       \
        if (level == 0)                                                                            \
            for (size_t i = 0; i < n; i++)                                                         \
                out[i] = (passes) ? step : 0;                                                      \
        else                                                                                       \
            for (size_t i = 0; i < n; i++)                                                         \
                out[i] = (uint8_t)(out[i] + ((passes) ? step : 0));                                \
    }

COMPARE(compare_u8, uint8_t, samples[i] >= (uint8_t)cut.integer)
COMPARE(compare_u16, uint16_t, samples[i] >= (uint16_t)cut.integer)
COMPARE(compare_f32, float, samples[i] > cut.real)

// NaN lies beyond the infinities in the order of the bits.
INLINE bool half_passes(uint16_t half, int16_t ordered)
{
    const int16_t s = (int16_t)half, v = (int16_t)(s ^ ((s >> 15) & 0x7fff));
    return (v > ordered) & (v <= 0x7c00);
}

COMPARE(compare_f16, uint16_t, half_passes(samples[i], (int16_t)cut.ordered))

static void classify(const lg_compare *c, lg_type type, const void *samples, size_t n, uint8_t *out)
{
    for (int level = 0; level < c->levels; level++) {
        const uint32_t limit = type == LG_U8 ? 255 : 65535;
        if (type <= LG_U16 && c->cut[level].integer > limit) {
            if (level == 0)
                memset(out, 0, n);
            break; // higher levels are not passed either
        }
        if (type == LG_U8)
            compare_u8(samples, n, c, level, out);
        else if (type == LG_U16)
            compare_u16(samples, n, c, level, out);
        else if (type == LG_F16)
            compare_f16(samples, n, c, level, out);
        else
            compare_f32(samples, n, c, level, out);
    }
}

// ---- output -----------------------------------------------------------------------------------------

#if defined(__AVX512BW__)
#define LG_VECTOR 64
#elif defined(__AVX2__)
#define LG_VECTOR 32
#else
#define LG_VECTOR 16
#endif

typedef uint8_t lg_bytes __attribute__((vector_size(LG_VECTOR), may_alias));

INLINE void store_around(uint8_t *to, lg_bytes v)
{
#if defined(__AVX512BW__)
    _mm512_stream_si512((void *)to, (__m512i)v);
#elif defined(__AVX2__)
    _mm256_stream_si256((__m256i *)to, (__m256i)v);
#elif defined(__SSE2__)
    _mm_stream_si128((__m128i *)to, (__m128i)v);
#else
    *(lg_bytes *)to = v;
#endif
}

static void fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

// Counts the bytes 255 of a chunk and copies it out. `from` is aligned.
static uint64_t flush(const uint8_t *from, size_t n, uint8_t *to, bool stream)
{
    const lg_bytes full = (lg_bytes){0} - 1;
    const bool around = stream && (uintptr_t)to % LG_VECTOR == 0;
    lg_bytes sums = {0}; // at most LG_SPAN / LG_VECTOR = 128 each
    size_t i = 0;
    for (; i + LG_VECTOR <= n; i += LG_VECTOR) {
        const lg_bytes v = *(const lg_bytes *)(from + i);
        sums -= (lg_bytes)(v == full);
        if (around)
            store_around(to + i, v);
        else if (to)
            memcpy(to + i, &v, sizeof v);
    }
    uint64_t count = 0;
    for (int lane = 0; lane < LG_VECTOR; lane++)
        count += sums[lane];
    for (; i < n; i++) {
        count += from[i] == 255;
        if (to)
            to[i] = from[i];
    }
    return count;
}

// ---- rows -------------------------------------------------------------------------------------------

typedef struct lg_sample_buffer {
    _Alignas(64) float f32[LG_SPAN];
} lg_sample_buffer;

// The samples that are compared, and their type: the pixels themselves where they have one channel.
static const void *samples_of(const lg_compare *c, const void *pixels, size_t n,
                              lg_sample_buffer *buffer, lg_type *type)
{
    void *out = buffer;
    *type = c->type;
    if (c->channels == 1)
        return pixels;
    const bool pairs = c->channels == 2;
    switch (c->type) {
    case LG_U8:
        pairs ? first_u8(pixels, n, out)
              : lg_luma_row_u8(pixels, n, c->weight, c->luma == LG_LUMA_MAX, out);
        break;
    case LG_U16:
        pairs ? first_u16(pixels, n, out)
              : lg_luma_row_u16(pixels, n, c->weight, c->luma == LG_LUMA_MAX, out);
        break;
    case LG_F16:
        if (!pairs)
            *type = LG_F32;
        pairs ? first_u16(pixels, n, out) : luma_f16(c, pixels, n, out);
        break;
    default:
        pairs ? first_f32(pixels, n, out) : luma_f32(c, pixels, n, out);
        break;
    }
    return out;
}

// Bytes against one level, straight from the pixels to the output: two classes are 0 and 255.
static uint64_t row_u8(const lg_compare *c, const uint8_t *pixels, size_t n, uint8_t *out)
{
    const uint8_t cut = (uint8_t)c->cut[0].integer;
    const lg_bytes cuts = (lg_bytes){0} + cut;
    const bool around = out && c->stream && (uintptr_t)out % LG_VECTOR == 0;
    uint64_t count = 0;
    size_t i = 0;
    while (i + LG_VECTOR <= n) {
        const size_t end = LG_MIN(n / LG_VECTOR * LG_VECTOR, i + (size_t)255 * LG_VECTOR);
        lg_bytes sums = {0};
        for (; i < end; i += LG_VECTOR) {
            lg_bytes v;
            memcpy(&v, pixels + i, sizeof v);
            __builtin_prefetch(pixels + i + LG_AHEAD, 0, 2);
            v = (lg_bytes)(v >= cuts);
            sums -= v;
            if (around)
                store_around(out + i, v);
            else if (out)
                memcpy(out + i, &v, sizeof v);
        }
        for (int lane = 0; lane < LG_VECTOR; lane++)
            count += sums[lane];
    }
    for (; i < n; i++) {
        const bool passes = pixels[i] >= cut;
        count += passes;
        if (out)
            out[i] = passes ? 255 : 0;
    }
    return count;
}

static uint64_t row(const lg_compare *c, const void *pixels, int64_t n, uint8_t *out)
{
    if (c->type == LG_U8 && c->channels == 1 && c->levels == 1 && c->cut[0].integer <= 255)
        return row_u8(c, pixels, (size_t)n, out);
    const size_t pixel = lg_type_size(c->type) * (size_t)c->channels;
    lg_sample_buffer buffer;
    _Alignas(64) uint8_t bytes[LG_SPAN];
    uint64_t passed = 0;
    for (int64_t at = 0; at < n; at += LG_SPAN) {
        const size_t length = (size_t)LG_MIN(n - at, (int64_t)LG_SPAN);
        lg_type type;
        const void *samples =
            samples_of(c, (const uint8_t *)pixels + (size_t)at * pixel, length, &buffer, &type);
        classify(c, type, samples, length, bytes);
        passed += flush(bytes, length, out ? out + at : NULL, c->stream);
    }
    return passed;
}

static void luma_row(const lg_compare *c, const void *pixels, int64_t n, float *out)
{
    if (c->type == LG_F16)
        luma_f16(c, pixels, (size_t)n, out);
    else
        luma_f32(c, pixels, (size_t)n, out);
}

extern const lg_compare_table LG_CPU_TABLE(compare);
const lg_compare_table LG_CPU_TABLE(compare) = {.row = row, .luma = luma_row, .fence = fence};
