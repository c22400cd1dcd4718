// The arithmetic of float moments below the exact sums, in the common subset of C and GLSL: the nodes
// inside a leaf of up to 4096 samples, the record a leaf ends in, and that record as integers.
// docs/definitions.md, section Moments, is its prose.
//
// Only + - * on floats, each rounded once to nearest even. Whether subnormal results are kept or
// flushed does not matter: definitions.md says why.
#ifndef LG_MOMENTS_LEAF_H
#define LG_MOMENTS_LEAF_H

#include "shader/float_bits.h"

// Around products that are not exact and may meet a sum behind a branch.
#ifndef LG_ROUNDED
#define LG_ROUNDED(x) (x)
#endif

#define LG_LEAF_WIDTH   128
#define LG_LEAF_HEIGHT  32
#define LG_LEAF_SAMPLES 4096

// Leaves whose largest magnitude lies in [2^-20, 2^30) are summed as they are (scale 0).
#define LG_SCALE_LOW  0x35800000u // bits of 2^-20
#define LG_SCALE_HIGH 0x4e800000u // bits of 2^30
#define LG_SCALE_ZERO (-150)      // scale of a node whose samples are all zero, or that has none

// ---- leaf: n <= 4096 samples; sum = hi + lo, m2 = sum of squared deviations ---------------------

LG_STRUCT(lg_leaf_node)
{
    lg_uint n;
    float hi, lo, m2;
};

LG_FUNCTION lg_leaf_node lg_leaf_empty(void)
{
    lg_leaf_node r;
    r.n = 0u;
    r.hi = 0.0f;
    r.lo = 0.0f;
    r.m2 = 0.0f;
    return r;
}

// One sample: the odd last row, or the only one of a pair that counts.
LG_FUNCTION lg_leaf_node lg_leaf_single(float x)
{
    lg_leaf_node r;
    r.n = 1u;
    r.hi = x;
    r.lo = 0.0f;
    r.m2 = 0.0f;
    return r;
}

// Level 0: two adjacent rows. lo is the rounding error of the sum where the difference is exact, that is
// where the samples are close to each other, which is where it matters: the variance of samples far from
// zero hangs on it. Elsewhere it is off by at most the rounding error of the difference.
LG_FUNCTION lg_leaf_node lg_leaf_pair(float a, float b)
{
    LG_FLOAT s = a + b;
    LG_FLOAT d = a - b;
    LG_FLOAT lo = ((a + a) - s) - d;
    LG_FLOAT m2 = LG_ROUNDED(d * d) * 0.5f;
    lg_leaf_node r;
    r.n = 2u;
    r.hi = s;
    r.lo = lo;
    r.m2 = m2;
    return r;
}

// Sum of the two sums: Knuth's TwoSum on hi, lo not renormalised. n and m2 are left to the caller.
LG_FUNCTION lg_leaf_node lg_leaf_sum(lg_leaf_node a, lg_leaf_node b)
{
    LG_FLOAT hi = a.hi + b.hi;
    LG_FLOAT bb = hi - a.hi;
    LG_FLOAT e = (a.hi - (hi - bb)) + (b.hi - bb);
    LG_FLOAT lo = e + (a.lo + b.lo);
    lg_leaf_node r;
    r.n = a.n + b.n;
    r.hi = hi;
    r.lo = lo;
    r.m2 = 0.0f;
    return r;
}

// Equal counts n > 0. c = 1 / (2 n) rounded to nearest; exact for a power of two.
LG_FUNCTION lg_leaf_node lg_leaf_merge_equal(lg_leaf_node a, lg_leaf_node b, float c)
{
    lg_leaf_node r = lg_leaf_sum(a, b);
    LG_FLOAT d = (a.hi - b.hi) + (a.lo - b.lo);
    LG_FLOAT m2 = (a.m2 + b.m2) + (d * d) * c;
    r.m2 = m2;
    return r;
}

