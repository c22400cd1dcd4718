// The range of the finite samples of each channel of an image of floats.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"
#include "kernel/pixel.glsl"
#include "graph/figure_push.h"
#include "graph/figure_ranks.h"

layout(constant_id = 1) const uint TYPE = 3;     // lg_type: f16 or f32
layout(constant_id = 2) const uint MEASURED = 1; // channels

layout(push_constant, scalar) uniform parameters {
    lg_figure_range_push p;
};

shared uint group_ends[2u * MEASURED];

// The bits of a sample as f32.
uint load_float(uvec2 pixel, uint channel)
{
    if (TYPE == LG_F32)
        return lg_load_u32(pixel, channel);
    const uint stored = lg_load_u16(pixel, channel), size = stored & 0x7fffu;
    if (size >= 0x7c00u)
        return 0x7f800000u;
    return floatBitsToUint(lg_rank_half_value((stored & 0x8000u) != 0u ? 0x7bffu - size : 0x7c00u + size));
}

void main()
{
    const uint self = gl_LocalInvocationIndex;
    if (self < 2u * MEASURED)
        group_ends[self] = 0u;
    barrier();
    uint ends[2u * MEASURED];
    for (uint i = 0u; i < 2u * MEASURED; i++)
        ends[i] = 0u;
    for (uint row = gl_WorkGroupID.x; row < p.walk.height; row += gl_NumWorkGroups.x)
        for (uint column = self; column < p.walk.width; column += gl_WorkGroupSize.x) {
            const uvec2 pixel = lg_pixel_address(p.walk, gl_WorkGroupID.y, row, column);
            for (uint c = 0u; c < MEASURED; c++) {
                const uint bits = load_float(pixel, c);
                const uint key = (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
                if ((bits & LG_BITS_INF) != LG_BITS_INF) {
                    ends[2u * c] = max(ends[2u * c], ~key);
                    ends[2u * c + 1u] = max(ends[2u * c + 1u], key);
                }
            }
        }
    for (uint i = 0u; i < 2u * MEASURED; i++) {
        const uint end = subgroupMax(ends[i]);
        if (subgroupElect())
            atomicMax(group_ends[i], end);
    }
    barrier();
    if (self < 2u * MEASURED)
        atomicMax(lg_words_shared(p.ranges).at[self], group_ends[self]);
}
