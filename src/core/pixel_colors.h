// Colours of planes of 8 bits, where chroma has half the columns, by words of 16 bits: 32 pixels at a time
// stay in registers, and who includes this counts or stores them. Without AVX2, and of other planes,
// lg_colors_read is lg_planar_read.
//
// lg_planar_read defines a colour: sums of products of 40 bits behind the point, cut off at the point. Here
// products keep 18 of these bits, always too little and by less than LG_COLORS_SLACK in all. Where so little
// more would be another colour, lg_planar_read makes these 32 pixels; of other pixels the colour is the same.
//
// What chroma adds to a colour is a sum over two columns of it, so its products are made once for a column.
#ifndef LG_PIXEL_COLORS_H
#define LG_PIXEL_COLORS_H

#include "core/pixel_planes.h"

#if defined __AVX2__

#include <immintrin.h>

#define LG_COLORS_BLOCK 32 // pixels

// A number is two words of 16 bits: the high one in units of 2^-5, so that colours up to 1023 fit; the low
// one without sign in units of 2^-18, where the lowest 13 bits are below the unit of the high one.
#define LG_HIGH_BITS  5
#define LG_DIGIT_BITS 13

// A product is cut off twice, each time by less than a unit, and its low digit is too little by half a unit
// at most, which of negative words is too much. With the weight of its column, 4 in all between columns and 2
// on them, luma and two products of chroma are too little by less than 2.5 + 2 * 2.5 * weight; the start is
// less by what they may be too much, 2 * 0.5 * weight, and a part of a unit.
#define LG_TOO_LITTLE(weight)   (weight)
#define LG_COLORS_SLACK(weight) (4 + 6 * (weight))

#define LG_COLORS_COLUMNS (LG_PLANAR_SPAN / 2 + 2) // of chroma, for a span

typedef struct lg_color_digits {
    __m256i high, low;
} lg_color_digits;

typedef struct lg_color_rule {
    lg_color_digits start;
    // Factors of words in two digits: high + low / 2^LG_DIGIT_BITS.
    lg_color_digits luma, red_cr, green_cb, green_cr, blue_cb;
    __m256i slack;
} lg_color_rule;

// What columns of chroma add to red, green and blue, by a weight of 1. Place 0 is of the column before the
// first pixel's.
typedef struct lg_color_columns {
    uint16_t high[3][LG_COLORS_COLUMNS + 16], low[3][LG_COLORS_COLUMNS + 16];
} lg_color_columns;

// `unit`: the bits of the coefficient below that of the high digit. The low digit is cut off.
static inline lg_color_digits lg_color_factor(int64_t coefficient, int unit)
{
    const int64_t high = (coefficient + (INT64_C(1) << (unit - 1))) >> unit;
    const int64_t low = (coefficient - high * (INT64_C(1) << unit)) >> (unit - LG_DIGIT_BITS);
    return (lg_color_digits){_mm256_set1_epi16((int16_t)high), _mm256_set1_epi16((int16_t)low)};
}

// Words of luma are codes * 2^7, words of chroma are quarters of both rows * 2^6, which is sixteenths * 2^4,
// both below 2^15. A word times the high digit is in units of 2^-21: 2^-40 * 2^unit / 2^(7 or 4). Weights of
// columns make the whole of what is a half or a quarter here.
static inline lg_color_rule lg_color_rule_of(const lg_planar *p)
{
    const lg_decoder *d = &p->decoder;
    const int weight = p->across.between ? 4 : 2, chroma = p->across.between ? 25 : 24;
    const int64_t start = LG_CODE_HALF - d->luma * d->range.black;
    const int64_t units =
        (start >> (LG_CODE_SHIFT - LG_HIGH_BITS - LG_DIGIT_BITS)) - LG_TOO_LITTLE(weight);
    // One unit of the high word stands in the low one, which the product of luma may make smaller.
    const int64_t high = (units >> LG_DIGIT_BITS) - 1;
    const int64_t low = units - high * (1 << LG_DIGIT_BITS);
    return (lg_color_rule){
        .start = {_mm256_set1_epi16((int16_t)high), _mm256_set1_epi16((int16_t)low)},
        .luma = lg_color_factor(d->luma, 26),
        .red_cr = lg_color_factor(d->red_cr, chroma),
        .green_cb = lg_color_factor(d->green_cb, chroma),
        .green_cr = lg_color_factor(d->green_cr, chroma),
        .blue_cb = lg_color_factor(d->blue_cb, chroma),
        .slack = _mm256_set1_epi16(LG_COLORS_SLACK(weight))};
}

LG_INLINE lg_color_digits lg_color_product(__m256i words, lg_color_digits factor)
{
    const __m256i low =
        _mm256_srli_epi16(_mm256_mullo_epi16(words, factor.high), 16 - LG_DIGIT_BITS);
    return (lg_color_digits){_mm256_mulhi_epi16(words, factor.high),
                             _mm256_add_epi16(low, _mm256_mulhi_epi16(words, factor.low))};
}

