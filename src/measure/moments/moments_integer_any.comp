// Exact moments of integer samples with a mask, without transparent pixels, or with steps: pixel by
// pixel.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "measure/moments/moments_tally.glsl"
#include "kernel/pixel.glsl"
#include "measure/moments/moments_push.h"

layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint WIDE = 0;     // 0: u8, 1: u16

layout(push_constant, scalar) uniform parameters {
    lg_moments_any_push p;
};

void main()
{
    const uint layer = gl_WorkGroupID.y;
    uint count = 0u;
    uint sum[CHANNELS], low[CHANNELS], high[CHANNELS];
    uvec2 square[CHANNELS];
    tallies_clear();
    barrier();
    for (uint c = 0u; c < CHANNELS; c++) {
        sum[c] = high[c] = 0u;
        low[c] = ~0u;
        square[c] = uvec2(0u);
    }
    // The host bounds the pixels of a lane to 65536, so that 32-bit sums hold.
    for (uint row = gl_WorkGroupID.x; row < p.walk.height; row += gl_NumWorkGroups.x) {
        for (uint column = gl_LocalInvocationIndex; column < p.walk.width; column += gl_WorkGroupSize.x) {
            if (!lg_selected(p.walk, layer, row, column, WIDE))
                continue;
            const uvec2 pixel = lg_pixel_address(p.walk, layer, row, column);
            count++;
            for (uint c = 0u; c < CHANNELS; c++) {
                const uint v = WIDE == 0u ? lg_load_u8(pixel, c) : lg_load_u16(pixel, c);
                sum[c] += v;
                square[c] = lg_add64(square[c], uvec2(v * v, 0u));
                low[c] = min(low[c], v);
                high[c] = max(high[c], v);
            }
        }
    }
    for (uint c = 0u; c < CHANNELS; c++) {
        tally_limbs(c * TALLY_WORDS + COUNT, count);
        tally_limbs(c * TALLY_WORDS + SUM, sum[c]);
        tally_limbs(c * TALLY_WORDS + SQUARE, square[c].x);
        tally_limbs(c * TALLY_WORDS + SQUARE + 2u, square[c].y);
        tally_extremes(c * TALLY_WORDS, low[c], high[c]);
    }
    tallies_publish(p.totals, layer, CHANNELS);
}
