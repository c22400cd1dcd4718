// Exact moments of float samples if all count: rows are adjacent samples. A lane reads a few
// samples of its channel before it adds them up: vectors for one channel, else single samples, of
// which neighbouring lanes read adjacent ones.
#version 460
//@variant moments_float -DINT64
//@variant moments_float_words
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_window.glsl"
#include "measure/moments/moments_push.h"

layout(constant_id = 3) const uint SAMPLES = 8; // span of a lane: samples loaded at once
layout(constant_id = 4) const uint VECTORS = 0; // 1: a channel, rows at multiples of 16 bytes
layout(constant_id = 5) const uint NANS = 0;    // 1: a sum with NaN is NaN

layout(push_constant, scalar) uniform parameters {
    lg_moments_floats_push p;
};

const uint SIZE = HALF != 0u ? 2u : 4u; // bytes of a sample
const uint WIDTH = 16u / SIZE;          // samples of a vector

uvec2 segment_address(uint segment)
{
    const uint row = segment / p.segments, part = segment - row * p.segments;
    const uvec2 first = lg_add64(p.data, lg_mul64(gl_WorkGroupID.y, p.layer_stride));
    const uvec2 line = lg_add64(first, lg_mul64(row, uvec2(p.row_stride, 0u)));
    return lg_add64(line, lg_mul64(part * SIZE, uvec2(p.part, 0u)));
}

uint segment_length(uint segment)
{
    return min(p.part, p.samples - segment % p.segments * p.part);
}

// One sample per lane, out of all that the workgroup will read.
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

// The offset of sample k of a lane's span from the workgroup's first.
uint span_place(uint k, bool vectors)
{
    return vectors ? (k / WIDTH * gl_WorkGroupSize.x + gl_LocalInvocationIndex) * WIDTH + k % WIDTH
                   : k * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}

void load_vectors(uvec2 address, out uint bits[SAMPLES])
{
    lg_vectors from = lg_vectors(lg_add64(address, uvec2(gl_LocalInvocationIndex * 16u, 0u)));
    [[unroll]] for (uint k = 0u; k < SAMPLES / WIDTH; k++) {
        const uvec4 v = from.at[k * gl_WorkGroupSize.x];
        [[unroll]] for (uint i = 0u; i < WIDTH; i++) {
            const uint word = v[i * SIZE / 4u];
            const uint half_bits = (i & 1u) != 0u ? word >> 16 : word;
            bits[k * WIDTH + i] = HALF == 0u ? word : floatBitsToUint(unpackHalf2x16(half_bits).x);
        }
    }
}

// `last`: a sample of the lane's channel, which replaces samples behind the end.
void load_singly(uvec2 address, uint last, out uint bits[SAMPLES])
{
    [[unroll]] for (uint k = 0u; k < SAMPLES; k++)
        bits[k] = sample_bits(address, min(span_place(k, false), last));
}

// Whether all are in the window; also the extremes, if there is no NaN. Most images need no test of
// single samples.
bool all_in_window(uint bits[SAMPLES], out float low, out float high)
{
    const float bound = uintBitsToFloat(below);
    uint least = 0xffffffffu, most = 0u;
    float sum = 0.0;
    low = high = uintBitsToFloat(bits[0]);
    [[unroll]] for (uint k = 0u; k < SAMPLES; k++) {
        const float value = uintBitsToFloat(bits[k]);
        low = min(low, value);
        high = max(high, value);
        if (NANS != 0u)
            sum += value;
        else
            most = max(most, bits[k] & LG_BITS_ABS);
    }
    const bool numbers = (NANS != 0u ? floatBitsToUint(sum) & LG_BITS_ABS : most) <= LG_BITS_INF;
    if (!numbers || high >= bound)
        return false;
    if (low >= uintBitsToFloat(window_least()) || HALF != 0u)
        return low > -bound;
    [[unroll]] for (uint k = 0u; k < SAMPLES; k++)
        least = min(least, 2u * bits[k] - 1u); // largest for zero
    return low > -bound && least >= 2u * window_least() - 1u;
}

// A span in which `count` samples of the lane are not replaced.
void add_span(uvec2 address, uint bits[SAMPLES], uint count, bool vectors)
{
    float low, high;
    if (!all_in_window(bits, low, high)) {
        [[dont_unroll]] for (uint k = 0u; k < count; k++)
            add_to_lane(sample_bits(address, span_place(k, vectors)));
        return;
    }
    lane.low = min(lane.low, low);
    lane.high = max(lane.high, high);
    if (count < SAMPLES) {
        [[unroll]] for (uint k = 0u; k < SAMPLES; k++)
            bits[k] = k < count ? bits[k] : 0u;
    }
    few_sums few = few_sums(0u, 0u);
    [[unroll]] for (uint k = 0u; k < SAMPLES; k++)
        add_in_window(bits[k], few);
    take_few(few, SAMPLES);
}

void add_segment(uint segment)
{
    const uint length = segment_length(segment), size = gl_WorkGroupSize.x;
    uvec2 address = segment_address(segment);
    [[dont_unroll]] for (uint done = 0u; done < length; done += size * SAMPLES) {
        const uint left = length - done, lane_left = left - min(left, gl_LocalInvocationIndex);
        const bool vectors = VECTORS != 0u && left >= size * SAMPLES;
        uint bits[SAMPLES];
        if (vectors)
            load_vectors(address, bits);
        else
            load_singly(address, left - CHANNELS + lane_channel, bits);
        add_span(address, bits, min((lane_left + size - 1u) / size, SAMPLES), vectors);
        address = lg_add64(address, uvec2(size * SAMPLES * SIZE, 0u));
    }
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