LG_INLINE lg_color_digits lg_color_add(lg_color_digits a, lg_color_digits b)
{
    return (lg_color_digits){_mm256_add_epi16(a.high, b.high), _mm256_add_epi16(a.low, b.low)};
}

// ---- columns of chroma --------------------------------------------------------------------------

// Its low word becomes a digit, so that four of them fit a word beside that of luma.
LG_INLINE void lg_color_put_column(lg_color_columns *out, int channel, int at, lg_color_digits d)
{
    const __m256i most = _mm256_set1_epi16((1 << LG_DIGIT_BITS) - 1);
    const __m256i high = _mm256_add_epi16(d.high, _mm256_srai_epi16(d.low, LG_DIGIT_BITS));
    _mm256_storeu_si256((void *)(out->high[channel] + at), high);
    _mm256_storeu_si256((void *)(out->low[channel] + at), _mm256_and_si256(d.low, most));
}

// Words of 16 columns: both rows around the row of luma in quarters, as lg_blend_chroma, less those of grey.
LG_INLINE __m256i lg_color_words(const uint8_t *above, const uint8_t *below, __m256i one,
                                 __m256i two)
{
    const __m256i a = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)above));
    const __m256i b = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)below));
    const __m256i quarters =
        _mm256_add_epi16(_mm256_mullo_epi16(a, one), _mm256_mullo_epi16(b, two));
    return _mm256_xor_si256(_mm256_slli_epi16(quarters, 6), _mm256_set1_epi16(INT16_MIN));
}

// `count` columns from first - 1 on, of which there are 16 at least; beyond the edge stands the one at the
// edge.
static inline void lg_color_columns_of(const lg_planar *p, const lg_color_rule *rule, int32_t y,
                                       int32_t first, int count, lg_color_columns *out)
{
    const lg_chroma_neighbours n = lg_chroma_around(&p->down, y);
    const __m256i one = _mm256_set1_epi16((int16_t)n.weight_first);
    const __m256i two = _mm256_set1_epi16((int16_t)n.weight_second);
    const uint8_t *row[2][2];
    for (int i = 0; i < 2; i++) {
        row[i][0] = p->plane[1 + i] + (size_t)n.first * p->row[1 + i];
        row[i][1] = p->plane[1 + i] + (size_t)n.second * p->row[1 + i];
    }
    const int32_t from = LG_MAX(first - 1, 0), end = LG_MIN(first - 1 + count, p->across.chroma);
    for (int32_t k = from; k < end; k += 16) {
        const int32_t column = LG_MIN(k, end - 16);
        const int at = column - (first - 1);
        const __m256i cb = lg_color_words(row[0][0] + column, row[0][1] + column, one, two);
        const __m256i cr = lg_color_words(row[1][0] + column, row[1][1] + column, one, two);
        const lg_color_digits green = lg_color_product(cb, rule->green_cb);
        lg_color_put_column(out, 0, at, lg_color_product(cr, rule->red_cr));
        lg_color_put_column(out, 1, at, lg_color_add(green, lg_color_product(cr, rule->green_cr)));
        lg_color_put_column(out, 2, at, lg_color_product(cb, rule->blue_cb));
    }
    for (int c = 0; c < 3; c++) {
        if (first == 0)
            out->high[c][0] = out->high[c][1], out->low[c][0] = out->low[c][1];
        for (int i = end - (first - 1); i < count; i++)
            out->high[c][i] = out->high[c][i - 1], out->low[c][i] = out->low[c][i - 1];
    }
}

// ---- blocks of pixels ---------------------------------------------------------------------------

// Words of even and of odd columns, not yet between 0 and 255.
typedef struct lg_color_block {
    __m256i even[3], odd[3];
} lg_color_block;

// Digits of chroma for even and odd columns: a half of the column of each, or one and three quarters.
LG_INLINE void lg_color_spread(const uint16_t *columns, const bool between, __m256i *even,
                               __m256i *odd)
{
    const __m256i here = _mm256_loadu_si256((const void *)(columns + 1));
    const __m256i behind = _mm256_loadu_si256((const void *)(columns + 2));
    const __m256i twice = _mm256_add_epi16(here, here);
    if (between) {
        const __m256i three = _mm256_add_epi16(here, twice);
        *even = _mm256_add_epi16(three, _mm256_loadu_si256((const void *)columns));
        *odd = _mm256_add_epi16(three, behind);
    } else {
        *even = twice;
        *odd = _mm256_add_epi16(here, behind);
    }
}

// Bits of *doubt above LG_HIGH_BITS: it may be the next colour.
LG_INLINE __m256i lg_color_of(const lg_color_rule *rule, lg_color_digits sum, __m256i *doubt)
{
    const __m256i more = _mm256_add_epi16(sum.low, rule->slack);
    const __m256i at = _mm256_add_epi16(sum.high, _mm256_srli_epi16(sum.low, LG_DIGIT_BITS));
    const __m256i next = _mm256_add_epi16(sum.high, _mm256_srli_epi16(more, LG_DIGIT_BITS));
    *doubt = _mm256_or_si256(*doubt, _mm256_xor_si256(at, next));
    return _mm256_srai_epi16(at, LG_HIGH_BITS);
}

