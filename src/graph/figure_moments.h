// Figures of exact sums, whatever the type of the image: one text for C and GLSL, so that a parameter gets
// the same bits whoever measured it. Quotients of wide integers are rounded once, to nearest even; what would
// be below 2^-126 is 0.
#ifndef LG_FIGURE_MOMENTS_H
#define LG_FIGURE_MOMENTS_H

#include "graph/figure_rule.h"

#define LG_LIMBS         24 // of 32 bits, lowest first
#define LG_SUM_LIMBS     12
#define LG_SQUARES_LIMBS 20

LG_STRUCT(lg_limbs)
{
    lg_uint at[24];
};

// n samples: the magnitude of their sum in units of 2^unit, the sum of their squares in those of 2^(2 unit).
LG_STRUCT(lg_figure_sums)
{
    lg_limbs sum, squares;
    lg_uint n, negative;
    lg_int unit;
    lg_uint scale;   // what is 1 in colours: 255, 65535, or 1
    float low, high; // the extremes, in colours
};

LG_FUNCTION lg_uint lg_product_high(lg_uint a, lg_uint b)
{
    lg_uint a0 = a & 0xffffu, a1 = a >> 16, b0 = b & 0xffffu, b1 = b >> 16;
    lg_uint middle = a1 * b0 + ((a0 * b0) >> 16);
    lg_uint other = a0 * b1 + (middle & 0xffffu);
    return a1 * b1 + (middle >> 16) + (other >> 16);
}

// n Σx² - (Σx)²; with exact sums never below 0.
LG_FUNCTION lg_limbs lg_figure_spread(lg_figure_sums s)
{
    lg_limbs r, square;
    lg_uint carry = 0u;
    for (lg_int i = 0; i < LG_LIMBS; i++) {
        lg_uint x = i < LG_SQUARES_LIMBS ? s.squares.at[i] : 0u;
        lg_uint low = x * s.n, sum = low + carry;
        r.at[i] = sum;
        carry = lg_product_high(x, s.n) + (sum < low ? 1u : 0u);
        square.at[i] = 0u;
    }
    for (lg_int i = 0; i < LG_SUM_LIMBS; i++) {
        carry = 0u;
        for (lg_int j = 0; j < LG_SUM_LIMBS; j++) {
            lg_uint low = s.sum.at[i] * s.sum.at[j], first = square.at[i + j] + low;
            lg_uint second = first + carry;
            square.at[i + j] = second;
            carry = lg_product_high(s.sum.at[i], s.sum.at[j]) + (first < low ? 1u : 0u) +
                    (second < first ? 1u : 0u);
        }
        square.at[i + LG_SUM_LIMBS] = carry;
    }
    lg_uint borrow = 0u;
    for (lg_int i = 0; i < LG_LIMBS; i++) {
        lg_uint first = r.at[i] - square.at[i], second = first - borrow;
        borrow = (r.at[i] < square.at[i] ? 1u : 0u) | (first < borrow ? 1u : 0u);
        r.at[i] = second;
    }
    return r;
}

// The highest bit that is set; -1: none.
LG_FUNCTION lg_int lg_limbs_top(lg_limbs a)
{
    lg_int top = -1;
    for (lg_int i = 0; i < 32 * LG_LIMBS; i++)
        top = ((a.at[i >> 5] >> lg_to_uint(i & 31)) & 1u) != 0u ? i : top;
    return top;
}

// 32 bits from a place on, which may lie up to 96 below the lowest.
LG_FUNCTION lg_uint lg_limbs_bits(lg_limbs a, lg_int from)
{
    lg_int at = (from + 96) / 32 - 3;
    lg_uint shift = lg_to_uint((from + 96) & 31);
    lg_uint low = at >= 0 && at < LG_LIMBS ? a.at[at >= 0 && at < LG_LIMBS ? at : 0] : 0u;
    lg_uint high =
        at >= -1 && at < LG_LIMBS - 1 ? a.at[at >= -1 && at < LG_LIMBS - 1 ? at + 1 : 0] : 0u;
    return shift == 0u ? low : (low >> shift) | (high << (32u - shift));
}

