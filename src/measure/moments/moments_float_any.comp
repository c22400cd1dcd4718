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
    const uint pixels = p.walk.width * p.walk.height, shares = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    const uint rounds = max(pixels / shares, 1u), lane = gl_LocalInvocationIndex;
    const uint i = min(lane % rounds * shares + gl_WorkGroupID.x * gl_WorkGroupSize.x + lane, pixels - 1u);
    const uint row = i / p.walk.width, column = i - row * p.walk.width;
    const uvec2 pixel = lg_pixel_address(p.walk, layer, row, column);
    if (lg_selected(p.walk, layer, row, column, HALF != 0u ? 2u : 3u))
        for (uint c = 0u; c < CHANNELS; c++)
            look_at(c, load(pixel, c));
}

void add_pixel(uvec2 pixel)
{
    uint refused = 0u;
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
        const float x = uintBitsToFloat(load(pixel, c));
        if (in_window(c, x))
            add_sample(c, x, true);
        else
            refused |= 1u << c;
    }
    lane_carry();
    for (; refused != 0u; refused &= refused - 1u)
        add_singly(uint(findLSB(refused)), load(pixel, uint(findLSB(refused))));
}

void main()
{
    const uint layer = gl_WorkGroupID.y, pixels = p.walk.width * p.walk.height;
    const uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint count = 0u, left = first < pixels ? (pixels - first - 1u) / step + 1u : 0u;
    sums_clear();
    if (HALF == 0u)
        look_around(layer);
    windows_choose();
    for (uint i = first; left != 0u; i += step, left--) { // i + step may be beyond 2^32
        const uint row = i / p.walk.width, column = i - row * p.walk.width;
        if (!lg_selected(p.walk, layer, row, column, HALF != 0u ? 2u : 3u))
            continue;
        count++;
        add_pixel(lg_pixel_address(p.walk, layer, row, column));
    }
    count = subgroupAdd(count);
    if (subgroupElect())
        for (uint c = 0u; c < CHANNELS; c++)
            add_word(c * WORDS + COUNT, 0u, count);
    lanes_publish();
    sums_publish(p.totals, layer);
}
