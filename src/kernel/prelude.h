// The common subset of C and GLSL that kernels are written in.
//
// A kernel is one function on scalar floats and `color` (.r .g .b .a). This text is included by C,
// where the compiler vectorises a loop over a span of pixels, and by GLSL, with the same bits on both
// sides: kernel/subset.h has the rules. Every local float of a kernel is declared LG_FLOAT, every
// color LG_COLOR. Prefer selects (?:) to branches, and lg_choose to ?: where only parameters decide.
//
//   fminf fmaxf floorf fabsf    C's names. fminf(a, b) is a < b ? a : b, fmaxf(a, b) is
//                               a > b ? a : b: the second operand when one is NaN
//   lg_div lg_exp2 lg_log2 lg_pow lg_cbrt lg_sqrt lg_sin lg_cos lg_sin_turns lg_cos_turns lg_atan2
//                               their domains and errors stand with them
//   lg_at(lg_table, int)        a number of a table parameter
//   lg_at_color(lg_table, int)  four of them as r, g, b, a, from a multiple of 4 on
//   lg_at_word(lg_table, int)   one of them as its bits: a pixel of a table of bytes
#ifndef LG_PRELUDE_H
#define LG_PRELUDE_H

#include "kernel/subset.h"

LG_STRUCT(color)
{
    float r, g, b, a;
};

LG_STRUCT(point)
{
    float x, y;
};

// Where a pixel lies: its centre as fractions of width and height, and the image's sides in pixels.
LG_STRUCT(place)
{
    float x, y;
    float aspect; // height / width
    float width, height;
};

// One number of each of 3 x 3 pixels: top left, top, top right, left, centre ...
LG_STRUCT(neighborhood)
{
    float tl, t, tr;
    float l, c, r;
    float bl, b, br;
};

// Returns early on a device, where neighbours often go the same way. C computes all pixels alike, so that
// what follows has to give the same value.
#ifdef VULKAN
#define LG_LEAVE(condition, value)                                                                 \
    if (condition)                                                                                 \
    return value
#else
#define LG_LEAVE(condition, value) (void)0
#endif

#ifdef VULKAN
#define LG_COLOR  precise color
#define floorf(x) floor(x)
#define fabsf(x)  abs(x)
#else
#include "kernel/table.h"
#include <math.h>
#include <stdbool.h>
#define LG_COLOR        color
#define lg_at(t, index) ((t).at[index])
#define lg_at_color(t, index)                                                                      \
    rgba((t).at[index], (t).at[(index) + 1], (t).at[(index) + 2], (t).at[(index) + 3])

LG_FUNCTION lg_uint lg_at_word(lg_table t, lg_int i)
{
    lg_uint word;
    memcpy(&word, t.at + i, sizeof word);
    return word;
}
#endif

LG_FUNCTION float lg_min(float a, float b)
{
    return a < b ? a : b;
}

LG_FUNCTION float lg_max(float a, float b)
{
    return a > b ? a : b;
}

// Kernels of filters use the GPU's own minimum and maximum, half the instructions of a select; then they
// may differ from C for NaN as the second operand, which here is the result, and for zeros of two signs.
#undef fminf
#undef fmaxf
#if defined(VULKAN) && defined(LG_OWN_MINIMUM)
#define fminf(a, b) min(a, b)
#define fmaxf(a, b) max(a, b)
#else
#define fminf(a, b) lg_min(a, b)
#define fmaxf(a, b) lg_max(a, b)
#endif

// condition ? a : b for a condition that may be the same for all pixels: gcc vectorises no select on one.
LG_FUNCTION float lg_choose(bool condition, float a, float b)
{
    lg_uint mask = condition ? 0xffffffffu : 0u;
    return lg_from_bits((lg_bits(a) & mask) | (lg_bits(b) & ~mask));
}

// 1 / d for d between 2^-60 and 2^60, a few units of the last place off.
LG_FUNCTION float lg_inverse_near(float d)
{
    // Subtracting the bits negates the exponent: 1 / d within 12 %; each step squares the error.
    LG_FLOAT r = lg_from_bits(0x7ef311c3u - lg_bits(d));
    LG_FLOAT e = 1.0f - d * r;
    r = r + r * e;
    e = 1.0f - d * r;
    r = r + r * e;
    e = 1.0f - d * r;
    r = r + r * e;
    return r;
}

