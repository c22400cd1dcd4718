// The arithmetic of float moments, written once for C and GLSL (common subset of both): leaf nodes
// of up to 4096 samples, and the nodes above them. docs/definitions.md, section Moments, is its
// prose.
//
// Only + - * on floats, each rounded once, and integer operations: the same bits everywhere. In
// GLSL every float result is `precise`. Needs round-to-nearest-even and preserved denormals.
#ifndef LG_MOMENTS_NODE_H
#define LG_MOMENTS_NODE_H

#ifdef GL_core_profile // any GLSL compiler that targets Vulkan defines it
#define LG_FN
#define LG_STRUCT(name) struct name
#define LG_EXACT        precise
#define lg_u32          uint
#define lg_i32          int
#define lg_f32_bits(x)  floatBitsToUint(x)
#define lg_bits_f32(x)  uintBitsToFloat(x)
#define lg_u32_f32(x)   float(x)
#define lg_i32_u32(x)   uint(x)
#define lg_u32_i32(x)   int(x)
#else
#include <stdint.h>
#include <string.h>
#define LG_FN static inline __attribute__((always_inline, unused))
#define LG_STRUCT(name)                                                                            \
    typedef struct name name;                                                                      \
    struct name
#define LG_EXACT
typedef uint32_t lg_u32;
typedef int32_t lg_i32;
#define lg_u32_f32(x) ((float)(x))
#define lg_i32_u32(x) ((uint32_t)(x))
#define lg_u32_i32(x) ((int32_t)(x))

LG_FN uint32_t lg_f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

LG_FN float lg_bits_f32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#endif

#define LG_LEAF_WIDTH   128
#define LG_LEAF_HEIGHT  32
#define LG_LEAF_SAMPLES 4096

// Leaves whose largest magnitude lies in [2^-30, 2^30) are summed as they are (scale 0).
#define LG_SCALE_LOW  0x30800000u // bits of 2^-30
#define LG_SCALE_HIGH 0x4e800000u // bits of 2^30
#define LG_SCALE_ZERO (-150)      // scale of a node whose samples are all zero, or that has none

#define LG_BITS_ABS 0x7fffffffu
#define LG_BITS_INF 0x7f800000u

// ---- leaf: n <= 4096 samples; sum = hi + lo, m2 = sum of squared deviations ---------------------

LG_STRUCT(lg_leaf_node)
{
    lg_u32 n;
    float hi, lo, m2;
};

LG_FN lg_leaf_node lg_leaf_empty(void)
{
    lg_leaf_node r;
    r.n = 0u;
    r.hi = 0.0f;
    r.lo = 0.0f;
    r.m2 = 0.0f;
    return r;
}

// One sample: the odd last row, or the only one of a pair that counts.
LG_FN lg_leaf_node lg_leaf_single(float x)
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
LG_FN lg_leaf_node lg_leaf_pair(float a, float b)
{
    LG_EXACT float s = a + b;
    LG_EXACT float d = a - b;
    LG_EXACT float lo = ((a + a) - s) - d;
    LG_EXACT float m2 = (d * d) * 0.5f;
    lg_leaf_node r;
    r.n = 2u;
    r.hi = s;
    r.lo = lo;
    r.m2 = m2;
    return r;
}

// Sum of the two sums: Knuth's TwoSum on hi, lo not renormalised. n and m2 are left to the caller.
LG_FN lg_leaf_node lg_leaf_sum(lg_leaf_node a, lg_leaf_node b)
{
    LG_EXACT float hi = a.hi + b.hi;
    LG_EXACT float bb = hi - a.hi;
    LG_EXACT float e = (a.hi - (hi - bb)) + (b.hi - bb);
    LG_EXACT float lo = e + (a.lo + b.lo);
    lg_leaf_node r;
    r.n = a.n + b.n;
    r.hi = hi;
    r.lo = lo;
    r.m2 = 0.0f;
    return r;
}

// Equal counts n > 0. c = 1 / (2 n) rounded to nearest; exact for a power of two.
LG_FN lg_leaf_node lg_leaf_merge_equal(lg_leaf_node a, lg_leaf_node b, float c)
{
    lg_leaf_node r = lg_leaf_sum(a, b);
    LG_EXACT float d = (a.hi - b.hi) + (a.lo - b.lo);
    LG_EXACT float m2 = (a.m2 + b.m2) + (d * d) * c;
    r.m2 = m2;
    return r;
}

