// Exact quotients of wide integers and their roots, rounded once, to nearest even: one text for C and GLSL.
#ifndef LG_EXACT_QUOTIENT_H
#define LG_EXACT_QUOTIENT_H

#include "kernel/subset.h"

#define LG_U768_LIMBS 24 // of 32 bits, lowest first

LG_STRUCT(lg_u768)
{
    lg_uint at[24];
};

LG_FUNCTION lg_uint lg_product_high(lg_uint a, lg_uint b)
{
    lg_uint a0 = a & 0xffffu, a1 = a >> 16, b0 = b & 0xffffu, b1 = b >> 16;
    lg_uint middle = a1 * b0 + ((a0 * b0) >> 16);
    lg_uint other = a0 * b1 + (middle & 0xffffu);
    return a1 * b1 + (middle >> 16) + (other >> 16);
}

// The highest bit that is set; -1: none.
LG_FUNCTION lg_int lg_u768_top(lg_u768 a)
{
    lg_int limb = -1, bit = 0;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++) limb = a.at[i] != 0u ? i : limb;
    lg_uint x = limb >= 0 ? a.at[limb >= 0 ? limb : 0] : 1u;
    LG_ROLLED while (x > 1u)
    {
        x = x >> 1;
        bit += 1;
    }
    return limb >= 0 ? 32 * limb + bit : -1;
}

// 32 bits from a bit position, which may be up to 160 below the lowest bit.
LG_FUNCTION lg_uint lg_u768_bits(lg_u768 a, lg_int from)
{
    lg_int at = (from + 160) / 32 - 5;
    lg_uint shift = lg_to_uint((from + 160) & 31);
    lg_uint low = at >= 0 && at < LG_U768_LIMBS ? a.at[at >= 0 && at < LG_U768_LIMBS ? at : 0] : 0u;
    lg_uint high = at >= -1 && at < LG_U768_LIMBS - 1
                       ? a.at[at >= -1 && at < LG_U768_LIMBS - 1 ? at + 1 : 0]
                       : 0u;
    return shift == 0u ? low : (low >> shift) | (high << (32u - shift));
}

// Whether any bit below a bit position is set.
LG_FUNCTION lg_uint lg_u768_below(lg_u768 a, lg_int from)
{
    lg_uint some = 0u;
    LG_ROLLED for (lg_int i = 0; i < LG_U768_LIMBS; i++)
    {
        lg_int rest = from - 32 * i;
        lg_uint mask = rest >= 32 ? 0xffffffffu : rest > 0 ? (1u << lg_to_uint(rest)) - 1u : 0u;
        some |= a.at[i] & mask;
    }
    return some != 0u ? 1u : 0u;
}

// ---- rounding -----------------------------------------------------------------------------------

// Rounds significand * 2^exponent, with its highest bit set, to the nearest float, ties to even;
// `rest` says whether more bits follow. At most the largest float.
LG_FUNCTION float lg_exact_rounded(lg_uint significand, lg_uint rest, lg_int exponent)
{
    lg_int field = exponent + 158, shift = field >= 1 ? 8 : 9 - field;
    if (shift > 32)
        return 0.0f;
    lg_uint whole = shift < 32 ? significand >> lg_to_uint(shift & 31) : 0u;
    lg_uint below = shift < 32 ? significand << lg_to_uint((32 - shift) & 31) : significand;
    lg_uint up =
        below > 0x80000000u || (below == 0x80000000u && (rest | (whole & 1u)) != 0u) ? 1u : 0u;
    lg_uint bits =
        whole + up + (field > 1 ? lg_to_uint((field < 255 ? field : 255) - 1) << 23 : 0u);
    return lg_from_bits(bits >= 0x7f800000u ? 0x7f7fffffu : bits);
}

// The 160 highest bits of a number, starting with the first set one, in units of 2^exponent, and
// whether any lower bit is set. All are 0 for 0.
LG_STRUCT(lg_leading)
{
    lg_uint at[5];
    lg_uint rest;
    lg_int exponent;
};

LG_FUNCTION lg_leading lg_u768_leading(lg_u768 a, lg_int unit)
{
    lg_leading r;
    lg_int top = lg_u768_top(a);
    LG_ROLLED for (lg_int i = 0; i < 5; i++) r.at[i] =
        top < 0 ? 0u : lg_u768_bits(a, top - 31 - 32 * i);
    r.rest = top < 0 ? 0u : lg_u768_below(a, top - 159);
    r.exponent = top - 159 + unit;
    return r;
}

LG_FUNCTION lg_leading lg_pair_leading(lg_uint high, lg_uint low)
{
    lg_leading r;
    r.at[0] = high;
    r.at[1] = low;
    r.at[2] = r.at[3] = r.at[4] = 0u;
    r.rest = 0u;
    r.exponent = -96;
    LG_ROLLED while ((r.at[0] & 0x80000000u) == 0u && (r.at[0] | r.at[1]) != 0u)
    {
        r.at[0] = (r.at[0] << 1) | (r.at[1] >> 31);
        r.at[1] = r.at[1] << 1;
        r.exponent -= 1;
    }
    return r;
}

// Up to 96 bits of a quotient, highest first, in units of 2^exponent, and whether there is a
// remainder.
LG_STRUCT(lg_ratio)
{
    lg_uint at[3];
    lg_uint rest;
    lg_int exponent;
};

