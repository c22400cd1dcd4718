// Samples as words, and additions of words, in one of three representations. SUM_WIDE: 64-bit
// integers in two words; SUM_FLOAT: single precision; otherwise 32-bit integers.
#include "kernel/memory.glsl"
#include "kernel/types.h"

layout(constant_id = 1) const uint CHANNELS = 1;
layout(constant_id = 2) const uint TYPE = 0;      // lg_type
layout(constant_id = 3) const uint OPERATION = 0; // lg_area_op

const uint VALUE = 0u, SQUARE = 1u, SQUARE_TOP = 2u, COUNT = 3u, ABOVE = 4u, LEAST = 5u, MOST = 6u,
           BIN = 7u;
const uint SAMPLE_BYTES = TYPE == LG_U8                              ? 1u
                          : TYPE == LG_U16 || TYPE == LG_F16 ? 2u
                                                                             : 4u;

#ifdef SUM_WIDE
#define SUM_WORDS 2u
#else
#define SUM_WORDS 1u
#endif
#define SUM_BYTES (SUM_WORDS * 4u)

// Parameters of the conversion of a sample.
struct sample_rule {
    uint above;    // bits: an integer, or a float that is not -0; BIN: the smallest key
    int fraction;  // F of the definition
    uint largest;  // bits of the largest finite magnitude; BIN: the largest key
};

// Whether samples become integers of a unit that depends on the largest magnitude.
bool is_in_units()
{
    return (TYPE == LG_F16 || TYPE == LG_F32) && OPERATION <= SQUARE_TOP && SUM_WORDS == 2u;
}

#if defined(SUM_FLOAT)
#define SUM float
#define SUM_ZERO 0.0
SUM sum_add(SUM a, SUM b)
{
    precise float s = a + b;
    return s;
}
uvec2 sum_halves(SUM s)
{
    const uint bits = floatBitsToUint(s);
    return uvec2(bits & 0xffffu, bits >> 16);
}
SUM sum_of_halves(uvec2 h)
{
    return uintBitsToFloat(h.x & 0xffffu | h.y << 16);
}
#elif defined(SUM_WIDE)
#define SUM uvec2
#define SUM_ZERO uvec2(0u)
SUM sum_add(SUM a, SUM b)
{
    return lg_add64(a, b);
}
uvec4 sum_halves(SUM s)
{
    return uvec4(s.x & 0xffffu, s.x >> 16, s.y & 0xffffu, s.y >> 16);
}
SUM sum_of_halves(uvec4 h)
{
    return uvec2(h.x & 0xffffu | h.y << 16, h.z & 0xffffu | h.w << 16);
}
#else
#define SUM uint
#define SUM_ZERO 0u
SUM sum_add(SUM a, SUM b)
{
    return a + b;
}
uvec2 sum_halves(SUM s)
{
    return uvec2(s & 0xffffu, s >> 16);
}
SUM sum_of_halves(uvec2 h)
{
    return h.x & 0xffffu | h.y << 16;
}
#endif

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer sum_memory {
    SUM at[];
};

// Entry `index` behind an address: a device may count the bytes of an index in 32 bits.
sum_memory sum_entry(uvec2 first, uvec2 index)
{
    return sum_memory(lg_add64(first, lg_mul64(SUM_BYTES, index)));
}

// ---- samples ----

// In integers, as a device may flush subnormal numbers to zero.
uint bits_of_half(uint half_bits)
{
    const uint magnitude = half_bits & 0x7fffu, sign = (half_bits & 0x8000u) << 16;
    if (magnitude >= 0x7c00u)
        return sign | 0x7f800000u | (magnitude & 0x3ffu) << 13;
    if (magnitude >= 0x400u || magnitude == 0u)
        return sign | (magnitude == 0u ? 0u : (magnitude << 13) + (112u << 23));
    const uint top = uint(findMSB(magnitude));
    return sign | (top + 103u) << 23 | (magnitude << (23u - top) & 0x7fffffu);
}

// Sample k of a vector.
uint sample_bits(uvec4 v, uint k)
{
    const uint byte = k * SAMPLE_BYTES;
    const uint word = v[byte >> 2];
    if (SAMPLE_BYTES == 4u)
        return word;
    const uint bits = (word >> ((byte & 3u) * 8u)) & (SAMPLE_BYTES == 1u ? 0xffu : 0xffffu);
    return TYPE == LG_F16 ? bits_of_half(bits) : bits;
}

bool is_float()
{
    return TYPE == LG_F16 || TYPE == LG_F32;
}

bool is_finite(uint bits)
{
    return !is_float() || (bits & 0x7f800000u) != 0x7f800000u;
}

// The key of a float, in integers, as a device may flush subnormal numbers to zero.
bool is_above(uint bits, uint above)
{
    if (!is_float())
        return int(bits) > int(above);
    const uint a = bits ^ ((bits >> 31) != 0u ? ~0u : 0x80000000u);
    const uint b = above ^ ((above >> 31) != 0u ? ~0u : 0x80000000u);
    return a > b;
}

