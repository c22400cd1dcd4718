// Luma of the selected float pixels as an image, and a mask of these pixels.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "kernel/memory.glsl"
#include "kernel/pixel.glsl"
#include "measure/threshold/threshold_value.glsl"
#include "measure/threshold/threshold_push.h"

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer lg_luma_out {
    uint at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 1) writeonly buffer lg_mask_out {
    uint8_t at[];
};

layout(push_constant, scalar) uniform parameters {
    lg_threshold_luma_push p;
};

uint load_bits(uvec2 pixel, uint channel)
{
    return TYPE == LG_F16 ? lg_load_u16(pixel, channel) : lg_load_u32(pixel, channel);
}

void main()
{
    const uint layer = gl_WorkGroupID.y, pixels = p.walk.width * p.walk.height;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < pixels; i += step) {
        const uint row = i / p.walk.width, column = i - row * p.walk.width;
        const uint line = layer * p.walk.height + row;
        const uvec2 pixel = lg_pixel_address(p.walk, layer, row, column);
        const uvec3 bits = uvec3(load_bits(pixel, 0u), load_bits(pixel, 1u), load_bits(pixel, 2u));
        const uvec2 to = lg_add64(p.luma, lg_mul64(line, uvec2(p.luma_row_stride, 0u)));
        lg_luma_out(to).at[column] = value_luma(bits, p.weights);
        if (p.mask.x != 0u || p.mask.y != 0u)
            lg_mask_out(lg_add64(p.mask, lg_mul64(line, uvec2(p.mask_row_stride, 0u)))).at[column] =
                uint8_t(lg_selected(p.walk, layer, row, column, TYPE) ? 1u : 0u);
    }
}
