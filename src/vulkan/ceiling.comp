// The ceilings of the device's memory, with which benchmarks are compared, and the fast copy within
// the device. A load has 16 bytes; an invocation has several in flight.
//@variant ceiling_copy -DCOPY
//@variant ceiling_read -DREAD
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"
#include "vulkan/ceiling_push.h"

#define FLIGHT 8 // loads before the first use

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly restrict buffer Source
{
    uvec4 data[];
};
#ifdef COPY
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly restrict buffer Target
{
    uvec4 data[];
};
#else
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Target
{
    uint data[];
};
#endif

layout(push_constant, scalar) uniform parameters {
    lg_ceiling_push push;
};

// The address of a unit: a device may count the bytes of an index in 32 bits.
uvec2 unit(uvec2 first, uint index)
{
    return lg_add64(first, lg_mul64(16u, uvec2(index, 0u)));
}

void main()
{
    uint lanes = gl_WorkGroupSize.x;
    uint tile = lanes * FLIGHT;
    uint tiles = push.units / tile;
#ifdef READ
    uvec4 seen = uvec4(0);
#endif
    for (uint t = gl_WorkGroupID.x; t < tiles; t += gl_NumWorkGroups.x) {
        Source source = Source(unit(push.from, t * tile + gl_LocalInvocationID.x));
#ifdef COPY
        Target target = Target(unit(push.to, t * tile + gl_LocalInvocationID.x));
#endif
        uvec4 held[FLIGHT];
        for (uint i = 0; i < FLIGHT; i++)
            held[i] = source.data[i * lanes];
        for (uint i = 0; i < FLIGHT; i++) {
#ifdef COPY
            target.data[i * lanes] = held[i];
#else
            seen ^= held[i];
#endif
        }
    }
    // The rest is less than one tile.
    if (gl_WorkGroupID.x == gl_NumWorkGroups.x - 1) {
        for (uint at = tiles * tile + gl_LocalInvocationID.x; at < push.units; at += lanes) {
#ifdef COPY
            Target(unit(push.to, at)).data[0] = Source(unit(push.from, at)).data[0];
#else
            seen ^= Source(unit(push.from, at)).data[0];
#endif
        }
    }
#ifdef READ
    // One word for all, so that a test can check that every byte was read.
    uint word = subgroupXor(seen.x ^ seen.y ^ seen.z ^ seen.w);
    if (subgroupElect() && word != 0)
        atomicXor(Target(push.to).data[0], word);
#endif
}
