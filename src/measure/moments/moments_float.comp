// Exact moments of float samples that all count: rows are samples side by side. Lanes read single samples, each of
// its channel: neighbours read what is adjacent in memory all the same.
#version 460
//@variant moments_float -DINT64
//@variant moments_float_words
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_window.glsl"

layout(constant_id = 3) const uint PASSES = 8; // loads in flight per lane

layout(push_constant, scalar) uniform parameters {
    uvec2 data, layer_stride; // bytes
    lg_totals totals;         // words of moments_window.glsl [layer][channel]
    uint row_stride;          // bytes
    uint rows;
    uint samples;  // of a row
    uint segments; // parts that a row is cut into, one at a time to a workgroup
    uint part;     // samples of a segment, a multiple of 4; the last one of a row may be shorter
    uint count;    // pixels of a layer
} p;

const uint SIZE = HALF != 0u ? 2u : 4u; // bytes of a sample

uvec2 segment_address(uint segment)
{
    const uint row = segment / p.segments, part = segment - row * p.segments;
    const uvec2 first = lg_add64(p.data, lg_mul64(gl_WorkGroupID.y, p.layer_stride));
    return lg_add64(lg_add64(first, lg_mul64(row, uvec2(p.row_stride, 0u))), lg_mul64(part * SIZE, uvec2(p.part, 0u)));
}

uint segment_length(uint segment)
{
    return min(p.part, p.samples - segment % p.segments * p.part);
}

// One sample for each lane, out of all that the workgroup will see.
void look_around()
{
    const uint all = p.rows * p.segments, shares = gl_NumWorkGroups.x, mine = gl_WorkGroupID.x;
    if (mine >= all)
        return;
    const uint segment = mine + gl_LocalInvocationIndex % ((all - mine - 1u) / shares + 1u) * shares;
    uint place, unused; // anywhere in the segment
    umulExtended(gl_LocalInvocationIndex * 2654435769u, segment_length(segment), place, unused);
    look_at(sample_bits(segment_address(segment), place - place % CHANNELS + lane_channel));
}

// Sample k of a span is first + k * size, or one of the channel that is there again where that is not below `end`.
void add_span(uvec2 address, uint bits[PASSES], uint first, uint end, bool whole)
{
    const uint size = gl_WorkGroupSize.x;
    bool fits = true;
    [[unroll]] for (uint k = 0u; k < PASSES; k++)
        fits = fits && in_window(bits[k]);
    if (!fits) {
        [[dont_unroll]] for (uint k = 0u; k < PASSES && (whole || first + k * size < end); k++)
            add_singly(lane_channel, sample_bits(address, first + k * size));
        return;
    }
    [[unroll]] for (uint k = 0u; k < PASSES; k++)
        add_sample(uintBitsToFloat(bits[k]), whole || first + k * size < end);
    lane_carry();
}

void add_segment(uint segment)
{
    const uvec2 address = segment_address(segment);
    const uint end = segment_length(segment), size = gl_WorkGroupSize.x;
    const uint last = end - CHANNELS + lane_channel;
    uint bits[PASSES];
    uint first = gl_LocalInvocationIndex;
    for (; first - gl_LocalInvocationIndex + size * PASSES <= end; first += size * PASSES) {
        [[unroll]] for (uint k = 0u; k < PASSES; k++)
            bits[k] = sample_bits(address, first + k * size);
        add_span(address, bits, first, end, true);
    }
    if (first - gl_LocalInvocationIndex >= end)
        return;
    [[unroll]] for (uint k = 0u; k < PASSES; k++)
        bits[k] = sample_bits(address, min(first + k * size, last));
    add_span(address, bits, first, end, false);
}

void main()
{
    lane_channel = gl_LocalInvocationIndex % CHANNELS;
    sums_clear();
    if (HALF == 0u)
        look_around();
    window_choose();
    if (gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex < CHANNELS)
        add_word(gl_LocalInvocationIndex * WORDS + COUNT, 0u, p.count);
    for (uint segment = gl_WorkGroupID.x; segment < p.rows * p.segments; segment += gl_NumWorkGroups.x)
        add_segment(segment);
    lanes_publish();
    sums_publish(p.totals, gl_WorkGroupID.y);
}
