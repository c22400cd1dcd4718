// Device memory by address, 64-bit offsets without 64-bit integers, counters shared by workgroups.
#ifndef LG_MEMORY_GLSL
#define LG_MEMORY_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer lg_vectors {
    uvec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer lg_words {
    uint at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer lg_words_shared {
    uint at[];
};

uvec2 lg_add64(uvec2 a, uvec2 b)
{
    uint carry;
    uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

// a * b, b of 64 bits.
uvec2 lg_mul64(uint a, uvec2 b)
{
    uint high, low;
    umulExtended(a, b.x, high, low);
    return uvec2(low, high + a * b.y);
}

// Counters that every workgroup adds to stand in several copies against contention, and must be zero at
// the start. Two sets take turns: a dispatch adds
// to one and clears what the dispatch before left in the other.
struct lg_totals {
    uvec2 counters; // u32 [copies][copy_words], zero before
    uvec2 next;     // u32 [next_words] to clear
    uint next_words;
    uint copies;    // a power of two
    uint copy_words;
    uint unused;
};

// The copy that this workgroup adds to.
lg_words_shared lg_own_copy(lg_totals t)
{
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    return lg_words_shared(lg_add64(t.counters, lg_mul64((group & (t.copies - 1u)) * 4u, uvec2(t.copy_words, 0u))));
}

void lg_clear_next(lg_totals t)
{
    lg_words_shared next = lg_words_shared(t.next);
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint all = gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_WorkGroupSize.x;
    for (uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex; i < t.next_words; i += all)
        next.at[i] = 0u;
}

#endif
