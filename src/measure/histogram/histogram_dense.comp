// Counts of any samples if no pixel is left out: vectors of 16 bytes, several in flight.
//
// PACKED: consecutive workgroups, one for every slice of the counters, share a part of the image.
// Their counters are parts of words (histogram_packed.glsl).
#version 460
//@variant histogram_dense
//@variant histogram_dense_computed -DROLLED
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/histogram/histogram_count.glsl"
#include "measure/histogram/histogram_push.h"

layout(constant_id = 14) const uint PASSES = 4; // 16-byte loads in flight per lane
layout(constant_id = 15) const uint SLICES = 1;

const uint SAMPLE = TYPE == LG_U8 ? 1u : (TYPE == LG_F32 ? 4u : 2u); // bytes
const uint PIXEL = SAMPLE * CHANNELS, PIXELS = 16u / PIXEL;   // of a vector

#ifdef ROLLED // colours take many instructions: keep one copy
#define LG_PIXEL_LOOP [[dont_unroll]]
#else
#define LG_PIXEL_LOOP [[unroll]]
#endif

uint sample_at(uvec4 v, uint byte)
{
    const uint word = byte < 8u ? (byte < 4u ? v.x : v.y) : (byte < 12u ? v.z : v.w);
    if (SAMPLE == 4u)
        return word;
    return (word >> ((byte & 3u) * 8u)) & (SAMPLE == 1u ? 0xffu : 0xffffu);
}

// The pixels in bytes first .. end-1.
void count_vector(uvec4 v, uint first, uint end)
{
    LG_PIXEL_LOOP for (uint i = 0u; i < PIXELS; i++) {
        if (i * PIXEL < first || i * PIXEL >= end)
            continue;
        uint bits[CHANNELS];
        for (uint c = 0u; c < CHANNELS; c++)
            bits[c] = sample_at(v, i * PIXEL + c * SAMPLE);
        count_pixel(bits);
    }
}

// Packed counters of stored samples: all additions first, so that none waits for the result of the
// one before.
const uint SAMPLES = 16u / SAMPLE;

void count_packed(uvec4 v)
{
    uint before[SAMPLES];
    uint most = 0u;
    [[unroll]] for (uint i = 0u; i < SAMPLES; i++) {
        const uint own = i % CHANNELS * (TABLE + RESTS) + sample_at(v, i * SAMPLE) - slice_base;
        before[i] = i % CHANNELS < SOURCES ? packed_add(own) : 0u;
        most = max(most, packed_field(before[i], packed_field_of(own & (SLICE - 1u))));
    }
    if (most != FULL)
        return;
    [[dont_unroll]] for (uint i = 0u; i < SAMPLES; i++) {
        uint word = before[0];
        [[unroll]] for (uint k = 1u; k < SAMPLES; k++)
            word = i == k ? before[k] : word;
        const uint own = i % CHANNELS * (TABLE + RESTS) + sample_at(v, i * SAMPLE) - slice_base;
        if (own < SLICE && packed_field(word, packed_field_of(own)) == FULL)
            packed_carry(own, word);
    }
}

// Samples of one value fill vectors of most lanes: the lane counts them in a register, as atomics
// would take them one after the other.
uint run_at = 0u, run_samples = 0u;

void end_run()
{
    if (run_samples != 0u && run_at - slice_base < SLICE)
        count_global(run_at, run_samples);
    run_samples = 0u;
}

bool count_run(uvec4 v)
{
    if (CHANNELS != 1u || SAMPLE != 2u || v != uvec4(v.x << 16 | v.x >> 16))
        return false;
    if (subgroupMin(v.x) != subgroupMax(v.x) || subgroupAdd(1u) * 2u <= gl_SubgroupSize)
        return false;
    const uint at = v.x & 0xffffu;
    if (run_at != at)
        end_run();
    run_at = at;
    run_samples += SAMPLES;
    return true;
}

void lg_vector(uvec4 v)
{
    if (PACKED == 0u || NATIVE == 0u || SOURCES != OUTPUTS)
        count_vector(v, 0u, 16u);
    else if (!count_run(v))
        count_packed(v);
}

void lg_edge(uvec4 v, uint first, uint end)
{
    count_vector(v, first, end);
}

#define LG_PASSES PASSES
#define LG_SHARE (gl_WorkGroupID.x / SLICES)
#define LG_SHARES (gl_NumWorkGroups.x / SLICES)
#include "kernel/vectors.glsl"

layout(push_constant, scalar) uniform parameters {
    lg_histogram_dense_push p;
};

void main()
{
    load_rules(p.rules);
    slice_base = gl_WorkGroupID.x % SLICES * SLICE;
    counters_clear(p.totals);
    lg_walk_rows(p.rows, gl_WorkGroupID.y);
    if (PACKED != 0u)
        end_run();
    counters_publish();
}
