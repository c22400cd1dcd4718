// Histogram kernels, compiled once per instruction set.
#include "cpu/cpu.h"
#include "kernel/space/hsl.h"
#include "kernel/space/lab.h"
#include "kernel/space/lch.h"
#include "kernel/space/luma.h"
#include "kernel/space/luv.h"
#include "kernel/space/oklab.h"
#include "kernel/space/ycbcr.h"
#include "kernel/space/yiq.h"
#include "measure/histogram/histogram_kernels.h"
#include "measure/sample_rows.h"

#define INLINE static inline __attribute__((always_inline))

// ---- counting -----------------------------------------------------------------------------------

// Eight samples, `size` bytes each, lie in `size` words. Bit k of `skip`: sample k is not counted.
INLINE uint32_t sample_of(const uint64_t *words, size_t size, unsigned k)
{
    const unsigned per = 8 / (unsigned)size;
    const uint64_t word = words[k / per] >> (8 * size * (k % per));
    return size == 1 ? (uint8_t)word : size == 2 ? (uint16_t)word : (uint32_t)word;
}

INLINE void count_eight(const uint64_t *words, size_t size, unsigned ways, unsigned skip,
                        uint32_t *tables, size_t stride, uint32_t add)
{
#pragma GCC unroll 8
    for (unsigned k = 0; k < 8; k++) {
        if (!(skip >> k & 1))
            tables[(k % ways) * stride + sample_of(words, size, k)] += add;
    }
}