// a / b to 33 bits, or to 96: long division. b has 64 bits and is not 0.
LG_FUNCTION lg_ratio lg_exact_divide(lg_leading a, lg_uint b_high, lg_uint b_low, lg_int steps)
{
    lg_ratio q;
    q.at[0] = q.at[1] = q.at[2] = 0u;
    q.exponent = a.exponent + 97 - steps;
    q.rest = a.rest | (steps == 33 ? a.at[3] | a.at[4] : a.at[4] & 1u);
    lg_uint bh = b_high, bl = b_low;
    LG_ROLLED while ((bh & 0x80000000u) == 0u)
    {
        bh = (bh << 1) | (bl >> 31);
        bl = bl << 1;
        q.exponent += 1;
    }
    lg_uint rh = a.at[0] >> 1, rl = (a.at[0] << 31) | (a.at[1] >> 1);
    LG_ROLLED for (lg_int i = 63; i < 63 + steps; i++)
    {
        lg_uint bit = (a.at[i >> 5] >> lg_to_uint(31 - (i & 31))) & 1u, over = rh >> 31;
        rh = (rh << 1) | (rl >> 31);
        rl = (rl << 1) | bit;
        lg_uint fits = over != 0u || rh > bh || (rh == bh && rl >= bl) ? 1u : 0u;
        if (fits != 0u) {
            rh = rh - bh - (rl < bl ? 1u : 0u);
            rl = rl - bl;
        }
        q.at[0] = (q.at[0] << 1) | (q.at[1] >> 31);
        q.at[1] = (q.at[1] << 1) | (q.at[2] >> 31);
        q.at[2] = (q.at[2] << 1) | fits;
    }
    q.rest |= rh | rl;
    return q;
}

LG_FUNCTION lg_ratio lg_exact_divide_more(lg_ratio a, lg_uint b)
{
    lg_ratio q = a;
    lg_uint r = 0u;
    LG_ROLLED for (lg_int i = 0; i < 96; i++)
    {
        lg_uint shift = lg_to_uint(31 - (i & 31)), over = r >> 31;
        r = (r << 1) | ((a.at[i >> 5] >> shift) & 1u);
        lg_uint fits = over != 0u || r >= b ? 1u : 0u;
        r = fits != 0u ? r - b : r;
        q.at[i >> 5] = (q.at[i >> 5] & ~(1u << shift)) | (fits << shift);
    }
    q.rest |= r;
    return q;
}

// The same, shifted so that the highest bit is set; q is not 0.
LG_FUNCTION lg_ratio lg_ratio_leading(lg_ratio q)
{
    lg_ratio r = q;
    LG_ROLLED while (r.at[0] == 0u)
    {
        r.at[0] = r.at[1];
        r.at[1] = r.at[2];
        r.at[2] = 0u;
        r.exponent -= 32;
    }
    LG_ROLLED while ((r.at[0] & 0x80000000u) == 0u)
    {
        r.at[0] = (r.at[0] << 1) | (r.at[1] >> 31);
        r.at[1] = (r.at[1] << 1) | (r.at[2] >> 31);
        r.at[2] = r.at[2] << 1;
        r.exponent -= 1;
    }
    return r;
}

LG_FUNCTION float lg_ratio_value(lg_ratio q)
{
    if ((q.at[0] | q.at[1] | q.at[2]) == 0u)
        return 0.0f;
    lg_ratio r = lg_ratio_leading(q);
    return lg_exact_rounded(r.at[0], r.rest | r.at[1] | r.at[2], r.exponent + 64);
}

// The square root of the 64 highest bits has 32 bits; computed digit by digit.
LG_FUNCTION float lg_ratio_root(lg_ratio q)
{
    if ((q.at[0] | q.at[1] | q.at[2]) == 0u)
        return 0.0f;
    lg_ratio r = lg_ratio_leading(q);
    lg_int exponent = r.exponent + 32;
    lg_uint vh = r.at[0], vl = r.at[1], rest = r.rest | r.at[2];
    if ((exponent & 1) != 0) {
        rest |= vl & 1u;
        vl = (vl >> 1) | (vh << 31);
        vh = vh >> 1;
        exponent += 1;
    }
    lg_uint root = 0u, rh = 0u, rl = 0u;
    LG_ROLLED for (lg_int i = 0; i < 32; i++)
    {
        rh = (rh << 2) | (rl >> 30);
        rl = (rl << 2) | (vh >> 30);
        vh = (vh << 2) | (vl >> 30);
        vl = vl << 2;
        lg_uint th = root >> 30, tl = (root << 2) | 1u;
        lg_uint fits = rh > th || (rh == th && rl >= tl) ? 1u : 0u;
        if (fits != 0u) {
            rh = rh - th - (rl < tl ? 1u : 0u);
            rl = rl - tl;
        }
        root = (root << 1) | fits;
    }
    return lg_exact_rounded(root, rest | rh | rl, exponent / 2);
}

// a / b * 2^unit; b has 64 bits and is not 0.
LG_FUNCTION float lg_exact_quotient(lg_u768 a, lg_uint b_high, lg_uint b_low, lg_int unit)
{
    return lg_ratio_value(lg_exact_divide(lg_u768_leading(a, unit), b_high, b_low, 33));
}

// a / b for numbers of 64 bits.
LG_FUNCTION float lg_exact_fraction(lg_uint a_high, lg_uint a_low, lg_uint b_high, lg_uint b_low)
{
    return lg_ratio_value(lg_exact_divide(lg_pair_leading(a_high, a_low), b_high, b_low, 33));
}

#endif
