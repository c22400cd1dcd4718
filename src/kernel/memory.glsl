// Device memory by address, 64-bit offsets without 64-bit integers, counters shared by workgroups.
#ifndef LG_MEMORY_GLSL
#define LG_MEMORY_GLSL

// Before any function: in text before this line gl_WorkGroupSize would be 1.
layout(local_size_x_id = 0) in;

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#include "kernel/device_memory.h"

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

// The copy that this workgroup adds to.
lg_words_shared lg_own_copy(lg_device_totals t)
{
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint copy = group & (t.copies - 1u);
    return lg_words_shared(lg_add64(t.counters, lg_mul64(copy * 4u, uvec2(t.copy_words, 0u))));
}

#endif