// The same for counts that are a power of two: the product with c is exact.
LG_FUNCTION lg_leaf_node lg_leaf_merge_power(lg_leaf_node a, lg_leaf_node b, float c)
{
    lg_leaf_node r = lg_leaf_sum(a, b);
    LG_FLOAT d = (a.hi - b.hi) + (a.lo - b.lo);
    LG_FLOAT square = d * d;
    LG_FLOAT m2 = lg_fma(square, c, a.m2 + b.m2);
    r.m2 = m2;
    return r;
}

// lg_leaf_merge_power of two lg_leaf_pair, with exact products gathered.
LG_FUNCTION lg_leaf_node lg_leaf_four(float a, float b, float c, float d)
{
    LG_FLOAT s = a + b;
    LG_FLOAT t = c + d;
    LG_FLOAT u = a - b;
    LG_FLOAT v = c - d;
    LG_FLOAT s_lo = lg_fma(a, 2.0f, -s) - u;
    LG_FLOAT t_lo = lg_fma(c, 2.0f, -t) - v;
    lg_leaf_node p;
    lg_leaf_node q;
    p.n = 2u;
    p.hi = s;
    p.lo = s_lo;
    p.m2 = 0.0f;
    q.n = 2u;
    q.hi = t;
    q.lo = t_lo;
    q.m2 = 0.0f;
    lg_leaf_node r = lg_leaf_sum(p, q);
    LG_FLOAT w = (s - t) + (s_lo - t_lo);
    LG_FLOAT square = w * w;
    LG_FLOAT doubled = lg_fma(square, 0.5f, u * u + v * v);
    r.m2 = doubled * 0.5f;
    return r;
}

// Any counts > 0. ra, rb, rab: 1 / a.n, 1 / b.n, 1 / (a.n + b.n) rounded to nearest.
// The counts have at most 12 significant bits, so that the products with the halves of a Veltkamp
// split (12 + 12 bits) are exact.
LG_FUNCTION lg_leaf_node lg_leaf_merge_any(lg_leaf_node a, lg_leaf_node b, float ra, float rb,
                                           float rab)
{
    lg_leaf_node r = lg_leaf_sum(a, b);
    LG_FLOAT na = lg_to_float(a.n);
    LG_FLOAT nb = lg_to_float(b.n);

    LG_FLOAT ta = 4097.0f * a.hi;
    LG_FLOAT ah = ta - (ta - a.hi);
    LG_FLOAT al = a.hi - ah;
    LG_FLOAT p = LG_ROUNDED(nb * a.hi);
    LG_FLOAT pl = (nb * ah - p) + nb * al;

    LG_FLOAT tb = 4097.0f * b.hi;
    LG_FLOAT bh = tb - (tb - b.hi);
    LG_FLOAT bl = b.hi - bh;
    LG_FLOAT q = LG_ROUNDED(na * b.hi);
    LG_FLOAT ql = (na * bh - q) + na * bl;

    LG_FLOAT w = (p - q) + ((pl - ql) + (LG_ROUNDED(nb * a.lo) - LG_ROUNDED(na * b.lo)));
    LG_FLOAT wa = w * ra;
    LG_FLOAT wb = w * rb;
    LG_FLOAT d = (a.hi - b.hi) + (a.lo - b.lo);
    LG_FLOAT f = a.n == b.n ? d : wb;
    LG_FLOAT g = a.n == b.n ? d : wa;
    LG_FLOAT m2 = (a.m2 + b.m2) + LG_ROUNDED((f * g) * rab);
    r.m2 = m2;
    return r;
}

// Scale exponent of a leaf from the bits of its largest magnitude (finite, sign cleared).
LG_FUNCTION lg_int lg_leaf_scale(lg_uint bits)
{
    if (bits == 0u)
        return LG_SCALE_ZERO;
    if (bits >= LG_SCALE_LOW && bits < LG_SCALE_HIGH)
        return 0;
    return lg_exponent(bits);
}