uvec2 shift_right(uvec2 v, uint by)
{
    if (by >= 32u)
        return uvec2(v.y >> (by - 32u), 0u);
    return by == 0u ? v : uvec2(v.x >> by | v.y << (32u - by), v.y >> by);
}

uvec2 shift_left(uvec2 v, uint by)
{
    if (by >= 32u)
        return uvec2(0u, v.x << (by - 32u));
    return by == 0u ? v : uvec2(v.x << by, v.y << by | v.x >> (32u - by));
}

// v / 2^by, ties to even; v is below 2^49.
uvec2 shift_right_even(uvec2 v, uint by)
{
    by = min(by, 63u); // a larger shift gives 0 as well
    const uint odd = shift_right(v, by).x & 1u;
    const uvec2 half_less = lg_add64(shift_left(uvec2(1u, 0u), by - 1u), uvec2(~0u));
    return shift_right(lg_add64(lg_add64(v, half_less), uvec2(odd, 0u)), by);
}

uvec2 negative64(uvec2 v)
{
    return lg_add64(~v, uvec2(1u, 0u));
}

// E of the definition: the smallest integer with |x| < 2^E.
int exponent_above(uint magnitude)
{
    return magnitude >= 0x800000u ? int(magnitude >> 23) - 126 : findMSB(magnitude) + 1 - 149;
}

// A finite magnitude is the result times 2^left units of 2^(E - F).
uint unit_digits(uint bits, sample_rule rule, out uint left)
{
    const uint exponent = bits >> 23 & 0xffu;
    const uint digits = exponent != 0u ? bits & 0x7fffffu | 0x800000u : bits & 0x7fffffu;
    const int by = int(max(exponent, 1u)) - 150 - exponent_above(rule.largest) + rule.fraction;
    left = uint(clamp(by, 0, 63)); // zero may have any exponent
    return by < 0 ? shift_right_even(uvec2(digits, 0u), uint(-by)).x : digits;
}

// A finite float in units; or the low bits of its square, or those above them, see lg_area_split.
uvec2 fixed_point(uint bits, sample_rule rule)
{
    uint left;
    const uint digits = unit_digits(bits, rule, left);
    if (OPERATION == VALUE) {
        const uvec2 value = shift_left(uvec2(digits, 0u), left);
        return (bits >> 31) != 0u ? negative64(value) : value;
    }
    const uint split = uint(min(rule.fraction + 2, 63));
    uvec2 square;
    umulExtended(digits, digits, square.y, square.x);
    left *= 2u;
    if (OPERATION == SQUARE_TOP)
        return left < split ? shift_right(square, split - left)
                            : shift_left(square, min(left - split, 63u));
    const uvec2 low = left < 64u ? shift_left(square, left) : uvec2(0u);
    return low & lg_add64(shift_left(uvec2(1u, 0u), split), uvec2(~0u));
}

uvec2 integer_value(uint bits, bool square)
{
    const bool negative = TYPE == LG_I32 && int(bits) < 0;
    if (!square)
        return uvec2(bits, negative ? ~0u : 0u);
    const uint magnitude = negative ? 0u - bits : bits;
    uvec2 product;
    umulExtended(magnitude, magnitude, product.y, product.x);
    return product;
}

// 32-bit integers are 64-bit integers modulo 2^32.
#ifdef SUM_WIDE
#define SUM_OF_64(v) (v)
#else
#define SUM_OF_64(v) ((v).x)
#endif

// In the order of the samples.
uint sample_key(uint bits)
{
    if (is_float())
        return bits ^ ((bits >> 31) != 0u ? ~0u : 0x80000000u);
    return TYPE == LG_I32 ? bits ^ 0x80000000u : bits;
}

SUM sample_value(uint bits, sample_rule rule)
{
#ifdef SUM_FLOAT
    return is_finite(bits) ? uintBitsToFloat(bits) : 0.0;
#else
    if (!is_finite(bits))
        return SUM_OF_64(uvec2(OPERATION == LEAST ? ~0u : 0u, 0u));
    if (OPERATION == LEAST || OPERATION == MOST)
        return SUM_OF_64(uvec2(sample_key(bits), 0u));
    if (OPERATION == COUNT)
        return SUM_OF_64(uvec2(1u, 0u));
    if (OPERATION == ABOVE)
        return SUM_OF_64(uvec2(is_above(bits, rule.above) ? 1u : 0u, 0u));
    if (OPERATION == BIN) {
        const uint key = sample_key(bits);
        return SUM_OF_64(uvec2(key >= rule.above && key <= rule.largest ? 1u : 0u, 0u));
    }
    return SUM_OF_64(is_float() ? fixed_point(bits, rule) : integer_value(bits, OPERATION == SQUARE));
#endif
}
