// Moments of the colours of planes of 8 bits, as core/pixel_colors.h makes them: they are counted where they
// are, in registers. Kernels alone include this, where AVX2 is.
#ifndef LG_MOMENTS_COLORS_H
#define LG_MOMENTS_COLORS_H

#include "core/pixel_colors.h"
#include "measure/moments/moments_kernels.h"

// A block adds at most 4 * 255^2 to a sum of squares of 32 bits, which has room for these and those of one
// more span.
enum { COLOR_BLOCKS = 16000 };

typedef struct color_sums {
    __m256i sum[3], squares[3], min[3], max[3]; // 64, 32, 8 and 8 bits wide
} color_sums;

LG_INLINE void color_count(color_sums *s, int channel, __m256i even, __m256i odd)
{
    const __m256i zero = _mm256_setzero_si256(), bytes = _mm256_packus_epi16(even, odd);
    const __m256i a = _mm256_unpacklo_epi8(bytes, zero), b = _mm256_unpackhi_epi8(bytes, zero);
    s->sum[channel] = _mm256_add_epi64(s->sum[channel], _mm256_sad_epu8(bytes, zero));
    s->squares[channel] = _mm256_add_epi32(
        s->squares[channel], _mm256_add_epi32(_mm256_madd_epi16(a, a), _mm256_madd_epi16(b, b)));
    s->min[channel] = _mm256_min_epu8(s->min[channel], bytes);
    s->max[channel] = _mm256_max_epu8(s->max[channel], bytes);
}

static inline void color_spill(color_sums *s, lg_integer_sums *out)
{
    for (int c = 0; c < 3; c++) {
        uint64_t sum[4];
        uint32_t squares[8];
        uint8_t least[32], most[32];
        _mm256_storeu_si256((void *)sum, s->sum[c]);
        _mm256_storeu_si256((void *)squares, s->squares[c]);
        _mm256_storeu_si256((void *)least, s->min[c]);
        _mm256_storeu_si256((void *)most, s->max[c]);
        for (int i = 0; i < 4; i++)
            out->sum[c] += sum[i];
        for (int i = 0; i < 8; i++)
            out->squares[c] += squares[i];
        for (int i = 0; i < 32; i++) {
            out->min[c] = LG_MIN(out->min[c], least[i]);
            out->max[c] = LG_MAX(out->max[c], most[i]);
        }
    }
}

typedef void color_exact(const lg_planar *p, int32_t x, int32_t y, int count, lg_integer_sums *out);

// Whole blocks of `count` pixels, at most LG_PLANAR_SPAN, from an even column on. `exact` counts a block of
// lg_planar_read.
LG_INLINE void color_span(const lg_planar *p, const lg_color_rule *rule, int32_t x, int32_t y,
                          int count, const bool between, color_sums *sums, lg_integer_sums *out,
                          color_exact *exact)
{
    lg_color_columns columns;
    lg_color_block block;
    const uint8_t *luma = p->plane[0] + (size_t)y * p->row[0] + (size_t)x;
    lg_color_columns_of(p, rule, y, x / 2, count / 2 + 2, &columns);
    for (int k = 0; k < count; k += LG_COLORS_BLOCK)
        if (lg_color_pixels(rule, luma + k, &columns, k / 2, between, &block))
            for (int c = 0; c < 3; c++)
                color_count(sums, c, block.even[c], block.odd[c]);
        else
            exact(p, x + k, y, LG_COLORS_BLOCK, out);
}

static inline color_sums color_nothing(void)
{
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(-1);
    return (color_sums){
        {zero, zero, zero}, {zero, zero, zero}, {ones, ones, ones}, {zero, zero, zero}};
}

// Rows of a part of the planes, from an even column on.
static inline void color_rows(const lg_planar *p, int32_t x, int32_t y, int32_t width,
                              int32_t height, lg_integer_sums *out, color_exact *exact)
{
    const lg_color_rule rule = lg_color_rule_of(p);
    color_sums sums = color_nothing();
    int32_t blocks = 0;
    for (int32_t row = y; row < y + height; row++)
        for (int32_t at = 0; at < width; at += LG_PLANAR_SPAN) {
            const int count = LG_MIN(width - at, LG_PLANAR_SPAN),
                      whole = count / LG_COLORS_BLOCK * LG_COLORS_BLOCK;
            if (whole > 0 && p->across.between)
                color_span(p, &rule, x + at, row, whole, true, &sums, out, exact);
            else if (whole > 0)
                color_span(p, &rule, x + at, row, whole, false, &sums, out, exact);
            if (count > whole)
                exact(p, x + at + whole, row, count - whole, out);
            blocks += whole / LG_COLORS_BLOCK;
            if (blocks > COLOR_BLOCKS) {
                color_spill(&sums, out);
                sums = color_nothing();
                blocks = 0;
            }
        }
    color_spill(&sums, out);
}

#endif
