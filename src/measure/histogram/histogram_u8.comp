// Native counts of u8 samples: 256 bins for each stored channel (or luma in place of alpha).
//
// Every lane has its own bank of shared memory: counter (bin, column) is at bin * 32 + column.
// column is lane for one channel, and channel * 8 + lane / 4 for four, where the lanes of a quad
// start at different channels. No two lanes of 32 ever use the same bank, whatever the image.
#version 460
//@variant histogram_u8
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel/memory.glsl"
#include "measure/histogram/histogram_push.h"

layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint LUMA = 0;     // the fourth channel counted is 1: luma, 2: max(r, g, b)
layout(constant_id = 4) const uint PASSES = 4;   // 16-byte loads in flight per lane
layout(constant_id = 3) const uint PARTIAL = 0;  // 1: every workgroup writes a table of its own

shared uint counters[256 * 32];

uint lane, turn;  // number among 32; channel that the lane starts with
uvec4 base;       // column of the four bytes of a rotated word
uvec3 luma_weight;

void count_word(uint word)
{
    atomicAdd(counters[((word << 5) & 0x1fe0u) | base.x], 1u);
    atomicAdd(counters[((word >> 3) & 0x1fe0u) | base.y], 1u);
    atomicAdd(counters[((word >> 11) & 0x1fe0u) | base.z], 1u);
    atomicAdd(counters[((word >> 19) & 0x1fe0u) | base.w], 1u);
}

uint with_luma(uint word)
{
    const uvec3 c = uvec3(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u);
    const uvec3 w = c * luma_weight;
    const uint y = LUMA == 2u ? max(max(c.x, c.y), c.z) << 24
                              : ((w.x + w.y + w.z + 32768u) << 8) & 0xff000000u;
    return (word & 0x00ffffffu) | y;
}

uint turned(uint word)
{
    return CHANNELS == 1u ? word : (word >> (turn * 8u)) | (word << ((32u - turn * 8u) & 31u));
}

#define LG_PASSES PASSES

void lg_vector(uvec4 v)
{
    if (LUMA != 0u)
        v = uvec4(with_luma(v.x), with_luma(v.y), with_luma(v.z), with_luma(v.w));
    count_word(turned(v.x));
    count_word(turned(v.y));
    count_word(turned(v.z));
    count_word(turned(v.w));
}

void lg_edge(uvec4 v, uint first, uint end)
{
    [[dont_unroll]] for (uint i = first; i < end; i++) {
        const uint stored = i < 8u ? (i < 4u ? v.x : v.y) : (i < 12u ? v.z : v.w);
        const uint word = LUMA != 0u ? with_luma(stored) : stored;
        const uint value = (word >> ((i & 3u) * 8u)) & 255u;
        const uint channel = i & (CHANNELS - 1u);
        atomicAdd(counters[value * 32u + channel * (32u / CHANNELS) + lane / CHANNELS], 1u);
    }
}

#include "kernel/vectors.glsl"

layout(push_constant, scalar) uniform parameters {
    lg_histogram_bytes_push p;
};

// Eight columns of a counter make an entry. The 32 lanes start at different columns, each in its
// own bank. Adjacent lanes hold the 4 / CHANNELS entries of a counter.
const uint COLUMNS = 8u, ENTRIES = 256u * 32u / COLUMNS, PARTS = 4u / CHANNELS;

uint entry_sum(uint entry)
{
    uint sum = 0u;
    for (uint i = 0u; i < COLUMNS; i++)
        sum += counters[entry * COLUMNS + ((i + (entry >> 2)) & (COLUMNS - 1u))];
    for (uint mask = 1u; mask < PARTS; mask <<= 1)
        sum += subgroupShuffleXor(sum, mask);
    return sum;
}

void publish(uint layer)
{
    const uint size = 256u * CHANNELS;
    const uint self = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    lg_words_shared totals = PARTIAL != 0u ? lg_words_shared(p.totals.counters) : lg_own_copy(p.totals);
    const uint table = (PARTIAL != 0u ? layer * gl_NumWorkGroups.x + gl_WorkGroupID.x : layer) * size;
    for (uint entry = self; entry < ENTRIES; entry += gl_WorkGroupSize.x) {
        const uint sum = entry_sum(entry);
        const uint counter = entry / PARTS;
        const uint at = table + (counter & (CHANNELS - 1u)) * 256u + counter / CHANNELS;
        if ((entry & (PARTS - 1u)) != 0u)
            continue;
        if (PARTIAL != 0u)
            totals.at[at] = sum;
        else if (sum != 0u)
            atomicAdd(totals.at[at], sum);
    }
}

void main()
{
    for (uint i = gl_LocalInvocationIndex; i < 256u * 32u; i += gl_WorkGroupSize.x)
        counters[i] = 0u;
    lane = gl_LocalInvocationIndex & 31u;
    turn = lane & (CHANNELS - 1u);
    for (uint k = 0u; k < 4u; k++) {
        const uint channel = (k + turn) & (CHANNELS - 1u);
        base[k] = channel * (32u / CHANNELS) + lane / CHANNELS;
    }
    luma_weight = uvec3(p.luma_rg & 0xffffu, p.luma_rg >> 16, p.luma_b);
    barrier();
    lg_walk_rows(p.rows, gl_WorkGroupID.y);
    barrier();
    publish(gl_WorkGroupID.y);
}
