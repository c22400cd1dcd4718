// Labels, third step: which of the marked pixels a component begins with, and how many of them are before
// each segment of a row, in raster order. The others get that pixel as their parent. Segments belong to
// groups, one of a workgroup; the last workgroup to finish adds up the groups.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_forest.glsl"
#include "measure/components/label_scan.glsl"

shared uint is_last;

uvec4 roots_of(uvec4 marks, uint first_pixel)
{
    uvec4 roots = marks;
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        for (uint rest = marks[i]; rest != 0u; rest &= rest - 1u) {
            const uint pixel = first_pixel + 32u * i + findLSB(rest), root = find_root(pixel);
            if (root == pixel)
                continue;
            lg_words_shared(element(p.labels, pixel, 4u)).at[0] = root;
            roots[i] ^= rest & (~rest + 1u);
        }
    return roots;
}

uint count(uvec4 bits)
{
    const ivec4 counts = bitCount(bits);
    return uint(counts.x + counts.y + counts.z + counts.w);
}

// By one workgroup: every sum becomes what is before it.
void sum_groups(uint groups)
{
    lg_words_shared header = lg_words_shared(p.groups);
    const uint each = (groups + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
    const uint begin = min(thread() * each, groups), end = min(begin + each, groups);
    uint own = 0u, total;
    for (uint i = begin; i < end; i++)
        own += header.at[HEADER + i];
    uint before = sum_before(own, total);
    for (uint i = begin; i < end; i++) {
        const uint sum = header.at[HEADER + i];
        header.at[HEADER + i] = before;
        before += sum;
    }
    if (thread() == 0u)
        plain_words(p.result).at[0] = total;
}

void main()
{
    const uint end = p.rows * p.segments;
    const uint first = (gl_WorkGroupID.x * gl_WorkGroupSize.x + thread()) * PIECES;
    uint counts[PIECES], own = 0u, total;
    [[unroll]] for (uint i = 0u; i < PIECES; i++) {
        const uint segment = first + i;
        counts[i] = 0u;
        if (segment < end) {
            mark_vectors there = mark_vectors(element(p.marks, segment, 16u));
            const uvec4 marks = there.at[0];
            const uint row = segment / p.segments;
            const uvec4 roots =
                roots_of(marks, row * p.width + (segment - row * p.segments) * SEGMENT);
            if (roots != marks)
                there.at[0] = roots;
            counts[i] = count(roots);
        }
        own += counts[i];
    }
    uint before = sum_before(own, total);
    [[unroll]] for (uint i = 0u; i < PIECES; i++) {
        if (first + i < end)
            plain_words(element(p.ranks, first + i, 4u)).at[0] = before;
        before += counts[i];
    }
    if (thread() == 0u) {
        lg_words_shared header = lg_words_shared(p.groups);
        header.at[HEADER + gl_WorkGroupID.x] = total;
        memoryBarrierBuffer();
        is_last = atomicAdd(header.at[TAKEN], 1u) == gl_NumWorkGroups.x - 1u ? 1u : 0u;
    }
    barrier();
    if (is_last == 0u)
        return;
    memoryBarrierBuffer();
    sum_groups(gl_NumWorkGroups.x);
}
