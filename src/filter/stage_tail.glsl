// Comes behind the common texts: samples to components, components to samples. Bytes are converted,
// as devices do this while they unpack a word.
#ifndef LG_BYTE_UNIT // of a byte
#define LG_BYTE_UNIT LG_UNIT_U8
#endif

vec4 lg_raw_u8_1(uint w)
{
    return vec4(float(w & 255u) * LG_BYTE_UNIT, 0.0, 0.0, 0.0);
}

vec4 lg_raw_u8_2(uint w)
{
    return vec4(float(w & 255u) * LG_BYTE_UNIT, float(w >> 8 & 255u) * LG_BYTE_UNIT, 0.0, 0.0);
}

vec4 lg_raw_u8_4(uint w)
{
    return vec4(float(w & 255u), float(w >> 8 & 255u), float(w >> 16 & 255u), float(w >> 24)) *
           LG_BYTE_UNIT;
}

vec4 lg_raw_u16_1(uint w)
{
    return vec4(lg_from_uint(w & 65535u) * LG_UNIT_U16, 0.0, 0.0, 0.0);
}

vec4 lg_raw_u16_2(uint w)
{
    return vec4(lg_from_uint(w & 65535u) * LG_UNIT_U16, lg_from_uint(w >> 16) * LG_UNIT_U16, 0.0, 0.0);
}

vec4 lg_raw_u16_4(uvec2 w)
{
    return vec4(lg_raw_u16_2(w.x).xy, lg_raw_u16_2(w.y).xy);
}

vec4 lg_raw_f16_1(uint w)
{
    return vec4(unpackHalf2x16(w).x, 0.0, 0.0, 0.0);
}

vec4 lg_raw_f16_2(uint w)
{
    return vec4(unpackHalf2x16(w), 0.0, 0.0);
}

vec4 lg_raw_f16_4(uvec2 w)
{
    return vec4(unpackHalf2x16(w.x), unpackHalf2x16(w.y));
}

vec4 lg_raw_f32_1(uint w)
{
    return vec4(uintBitsToFloat(w), 0.0, 0.0, 0.0);
}

vec4 lg_raw_f32_2(uvec2 w)
{
    return vec4(uintBitsToFloat(w), 0.0, 0.0);
}

vec4 lg_raw_f32_4(uvec4 w)
{
    return uintBitsToFloat(w);
}

uint lg_bits_u8_1(vec4 c)
{
    return lg_to_unit(c.x, 255.0);
}

uint lg_bits_u8_2(vec4 c)
{
    return lg_to_unit(c.x, 255.0) | lg_to_unit(c.y, 255.0) << 8;
}

// The sums' own high bits add up to those of one of them.
uint lg_bits_u8_4(vec4 c)
{
    return lg_unit_sum(c.x, 255.0) + (lg_unit_sum(c.y, 255.0) << 8) +
           (lg_unit_sum(c.z, 255.0) << 16) + (lg_unit_sum(c.w, 255.0) << 24) - LG_WHOLE_BITS;
}

uint lg_bits_u16_1(vec4 c)
{
    return lg_to_unit(c.x, 65535.0);
}

uint lg_bits_u16_2(vec4 c)
{
    return lg_to_unit(c.x, 65535.0) | lg_to_unit(c.y, 65535.0) << 16;
}

uvec2 lg_bits_u16_4(vec4 c)
{
    return uvec2(lg_bits_u16_2(c), lg_bits_u16_2(c.zwzw));
}

// Rounds to nearest even and keeps subnormal f16, whatever the device's conversion does.
uint lg_half_bits(float v)
{
    uint bits = floatBitsToUint(v), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    if (magnitude > 0x7f800000u)
        return sign | 0x7e00u;
    if (magnitude >= 0x477ff000u)
        return sign | 0x7c00u;
    if (magnitude < 0x33000001u)
        return sign;
    uint shift = magnitude < 0x38800000u ? 126u - (magnitude >> 23) : 13u;
    uint significand = magnitude < 0x38800000u ? (magnitude & 0x007fffffu) | 0x00800000u
                                               : magnitude - 0x38000000u;
    uint rest = significand & ((1u << shift) - 1u), half_way = 1u << (shift - 1u);
    uint value = significand >> shift;
    value += rest > half_way || (rest == half_way && (value & 1u) != 0u) ? 1u : 0u;
    return sign | value;
}

uint lg_bits_f16_1(vec4 c)
{
    return lg_half_bits(c.x);
}

uint lg_bits_f16_2(vec4 c)
{
    return lg_half_bits(c.x) | lg_half_bits(c.y) << 16;
}

uvec2 lg_bits_f16_4(vec4 c)
{
    return uvec2(lg_bits_f16_2(c), lg_bits_f16_2(c.zwzw));
}

uint lg_bits_f32_1(vec4 c)
{
    return floatBitsToUint(c.x);
}

uvec2 lg_bits_f32_2(vec4 c)
{
    return floatBitsToUint(c.xy);
}

uvec4 lg_bits_f32_4(vec4 c)
{
    return floatBitsToUint(c);
}

// The numbers in front of every stage's parameters.
place lg_place_at(int x, int y)
{
    place at;
    at.x = (float(x) + 0.5) * lg_param_float(2);
    at.y = (float(y) + 0.5) * lg_param_float(3);
    at.aspect = lg_param_float(4);
    at.width = lg_param_float(0);
    at.height = lg_param_float(1);
    return at;
}

color lg_color_at(uvec2 address, int i)
{
    vec4 v = uintBitsToFloat(lg_vectors(address).at[i >> 2]);
    return rgba(v.x, v.y, v.z, v.w);
}