// n / d for magnitudes between 2^-60 and 2^60, d > 0: at most 0.51 ulp off, so exact where the quotient is a
// float.
LG_FUNCTION float lg_div_near(float n, float d)
{
    LG_FLOAT r = lg_inverse_near(d);
    LG_FLOAT q = n * r;
    // What q leaves of n, exactly: factors of 12 bits have products of 24.
    LG_FLOAT q_high = lg_from_bits(lg_bits(q) & 0xfffff000u);
    LG_FLOAT d_high = lg_from_bits(lg_bits(d) & 0xfffff000u);
    LG_FLOAT q_low = q - q_high;
    LG_FLOAT d_low = d - d_high;
    LG_FLOAT rest = ((n - q_high * d_high) - q_high * d_low) - q_low * d_high;
    rest = rest - q_low * d_low;
    q = q + rest * r;
    return q;
}

// lg_div_near(1, d) for d between 2^-60 and 2^60, bit for bit: what q leaves of 1 is a float, so that
// processors which round a product and a sum once have it at once.
LG_FUNCTION float lg_inverse(float d)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    LG_FLOAT q = lg_inverse_near(d);
    return q + __builtin_fmaf(-q, d, 1.0f) * q;
#else
    return lg_div_near(1.0f, d);
#endif
}

// a / b: as lg_div_near for 2^-60 <= |a|, |b| < 2^60; at most 2 ulp off for other normal a, b and quotient.
// b = 0 gives something that is not a number worth having: select around it.
LG_FUNCTION float lg_div(float a, float b)
{
    // Far magnitudes are brought near 1 first, so that neither the seed nor a product is subnormal: times
    // 2^64 below 2^-64, times 2^-64 from 2^64 on. Without selects, so that a divisor which is the same
    // for all pixels leaves the loop.
    LG_FLOAT magnitude = fabsf(b);
    lg_uint exponent = lg_bits(magnitude) >> 23;
    lg_uint low = (exponent - 63u) >> 31;
    lg_uint high = (190u - exponent) >> 31;
    LG_FLOAT scale = lg_from_bits((127u + 64u * low - 64u * high) << 23);
    LG_FLOAT d = magnitude * scale;
    LG_FLOAT n = a * scale;
    LG_FLOAT q = lg_div_near(n, d);
    return lg_from_bits(lg_bits(q) ^ (lg_bits(b) & 0x80000000u));
}

