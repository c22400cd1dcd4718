// Exact moments of integer samples under a mask, without transparent pixels, or with steps: pixel by
// pixel.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "measure/moments/moments_tally.glsl"
#include "shader/pixel.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint WIDE = 0;     // 0: u8, 1: u16

layout(push_constant, scalar) uniform parameters {
    lg_walk walk;
    uvec2 partials; // tally [layer][workgroup][channel]
    uvec2 records;  // tally [layer][channel]
    uvec2 tickets;  // u32 [layer]: zero on entry and on exit
} p;

void main()
{
    const uint layer = gl_WorkGroupID.y;
    tally t[CHANNELS];
    for (uint c = 0u; c < CHANNELS; c++)
        t[c] = NOTHING;
    for (uint row = gl_WorkGroupID.x; row < p.walk.height; row += gl_NumWorkGroups.x) {
        for (uint column = gl_LocalInvocationIndex; column < p.walk.width; column += gl_WorkGroupSize.x) {
            if (!lg_selected(p.walk, layer, row, column, WIDE))
                continue;
            const uvec2 pixel = lg_pixel_address(p.walk, layer, row, column);
            for (uint c = 0u; c < CHANNELS; c++) {
                const uint v = WIDE == 0u ? lg_load_u8(pixel, c) : lg_load_u16(pixel, c);
                t[c] = both(t[c], tally(1u, uvec2(v, 0u), uvec2(v * v, 0u), v, v));
            }
        }
    }
    PUBLISH_TALLIES(t, CHANNELS, p.partials, p.records, p.tickets)
}