// 32 pixels, whose chroma is `columns` from place `at` on. False: lg_planar_read makes them.
LG_INLINE bool lg_color_pixels(const lg_color_rule *rule, const uint8_t *luma,
                               const lg_color_columns *columns, int at, const bool between,
                               lg_color_block *out)
{
    const __m256i y = _mm256_loadu_si256((const void *)luma);
    const __m256i even = _mm256_srli_epi16(_mm256_slli_epi16(y, 8), 1);
    const __m256i odd = _mm256_slli_epi16(_mm256_srli_epi16(y, 8), 7);
    const lg_color_digits a = lg_color_add(rule->start, lg_color_product(even, rule->luma));
    const lg_color_digits b = lg_color_add(rule->start, lg_color_product(odd, rule->luma));
    __m256i doubt = _mm256_setzero_si256();
    for (int c = 0; c < 3; c++) {
        lg_color_digits left, right;
        lg_color_spread(columns->high[c] + at, between, &left.high, &right.high);
        lg_color_spread(columns->low[c] + at, between, &left.low, &right.low);
        out->even[c] = lg_color_of(rule, lg_color_add(a, left), &doubt);
        out->odd[c] = lg_color_of(rule, lg_color_add(b, right), &doubt);
    }
    return _mm256_testz_si256(doubt, _mm256_set1_epi16(-(1 << LG_HIGH_BITS)));
}

// Whether this way is one for these planes.
static inline bool lg_colors_are_fast(const lg_planar *p)
{
    return p->chroma && p->sample == 1 && p->step == 1 && p->across.factor == 2 &&
           p->decoder.range.grey == 128;
}

// ---- pixels -------------------------------------------------------------------------------------

// Bytes of even and odd columns in turn.
LG_INLINE __m256i lg_color_bytes(__m256i even, __m256i odd)
{
    const __m256i turns = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    return _mm256_shuffle_epi8(_mm256_packus_epi16(even, odd), turns);
}

LG_INLINE void lg_color_store(const lg_color_block *block, uint8_t *out)
{
    const __m256i red = lg_color_bytes(block->even[0], block->odd[0]);
    const __m256i green = lg_color_bytes(block->even[1], block->odd[1]);
    const __m256i blue = lg_color_bytes(block->even[2], block->odd[2]);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i rg[2] = {_mm256_unpacklo_epi8(red, green), _mm256_unpackhi_epi8(red, green)};
    const __m256i ba[2] = {_mm256_unpacklo_epi8(blue, zero), _mm256_unpackhi_epi8(blue, zero)};
    for (int i = 0; i < 2; i++) { // pixels 8 i .. of both halves
        const __m256i a = _mm256_unpacklo_epi16(rg[i], ba[i]);
        const __m256i b = _mm256_unpackhi_epi16(rg[i], ba[i]);
        _mm256_storeu_si256((void *)(out + 32 * i), _mm256_permute2x128_si256(a, b, 0x20));
        _mm256_storeu_si256((void *)(out + 64 + 32 * i), _mm256_permute2x128_si256(a, b, 0x31));
    }
}

// Rarely needed, and large: loops keep their registers.
__attribute__((noinline)) static void lg_color_exact(const lg_planar *p, int32_t x, int32_t y,
                                                     uint8_t *out)
{
    lg_planar_read(p, x, y, LG_COLORS_BLOCK, out);
}

LG_INLINE void lg_color_span(const lg_planar *p, const lg_color_rule *rule, int32_t x, int32_t y,
                             int count, const bool between, uint8_t *out)
{
    lg_color_columns columns;
    lg_color_block block;
    const uint8_t *luma = p->plane[0] + (size_t)y * p->row[0] + (size_t)x;
    lg_color_columns_of(p, rule, y, x / 2, count / 2 + 2, &columns);
    for (int k = 0; k < count; k += LG_COLORS_BLOCK)
        if (lg_color_pixels(rule, luma + k, &columns, k / 2, between, &block))
            lg_color_store(&block, out + 4 * (size_t)k);
        else
            lg_color_exact(p, x + k, y, out + 4 * (size_t)k);
}

// As lg_planar_read.
static inline void lg_colors_read(const lg_planar *p, int32_t x, int32_t y, int count, void *out)
{
    const int whole = lg_colors_are_fast(p) ? count / LG_COLORS_BLOCK * LG_COLORS_BLOCK : 0;
    if (whole > 0) {
        const lg_color_rule rule = lg_color_rule_of(p);
        if (p->across.between)
            lg_color_span(p, &rule, x, y, whole, true, out);
        else
            lg_color_span(p, &rule, x, y, whole, false, out);
    }
    if (count > whole)
        lg_planar_read(p, x + whole, y, count - whole, (uint8_t *)out + 4 * (size_t)whole);
}

#else

static inline void lg_colors_read(const lg_planar *p, int32_t x, int32_t y, int count, void *out)
{
    lg_planar_read(p, x, y, count, out);
}

#endif
#endif
