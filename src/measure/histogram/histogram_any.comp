// Counts of any samples, pixel by pixel: masks, alpha, steps.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "measure/histogram/histogram_count.glsl"
#include "kernel/pixel.glsl"
#include "measure/histogram/histogram_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_histogram_any_push p;
};

uint load_bits(uvec2 pixel, uint channel)
{
    if (TYPE == LG_U8)
        return lg_load_u8(pixel, channel);
    if (TYPE == LG_U16 || TYPE == LG_F16)
        return lg_load_u16(pixel, channel);
    return lg_load_u32(pixel, channel);
}

void main()
{
    const uint layer = gl_WorkGroupID.y;
    load_rules(p.rules);
    counters_clear(p.totals);
    for (uint row = gl_WorkGroupID.x; row < p.walk.height; row += gl_NumWorkGroups.x) {
        for (uint column = gl_LocalInvocationIndex; column < p.walk.width; column += gl_WorkGroupSize.x) {
            if (!lg_selected(p.walk, layer, row, column, TYPE))
                continue;
            const uvec2 pixel = lg_pixel_address(p.walk, layer, row, column);
            uint bits[CHANNELS];
            for (uint c = 0u; c < CHANNELS; c++)
                bits[c] = load_bits(pixel, c);
            count_pixel(bits);
        }
    }
    counters_publish();
}
