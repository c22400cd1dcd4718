// Weighted means of bytes in exact integers: one text for C and GLSL. Weights are 255ths, and a quotient
// by 255 or 255^3 takes products and shifts.
#ifndef LG_BYTE_MATH_H
#define LG_BYTE_MATH_H

#include "kernel/subset.h"

#define LG_CUBE_255 16581375u // 255^3

// x / 255, rounded down, for x < 65535.
LG_FUNCTION lg_uint lg_div_255(lg_uint x)
{
    return (x + 1u + (x >> 8)) >> 8;
}

// x / 255^3, rounded down, for all x: 33155 / 2^23 is a little below 65536 / 255^3, so that the first
// quotient is right or 1 too small.
LG_FUNCTION lg_uint lg_div_cube_255(lg_uint x)
{
    lg_uint q = ((x >> 16) * 33155u) >> 23;
    lg_uint rest = x - q * LG_CUBE_255;
    return q + (rest >= LG_CUBE_255 ? 1u : 0u);
}

// (255 - w) a + w b. a and b may hold two numbers, one in each half of 16 bits, as long as no result
// is above 65535: differences of halves borrow, and the sum pays it back.
LG_FUNCTION lg_uint lg_mix_255(lg_uint a, lg_uint b, lg_uint w)
{
    return 255u * a + w * (b - a);
}

// Four pixels of bytes, or what belongs to each of them.
LG_STRUCT(lg_four)
{
    lg_uint p0, p1, p2, p3;
};

// Weighted sums of the pixels' red, green and blue.
LG_STRUCT(lg_byte_sums)
{
    lg_uint r, g, b;
};

// Weights are bytes whose sum is a byte.
#ifdef LG_DOT // the sum of four products of bytes
LG_FUNCTION lg_uint lg_bytes_at(lg_four c, lg_uint shift)
{
    return (c.p0 >> shift & 255u) | (c.p1 >> shift & 255u) << 8 | (c.p2 >> shift & 255u) << 16 |
           (c.p3 >> shift & 255u) << 24;
}

LG_FUNCTION lg_byte_sums lg_weigh_four(lg_four c, lg_four w)
{
    lg_uint weights = lg_bytes_at(w, 0u);
    lg_byte_sums s;
    s.r = LG_DOT(lg_bytes_at(c, 0u), weights);
    s.g = LG_DOT(lg_bytes_at(c, 8u), weights);
    s.b = LG_DOT(lg_bytes_at(c, 16u), weights);
    return s;
}
#else // red and blue in the halves of one word
LG_FUNCTION lg_byte_sums lg_weigh_four(lg_four c, lg_four w)
{
    lg_uint rb = (c.p0 & 0xff00ffu) * w.p0 + (c.p1 & 0xff00ffu) * w.p1 + (c.p2 & 0xff00ffu) * w.p2 +
                 (c.p3 & 0xff00ffu) * w.p3;
    lg_byte_sums s;
    s.r = rb & 0xffffu;
    s.g = (c.p0 >> 8 & 255u) * w.p0 + (c.p1 >> 8 & 255u) * w.p1 + (c.p2 >> 8 & 255u) * w.p2 +
          (c.p3 >> 8 & 255u) * w.p3;
    s.b = rb >> 16;
    return s;
}
#endif

// Of the corners of a square, by x 255ths from p0 to p1 and from p2 to p3, and y 255ths from there to there.
LG_FUNCTION lg_byte_sums lg_weigh_square(lg_four c, lg_uint x, lg_uint y)
{
    lg_uint rb0 = lg_mix_255(c.p0 & 0xff00ffu, c.p1 & 0xff00ffu, x);
    lg_uint rb1 = lg_mix_255(c.p2 & 0xff00ffu, c.p3 & 0xff00ffu, x);
    lg_uint g0 = lg_mix_255(c.p0 >> 8 & 255u, c.p1 >> 8 & 255u, x);
    lg_uint g1 = lg_mix_255(c.p2 >> 8 & 255u, c.p3 >> 8 & 255u, x);
    lg_byte_sums s;
    s.r = lg_mix_255(rb0 & 0xffffu, rb1 & 0xffffu, y);
    s.g = lg_mix_255(g0, g1, y);
    s.b = lg_mix_255(rb0 >> 16, rb1 >> 16, y);
    return s;
}

// By z 255ths from one square to the other.
LG_FUNCTION lg_byte_sums lg_weigh_squares(lg_byte_sums near, lg_byte_sums far, lg_uint z)
{
    lg_byte_sums s;
    s.r = lg_mix_255(near.r, far.r, z);
    s.g = lg_mix_255(near.g, far.g, z);
    s.b = lg_mix_255(near.b, far.b, z);
    return s;
}

#endif