// x * 2^-k for a finite sample of a leaf of scale k (neither 0 nor LG_SCALE_ZERO): exact, and 0
// below 2^-64. By way of integers, so that denormal samples need no support.
LG_FUNCTION float lg_leaf_scaled(float x, lg_int k)
{
    lg_uint bits = lg_bits(x);
    lg_uint m = bits & LG_BITS_ABS;
    if (m < 0x00800000u && k < -60) { // m * 2^-149; for larger k it is too small to count
        LG_FLOAT v = lg_to_float(m) * lg_from_bits(lg_to_uint(127 - 149 - k) << 23);
        m = lg_bits(v);
    } else {
        lg_int e = lg_to_int(m >> 23) - k;
        m = e < 127 - 64 ? 0u : (lg_to_uint(e) << 23) | (m & 0x007fffffu);
    }
    if (m < (127u - 64u) << 23)
        return 0.0f;
    return lg_from_bits((bits & 0x80000000u) | m);
}

// ---- record: what is left of a leaf. 8 words of 32 bits in C and in GLSL with scalar layout --------

LG_STRUCT(lg_leaf_record)
{
    lg_uint counts;     // samples that count, and << 16 those that are NaN
    lg_uint infinities; // positive, and << 16 negative ones
    lg_int k;           // hi and lo are in units of 2^k, m2 of 2^(2 k)
    float hi, lo, m2;
    float min, max; // not scaled; when none counts, anything
};

// Of a leaf that was summed with scale k (lg_leaf_scale of its largest magnitude).
LG_FUNCTION lg_leaf_record lg_leaf_record_of(lg_leaf_node leaf, lg_int k, float min_value,
                                             float max_value, lg_uint nans, lg_uint pinfs,
                                             lg_uint ninfs)
{
    lg_leaf_record r;
    r.counts = leaf.n | (nans << 16);
    r.infinities = pinfs | (ninfs << 16);
    r.k = k;
    r.hi = leaf.hi;
    r.lo = leaf.lo;
    r.m2 = leaf.m2;
    r.min = lg_plus_zero(min_value);
    r.max = lg_plus_zero(max_value);
    return r;
}

// ---- terms: a record as integers ----------------------------------------------------------------
//
// With e = floor(log2 of the largest magnitude), the leaf's sum in units of 2^(e - 50) has less than
// 63 bits, and sum^2 / n + m2, its sum of squares, in units of 2^(2 e - 100) less than 115.

#define LG_TERM_FRACTION 50

LG_STRUCT(lg_leaf_terms)
{
    lg_uint place;    // e + 149: 0 .. 276
    lg_uint negative; // 1: the sum is below zero
    lg_uint sum[2];   // its magnitude, lowest word first
    lg_uint squares[4];
};

LG_STRUCT(lg_quad) // 128 bits, lowest word first
{
    lg_uint word[4];
};

LG_FUNCTION lg_quad lg_quad_add(lg_quad a, lg_quad b)
{
    lg_uint carry = 0u;
    for (lg_int i = 0; i < 4; i++) {
        lg_uint s = a.word[i] + b.word[i];
        lg_uint t = s + carry;
        carry = (s < a.word[i] || t < s) ? 1u : 0u;
        a.word[i] = t;
    }
    return a;
}

LG_FUNCTION lg_quad lg_quad_product(lg_uint a, lg_uint b)
{
    lg_quad r;
#ifdef VULKAN
    umulExtended(a, b, r.word[1], r.word[0]);
#else
    const uint64_t product = (uint64_t)a * b;
    r.word[0] = (uint32_t)product;
    r.word[1] = (uint32_t)(product >> 32);
#endif
    r.word[2] = 0u;
    r.word[3] = 0u;
    return r;
}

