// Exact moments of float samples under a mask, without transparent pixels, with steps, or where rows are no
// vectors: pixel by pixel.
#version 460
//@variant moments_float_any -DINT64
//@variant moments_float_any_words
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_window.glsl"
#include "shader/pixel.glsl"

layout(push_constant, scalar) uniform parameters {
    lg_walk walk;
    lg_totals totals; // words of moments_window.glsl [layer][channel]
} p;

uint load(uvec2 pixel, uint channel)
{
    return HALF == 0u ? lg_load_u32(pixel, channel)
                      : floatBitsToUint(unpackHalf2x16(lg_load_u16(pixel, channel)).x);
}

void look_around(uint layer)
{
    const uint count = (p.walk.height - min(gl_WorkGroupID.x, p.walk.height - 1u) + gl_NumWorkGroups.x - 1u) /
                       gl_NumWorkGroups.x;
    const uint lane = gl_LocalInvocationIndex;
    const uint row = min(gl_WorkGroupID.x, p.walk.height - 1u) + lane % count * gl_NumWorkGroups.x;
    const uint column = lane * 2654435769u % p.walk.width;
    const uvec2 pixel = lg_pixel_address(p.walk, layer, row, column);
    if (lg_selected(p.walk, layer, row, column, HALF != 0u ? 2u : 3u))
        for (uint c = 0u; c < CHANNELS; c++)
            look_at(c, load(pixel, c));
}

void main()
{
    const uint layer = gl_WorkGroupID.y;
    uint count = 0u;
    sums_clear();
    if (HALF == 0u)
        look_around(layer);
    windows_choose();
    for (uint row = gl_WorkGroupID.x; row < p.walk.height; row += gl_NumWorkGroups.x) {
        for (uint column = gl_LocalInvocationIndex; column < p.walk.width; column += gl_WorkGroupSize.x) {
            if (!lg_selected(p.walk, layer, row, column, HALF != 0u ? 2u : 3u))
                continue;
            const uvec2 pixel = lg_pixel_address(p.walk, layer, row, column);
            uint refused = 0u;
            count++;
            [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
                const float x = uintBitsToFloat(load(pixel, c));
                if (in_window(c, x))
                    add_sample(c, x);
                else
                    refused |= 1u << c;
            }
            lane_carry();
            for (; refused != 0u; refused &= refused - 1u)
                add_singly(uint(findLSB(refused)), load(pixel, uint(findLSB(refused))));
        }
    }
    count = subgroupAdd(count);
    if (subgroupElect())
        for (uint c = 0u; c < CHANNELS; c++)
            add_word(c * WORDS + COUNT, 0u, count);
    lanes_publish();
    sums_publish(p.totals, layer);
}