// Whether a bit below a place is set.
LG_FUNCTION lg_uint lg_limbs_below(lg_limbs a, lg_int from)
{
    lg_uint some = 0u;
    for (lg_int i = 0; i < LG_LIMBS; i++) {
        lg_int rest = from - 32 * i;
        lg_uint mask = rest >= 32 ? 0xffffffffu : rest > 0 ? (1u << lg_to_uint(rest)) - 1u : 0u;
        some |= a.at[i] & mask;
    }
    return some != 0u ? 1u : 0u;
}

// significand * 2^exponent, of 24 bits and one more from rounding.
LG_FUNCTION float lg_figure_scaled(lg_uint significand, lg_int exponent)
{
    lg_int e = significand >> 24 != 0u ? exponent + 1 : exponent;
    lg_uint m = significand >> 24 != 0u ? significand >> 1 : significand;
    lg_int field = e + 150;
    lg_uint bits = (lg_to_uint(field) << 23) | (m & 0x7fffffu);
    return field <= 0 ? 0.0f : lg_from_bits(field >= 255 ? 0x7f7fffffu : bits);
}

// a / b * 2^unit; b has 64 bits and is not 0.
LG_FUNCTION float lg_figure_quotient(lg_limbs a, lg_uint b_high, lg_uint b_low, lg_int unit)
{
    lg_int top = lg_limbs_top(a), exponent = top - 95 + unit;
    if (top < 0)
        return 0.0f;
    lg_uint bh = b_high, bl = b_low;
    while ((bh & 0x80000000u) == 0u) {
        bh = (bh << 1) | (bl >> 31);
        bl = bl << 1;
        exponent += 1;
    }
    // The 96 highest bits, divided by long division.
    lg_uint a2 = lg_limbs_bits(a, top - 31), a1 = lg_limbs_bits(a, top - 63);
    lg_uint a0 = lg_limbs_bits(a, top - 95), rest = lg_limbs_below(a, top - 95);
    lg_uint rh = a2 >> 1, rl = (a2 << 31) | (a1 >> 1), qh = 0u, ql = 0u;
    for (lg_int i = 32; i >= 0; i--) {
        lg_uint bit = i == 32 ? a1 & 1u : (a0 >> lg_to_uint(i & 31)) & 1u, over = rh >> 31;
        rh = (rh << 1) | (rl >> 31);
        rl = (rl << 1) | bit;
        lg_uint fits = over != 0u || rh > bh || (rh == bh && rl >= bl) ? 1u : 0u;
        if (fits != 0u) {
            rh = rh - bh - (rl < bl ? 1u : 0u);
            rl = rl - bl;
        }
        qh = (qh << 1) | (ql >> 31);
        ql = (ql << 1) | fits;
    }
    rest |= (rh | rl) != 0u ? 1u : 0u;
    // 32 or 33 bits to 24.
    if (qh != 0u) {
        rest |= ql & 1u;
        ql = 0x80000000u | (ql >> 1);
        exponent += 1;
    }
    lg_uint less = ql & 255u, m = ql >> 8;
    lg_uint up = less > 128u || (less == 128u && (rest | (m & 1u)) != 0u) ? 1u : 0u;
    return lg_figure_scaled(m + up, exponent + 8);
}

// LG_RULE_MEAN ... LG_RULE_VARIANCE; 0 where there are no samples.
LG_FUNCTION float lg_figure_of_sums(lg_figure_sums s, lg_uint kind)
{
    if (s.n == 0u)
        return 0.0f;
    if (kind == lg_to_uint(LG_RULE_MIN) || kind == lg_to_uint(LG_RULE_MAX))
        return kind == lg_to_uint(LG_RULE_MIN) ? s.low : s.high;
    if (kind == lg_to_uint(LG_RULE_MEAN)) {
        float mean =
            lg_figure_quotient(s.sum, lg_product_high(s.n, s.scale), s.n * s.scale, s.unit);
        return s.negative != 0u ? -mean : mean;
    }
    LG_FLOAT v =
        lg_figure_quotient(lg_figure_spread(s), lg_product_high(s.n, s.n), s.n * s.n, 2 * s.unit);
    float unit = lg_from_whole(s.scale);
    v = s.scale > 1u ? lg_div(lg_div(v, unit), unit) : v;
    return kind == lg_to_uint(LG_RULE_STDDEV) ? lg_sqrt(v) : v;
}

#endif
