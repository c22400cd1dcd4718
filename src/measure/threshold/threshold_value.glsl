// The number that represents a pixel: the grey sample, or luma of three.
#include "kernel/space/luma.h"
#include "measure/threshold/threshold_push.h"
#include "kernel/types.h"

layout(constant_id = 1) const uint TYPE = 0;     // lg_type: u8, u16, f16, f32
layout(constant_id = 2) const uint CHANNELS = 1; // stored: 1, 2 or 4; 4 is compared by luma
layout(constant_id = 3) const uint LUMA_MAX = 0; // luma is the largest component

const uint SAMPLE = TYPE == LG_U8 ? 1u : (TYPE == LG_F32 ? 4u : 2u), PIXEL = SAMPLE * CHANNELS; // bytes

uint value_integer(uvec3 c, lg_luma_weights w)
{
    return LUMA_MAX != 0u ? lg_luma_integer_max(c.r, c.g, c.b)
                          : lg_luma_integer(c.r, c.g, c.b, w.rg & 0xffffu, w.rg >> 16, w.b);
}

float value_real(uint bits)
{
    return TYPE == LG_F16 ? unpackHalf2x16(bits).x : uintBitsToFloat(bits);
}

// Luma of float samples, as bits: NaN with a NaN, else infinite with an infinity.
uint value_luma(uvec3 bits, lg_luma_weights w)
{
    const float r = value_real(bits.r), g = value_real(bits.g), b = value_real(bits.b);
    const uint high = max(max(floatBitsToUint(r) & 0x7fffffffu, floatBitsToUint(g) & 0x7fffffffu),
                          floatBitsToUint(b) & 0x7fffffffu);
    if (high >= 0x7f800000u)
        return high == 0x7f800000u ? high : 0x7fc00000u;
    return floatBitsToUint(LUMA_MAX != 0u
                               ? lg_luma_float_max(r, g, b)
                               : lg_luma_float(r, g, b, w.real[0], w.real[1], w.real[2]));
}
