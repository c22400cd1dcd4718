// Float moments above the leaves: one workgroup folds one line of nodes as adjacent pairs of a binary
// tree and puts the result in the place of the first. Run along x for every leaf row, then along y over
// the first nodes of the rows.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shader/memory.glsl"
#include "measure/moments/moments_node.h"

layout(constant_id = 1) const uint SHUFFLE = 1; // subgroups hold whole groups of 32 lanes
layout(constant_id = 2) const uint LONG = 0;    // lines are longer than the workgroup

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer lg_nodes {
    lg_node at[];
};

layout(push_constant, scalar) uniform parameters {
    uvec2 nodes;   // lg_node
    uvec2 results; // lg_node [line]: where a line's result goes as well, unless zero
    uvec2 marks;   // u32 to be cleared, unless zero
    uint count;    // nodes of a line
    uint stride;   // from node to node of a line
    uint pitch;    // from line to line
    uint lines;
} p;

shared lg_node parts[512];

uint invocation()
{
    return SHUFFLE != 0u ? gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID
                         : gl_LocalInvocationIndex;
}

const uint NODES = 4u; // of a lane

lg_node load(uint line, uint i)
{
    lg_node n = lg_node_empty();
    if (i < p.count) { // 64 bytes in four loads
        lg_vectors v = lg_vectors(lg_add64(p.nodes, lg_mul64(line * p.pitch + i * p.stride, uvec2(64u, 0u))));
        const uvec4 a = v.at[0], b = v.at[1], c = v.at[2], d = v.at[3];
        n = lg_node(a.x, a.y, int(a.z), uintBitsToFloat(a.w), uintBitsToFloat(b.x),
                    uintBitsToFloat(b.y), uintBitsToFloat(b.z), uintBitsToFloat(b.w),
                    uintBitsToFloat(c.x), c.y, c.z, c.w, d.x, d.y, d.z, 0u);
    }
    return n;
}

// The lane's four neighbouring nodes, as pairs of pairs.
lg_node load_four(uint line, uint first)
{
    const uint i = first + invocation() * NODES;
    lg_node left, n;
    [[dont_unroll]] for (uint step = 0u; step < 3u; step++) {
        lg_node a = left, b = n; // step 2: the two pairs
        if (step < 2u) {
            a = load(line, i + 2u * step);
            b = load(line, i + 2u * step + 1u);
        }
        left = n;
        n = lg_node_merge(a, b);
    }
    return n;
}

uint exchange(uint value, uint mask)
{
    return subgroupShuffleXor(value, mask);
}

float exchange(float value, uint mask)
{
    return subgroupShuffleXor(value, mask);
}

lg_node exchange(lg_node v, uint mask)
{
    lg_node r;
    r.n_lo = exchange(v.n_lo, mask);
    r.n_hi = exchange(v.n_hi, mask);
    r.k = int(exchange(uint(v.k), mask));
    r.s_hi = exchange(v.s_hi, mask);
    r.s_lo = exchange(v.s_lo, mask);
    r.m2_hi = exchange(v.m2_hi, mask);
    r.m2_lo = exchange(v.m2_lo, mask);
    r.min = exchange(v.min, mask);
    r.max = exchange(v.max, mask);
    r.nan_lo = exchange(v.nan_lo, mask);
    r.nan_hi = exchange(v.nan_hi, mask);
    r.pinf_lo = exchange(v.pinf_lo, mask);
    r.pinf_hi = exchange(v.pinf_hi, mask);
    r.ninf_lo = exchange(v.ninf_lo, mask);
    r.ninf_hi = exchange(v.ninf_hi, mask);
    r.reserved = 0u;
    return r;
}

// Folds one node per invocation, `count` of them in all; the result is in the first invocation.
lg_node fold(lg_node n, uint count)
{
    const uint i = invocation();
    [[dont_unroll]] for (uint span = 1u; span < count; span <<= 1) {
        lg_node other;
        if (SHUFFLE != 0u && span < 32u) {
            other = exchange(n, span);
        } else {
            barrier();
            parts[i] = n;
            barrier();
            other = parts[i ^ span];
        }
        lg_node left = n;
        if ((i & span) != 0u) {
            left = other;
            other = n;
        }
        n = lg_node_merge(left, other);
    }
    return n;
}

// Lines longer than the workgroup: blocks of its size, put together by a binary counter.
lg_node fold_long(uint line)
{
    const uint size = gl_WorkGroupSize.x * NODES;
    lg_node stack[20];
    uint blocks = 0u;
    for (uint first = 0u; first < p.count; first += size) {
        lg_node n = fold(load_four(line, first), (min(size, p.count - first) + NODES - 1u) / NODES);
        uint level = 0u;
        for (; ((blocks >> level) & 1u) == 1u; level++)
            n = lg_node_merge(stack[level], n);
        stack[level] = n;
        blocks++;
    }
    // What is left over, from the right.
    uint level = uint(findLSB(blocks));
    lg_node n = stack[level];
    for (level++; (blocks >> level) != 0u; level++)
        if (((blocks >> level) & 1u) == 1u)
            n = lg_node_merge(stack[level], n);
    return n;
}

void main()
{
    if (gl_WorkGroupID.x == 0u && invocation() == 0u && (p.marks.x | p.marks.y) != 0u)
        lg_words_shared(p.marks).at[0] = 0u;
    for (uint line = gl_WorkGroupID.x; line < p.lines; line += gl_NumWorkGroups.x) {
        const uint lanes = (p.count + NODES - 1u) / NODES;
        const lg_node n = LONG != 0u ? fold_long(line) : fold(load_four(line, 0u), lanes);
        if (invocation() == 0u) {
            lg_nodes(p.nodes).at[line * p.pitch] = n;
            if ((p.results.x | p.results.y) != 0u)
                lg_nodes(p.results).at[line] = n;
        }
        barrier();
    }
}