// a / n without the rest, 0 < n <= 4096: digits of 16 bits. A whole leaf needs no division.
LG_FUNCTION lg_quad lg_quad_divide(lg_quad a, lg_uint n)
{
    lg_uint rest = 0u;
    if (n == 4096u) {
        for (lg_int i = 0; i < 3; i++)
            a.word[i] = (a.word[i] >> 12) | (a.word[i + 1] << 20);
        a.word[3] = a.word[3] >> 12;
        return a;
    }
    for (lg_int i = 3; i >= 0; i--) {
        lg_uint high = (rest << 16) | (a.word[i] >> 16);
        rest = high % n;
        lg_uint low = (rest << 16) | (a.word[i] & 0xffffu);
        rest = low % n;
        a.word[i] = ((high / n) << 16) | (low / n);
    }
    return a;
}

// |x| * 2^shift without its fraction; subnormal x are zero. The result has less than 128 bits.
LG_FUNCTION lg_quad lg_quad_of(float x, lg_int shift)
{
    lg_uint bits = lg_bits(x) & LG_BITS_ABS;
    lg_uint m = bits < 0x00800000u ? 0u : ((bits & 0x007fffffu) | 0x00800000u);
    lg_int move = lg_to_int(bits >> 23) - 150 + shift; // x = m * 2^(exponent - 150)
    lg_uint down = lg_to_uint(move < -24 ? 24 : (move < 0 ? -move : 0));
    lg_uint up = lg_to_uint(move < 0 ? 0 : move);
    m = m >> down;
    lg_uint low = m << (up & 31u);
    lg_uint high = (up & 31u) == 0u ? 0u : m >> (32u - (up & 31u));
    lg_quad r;
    for (lg_uint i = 0u; i < 4u; i++)
        r.word[i] = i == (up >> 5) ? low : (i == (up >> 5) + 1u ? high : 0u);
    return r;
}

// Of a record with at least one sample that counts and is not zero.
LG_FUNCTION lg_leaf_terms lg_leaf_terms_of(lg_leaf_record leaf)
{
    lg_uint low = lg_bits(leaf.min) & LG_BITS_ABS;
    lg_uint high = lg_bits(leaf.max) & LG_BITS_ABS;
    lg_int e = lg_exponent(low > high ? low : high);
    lg_int shift = LG_TERM_FRACTION - e + leaf.k;

    // The two parts of the sum; the smaller magnitude from the larger where the signs differ.
    lg_quad a = lg_quad_of(leaf.hi, shift);
    lg_quad b = lg_quad_of(leaf.lo, shift);
    lg_uint sign_a = lg_bits(leaf.hi) >> 31;
    lg_uint sign_b = lg_bits(leaf.lo) >> 31;
    lg_leaf_terms r;
    r.place = lg_to_uint(e + 149);
    r.negative = sign_a;
    if (sign_a == sign_b) {
        a = lg_quad_add(a, b);
    } else {
        if (a.word[1] < b.word[1] || (a.word[1] == b.word[1] && a.word[0] < b.word[0])) {
            lg_quad swap = a;
            a = b;
            b = swap;
            r.negative = sign_b;
        }
        a.word[1] = a.word[1] - b.word[1] - (a.word[0] < b.word[0] ? 1u : 0u);
        a.word[0] = a.word[0] - b.word[0];
    }
    r.sum[0] = a.word[0];
    r.sum[1] = a.word[1];

    // sum^2 / n: (h 2^32 + l)^2 = h^2 2^64 + 2 h l 2^32 + l^2
    lg_quad square = lg_quad_product(a.word[0], a.word[0]);
    lg_quad upper = lg_quad_product(a.word[1], a.word[1]);
    lg_quad cross = lg_quad_product(a.word[0], a.word[1]);
    square.word[2] = upper.word[0];
    square.word[3] = upper.word[1];
    upper.word[0] = 0u;
    upper.word[1] = cross.word[0] << 1;
    upper.word[2] = (cross.word[1] << 1) | (cross.word[0] >> 31);
    upper.word[3] = cross.word[1] >> 31;
    square = lg_quad_divide(lg_quad_add(square, upper), leaf.counts & 0xffffu);
    square = lg_quad_add(square, lg_quad_of(leaf.m2, shift + shift));
    for (lg_int i = 0; i < 4; i++)
        r.squares[i] = square.word[i];
    return r;
}

#endif
