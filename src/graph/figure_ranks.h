// Percentiles and Otsu's levels of samples that are no bytes: one text for C and GLSL, so that host
// and device give the same bits. A percentile lies between two order statistics and is a quotient of
// exact integers, rounded once.
#ifndef LG_FIGURE_RANKS_H
#define LG_FIGURE_RANKS_H

#include "graph/figure_rule.h"
#include "kernel/exact_quotient.h"
#include "kernel/float_bits.h"

#define LG_RANK_BINS  65536u // of percentiles of floats
#define LG_RANK_BITS  16     // their logarithm
#define LG_LEVEL_BINS 256u   // of levels of floats

#define LG_BILLION 1000000000u

// ---- sums of two floats with weights ------------------------------------------------------------

// An integer below 2^128, lowest limb first.
LG_STRUCT(lg_weight)
{
    lg_uint at[4];
};

LG_FUNCTION lg_weight lg_weight_of(lg_uint high, lg_uint low)
{
    lg_weight w;
    w.at[0] = low;
    w.at[1] = high;
    w.at[2] = w.at[3] = 0u;
    return w;
}

LG_FUNCTION lg_weight lg_weight_times(lg_weight w, lg_uint factor)
{
    lg_weight r;
    lg_uint carry = 0u;
    LG_ROLLED for (lg_int i = 0; i < 4; i++)
    {
        lg_uint low = w.at[i] * factor, sum = low + carry;
        carry = lg_product_high(w.at[i], factor) + (sum < low ? 1u : 0u);
        r.at[i] = sum;
    }
    return r;
}

// a + b, or with `minus` 1 a - b, which is not negative.
LG_FUNCTION lg_weight lg_weight_add(lg_weight a, lg_weight b, lg_uint minus)
{
    lg_weight r;
    lg_uint carry = minus;
    LG_ROLLED for (lg_int i = 0; i < 4; i++)
    {
        lg_uint v = minus != 0u ? ~b.at[i] : b.at[i], first = a.at[i] + v;
        r.at[i] = first + carry;
        carry = (first < v ? 1u : 0u) | (r.at[i] < first ? 1u : 0u);
    }
    return r;
}

// |x| w in units of 2^-149.
LG_FUNCTION lg_u768 lg_weighted(float x, lg_weight w)
{
    lg_u768 r;
    lg_uint bits = lg_bits(x) & LG_BITS_ABS, field = bits >> 23;
    lg_uint significand = (bits & 0x7fffffu) | (field > 0u ? 0x800000u : 0u);
    lg_uint shift = field > 0u ? field - 1u : 0u, bit = shift & 31u;
    lg_uint product[7], carry = 0u; // with a limb of zero on both sides
    product[0] = 0u;
    LG_ROLLED for (lg_int i = 0; i < 4; i++)
    {
        lg_uint low = w.at[i] * significand, sum = low + carry;
        carry = lg_product_high(w.at[i], significand) + (sum < low ? 1u : 0u);
        product[i + 1] = sum;
    }
    product[5] = carry;
    product[6] = 0u;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++)
    {
        lg_int at = i - lg_to_int(shift >> 5);
        lg_int k = at < 0 ? -1 : at < 5 ? at : 5;
        lg_uint own = product[k + 1], below = k >= 0 ? product[k] : 0u;
        below = at > 5 ? 0u : below;
        r.at[i] = bit == 0u ? own : (own << bit) | (below >> (32u - bit));
    }
    return r;
}

LG_STRUCT(lg_signed_sum)
{
    lg_u768 size; // in units of 2^-149
    lg_uint negative;
};

// a wa + b wb.
LG_FUNCTION lg_signed_sum lg_sum_of_two(float a, lg_weight wa, float b, lg_weight wb)
{
    lg_u768 x = lg_weighted(a, wa), y = lg_weighted(b, wb);
    lg_uint unlike = (lg_bits(a) ^ lg_bits(b)) >> 31, carry = unlike;
    lg_signed_sum r;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++)
    {
        lg_uint v = unlike != 0u ? ~y.at[i] : y.at[i], first = x.at[i] + v;
        r.size.at[i] = first + carry;
        carry = (first < v ? 1u : 0u) | (r.size.at[i] < first ? 1u : 0u);
    }
    lg_uint turned = unlike != 0u && carry == 0u ? 1u : 0u;
    carry = turned;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++)
    {
        lg_uint v = turned != 0u ? ~r.size.at[i] : r.size.at[i];
        r.size.at[i] = v + carry;
        carry = r.size.at[i] < v ? 1u : 0u;
    }
    r.negative = turned != 0u ? lg_bits(b) >> 31 : lg_bits(a) >> 31;
    return r;
}

