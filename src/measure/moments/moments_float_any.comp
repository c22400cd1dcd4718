// Exact moments of float samples with a mask, without transparent pixels, or with steps. A lane has
// one channel of a pixel.
#version 460
//@variant moments_float_any -DINT64
//@variant moments_float_any_words
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_window.glsl"
#include "kernel/pixel.glsl"
#include "measure/moments/moments_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_moments_any_push p;
};

bool taken(uint layer, uint i)
{
    const uint row = i / p.walk.width;
    return lg_selected(p.walk, layer, row, i - row * p.walk.width, HALF != 0u ? 2u : 3u);
}

uint load(uint layer, uint i)
{
    const uint row = i / p.walk.width;
    return sample_bits(lg_pixel_address(p.walk, layer, row, i - row * p.walk.width), lane_channel);
}

void main()
{
    const uint layer = gl_WorkGroupID.y, pixels = p.walk.width * p.walk.height;
    const uint step = gl_NumWorkGroups.x * (gl_WorkGroupSize.x / CHANNELS);
    const uint first = (gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex) / CHANNELS;
    uint count = 0u, left = first < pixels ? (pixels - first - 1u) / step + 1u : 0u;
    lane_channel = gl_LocalInvocationIndex % CHANNELS;
    sums_clear();
    if (HALF == 0u && left != 0u) {
        const uint some = first + gl_LocalInvocationIndex % left * step; // out of all that the lane will see
        if (taken(layer, some))
            look_at(load(layer, some));
    }
    window_choose();
    for (uint i = first; left != 0u; i += step, left--) { // i + step may be beyond 2^32
        if (!taken(layer, i))
            continue;
        count++;
        add_to_lane(load(layer, i));
    }
    counts_publish(count);
    lanes_publish();
    sums_publish(p.totals, layer);
}
