// What the two leaf kernels of float moments share: the leaf's place, merging by counts, the record.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shader/memory.glsl"
#include "shader/pixel.glsl"

layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint HALF = 0;     // 1: f16 samples
layout(constant_id = 3) const uint ALIGNED = 1;  // 1: rows of the region start at 16 bytes
layout(constant_id = 4) const uint SHUFFLE = 1;  // 1: a subgroup holds whole groups of 32 lanes,
                                                 // 2: exactly one; 0: lanes meet in shared memory

layout(push_constant, scalar) uniform parameters {
    lg_walk walk;
    uvec2 marks;       // u32 [layer][channel][leaf row][leaf column]: MARKED, or not
    uvec2 reciprocals; // float [4097]
    uint leaves_x, leaves_y;
    uint whole_x, whole_y; // leaves of 128 columns, of 32 rows
    lg_totals totals;      // words of moments_sums.glsl [layer][channel]
    uint all;              // general kernel: 1 to do every leaf, 0 only those marked
} p;

// A driver of NVIDIA fuses products into sums against NoContraction where the two meet behind a branch;
// not across an operation on bits that it cannot see through.
float rounded(float x)
{
    return uintBitsToFloat(floatBitsToUint(x) ^ p.walk.zero);
}

#define LG_ROUNDED(x) rounded(x)
#include "measure/moments/moments_leaf.h"

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer lg_floats {
    float at[];
};

const uint MARKED = ~0u; // lg_leaf_record.counts: left to the general kernel

// 32 consecutive invocations make a group; the lane is the place in it.
uint invocation()
{
    return SHUFFLE != 0u ? gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID
                         : gl_LocalInvocationIndex;
}

uint lane_index()
{
    return invocation() & 31u;
}

uint group_in_workgroup()
{
    return invocation() >> 5;
}

// Number of the group in the dispatch, and how many there are.
uint group_index()
{
    return gl_WorkGroupID.x * (gl_WorkGroupSize.x >> 5) + group_in_workgroup();
}

uint group_count()
{
    return gl_NumWorkGroups.x * (gl_WorkGroupSize.x >> 5);
}

shared uint exchange_words[512]; // SHUFFLE 0

// The value of the lane whose number differs in the bits of `mask`. With SHUFFLE 0 all invocations of
// the workgroup must come along.
uint exchange(uint value, uint mask)
{
    if (SHUFFLE != 0u)
        return subgroupShuffleXor(value, mask);
    barrier();
    exchange_words[gl_LocalInvocationIndex] = value;
    barrier();
    return exchange_words[gl_LocalInvocationIndex ^ mask];
}

float exchange(float value, uint mask)
{
    return uintBitsToFloat(exchange(floatBitsToUint(value), mask));
}

lg_leaf_node exchange(lg_leaf_node v, uint mask)
{
    lg_leaf_node r;
    r.n = exchange(v.n, mask);
    r.hi = exchange(v.hi, mask);
    r.lo = exchange(v.lo, mask);
    r.m2 = exchange(v.m2, mask);
    return r;
}

float reciprocal(uint n)
{
    return lg_floats(p.reciprocals).at[n];
}

// Any counts, zero included.
lg_leaf_node merge_any(lg_leaf_node a, lg_leaf_node b)
{
    const lg_leaf_node both =
        lg_leaf_merge_any(a, b, reciprocal(a.n), reciprocal(b.n), reciprocal(a.n + b.n));
    if (b.n == 0u)
        return a;
    if (a.n == 0u)
        return b;
    return both;
}

uint mark_place(uint layer, uint channel, uint leaf)
{
    return (layer * CHANNELS + channel) * (p.leaves_x * p.leaves_y) + leaf;
}

// The extremes of a leaf across its lanes. As integers: a device may take subnormal floats for zero.
float lowest(float x)
{
    uint key = lg_float_key(x);
    if (SHUFFLE == 2u)
        return lg_key_float(subgroupMin(key));
    for (uint mask = 1u; mask < 32u; mask <<= 1)
        key = min(key, exchange(key, mask));
    return lg_key_float(key);
}

float highest(float x)
{
    uint key = lg_float_key(x);
    if (SHUFFLE == 2u)
        return lg_key_float(subgroupMax(key));
    for (uint mask = 1u; mask < 32u; mask <<= 1)
        key = max(key, exchange(key, mask));
    return lg_key_float(key);
}

// A mark where the leaf's samples are not finite or far from 1 in magnitude: the general kernel has to
// find it in memory.
lg_leaf_record leaf_record(lg_leaf_node n, float low, float high)
{
    const uint magnitude = max(lg_bits(low) & LG_BITS_ABS, lg_bits(high) & LG_BITS_ABS);
    const int k = magnitude < LG_BITS_INF ? lg_leaf_scale(magnitude) : 1;
    lg_leaf_record r = lg_leaf_record_of(n, k, low, high, 0u, 0u, 0u);
    if (k != 0 && k != LG_SCALE_ZERO)
        r.counts = MARKED;
    return r;
}
