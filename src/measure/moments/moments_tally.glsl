// Exact tallies of integer samples, folded across a workgroup and then across all.
//
// A record holds counters that only grow from zero: sums in limbs of 16 bits (65536 workgroups may
// add to one without overflow), and the extremes as maxima (the minimum as its complement).
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"

const uint TALLY_WORDS = 16u;
const uint COUNT = 0u, SUM = 2u, SQUARE = 6u, LOW = 10u, HIGH = 11u; // places in a record

shared uint tallies[4 * 16];

void tally_limbs(uint place, uint value) // of 32 bits
{
    const uint a = subgroupAdd(value & 0xffffu), b = subgroupAdd(value >> 16);
    if (subgroupElect()) {
        atomicAdd(tallies[place], a & 0xffffu);
        atomicAdd(tallies[place + 1u], (a >> 16) + (b & 0xffffu));
        if (b > 0xffffu)
            atomicAdd(tallies[place + 2u], b >> 16);
    }
}

void tally_extremes(uint place, uint low, uint high)
{
    const uint l = subgroupMax(~low), h = subgroupMax(high);
    if (subgroupElect()) {
        atomicMax(tallies[place + LOW], l);
        atomicMax(tallies[place + HIGH], h);
    }
}

void tallies_clear() // before a barrier
{
    for (uint i = gl_LocalInvocationIndex; i < 4u * TALLY_WORDS; i += gl_WorkGroupSize.x)
        tallies[i] = 0u;
}

// Adds the workgroup's tallies to the layer's records. Limbs may exceed 16 bits by then: they are
// carried first, so that the global limbs grow by less than 2^16 each.
void tallies_publish(lg_device_totals totals, uint layer, uint channels)
{
    barrier();
    const uint i = gl_LocalInvocationIndex;
    if (i >= channels * TALLY_WORDS)
        return;
    const uint place = i & (TALLY_WORDS - 1u);
    lg_words_shared to = lg_own_copy(totals);
    if (place == LOW || place == HIGH) {
        atomicMax(to.at[layer * channels * TALLY_WORDS + i], tallies[i]);
        return;
    }
    const uint value = tallies[i];
    if ((value & 0xffffu) != 0u)
        atomicAdd(to.at[layer * channels * TALLY_WORDS + i], value & 0xffffu);
    if ((value >> 16) != 0u)
        atomicAdd(to.at[layer * channels * TALLY_WORDS + i + 1u], value >> 16);
}