// Unequal counts, both > 0. ra, rb, rab: 1 / a.n, 1 / b.n, 1 / (a.n + b.n) rounded to nearest.
// The counts have at most 12 significant bits, so that the products with the halves of a Veltkamp
// split (12 + 12 bits) are exact.
LG_FN lg_leaf_node lg_leaf_merge_unequal(lg_leaf_node a, lg_leaf_node b, float ra, float rb,
                                         float rab)
{
    lg_leaf_node r = lg_leaf_sum(a, b);
    LG_EXACT float na = lg_u32_f32(a.n);
    LG_EXACT float nb = lg_u32_f32(b.n);

    LG_EXACT float ta = 4097.0f * a.hi;
    LG_EXACT float ah = ta - (ta - a.hi);
    LG_EXACT float al = a.hi - ah;
    LG_EXACT float p = nb * a.hi;
    LG_EXACT float pl = (nb * ah - p) + nb * al;

    LG_EXACT float tb = 4097.0f * b.hi;
    LG_EXACT float bh = tb - (tb - b.hi);
    LG_EXACT float bl = b.hi - bh;
    LG_EXACT float q = na * b.hi;
    LG_EXACT float ql = (na * bh - q) + na * bl;

    LG_EXACT float d = (p - q) + ((pl - ql) + (nb * a.lo - na * b.lo));
    LG_EXACT float m2 = (a.m2 + b.m2) + ((d * rb) * (d * ra)) * rab;
    r.m2 = m2;
    return r;
}

// Scale exponent of a leaf from the bits of its largest magnitude (finite, sign cleared).
LG_FN lg_i32 lg_leaf_scale(lg_u32 bits)
{
    if (bits == 0u)
        return LG_SCALE_ZERO;
    if (bits >= LG_SCALE_LOW && bits < LG_SCALE_HIGH)
        return 0;
    lg_i32 e = lg_u32_i32(bits >> 23) - 127;
    if (e > -127)
        return e;
    lg_u32 m = bits; // denormal: the position of its first bit
    e = -149;
    while (m > 1u) {
        m = m >> 1;
        e = e + 1;
    }
    return e;
}

// x * 2^-k for a finite sample of a leaf of scale k (neither 0 nor LG_SCALE_ZERO): exact, and 0
// below 2^-64. By way of integers, so that denormal samples need no support.
LG_FN float lg_leaf_scaled(float x, lg_i32 k)
{
    lg_u32 bits = lg_f32_bits(x);
    lg_u32 m = bits & LG_BITS_ABS;
    if (m < 0x00800000u && k < 0) { // m * 2^-149, and k <= -31
        LG_EXACT float v = lg_u32_f32(m) * lg_bits_f32(lg_i32_u32(127 - 149 - k) << 23);
        m = lg_f32_bits(v);
    } else {
        lg_i32 e = lg_u32_i32(m >> 23) - k;
        m = e < 127 - 64 ? 0u : (lg_i32_u32(e) << 23) | (m & 0x007fffffu);
    }
    if (m < (127u - 64u) << 23)
        return 0.0f;
    return lg_bits_f32((bits & 0x80000000u) | m);
}

// ---- double-floats: value = h + l, |l| <= ulp(h) / 2 --------------------------------------------

LG_STRUCT(lg_pair)
{
    float h, l;
};

LG_FN lg_pair lg_two_sum(float a, float b)
{
    LG_EXACT float s = a + b;
    LG_EXACT float bb = s - a;
    LG_EXACT float e = (a - (s - bb)) + (b - bb);
    lg_pair r;
    r.h = s;
    r.l = e;
    return r;
}

// |a| >= |b| or a = 0
LG_FN lg_pair lg_fast_two_sum(float a, float b)
{
    LG_EXACT float s = a + b;
    LG_EXACT float e = b - (s - a);
    lg_pair r;
    r.h = s;
    r.l = e;
    return r;
}

LG_FN lg_pair lg_two_product(float a, float b)
{
    LG_EXACT float ta = 4097.0f * a;
    LG_EXACT float ah = ta - (ta - a);
    LG_EXACT float al = a - ah;
    LG_EXACT float tb = 4097.0f * b;
    LG_EXACT float bh = tb - (tb - b);
    LG_EXACT float bl = b - bh;
    LG_EXACT float p = a * b;
    LG_EXACT float e = (((ah * bh - p) + ah * bl) + al * bh) + al * bl;
    lg_pair r;
    r.h = p;
    r.l = e;
    return r;
}

LG_FN lg_pair lg_pair_add(lg_pair a, lg_pair b)
{
    lg_pair s = lg_two_sum(a.h, b.h);
    lg_pair t = lg_two_sum(a.l, b.l);
    LG_EXACT float l = s.l + t.h;
    lg_pair u = lg_fast_two_sum(s.h, l);
    LG_EXACT float m = u.l + t.l;
    return lg_fast_two_sum(u.h, m);
}

LG_FN lg_pair lg_pair_sub(lg_pair a, lg_pair b)
{
    b.h = -b.h;
    b.l = -b.l;
    return lg_pair_add(a, b);
}

