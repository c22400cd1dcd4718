// What the device's memory can do: the ceilings that benchmarks are compared with, and the fast copy
// within the device. Sixteen bytes a load, several loads in flight per invocation.
//@variant ceiling_copy -DCOPY
//@variant ceiling_read -DREAD
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_arithmetic : require

#define FLIGHT 8 // loads before the first use

layout(local_size_x_id = 0) in; // constant 0: invocations of a workgroup

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

layout(push_constant, scalar) uniform Push
{
    uvec2 from, to; // addresses, multiples of 16
    uint units;     // of 16 bytes, below 2^31
} push;

void main()
{
    Source source = Source(push.from);
    Target target = Target(push.to);
    uint lanes = gl_WorkGroupSize.x;
    uint tile = lanes * FLIGHT;
    uint tiles = push.units / tile;
#ifdef READ
    uvec4 seen = uvec4(0);
#endif
    for (uint t = gl_WorkGroupID.x; t < tiles; t += gl_NumWorkGroups.x) {
        uint first = t * tile + gl_LocalInvocationID.x;
        uvec4 held[FLIGHT];
        for (uint i = 0; i < FLIGHT; i++)
            held[i] = source.data[first + i * lanes];
        for (uint i = 0; i < FLIGHT; i++) {
#ifdef COPY
            target.data[first + i * lanes] = held[i];
#else
            seen ^= held[i];
#endif
        }
    }
    // What is left is less than one tile.
    if (gl_WorkGroupID.x == gl_NumWorkGroups.x - 1) {
        for (uint at = tiles * tile + gl_LocalInvocationID.x; at < push.units; at += lanes) {
#ifdef COPY
            target.data[at] = source.data[at];
#else
            seen ^= source.data[at];
#endif
        }
    }
#ifdef READ
    // One word for all, so that a test can see that every byte was read.
    uint word = subgroupXor(seen.x ^ seen.y ^ seen.z ^ seen.w);
    if (subgroupElect() && word != 0)
        atomicXor(target.data[0], word);
#endif
}
