// Float moments above the leaves: one workgroup folds one line of nodes as adjacent pairs of a binary
// tree, in place. Run along x for every leaf row, then along y over the first nodes of the rows.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "measure/moments/moments_node.h"
#include "shader/memory.glsl"

layout(local_size_x_id = 0) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer lg_nodes {
    lg_node at[];
};

layout(push_constant, scalar) uniform parameters {
    uvec2 nodes;   // lg_node
    uvec2 results; // lg_node [line]: a copy of every line's result, unless zero
    uint count;    // nodes of a line
    uint stride;   // from node to node of a line
    uint pitch;    // from line to line
    uint lines;
} p;

void main()
{
    lg_nodes nodes = lg_nodes(p.nodes);
    for (uint line = gl_WorkGroupID.x; line < p.lines; line += gl_NumWorkGroups.x) {
        const uint base = line * p.pitch;
        for (uint span = 1u; span < p.count; span <<= 1) {
            const uint pairs = (p.count - span + 2u * span - 1u) / (2u * span);
            for (uint i = gl_LocalInvocationIndex; i < pairs; i += gl_WorkGroupSize.x) {
                const uint a = base + 2u * span * i * p.stride, b = a + span * p.stride;
                nodes.at[a] = lg_node_merge(nodes.at[a], nodes.at[b]);
            }
            memoryBarrierBuffer();
            barrier();
        }
        if (gl_LocalInvocationIndex == 0u && (p.results.x | p.results.y) != 0u)
            lg_nodes(p.results).at[line] = nodes.at[base];
    }
}
