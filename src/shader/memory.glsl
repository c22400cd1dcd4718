// Device memory by address, 64-bit offsets without 64-bit integers, and the "last workgroup" ticket.
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

shared uint lg_ticket_taken;

// True in every invocation of the workgroup that finishes last among `groups`. What the others wrote
// to coherent memory before is visible to it. The ticket starts at zero and is left at zero.
bool lg_last_workgroup(lg_words_shared tickets, uint index, uint groups)
{
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        lg_ticket_taken = atomicAdd(tickets.at[index], 1u);
        if (lg_ticket_taken == groups - 1u)
            tickets.at[index] = 0u;
    }
    barrier();
    memoryBarrierBuffer();
    return lg_ticket_taken == groups - 1u;
}

#endif
