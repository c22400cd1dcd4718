// From the ranges of channels of floats to the rules by which samples find their bins.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernel/memory.glsl"
#include "graph/figure_push.h"
#include "graph/figure_rank_range.glsl"
#include "measure/histogram/histogram_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_figure_rules_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer lg_rules_out {
    lg_histogram_rules at;
};

void main()
{
    const uint c = gl_LocalInvocationIndex;
    if (c >= p.channels)
        return;
    const lg_rank_rule r = rank_rule(p.ranges, c, p.channels, p.apart, p.bins);
    lg_rules_out to = lg_rules_out(p.rules);
    to.at.lo[c] = r.low;
    to.at.hi[c] = r.high;
    to.at.factor[c] = r.factor;
    to.at.start[c] = r.start;
    to.at.scale[c] = r.scale;
    if (c == 0u)
        to.at.sample_scale = 1.0;
}
