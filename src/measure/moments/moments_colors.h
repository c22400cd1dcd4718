// Moments of the colours of planes of 8 bits, where chroma has half the columns: colours of 32 pixels at a
// time stay in registers. Kernels alone include this, where AVX2 is.
//
// lg_planar_read defines a colour: sums of products of 40 bits behind the point, cut off at the point. Here
// products keep 18 of these bits, always too little and by less than SLACK in all. Where so little more would
// be another colour, lg_planar_read makes these 32 pixels; of other pixels the colour is the same.
#ifndef LG_MOMENTS_COLORS_H
#define LG_MOMENTS_COLORS_H

#include "core/pixel_planes.h"
#include "measure/moments/moments_kernels.h"

#include <immintrin.h>

#define COLOR_BLOCK 32 // pixels

// A number is two words of 16 bits: the high one in units of 2^-5, so that colours up to 1023 fit; the low
// one without sign in units of 2^-18, where the lowest 13 bits are below the unit of the high one.
#define HIGH_BITS 5
#define LOW_BITS  13

// Three products are cut off twice each, by less than a unit; low digits are too little by half a unit of
// their product at most, which of negative words is too much, and the start is less by TOO_LITTLE and a part.
#define SLACK      12
#define TOO_LITTLE 2

#define HALF_COLUMNS (LG_PLANAR_SPAN / 2 + 2 + 16) // of chroma, and what a vector reads behind them

typedef struct color_number {
    __m256i high, low;
} color_number;

// A factor of words of 16 bits in two digits: high + low / 2^LOW_BITS.
typedef struct color_factor {
    __m256i high, low;
} color_factor;

typedef struct color_rule {
    color_number start;
    color_factor luma, red_cr, green_cb, green_cr, blue_cb;
} color_rule;

// `unit`: the bits of the coefficient below that of the high digit. The low digit is cut off.
static inline color_factor color_factor_of(int64_t coefficient, int unit)
{
    const int64_t high = (coefficient + (INT64_C(1) << (unit - 1))) >> unit;
    const int64_t low = (coefficient - high * (INT64_C(1) << unit)) >> (unit - LOW_BITS);
    return (color_factor){_mm256_set1_epi16((int16_t)high), _mm256_set1_epi16((int16_t)low)};
}

// Words of luma are codes * 2^7, words of chroma are sixteenths * 2^4, both below 2^15. A word times the high
// digit is in units of 2^-21: 2^-40 * 2^unit / 2^(7 or 4).
static inline color_rule color_rule_of(const lg_decoder *d)
{
    const int64_t start = LG_CODE_HALF - d->luma * d->range.black;
    const int64_t units = (start >> (LG_CODE_SHIFT - HIGH_BITS - LOW_BITS)) - TOO_LITTLE;
    // One unit of the high word stands in the low one, which products with negative digits make smaller.
    const int64_t high = (units >> LOW_BITS) - 1;
    const int64_t low = units - high * (1 << LOW_BITS);
    return (color_rule){
        .start = {_mm256_set1_epi16((int16_t)high), _mm256_set1_epi16((int16_t)low)},
        .luma = color_factor_of(d->luma, 26),
        .red_cr = color_factor_of(d->red_cr, 23),
        .green_cb = color_factor_of(d->green_cb, 23),
        .green_cr = color_factor_of(d->green_cr, 23),
        .blue_cb = color_factor_of(d->blue_cb, 23)};
}

LG_INLINE color_number color_add(color_number sum, __m256i words, color_factor factor)
{
    const __m256i low = _mm256_srli_epi16(_mm256_mullo_epi16(words, factor.high), 16 - LOW_BITS);
    const __m256i lower = _mm256_mulhi_epi16(words, factor.low);
    sum.high = _mm256_add_epi16(sum.high, _mm256_mulhi_epi16(words, factor.high));
    sum.low = _mm256_add_epi16(sum.low, _mm256_add_epi16(low, lower));
    return sum;
}

// The colour, not yet between 0 and 255; bits of *doubt above HIGH_BITS: it may be the next one.
LG_INLINE __m256i color_of(color_number sum, __m256i *doubt)
{
    const __m256i more = _mm256_add_epi16(sum.low, _mm256_set1_epi16(SLACK));
    const __m256i at = _mm256_add_epi16(sum.high, _mm256_srli_epi16(sum.low, LOW_BITS));
    const __m256i next = _mm256_add_epi16(sum.high, _mm256_srli_epi16(more, LOW_BITS));
    *doubt = _mm256_or_si256(*doubt, _mm256_xor_si256(at, next));
    return _mm256_srai_epi16(at, HIGH_BITS);
}

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

// Words of the chroma of even and odd pixels: sixteenths less those of grey, 16 * 128, times 2^4. chroma[1]
// is of the first pixels, chroma[0] of the column before.
LG_INLINE void color_chroma(const uint16_t *chroma, const bool between, __m256i *even, __m256i *odd)
{
    const __m256i sign = _mm256_set1_epi16(INT16_MIN);
    const __m256i here = _mm256_loadu_si256((const void *)(chroma + 1));
    const __m256i behind = _mm256_loadu_si256((const void *)(chroma + 2));
    if (between) {
        const __m256i before = _mm256_loadu_si256((const void *)chroma);
        const __m256i three = _mm256_add_epi16(here, _mm256_add_epi16(here, here));
        *even = _mm256_slli_epi16(_mm256_add_epi16(before, three), 4);
        *odd = _mm256_slli_epi16(_mm256_add_epi16(three, behind), 4);
    } else {
        *even = _mm256_slli_epi16(here, 6);
        *odd = _mm256_slli_epi16(_mm256_add_epi16(here, behind), 5);
    }
    *even = _mm256_xor_si256(*even, sign);
    *odd = _mm256_xor_si256(*odd, sign);
}