LG_FN lg_pair lg_pair_mul(lg_pair a, lg_pair b)
{
    lg_pair p = lg_two_product(a.h, b.h);
    LG_EXACT float l = p.l + (a.h * b.l + a.l * b.h);
    return lg_fast_two_sum(p.h, l);
}

LG_FN lg_pair lg_pair_half(lg_pair a)
{
    LG_EXACT float h = a.h * 0.5f;
    LG_EXACT float l = a.l * 0.5f;
    lg_pair r;
    r.h = h;
    r.l = l;
    return r;
}

// A 64-bit count; beyond 2^48 the last bits are rounded.
LG_FN lg_pair lg_pair_count(lg_u32 lo, lg_u32 hi)
{
    LG_EXACT float c0 = lg_u32_f32(lo & 0xffffffu);
    LG_EXACT float c1 = lg_u32_f32((lo >> 24) | ((hi & 0xffffu) << 8)) * 16777216.0f;
    LG_EXACT float c2 = lg_u32_f32(hi >> 16) * 281474976710656.0f;
    lg_pair s = lg_two_sum(c2, c1);
    lg_pair t = lg_two_sum(s.h, c0);
    LG_EXACT float l = s.l + t.l;
    return lg_fast_two_sum(t.h, l);
}

// 1 / a for 1 <= a < 2^63 without a division: Newton's iteration from a guess made of the exponent.
// For a power of two it ends at the exact value, which is taken at once.
LG_FN lg_pair lg_pair_reciprocal(lg_pair a)
{
    lg_u32 bits = lg_f32_bits(a.h);
    if ((bits & 0x007fffffu) == 0u && a.l == 0.0f) {
        lg_pair power;
        power.h = lg_bits_f32(0x7f000000u - bits);
        power.l = 0.0f;
        return power;
    }
    LG_EXACT float r = lg_bits_f32(0x7ef311c7u - lg_f32_bits(a.h));
    LG_EXACT float r1 = r + r * (1.0f - a.h * r);
    LG_EXACT float r2 = r1 + r1 * (1.0f - a.h * r1);
    LG_EXACT float r3 = r2 + r2 * (1.0f - a.h * r2);
    LG_EXACT float r4 = r3 + r3 * (1.0f - a.h * r3);
    lg_pair p = lg_two_product(a.h, r4);
    LG_EXACT float e = ((1.0f - p.h) - p.l) - a.l * r4;
    LG_EXACT float c = r4 * e;
    return lg_fast_two_sum(r4, c);
}

// ---- node: any number of samples. 16 words of 32 bits in C and in GLSL with scalar layout -------

LG_STRUCT(lg_node)
{
    lg_u32 n_lo, n_hi; // samples that count
    lg_i32 k;          // scale: the sum is (s_hi + s_lo) * 2^k, m2 is (m2_hi + m2_lo) * 2^(2 k)
    float s_hi, s_lo;
    float m2_hi, m2_lo;
    float min, max; // not scaled, zero is +0; +inf and -inf when n = 0
    lg_u32 nan_lo, nan_hi;
    lg_u32 pinf_lo, pinf_hi;
    lg_u32 ninf_lo, ninf_hi;
    lg_u32 reserved; // 0
};

// Order of finite floats and infinities as unsigned integers.
LG_FN lg_u32 lg_f32_key(float x)
{
    lg_u32 bits = lg_f32_bits(x);
    return (bits & 0x80000000u) != 0u ? ~bits : (bits | 0x80000000u);
}

LG_FN float lg_key_f32(lg_u32 key)
{
    return lg_bits_f32((key & 0x80000000u) != 0u ? (key & LG_BITS_ABS) : ~key);
}

LG_FN float lg_plus_zero(float x) // -0 becomes +0
{
    return (lg_f32_bits(x) & LG_BITS_ABS) == 0u ? 0.0f : x;
}

LG_FN lg_node lg_node_empty(void)
{
    lg_node r;
    r.n_lo = 0u;
    r.n_hi = 0u;
    r.k = LG_SCALE_ZERO;
    r.s_hi = 0.0f;
    r.s_lo = 0.0f;
    r.m2_hi = 0.0f;
    r.m2_lo = 0.0f;
    r.min = lg_bits_f32(LG_BITS_INF);
    r.max = lg_bits_f32(0xff800000u);
    r.nan_lo = 0u;
    r.nan_hi = 0u;
    r.pinf_lo = 0u;
    r.pinf_hi = 0u;
    r.ninf_lo = 0u;
    r.ninf_hi = 0u;
    r.reserved = 0u;
    return r;
}

