// Counts of any samples if no pixel is left out: vectors of 16 bytes, several in flight.
//
// PACKED: consecutive workgroups, one for every slice of the counters, share a part of the image.
// Their counters are halves of words; counters that are half full are spilled before one can
// overflow.
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

void lg_vector(uvec4 v)
{
    count_vector(v, 0u, 16u);
}

void lg_edge(uvec4 v, uint first, uint end)
{
    count_vector(v, first, end);
}

// A packed counter is below ROOM after a spill, and takes ROOM more: no half overflows.
const uint ROOM = 0x8000u;
uint pending = 0u; // most counts since then in one counter

void make_room(uint vectors)
{
    if (PACKED == 0u)
        return;
    pending += vectors * PIXELS;
    if (pending <= ROOM)
        return;
    barrier();
    spill(ROOM);
    barrier();
    pending = vectors * PIXELS;
}

#define LG_PASSES PASSES
#define LG_SHARE (gl_WorkGroupID.x / SLICES)
#define LG_SHARES (gl_NumWorkGroups.x / SLICES)
#define LG_ROOM(vectors) make_room(vectors)
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
    counters_publish();
}