// s / (d more) * 2^unit; d has 64 bits, neither is 0.
LG_FUNCTION float lg_sum_divided(lg_signed_sum s, lg_uint d_high, lg_uint d_low, lg_uint more,
                                 lg_int unit)
{
    lg_ratio q = lg_exact_divide(lg_u768_leading(s.size, unit - 149), d_high, d_low, 96);
    if (more > 1u)
        q = lg_exact_divide_more(q, more);
    float x = lg_ratio_value(q);
    return lg_bits(x) == 0u || s.negative == 0u ? x : lg_from_bits(lg_bits(x) | 0x80000000u);
}

// ---- percentiles --------------------------------------------------------------------------------

// Linear between two samples: (first (10^9 - rest) + second rest) / 10^9.
LG_FUNCTION float lg_rank_between(float first, float second, lg_uint rest)
{
    lg_signed_sum s =
        lg_sum_of_two(first, lg_weight_of(0u, LG_BILLION - rest), second, lg_weight_of(0u, rest));
    return lg_sum_divided(s, 0u, LG_BILLION, 1u, 0);
}

// Where a bin has an order statistic: behind `before` of its `count` samples.
LG_STRUCT(lg_rank_spot)
{
    lg_uint bin, before, count;
};

// How far that is into the range, times 2 LG_RANK_BINS count.
LG_FUNCTION lg_weight lg_rank_depth(lg_rank_spot s)
{
    lg_weight bins = lg_weight_of(lg_product_high(2u * s.bin, s.count), 2u * s.bin * s.count);
    return lg_weight_add(bins, lg_weight_of(s.before >> 31, 2u * s.before + 1u), 0u);
}

// Linear between two samples of which the bins are known: each lies at (before + 1/2) / count of its bin.
LG_FUNCTION float lg_rank_between_bins(float low, float high, lg_rank_spot a, lg_rank_spot b,
                                       lg_uint rest)
{
    lg_weight first =
        lg_weight_times(lg_weight_times(lg_rank_depth(a), b.count), LG_BILLION - rest);
    lg_weight second = lg_weight_times(lg_weight_times(lg_rank_depth(b), a.count), rest);
    lg_weight part = lg_weight_add(first, second, 0u); // below 2^111, as the whole
    lg_uint d_high = lg_product_high(a.count, b.count), d_low = a.count * b.count;
    lg_weight whole = lg_weight_times(lg_weight_times(lg_weight_of(d_high, d_low), LG_BILLION),
                                      2u * LG_RANK_BINS);
    lg_signed_sum s = lg_sum_of_two(low, lg_weight_add(whole, part, 1u), high, part);
    return lg_sum_divided(s, d_high, d_low, LG_BILLION, -LG_RANK_BITS - 1);
}

// Finite halves in ascending order: the bits of number `order`, which is below LG_RANK_HALVES.
#define LG_RANK_HALVES (2u * 0x7c00u)

LG_FUNCTION lg_uint lg_rank_half(lg_uint order)
{
    return order < 0x7c00u ? 0x8000u + 0x7bffu - order : order - 0x7c00u;
}

LG_FUNCTION float lg_rank_half_value(lg_uint order)
{
    lg_uint stored = lg_rank_half(order), field = (stored >> 10) & 31u, rest = stored & 0x3ffu;
    // Halves that are subnormal are normal floats.
    LG_FLOAT small = lg_figure_float(rest) * 0.000000059604644775390625f;
    lg_uint bits = ((field + 112u) << 23) | (rest << 13);
    float x = field > 0u ? lg_from_bits(bits) : small;
    return (stored & 0x7fffu) != 0u && (stored & 0x8000u) != 0u ? -x : x;
}

// ---- bins of floats -----------------------------------------------------------------------------

// As lg_histogram_rule: a value v is in bin (v factor - start) scale.
LG_STRUCT(lg_rank_rule)
{
    float low, high, factor, start, scale;
};