// log2(x) for normal x > 0. Absolute error below 2^-23 * max(1, |log2 x|); exact at powers of two.
LG_FUNCTION float lg_log2(float x)
{
    // x = 2^e * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2)
    lg_uint shifted = lg_bits(x) + (0x3f800000u - 0x3f3504f3u);
    LG_FLOAT e = lg_to_float(lg_to_int(shifted >> 23) - 127);
    LG_FLOAT f = lg_from_bits((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    LG_FLOAT p = -0.109949547f;
    p = p * f + 0.186174959f;
    p = p * f - 0.191062755f;
    p = p * f + 0.204600620f;
    p = p * f - 0.239617404f;
    p = p * f + 0.288567408f;
    p = p * f - 0.360696649f;
    p = p * f + 0.480898241f;
    p = p * f - 0.721347352f;
    p = p * f + 1.44269504f;
    LG_FLOAT y = e + f * p;
    return y;
}

// 2^x; x is clamped to -125 .. 127.999, so the result is a normal number. At most 2 ulp off, exact
// at integers.
LG_FUNCTION float lg_exp2(float x)
{
    LG_FLOAT c = fminf(fmaxf(x, -125.0f), 127.999f);
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    LG_FLOAT shifted = c + 12582912.0f;
    LG_FLOAT n = shifted - 12582912.0f;
    LG_FLOAT f = c - n;
    LG_FLOAT p = 0.000154762795f;
    p = p * f + 0.00134002350f;
    p = p * f + 0.00961800398f;
    p = p * f + 0.0555032791f;
    p = p * f + 0.240226514f;
    p = p * f + 0.693147206f;
    p = p * f + 1.0f;
    // 2^(n - 1), so that n = 128 fits.
    LG_FLOAT power = lg_from_bits((lg_bits(shifted) - 0x4b400000u + 126u) << 23);
    LG_FLOAT y = (p * power) * 2.0f;
    return y;
}

// x^y for normal x > 0; relative error about (2 + |y log2 x|) * 2^-23, exact for x = 1.
LG_FUNCTION float lg_pow(float x, float y)
{
    LG_FLOAT exponent = y * lg_log2(x);
    return lg_exp2(exponent);
}

// Cube root of 2^-100 <= x <= 2^100: at most 2 ulp off; exact for x = 1.
LG_FUNCTION float lg_cbrt(float x)
{
    // A third of the exponent, negated: x^(-1/3) within 4 %; then Newton's steps without a
    // division.
    LG_FLOAT r = lg_from_bits(0x548c2b4bu - lg_bits(x) / 3u);
    LG_FLOAT e = 1.0f - ((x * r) * r) * r;
    r = r + r * (e * 0.333333333f);
    e = 1.0f - ((x * r) * r) * r;
    r = r + r * (e * 0.333333333f);
    e = 1.0f - ((x * r) * r) * r;
    r = r + r * (e * 0.333333333f);
    LG_FLOAT y = (x * r) * r;
    // One step on the root itself makes up for the roundings of r.
    y = y + ((x - (y * y) * y) * (r * r)) * 0.333333333f;
    return y;
}

// Square root of 0 and of normal x < 2^120, 0 for negative x: at most 1 ulp off, exact for squares
// of small integers.
LG_FUNCTION float lg_sqrt(float x)
{
    LG_FLOAT v = fmaxf(x, 0.0f);
    // 1 / sqrt(v) within 4 %, then Newton's steps.
    LG_FLOAT r = lg_from_bits(0x5f3759dfu - (lg_bits(v) >> 1));
    r = r * (1.5f - (0.5f * v * r) * r);
    r = r * (1.5f - (0.5f * v * r) * r);
    r = r * (1.5f - (0.5f * v * r) * r);
    LG_FLOAT y = v * r;
    // One step on the root itself makes up for the roundings of r.
    y = y + 0.5f * r * (v - y * y);
    return y;
}

// sin(2 pi f) for |f| <= 1/4; exact at 0 and +-1/4.
LG_FUNCTION float lg_sin_quarter(float f)
{
    LG_FLOAT u = f * f;
    LG_FLOAT p = 39.5531693f;
    p = p * u - 76.5573883f;
    p = p * u + 81.601532f;
    p = p * u - 41.3416519f;
    p = p * u + 6.28318453f;
    LG_FLOAT y = f * p;
    return y;
}

// sin and cos of 2 pi t for |t| < 2^22: absolute error below 2^-22; exact at multiples of 1/4.
LG_FUNCTION float lg_sin_turns(float t)
{
    LG_FLOAT f = t - floorf(t + 0.5f);
    LG_FLOAT folded = f < 0.0f ? -0.5f - f : 0.5f - f;
    f = fabsf(f) > 0.25f ? folded : f;
    return lg_sin_quarter(f);
}

LG_FUNCTION float lg_cos_turns(float t)
{
    LG_FLOAT f = t - floorf(t + 0.5f);
    LG_FLOAT folded = 0.25f - fabsf(f);
    return lg_sin_quarter(folded);
}

// sin and cos of radians: absolute error below 2^-21 for |x| <= 2 pi, above it |x| * 2^-23 more.
LG_FUNCTION float lg_sin(float x)
{
    LG_FLOAT turns = x * 0.159154943f;
    return lg_sin_turns(turns);
}

LG_FUNCTION float lg_cos(float x)
{
    LG_FLOAT turns = x * 0.159154943f;
    return lg_cos_turns(turns);
}

// The angle of (x, y) in -pi .. pi: absolute error below 2^-21; 0 for (0, 0).
LG_FUNCTION float lg_atan2(float y, float x)
{
    LG_FLOAT ax = fabsf(x), ay = fabsf(y);
    LG_FLOAT high = fmaxf(ax, ay);
    LG_FLOAT low = fminf(ax, ay);
    LG_FLOAT q = high > 0.0f ? lg_div(low, high) : 0.0f;
    LG_FLOAT u = q * q;
    LG_FLOAT p = -0.00405451502f;
    p = p * u + 0.0218627641f;
    p = p * u - 0.0559120395f;
    p = p * u + 0.0964217569f;
    p = p * u - 0.139086209f;
    p = p * u + 0.199465639f;
    p = p * u - 0.333298606f;
    p = p * u + 0.999999336f;
    LG_FLOAT angle = q * p;
    angle = ay > ax ? 1.57079633f - angle : angle;
    angle = x < 0.0f ? 3.14159265f - angle : angle;
    angle = y < 0.0f ? -angle : angle;
    return angle;
}

#endif
