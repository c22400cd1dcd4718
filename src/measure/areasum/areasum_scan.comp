// Running sums along rows of words, TIMES over: a workgroup for each channel of a row, which goes along it in
// pieces that all threads sum up together.
#version 460
//@variant areasum_scan_u32
//@variant areasum_scan_u64 -DSUM_WIDE
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/areasum/areasum_sums.glsl"
#include "measure/areasum/areasum_push.h"

layout(constant_id = 4) const uint TIMES = 1; // up to 4

layout(push_constant, scalar) uniform parameters {
    lg_area_scan_push p;
};

shared SUM held[LG_AREA_SCAN];

// The sums of the threads up to this one; every thread then finds that of all in `held`.
SUM sum_up(SUM v)
{
    const uint thread = gl_LocalInvocationIndex;
    for (uint d = 1u; d < LG_AREA_SCAN; d *= 2u) {
        held[thread] = v;
        barrier();
        if (thread >= d)
            v = sum_add(v, held[thread - d]);
        barrier();
    }
    held[thread] = v;
    barrier();
    return v;
}

void main()
{
    const uint line = p.first + gl_WorkGroupID.x, channel = line % CHANNELS;
    const uvec2 row = lg_add64(lg_mul64(line / CHANNELS, uvec2(p.entries * CHANNELS, 0u)),
                               uvec2(channel, 0u));
    SUM carry[4] = SUM[](SUM_ZERO, SUM_ZERO, SUM_ZERO, SUM_ZERO);
    for (uint first = 0u; first < p.entries; first += LG_AREA_SCAN) {
        const uint x = first + gl_LocalInvocationIndex;
        const bool inside = x < p.entries;
        sum_memory at =
            sum_entry(p.data, lg_add64(row, uvec2(min(x, p.entries - 1u) * CHANNELS, 0u)));
        SUM v = SUM_ZERO;
        if (inside)
            v = at.at[0];
        [[unroll]] for (uint n = 0u; n < TIMES; n++) {
            v = sum_add(sum_up(v), carry[n]);
            // Behind the row there are zeros in the first turn; what is made of them is not used.
            carry[n] = sum_add(carry[n], held[LG_AREA_SCAN - 1u]);
            barrier();
        }
        if (inside)
            at.at[0] = v;
    }
}
