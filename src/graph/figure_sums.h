// Figures of exact sums and counts of any sample type: one text for C and GLSL, so that host and
// device give the same bits.
#ifndef LG_FIGURE_SUMS_H
#define LG_FIGURE_SUMS_H

#include "graph/figure_rule.h"
#include "graph/figures.h"
#include "kernel/exact_quotient.h"

#define LG_SUM_LIMBS     12
#define LG_SQUARES_LIMBS 20

// Sums of n samples: the magnitude of their sum in units of 2^unit, the sum of squares in 2^(2
// unit).
LG_STRUCT(lg_figure_sums)
{
    lg_u768 sum, squares;
    lg_uint n, negative;
    lg_int unit;
    lg_uint scale;   // the stored value of 1 in colours: 255, 65535, or 1
    float low, high; // the extremes, as stored
};

// n Σx² - (Σx)², never negative as the sums are exact.
LG_FUNCTION lg_u768 lg_figure_spread(lg_figure_sums s)
{
    lg_u768 r, square;
    lg_uint carry = 0u;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++)
    {
        lg_uint x = i < LG_SQUARES_LIMBS ? s.squares.at[i] : 0u;
        lg_uint low = x * s.n, sum = low + carry;
        r.at[i] = sum;
        carry = lg_product_high(x, s.n) + (sum < low ? 1u : 0u);
        square.at[i] = 0u;
    }
    LG_ROLLED for (lg_int i = 0; i < LG_SUM_LIMBS; i++)
    {
        carry = 0u;
        LG_ROLLED for (lg_int j = 0; j < LG_SUM_LIMBS; j++)
        {
            lg_uint low = s.sum.at[i] * s.sum.at[j], first = square.at[i + j] + low;
            lg_uint second = first + carry;
            square.at[i + j] = second;
            carry = lg_product_high(s.sum.at[i], s.sum.at[j]) + (first < low ? 1u : 0u) +
                    (second < first ? 1u : 0u);
        }
        square.at[i + LG_SUM_LIMBS] = carry;
    }
    lg_uint borrow = 0u;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++)
    {
        lg_uint first = r.at[i] - square.at[i], second = first - borrow;
        borrow = (r.at[i] < square.at[i] ? 1u : 0u) | (first < borrow ? 1u : 0u);
        r.at[i] = second;
    }
    return r;
}

// A stored integer in colours: the quotient, rounded once.
LG_FUNCTION float lg_figure_stored(lg_uint value, lg_uint scale)
{
    return lg_exact_fraction(0u, value, 0u, scale);
}

// Half a step above a stored integer, so that `>=` and `>` select the same pixels.
LG_FUNCTION float lg_figure_level(lg_uint level, lg_uint scale)
{
    return lg_exact_fraction(0u, 2u * level + 1u, 0u, 2u * scale);
}

// Linear between two order statistics of integers: (first 10^9 + (second - first) rest) / (scale 10^9).
LG_FUNCTION float lg_figure_between(lg_uint first, lg_uint second, lg_uint rest, lg_uint scale)
{
    lg_uint base = first * 1000000000u, more = (second - first) * rest, low = base + more;
    lg_uint high = lg_product_high(first, 1000000000u) + lg_product_high(second - first, rest) +
                   (low < base ? 1u : 0u);
    return lg_exact_fraction(high, low, lg_product_high(scale, 1000000000u), scale * 1000000000u);
}

// high * 2^16 + low.
LG_FUNCTION lg_u768 lg_u768_of_halves(lg_uint high, lg_uint low)
{
    lg_u768 r;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++) r.at[i] = 0u;
    r.at[0] = (high << 16) + low;
    r.at[1] = (high >> 16) + (r.at[0] < low ? 1u : 0u);
    return r;
}

LG_FUNCTION float lg_sums_mean(lg_figure_sums s)
{
    float mean = lg_exact_quotient(s.sum, lg_product_high(s.n, s.scale), s.n * s.scale, s.unit);
    return s.negative != 0u ? -mean : mean;
}

LG_FUNCTION lg_ratio lg_sums_variance(lg_figure_sums s)
{
    lg_ratio v = lg_exact_divide(lg_u768_leading(lg_figure_spread(s), 2 * s.unit),
                                 lg_product_high(s.n, s.n), s.n * s.n, 96);
    if (s.scale > 1u)
        v = lg_exact_divide_more(v, s.scale * s.scale);
    return v;
}

// A stored number or a difference of two, in colours; at most the largest float.
LG_FUNCTION float lg_sums_in_colors(lg_figure_sums s, float x)
{
    return s.scale > 1u ? lg_figure_stored(lg_to_uint(x), s.scale) : fminf(x, 3.40282347e38f);
}

// A figure of sums or of their variance; 0 without samples.
LG_FUNCTION float lg_figure_of_sums(lg_figure_sums s, lg_uint kind)
{
    lg_uint row = LG_FIRST_OF_SUMS;
    if (s.n == 0u)
        return 0.0f;
    LG_FIGURES_OF_SUMS(LG_FIGURE_CASE)
    lg_ratio v = lg_sums_variance(s);
    LG_FIGURES_OF_VARIANCE(LG_FIGURE_CASE)
    return 0.0f;
}

#endif