typedef struct color_words {
    __m256i luma, cb, cr;
} color_words;

LG_INLINE void color_pixels(const color_rule *rule, const color_words *w, __m256i out[3],
                            __m256i *doubt)
{
    const color_number y = color_add(rule->start, w->luma, rule->luma);
    const color_number g = color_add(y, w->cb, rule->green_cb);
    out[0] = color_of(color_add(y, w->cr, rule->red_cr), doubt);
    out[1] = color_of(color_add(g, w->cr, rule->green_cr), doubt);
    out[2] = color_of(color_add(y, w->cb, rule->blue_cb), doubt);
}

// False, and nothing is counted: lg_planar_read makes these pixels.
LG_INLINE bool color_block(const color_rule *rule, const uint8_t *luma, const uint16_t *cb,
                           const uint16_t *cr, const bool between, color_sums *sums)
{
    const __m256i y = _mm256_loadu_si256((const void *)luma);
    __m256i doubt = _mm256_setzero_si256(), a[3], b[3];
    color_words even, odd;
    color_chroma(cb, between, &even.cb, &odd.cb);
    color_chroma(cr, between, &even.cr, &odd.cr);
    even.luma = _mm256_srli_epi16(_mm256_slli_epi16(y, 8), 1);
    odd.luma = _mm256_slli_epi16(_mm256_srli_epi16(y, 8), 7);
    color_pixels(rule, &even, a, &doubt);
    color_pixels(rule, &odd, b, &doubt);
    if (!_mm256_testz_si256(doubt, _mm256_set1_epi16(-(1 << HIGH_BITS))))
        return false;
    for (int c = 0; c < 3; c++)
        color_count(sums, c, a[c], b[c]);
    return true;
}

// Both rows of chroma around a row of luma in quarters, as lg_blend_chroma.
static inline void color_blend(const lg_planar *p, int plane, const lg_chroma_neighbours *n,
                               int64_t first, int count, uint16_t *restrict out)
{
    const uint8_t *above = p->plane[plane] + (size_t)n->first * p->row[plane];
    const uint8_t *below = p->plane[plane] + (size_t)n->second * p->row[plane];
    const unsigned one = (unsigned)n->weight_first, two = (unsigned)n->weight_second;
    const int lead = first == 0, inside = (int)LG_MIN(count, p->across.chroma - first + 1);
    for (int i = lead; i < inside; i++)
        out[i] = (uint16_t)(one * above[first - 1 + i] + two * below[first - 1 + i]);
    if (lead)
        out[0] = out[1];
    for (int i = inside; i < count; i++)
        out[i] = out[inside - 1];
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

// Whether this way is one for these planes.
static inline bool color_is_fast(const lg_planar *p)
{
    return p->chroma && p->sample == 1 && p->step == 1 && p->across.factor == 2 &&
           p->decoder.range.grey == 128;
}

// Whole blocks of `count` pixels, at most LG_PLANAR_SPAN, from an even column on. `exact` counts a block of
// lg_planar_read.
LG_INLINE void color_span(const lg_planar *p, const color_rule *rule, int32_t x, int32_t y,
                          int count, const bool between, color_sums *sums, lg_integer_sums *out,
                          void (*exact)(const lg_planar *p, int32_t x, int32_t y, int count,
                                        lg_integer_sums *out))
{
    uint16_t chroma[2][HALF_COLUMNS];
    const lg_chroma_neighbours n = lg_chroma_around(&p->down, y);
    const uint8_t *luma = p->plane[0] + (size_t)y * p->row[0] + (size_t)x;
    for (int i = 0; i < 2; i++)
        color_blend(p, 1 + i, &n, x / 2, (count - 1) / 2 + 3, chroma[i]);
    for (int k = 0; k + COLOR_BLOCK <= count; k += COLOR_BLOCK)
        if (!color_block(rule, luma + k, chroma[0] + k / 2, chroma[1] + k / 2, between, sums))
            exact(p, x + k, y, COLOR_BLOCK, out);
}

// Rows of a part of the planes, from an even column on.
static inline void color_rows(const lg_planar *p, int32_t x, int32_t y, int32_t width,
                              int32_t height, lg_integer_sums *out,
                              void (*exact)(const lg_planar *p, int32_t x, int32_t y, int count,
                                            lg_integer_sums *out))
{
    const color_rule rule = color_rule_of(&p->decoder);
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(-1);
    for (int32_t row = y; row < y + height; row++) {
        color_sums sums = {
            {zero, zero, zero}, {zero, zero, zero}, {ones, ones, ones}, {zero, zero, zero}};
        for (int32_t at = 0; at < width; at += LG_PLANAR_SPAN) {
            const int count = LG_MIN(width - at, LG_PLANAR_SPAN),
                      whole = count / COLOR_BLOCK * COLOR_BLOCK;
            if (p->across.between)
                color_span(p, &rule, x + at, row, whole, true, &sums, out, exact);
            else
                color_span(p, &rule, x + at, row, whole, false, &sums, out, exact);
            if (count > whole)
                exact(p, x + at + whole, row, count - whole, out);
        }
        color_spill(&sums, out);
    }
}

#undef COLOR_BLOCK
#undef HIGH_BITS
#undef LOW_BITS
#undef SLACK
#undef TOO_LITTLE
#undef HALF_COLUMNS

#endif
