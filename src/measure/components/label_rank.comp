// Labels, third step: finds the roots among the marked pixels, and counts the roots before each
// segment of a row in raster order. Other marked pixels get their root as parent. A workgroup has a
// group of words; the last workgroup to finish adds up the groups.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_forest.glsl"
#include "measure/components/label_scan.glsl"

shared uint is_last;

// The root of a pixel, which becomes its parent. No other thread writes the parents of pixels here,
// so all paths get shorter together.
uint settle(uint pixel)
{
    uint parent = parent_of(pixel);
    if (parent == pixel)
        return pixel;
    for (uint next = parent_of(parent); next != parent; next = parent_of(parent)) {
        parent = next;
        lg_words_shared(element(p.labels, pixel, 4u)).at[0] = parent;
    }
    return parent;
}

// The lowest bit and its word.
uvec2 lowest(uvec4 bits)
{
    const uint word = bits.x != 0u ? 0u : bits.y != 0u ? 1u : bits.z != 0u ? 2u : 3u;
    const uint all = bits.x != 0u ? bits.x : bits.y != 0u ? bits.y : bits.z != 0u ? bits.z : bits.w;
    return uvec2(all & (~all + 1u), word);
}

uvec4 without(uvec4 bits, uvec2 bit)
{
    return bits & ~(uvec4(equal(uvec4(bit.y), uvec4(0u, 1u, 2u, 3u))) * bit.x);
}

uvec4 roots_of(uvec4 marks, uint first_pixel)
{
    uvec4 roots = marks;
    for (uvec4 rest = marks; rest != uvec4(0u);) {
        const uvec2 bit = lowest(rest);
        rest = without(rest, bit);
        const uint pixel = first_pixel + 32u * bit.y + findLSB(bit.x);
        if (settle(pixel) != pixel)
            roots = without(roots, bit);
    }
    return roots;
}

uint count(uvec4 bits)
{
    const ivec4 counts = bitCount(bits);
    return uint(counts.x + counts.y + counts.z + counts.w);
}

// The number of roots in up to four words.
uint rank_words(uint word)
{
    const uint row = word / (4u * p.segments);
    if (row >= p.rows)
        return 0u;
    const uint pixel = row * p.width + (word - row * 4u * p.segments) * 32u;
    const uvec2 there = element(p.marks, word, 4u);
    const uvec4 marks =
        EACH == 1u ? uvec4(plain_words(there).at[0], 0u, 0u, 0u) : mark_vectors(there).at[0];
    const uvec4 roots = roots_of(marks, pixel);
    if (roots != marks) {
        if (EACH == 1u)
            plain_words(there).at[0] = roots.x;
        else
            mark_vectors(there).at[0] = roots;
    }
    return count(roots);
}

layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer shared_vectors {
    uvec4 at[];
};

// The sums of four groups; there is memory for the last four.
uvec4 group_sums(uint i, uint groups)
{
    const uvec4 sums = shared_vectors(p.groups).at[LG_LABEL_HEADER / 4u + i];
    return sums * uvec4(lessThan(4u * i + uvec4(0u, 1u, 2u, 3u), uvec4(groups)));
}

// By one workgroup: replaces each sum by the sum of all before it.
void sum_groups(uint groups)
{
    const uint vectors = (groups + 3u) / 4u, size = gl_WorkGroupSize.x;
    const uint each = (vectors + size - 1u) / size;
    const uint begin = min(thread() * each, vectors), end = min(begin + each, vectors);
    uint own = 0u, total;
    for (uint i = begin; i < end; i++) {
        const uvec4 sums = group_sums(i, groups);
        own += sums.x + sums.y + sums.z + sums.w;
    }
    uint before = sum_before(own, total);
    for (uint i = begin; i < end; i++) {
        const uvec4 sums = group_sums(i, groups);
        const uint y = before + sums.x, z = y + sums.y, w = z + sums.z;
        shared_vectors(p.groups).at[LG_LABEL_HEADER / 4u + i] = uvec4(before, y, z, w);
        before = w + sums.w;
    }
    if (thread() == 0u)
        plain_words(p.result).at[0] = total;
}

void main()
{
    const uint first = (gl_WorkGroupID.x * gl_WorkGroupSize.x + thread()) * EACH;
    const uint end = p.rows * p.segments * 4u, steps = (EACH + 3u) / 4u;
    uint own = 0u, total;
    uint counts = 0u; // bytes
    for (uint i = 0u; i < steps; i++) {
        const uint found = rank_words(first + 4u * i);
        counts |= found << (8u * i);
        own += found;
    }
    uint before = sum_before(own, total);
    for (uint i = 0u; i < steps; i++) {
        const uint word = first + 4u * i;
        if (word % 4u == 0u && word < end)
            plain_words(element(p.ranks, word / 4u, 4u)).at[0] = before;
        before += counts >> (8u * i) & 255u;
    }
    if (thread() == 0u) {
        lg_words_shared header = lg_words_shared(p.groups);
        header.at[LG_LABEL_HEADER + gl_WorkGroupID.x] = total;
        memoryBarrierBuffer();
        is_last = atomicAdd(header.at[TAKEN], 1u) == gl_NumWorkGroups.x - 1u ? 1u : 0u;
    }
    barrier();
    if (is_last == 0u)
        return;
    memoryBarrierBuffer();
    sum_groups(gl_NumWorkGroups.x);
}