// x 2^power as a float, rounded once, whatever a device does with subnormal floats.
LG_FUNCTION float lg_rank_scaled(float x, lg_int power)
{
    lg_uint bits = lg_bits(x) & LG_BITS_ABS, field = bits >> 23;
    lg_uint significand = (bits & 0x7fffffu) | (field > 0u ? 0x800000u : 0u);
    lg_int exponent = power - 149 + (field > 0u ? lg_to_int(field) - 1 : 0);
    if (power == 0 || significand == 0u)
        return x;
    LG_ROLLED while ((significand & 0x80000000u) == 0u)
    {
        significand = significand << 1;
        exponent -= 1;
    }
    return lg_from_bits(lg_bits(lg_exact_rounded(significand, 0u, exponent)) |
                        (lg_bits(x) & 0x80000000u));
}

// 64 bits, the highest one set, of which 53 are used.
LG_STRUCT(lg_double)
{
    lg_uint high, low;
    lg_int exponent; // of the lowest of 64 bits
};

// high and low are followed by more bits, of which `rest` is the union. Rounded as a double is, to
// nearest even.
LG_FUNCTION lg_double lg_double_of(lg_uint high, lg_uint low, lg_uint rest, lg_int exponent)
{
    lg_double r;
    lg_uint below = low & 0x7ffu;
    lg_uint up = below > 0x400u || (below == 0x400u && (rest | (low & 0x800u)) != 0u) ? 1u : 0u;
    r.low = (low & ~0x7ffu) + (up << 11);
    r.high = high + (r.low < (low & ~0x7ffu) ? 1u : 0u);
    r.exponent = exponent + (r.high == 0u ? 1 : 0);
    r.high = r.high == 0u ? 0x80000000u : r.high;
    return r;
}

// lg_histogram_set_rule, whose quotients are doubles.
LG_FUNCTION lg_rank_rule lg_rank_rule_of(float low, float high, lg_uint bins)
{
    lg_weight one = lg_weight_of(0u, 1u);
    lg_signed_sum apart = lg_sum_of_two(high, one, lg_from_bits(lg_bits(low) ^ 0x80000000u), one);
    lg_leading l = lg_u768_leading(apart.size, -149);
    lg_double spread =
        lg_double_of(l.at[0], l.at[1], l.at[2] | l.at[3] | l.at[4] | l.rest, l.exponent + 96);
    lg_int top = spread.exponent + 63;
    lg_uint more = (spread.high ^ 0x80000000u) | spread.low; // than a power of two
    lg_int power = top < -100 ? 100 : top > 126 || (top == 126 && more != 0u) ? -4 : 0;
    lg_ratio q =
        lg_ratio_leading(lg_exact_divide(lg_pair_leading(0u, bins), spread.high, spread.low, 96));
    lg_double scale =
        lg_double_of(q.at[0], q.at[1], q.at[2] | q.rest, q.exponent + 32 - spread.exponent - power);
    lg_rank_rule r;
    r.low = low;
    r.high = high;
    r.factor = power == 0 ? 1.0f : power > 0 ? 1.26765060022822940e30f : 0.0625f;
    r.start = lg_rank_scaled(low, power);
    r.scale = lg_exact_rounded(scale.high, scale.low, scale.exponent + 32);
    return r;
}

// Half of the range around the one value of all samples, so that it has bins.
LG_FUNCTION float lg_rank_half_width(float value)
{
    LG_FLOAT part = fabsf(value) * 0.00000095367431640625f;
    return fmaxf(part, 0.5f);
}

LG_FUNCTION float lg_rank_widened(float value, float half_width)
{
    LG_FLOAT x = value + half_width;
    return fminf(fmaxf(x, -3.40282347e38f), 3.40282347e38f);
}

// The least float above a level; `flushes`: above 0 the least normal one, as others may be taken for 0.
LG_FUNCTION float lg_rank_above(float level, lg_uint flushes)
{
    lg_uint bits = lg_bits(level), size = bits & LG_BITS_ABS;
    lg_uint negative = size != 0u ? bits >> 31 : 0u;
    lg_uint next = negative != 0u ? bits - 1u : size + 1u; // of the largest one: infinity
    return lg_from_bits(flushes != 0u && negative == 0u && size < 0x800000u ? 0x800000u : next);
}

#endif
