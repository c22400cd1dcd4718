// Figures of a run, from where kernels have put them to the image of the caller and to the host.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel/memory.glsl"
#include "graph/figure_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_figure_place_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer lg_places {
    uint at[];
};

void main()
{
    for (uint i = gl_LocalInvocationIndex; i < 4u * p.rows; i += gl_WorkGroupSize.x) {
        const uint row = i / 4u, k = i % 4u, from = row * p.stride + k;
        uint number = 0u;
        if (k < p.numbers) {
            number = lg_places(p.from).at[from];
            if (p.clear != 0u)
                lg_places(p.from).at[from] = 0u;
        }
        if ((p.to.x | p.to.y) != 0u)
            lg_places(p.to).at[row * p.to_stride + k] = number;
        if ((p.host.x | p.host.y) != 0u)
            lg_places(p.host).at[i] = number;
    }
}