INLINE bool same_eight(const uint64_t *a, const uint64_t *b, size_t size)
{
    uint64_t difference = a[0] ^ b[0];
    for (size_t i = 1; i < size; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

// Eight samples equal to the eight before are only noted: a long run costs a comparison per eight
// samples instead of eight increments that wait for each other.
INLINE void count_span(const uint8_t *samples, size_t size, size_t count, unsigned ways,
                       unsigned skip, bool runs, uint32_t *tables, size_t stride)
{
    const size_t step = 8 * size;
    const uint8_t *end = samples + count / 8 * step;
    uint64_t words[4], last[4] = {0};
    uint32_t run = 0;
    for (; samples < end; samples += step) {
        memcpy(words, samples, step);
        if (runs && same_eight(words, last, size)) {
            run++;
            continue;
        }
        if (runs && run)
            count_eight(last, size, ways, skip, tables, stride, run);
        run = 0;
        count_eight(words, size, ways, skip, tables, stride, 1);
        memcpy(last, words, step);
    }
    if (runs && run)
        count_eight(last, size, ways, skip, tables, stride, run);
    for (unsigned k = 0; k < count % 8; k++) {
        uint32_t value = 0;
        memcpy(&value, samples + k * size, size); // little-endian: the low bytes
        if (!(skip >> k & 1))
            tables[(k % ways) * stride + value]++;
    }
}

// Four pixels of four bytes: the colours, or the alphas.
INLINE void count_colors(const uint64_t *words, uint32_t *tables, uint32_t add)
{
#pragma GCC unroll 16
    for (unsigned k = 0; k < 16; k++) {
        if (k % 4 < 3)
            tables[k * LG_HISTOGRAM_WIDE_STRIDE + sample_of(words, 1, k)] += add;
    }
}

INLINE void count_alphas(const uint64_t *words, uint32_t *tables, uint32_t add)
{
#pragma GCC unroll 4
    for (unsigned k = 3; k < 16; k += 4)
        tables[k * LG_HISTOGRAM_WIDE_STRIDE + sample_of(words, 1, k)] += add;
}

// Alphas that are all 255 are counted together.
INLINE void count_pixels(const uint8_t *pixels, size_t size, bool alpha, uint32_t *tables)
{
    const uint64_t alphas = 0xff000000ff000000;
    uint64_t words[2], last[2] = {0};
    uint32_t run = 0, opaque = 0;
    for (; size >= 16; size -= 16, pixels += 16) {
        memcpy(words, pixels, sizeof words);
        if (same_eight(words, last, 2)) {
            run++;
            continue;
        }
        if (run) {
            count_colors(last, tables, run);
            count_alphas(last, tables, run);
        }
        run = 0;
        memcpy(last, words, sizeof last);
        const bool plain = !alpha || (words[0] & words[1] & alphas) == alphas;
        opaque += plain;
        count_colors(words, tables, 1);
        if (!plain)
            count_alphas(words, tables, 1);
    }
    if (run) {
        count_colors(last, tables, run);
        count_alphas(last, tables, run);
    }
    tables[3 * LG_HISTOGRAM_WIDE_STRIDE + 255] += 4 * opaque;
    for (size_t k = 0; k < size; k++)
        tables[k * LG_HISTOGRAM_WIDE_STRIDE + pixels[k]]++;
}

static void count_u8_pixels(const uint8_t *pixels, size_t size, bool alpha, uint32_t *tables)
{
    if (alpha)
        count_pixels(pixels, size, true, tables);
    else
        count_pixels(pixels, size, false, tables);
}

#define SPAN(size, ways, skip, runs, stride)                                                       \
    count_span(samples, size, count, ways, skip, runs, tables, stride)

// The combinations of channels and ways that a layout may ask for.
#define COUNT_SIZE(name, size)                                                                     \
    static void name(const uint8_t *samples, size_t count, const lg_histogram_layout *l,           \
                     uint32_t *tables)                                                             \
    {                                                                                              \
        const bool part = l->counted < l->channels;                                                \
        switch (l->ways * 16 + l->channels * 2 + part) {                                           \
        case 8 * 16 + 2:                                                                           \
        case 8 * 16 + 4:                                                                           \
        case 8 * 16 + 8:                                                                           \
            SPAN(size, 8, 0, true, LG_HISTOGRAM_WIDE_STRIDE);                                      \
            break;                                                                                 \
        case 8 * 16 + 5:                                                                           \
            SPAN(size, 8, 0xaa, true, LG_HISTOGRAM_WIDE_STRIDE);                                   \
            break;                                                                                 \
        case 8 * 16 + 9:                                                                           \
            SPAN(size, 8, 0x88, true, LG_HISTOGRAM_WIDE_STRIDE);                                   \
            break;                                                                                 \
        case 4 * 16 + 8:                                                                           \
            SPAN(size, 4, 0, l->runs, l->stride);                                                  \
            break;                                                                                 \
        case 4 * 16 + 9:                                                                           \
            SPAN(size, 4, 0x88, l->runs, l->stride);                                               \
            break;                                                                                 \
        case 2 * 16 + 2:                                                                           \
        case 2 * 16 + 4:                                                                           \
            SPAN(size, 2, 0, l->runs, l->stride);                                                  \
            break;                                                                                 \
        case 2 * 16 + 5:                                                                           \
            SPAN(size, 2, 0xaa, l->runs, l->stride);                                               \
            break;                                                                                 \
        default:                                                                                   \
            SPAN(size, 1, 0, l->runs, l->stride);                                                  \
            break;                                                                                 \
        }                                                                                          \
    }

COUNT_SIZE(count_u8, 1)
COUNT_SIZE(count_u16, 2)
COUNT_SIZE(count_u32, 4)

static void count(const void *samples, size_t size, size_t n, const lg_histogram_layout *layout,
                  uint32_t *tables)
{
    if (size == 1 && layout->ways == LG_HISTOGRAM_PIXEL_WAYS)
        count_u8_pixels(samples, n, layout->counted == 4, tables);
    else if (size == 1)
        count_u8(samples, n, layout, tables);
    else if (size == 2)
        count_u16(samples, n, layout, tables);
    else
        count_u32(samples, n, layout, tables);
}

// ---- integer luma -------------------------------------------------------------------------------

static void luma_u8(const uint8_t *pixels, size_t n, const lg_histogram_task *task, uint8_t *out)
{
    lg_luma_row_u8(pixels, n, task->luma_weight, task->luma == LG_LUMA_MAX, out);
}

static void luma_u16(const uint16_t *pixels, size_t n, const lg_histogram_task *task, uint16_t *out)
{
    lg_luma_row_u16(pixels, n, task->luma_weight, task->luma == LG_LUMA_MAX, out);
}

// ---- floats -------------------------------------------------------------------------------------

static void load(const void *samples, lg_type type, size_t n, float scale, float *restrict out)
{
    if (type == LG_U8) {
        for (size_t i = 0; i < n; i++)
            out[i] = (float)((const uint8_t *)samples)[i] * scale;
    } else if (type == LG_U16) {
        for (size_t i = 0; i < n; i++)
            out[i] = (float)((const uint16_t *)samples)[i] * scale;
    } else if (type == LG_F16) {
        for (size_t i = 0; i < n; i++)
            out[i] = lg_half_value(((const uint16_t *)samples)[i]);
    } else {
        memcpy(out, samples, n * sizeof *out);
    }
}

INLINE color luma_of(color c, const float *weight, bool max)
{
    const float sum = lg_luma_float(c.r, c.g, c.b, weight[0], weight[1], weight[2]);
    const float top = lg_luma_float_max(c.r, c.g, c.b);
    c.r = max ? top : sum;
    return c;
}

// A pixel with a NaN is NaN, one with an infinity infinite, in every computed channel.
INLINE float guarded(color c, float value)
{
    const bool nan = (c.r != c.r) | (c.g != c.g) | (c.b != c.b);
    const bool inf = (fabsf(c.r) == INFINITY) | (fabsf(c.g) == INFINITY) | (fabsf(c.b) == INFINITY);
    return nan ? NAN : inf ? INFINITY : value;
}

#define COLOUR_LOOP(call)                                                                          \
    for (size_t i = 0; i < n; i++) {                                                               \
        const color c = {pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], 1};                  \
        const color y = call;                                                                      \
        first[i] = guarded(c, y.r);                                                                \
        second[i] = guarded(c, y.g);                                                               \
        third[i] = guarded(c, y.b);                                                                \
    }

static void to_space(const float *restrict pixels, size_t n, const lg_histogram_task *task,
                     float *restrict planes)
{
    float *restrict first = planes;
    float *restrict second = planes + LG_HISTOGRAM_SPAN;
    float *restrict third = planes + 2 * LG_HISTOGRAM_SPAN;
    const float weight[3] = {task->luma_weight_float[0], task->luma_weight_float[1],
                             task->luma_weight_float[2]};
    const bool max = task->luma == LG_LUMA_MAX;
    switch (task->space) {
    case LG_SPACE_LINEAR:
        COLOUR_LOOP(lg_point_linear(c))
        break;
    case LG_SPACE_HSV:
        COLOUR_LOOP(lg_point_hsv(c))
        break;
    case LG_SPACE_HSL:
        COLOUR_LOOP(lg_point_hsl(c))
        break;
    case LG_SPACE_LAB:
        COLOUR_LOOP(lg_point_lab(c))
        break;
    case LG_SPACE_YCBCR601:
        COLOUR_LOOP(lg_point_ycbcr601(c))
        break;
    case LG_SPACE_YCBCR709:
        COLOUR_LOOP(lg_point_ycbcr709(c))
        break;
    case LG_SPACE_YIQ:
        COLOUR_LOOP(lg_point_yiq(c))
        break;
    case LG_SPACE_XYZ:
        COLOUR_LOOP(lg_point_xyz(c))
        break;
    case LG_SPACE_LUV:
        COLOUR_LOOP(lg_point_luv(c))
        break;
    case LG_SPACE_LCH:
        COLOUR_LOOP(lg_point_lch(c))
        break;
    case LG_SPACE_OKLAB:
        COLOUR_LOOP(lg_point_oklab(c))
        break;
    default:
        COLOUR_LOOP(luma_of(c, weight, max))
        break;
    }
}

// `scaled`: the rule has a factor; ordinary ones do without the product.
INLINE uint32_t bin_of(float v, const lg_histogram_rule *r, bool scaled, int32_t bins)
{
    const float lo = r->lo, hi = r->hi;
    const float position = scaled ? (v * r->factor - r->start) * r->scale : (v - lo) * r->scale;
    const bool inside = (v >= lo) & (v <= hi);
    const int32_t index = (int32_t)(inside ? position : 0.0f);
    int32_t outside = v < lo ? bins + LG_OUTSIDE_BELOW : bins + LG_OUTSIDE_ABOVE;
    outside = fabsf(v) == INFINITY ? bins + LG_OUTSIDE_INF : outside;
    outside = v != v ? bins + LG_OUTSIDE_NAN : outside;
    const int32_t within = index < bins - 1 ? index : bins - 1;
    return (uint32_t)(inside ? within : outside);
}

#define BIN_LOOP(type, scaled)                                                                     \
    for (size_t i = 0; i < n; i++)                                                                 \
        out[i] = (type)bin_of(values[i], &r, scaled, (int32_t)bins);

#define BIN_ROW(name, type)                                                                        \
    static void name(const float *restrict values, size_t n, const lg_histogram_rule *rule,        \
                     uint32_t bins, type *restrict out)                                            \
    {                                                                                              \
        const lg_histogram_rule r = *rule;                                                         \
        if (r.factor == 1)                                                                         \
            BIN_LOOP(type, false)                                                                  \
        else                                                                                       \
            BIN_LOOP(type, true)                                                                   \
    }

BIN_ROW(bin_u16, uint16_t)
BIN_ROW(bin_u32, uint32_t)

extern const lg_histogram_kernels LG_CPU_TABLE(histogram);
const lg_histogram_kernels LG_CPU_TABLE(histogram) = {
    .count = count,
    .luma_u8 = luma_u8,
    .luma_u16 = luma_u16,
    .load = load,
    .to_space = to_space,
    .bin_u16 = bin_u16,
    .bin_u32 = bin_u32,
};
