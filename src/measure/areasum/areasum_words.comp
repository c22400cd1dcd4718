// Samples of any type as dense rows of words, which the other kernels sum up: f64 for tables, and all types
// for boxes that are smoothed. areasum_doubles.c has the same in C. Words outside the array are 0.
#version 460
//@variant areasum_words_u32
//@variant areasum_words_u64 -DSUM_WIDE
#extension GL_GOOGLE_include_directive : require
#include "measure/areasum/areasum_sums.glsl"
#include "measure/areasum/areasum_push.h"

const uint SUM_LOW = 8u;

layout(push_constant, scalar) uniform parameters {
    lg_area_words_push p;
};

// A magnitude m 2^exponent with its sign.
struct digits {
    uvec2 m;
    int exponent;
    bool negative, finite;
};

digits digits_of_single(uint bits)
{
    const uint field = bits >> 23 & 0xffu, low = bits & 0x7fffffu;
    return digits(uvec2(field != 0u ? low | 0x800000u : low, 0u), int(max(field, 1u)) - 150,
                  (bits >> 31) != 0u, field != 0xffu);
}

digits digits_of_double(uvec2 bits)
{
    const uint field = bits.y >> 20 & 0x7ffu, high = bits.y & 0xfffffu;
    return digits(uvec2(bits.x, field != 0u ? high | 0x100000u : high), int(max(field, 1u)) - 1075,
                  (bits.y >> 31) != 0u, field != 0x7ffu);
}

// `row` is a multiple of 4, so a sample lies in a word, or is two.
digits digits_at(uvec2 row, uint i)
{
    lg_words words = lg_words(row);
    if (TYPE == LG_F64)
        return digits_of_double(uvec2(words.at[2u * i], words.at[2u * i + 1u]));
    const uint byte = i * SAMPLE_BYTES, word = words.at[byte >> 2];
    const uint bits = SAMPLE_BYTES == 4u
                          ? word
                          : word >> (byte & 3u) * 8u & (SAMPLE_BYTES == 1u ? 0xffu : 0xffffu);
    if (TYPE == LG_F16)
        return digits_of_single(bits_of_half(bits));
    if (TYPE == LG_F32)
        return digits_of_single(bits);
    const bool negative = TYPE == LG_I32 && int(bits) < 0;
    return digits(uvec2(negative ? 0u - bits : bits, 0u), 0, negative, true);
}

// m 2^shift, ties to even; m is below 2^54, or the result below 2^63.
uvec2 rounded(uvec2 m, int shift)
{
    if (shift >= 0)
        return shift < 64 ? shift_left(m, uint(shift)) : uvec2(0u);
    return shift_right_even(m, uint(-shift));
}

bool is_less(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// What the upper word leaves, in units that are smaller by 2^below.
uvec2 lower_of(digits d)
{
    const int shift = d.exponent - p.unit;
    if (shift >= 0)
        return uvec2(0u);
    const uvec2 upper = rounded(d.m, shift);
    const uvec2 taken = upper == uvec2(0u) ? upper : shift_left(upper, uint(-shift));
    if (is_less(d.m, taken))
        return negative64(rounded(lg_add64(taken, negative64(d.m)), shift + p.below));
    return rounded(lg_add64(d.m, negative64(taken)), shift + p.below);
}

// The square's bits below the split, or those from it on. The split is 32 to 63.
uvec2 square_of(uvec2 v)
{
    uvec2 low, middle, high;
    umulExtended(v.x, v.x, low.y, low.x);
    umulExtended(v.x, v.y, middle.y, middle.x);
    umulExtended(v.y, v.y, high.y, high.x);
    const uvec2 twice = shift_left(middle, 1u);
    const uint over = middle.y >> 31;
    uint carry, more;
    const uint second = uaddCarry(low.y, twice.x, carry);
    const uint third = uaddCarry(high.x, twice.y, more);
    uint third_carry;
    const uint third_all = uaddCarry(third, carry, third_carry);
    const uint fourth = high.y + over + more + third_carry;
    const uint by = uint(p.split) - 32u;
    if (OPERATION == SQUARE)
        return uvec2(low.x, second & (1u << by) - 1u);
    return by == 0u ? uvec2(second, third_all)
                    : uvec2(second >> by | third_all << (32u - by),
                            third_all >> by | fourth << (32u - by));
}

// In the order of doubles; -0 is 0.
uvec2 key_of(uvec2 bits)
{
    if (bits == uvec2(0u, 0x80000000u))
        bits = uvec2(0u);
    return (bits.y >> 31) != 0u ? ~bits : uvec2(bits.x, bits.y | 0x80000000u);
}

uvec2 word_at(uvec2 row, uint i)
{
    const digits d = digits_at(row, i);
    if (!d.finite)
        return uvec2(0u);
    if (OPERATION == COUNT)
        return uvec2(1u, 0u);
    if (OPERATION == ABOVE) {
        lg_words words = lg_words(row);
        const uvec2 bits = uvec2(words.at[2u * i], words.at[2u * i + 1u]);
        return uvec2(is_less(key_of(uvec2(p.above_low, p.above_high)), key_of(bits)) ? 1u : 0u, 0u);
    }
    const uvec2 word = OPERATION == SUM_LOW ? lower_of(d) : rounded(d.m, d.exponent - p.unit);
    if (OPERATION == SQUARE || OPERATION == SQUARE_TOP)
        return square_of(word);
    return d.negative ? negative64(word) : word;
}

void main()
{
    const uint number = p.first + gl_GlobalInvocationID.x;
    if (number >= p.count)
        return;
    const uint x = number % p.table_width, line = number / p.table_width;
    const uint y = line % p.table_height, z = line / p.table_height;
    uvec2 word = uvec2(0u);
    if (x < p.width && y < p.height && z < p.layers)
        word = word_at(lg_add64(lg_add64(p.data, lg_mul64(z, p.layer_stride)),
                                lg_mul64(y, uvec2(p.row_stride, 0u))),
                       x);
    sum_entry(p.table, uvec2(number, 0u)).at[0] = SUM_OF_64(word);
}
