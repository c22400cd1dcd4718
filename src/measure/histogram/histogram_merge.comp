// Adds the partial tables of all workgroups of a layer: the second dispatch of that strategy.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel/memory.glsl"
#include "measure/histogram/histogram_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_histogram_merge_push p;
};

void main()
{
    const uint layer = gl_WorkGroupID.y, word = gl_GlobalInvocationID.x;
    if (word >= p.words)
        return;
    lg_words partials = lg_words(p.partials);
    uint sum = 0u;
    for (uint part = 0u; part < p.parts; part++)
        sum += partials.at[(layer * p.parts + part) * p.words + word];
    lg_words_shared(p.counts).at[layer * p.words + word] = sum;
}