// A leaf that was summed with scale k (lg_leaf_scale of its largest magnitude). min and max are of
// the samples that count, not scaled; they are not looked at when leaf.n is 0.
LG_FN lg_node lg_node_from_leaf(lg_leaf_node leaf, lg_i32 k, float min_value, float max_value,
                                lg_u32 nans, lg_u32 pinfs, lg_u32 ninfs)
{
    lg_node r = lg_node_empty();
    r.nan_lo = nans;
    r.pinf_lo = pinfs;
    r.ninf_lo = ninfs;
    if (leaf.n == 0u)
        return r;
    lg_pair s = lg_two_sum(leaf.hi, leaf.lo);
    r.n_lo = leaf.n;
    r.k = k;
    r.s_hi = lg_plus_zero(s.h);
    r.s_lo = lg_plus_zero(s.l);
    r.m2_hi = leaf.m2;
    r.min = lg_plus_zero(min_value);
    r.max = lg_plus_zero(max_value);
    return r;
}

// x * 2^-e, e > 0: exact, or 0 where the result would be denormal.
LG_FN float lg_scale_down(float x, lg_i32 e)
{
    lg_u32 bits = lg_f32_bits(x);
    if (lg_u32_i32((bits >> 23) & 0xffu) <= e)
        return 0.0f;
    return lg_bits_f32(bits - (lg_i32_u32(e) << 23));
}

LG_FN lg_node lg_node_rescale(lg_node a, lg_i32 k) // k >= a.k
{
    lg_i32 e = k - a.k;
    if (e > 0) {
        a.s_hi = lg_scale_down(a.s_hi, e);
        a.s_lo = lg_scale_down(a.s_lo, e);
        a.m2_hi = lg_scale_down(a.m2_hi, e + e);
        a.m2_lo = lg_scale_down(a.m2_lo, e + e);
        a.k = k;
    }
    return a;
}

// `a` stands left of, above or before `b`.
LG_FN lg_node lg_node_merge(lg_node a, lg_node b)
{
    lg_node r = a;
    if ((a.n_lo | a.n_hi) == 0u)
        r = b;
    r.nan_lo = a.nan_lo + b.nan_lo;
    r.nan_hi = a.nan_hi + b.nan_hi + (r.nan_lo < a.nan_lo ? 1u : 0u);
    r.pinf_lo = a.pinf_lo + b.pinf_lo;
    r.pinf_hi = a.pinf_hi + b.pinf_hi + (r.pinf_lo < a.pinf_lo ? 1u : 0u);
    r.ninf_lo = a.ninf_lo + b.ninf_lo;
    r.ninf_hi = a.ninf_hi + b.ninf_hi + (r.ninf_lo < a.ninf_lo ? 1u : 0u);
    if ((a.n_lo | a.n_hi) == 0u || (b.n_lo | b.n_hi) == 0u)
        return r;

    r.n_lo = a.n_lo + b.n_lo;
    r.n_hi = a.n_hi + b.n_hi + (r.n_lo < a.n_lo ? 1u : 0u);
    r.min = lg_f32_key(b.min) < lg_f32_key(a.min) ? b.min : a.min;
    r.max = lg_f32_key(b.max) > lg_f32_key(a.max) ? b.max : a.max;
    r.k = a.k > b.k ? a.k : b.k;
    a = lg_node_rescale(a, r.k);
    b = lg_node_rescale(b, r.k);

    lg_pair sa;
    lg_pair sb;
    lg_pair ma;
    lg_pair mb;
    sa.h = a.s_hi;
    sa.l = a.s_lo;
    sb.h = b.s_hi;
    sb.l = b.s_lo;
    ma.h = a.m2_hi;
    ma.l = a.m2_lo;
    mb.h = b.m2_hi;
    mb.l = b.m2_lo;

    // delta^2 * weight: the difference of the sums over 2 n for equal counts, else the difference
    // of the means times na nb / (na + nb). (delta * weight) * delta keeps within range.
    lg_pair delta;
    lg_pair weight;
    lg_pair na = lg_pair_count(a.n_lo, a.n_hi);
    if (a.n_lo == b.n_lo && a.n_hi == b.n_hi) {
        delta = lg_pair_sub(sa, sb);
        weight = lg_pair_half(lg_pair_reciprocal(na));
    } else {
        lg_pair nb = lg_pair_count(b.n_lo, b.n_hi);
        delta = lg_pair_sub(lg_pair_mul(sa, lg_pair_reciprocal(na)),
                            lg_pair_mul(sb, lg_pair_reciprocal(nb)));
        weight =
            lg_pair_mul(lg_pair_mul(na, lg_pair_reciprocal(lg_pair_count(r.n_lo, r.n_hi))), nb);
    }
    lg_pair s = lg_pair_add(sa, sb);
    lg_pair m = lg_pair_add(lg_pair_add(ma, mb), lg_pair_mul(lg_pair_mul(delta, weight), delta));
    r.s_hi = s.h;
    r.s_lo = s.l;
    r.m2_hi = m.h;
    r.m2_lo = m.l;
    return r;
}

#endif
