// Exact moments of float samples, all of them or those of a mask: rows are adjacent samples. A lane
// reads a few samples of its channel before it adds them up: vectors for one channel, else single
// samples, of which neighbouring lanes read adjacent ones. What a mask leaves out is added as 0.
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
layout(constant_id = 6) const uint MASKED = 0;  // 1: a mask says which pixels count

layout(push_constant, scalar) uniform parameters {
    lg_moments_floats_push p;
};

const uint SIZE = HALF != 0u ? 2u : 4u; // bytes of a sample
const uint WIDTH = 16u / SIZE;          // samples of a vector

layout(buffer_reference, scalar, buffer_reference_align = 1) readonly buffer lg_mask_bytes {
    uint8_t at[];
};

// Where samples lie, and the bytes of their mask.
struct place {
    uvec2 samples, mask;
};

uvec2 row_address(uvec2 data, uvec2 layer_stride, uint row_stride, uint row)
{
    return lg_add64(lg_add64(data, lg_mul64(gl_WorkGroupID.y, layer_stride)),
                    lg_mul64(row, uvec2(row_stride, 0u)));
}

place segment_place(uint segment)
{
    const uint row = segment / p.segments, part = segment - row * p.segments;
    const uvec2 line = row_address(p.data, p.layer_stride, p.row_stride, row);
    place at = place(lg_add64(line, lg_mul64(part * SIZE, uvec2(p.part, 0u))), uvec2(0u));
    if (MASKED != 0u)
        at.mask = lg_add64(row_address(p.mask, p.mask_layer_stride, p.mask_row_stride, row),
                           uvec2(part * (p.part / CHANNELS), 0u));
    return at;
}

// Whether sample i counts.
bool taken(place at, uint i)
{
    return MASKED == 0u || uint(lg_mask_bytes(at.mask).at[i / CHANNELS]) != 0u;
}

uint counted = 0u; // samples of the lane that count

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
    uint where, unused; // anywhere in the segment
    umulExtended(gl_LocalInvocationIndex * 2654435769u, segment_length(segment), where, unused);
    where += lane_channel - where % CHANNELS;
    const place at = segment_place(segment);
    if (taken(at, where))
        look_at(sample_bits(at.samples, where));
}

// The offset of sample k of a lane's span from the workgroup's first.
uint span_place(uint k, bool vectors)
{
    return vectors ? (k / WIDTH * gl_WorkGroupSize.x + gl_LocalInvocationIndex) * WIDTH + k % WIDTH
                   : k * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}

// Up to 32 samples, a bit of `counts` for each that counts.
void load_vectors(place at, out uint bits[SAMPLES], out uint counts)
{
    lg_vectors from = lg_vectors(lg_add64(at.samples, uvec2(gl_LocalInvocationIndex * 16u, 0u)));
    lg_words mask = lg_words(lg_add64(at.mask, uvec2(gl_LocalInvocationIndex * WIDTH, 0u)));
    counts = 0xffffffffu >> (32u - SAMPLES);
    [[unroll]] for (uint k = 0u; k < SAMPLES / WIDTH; k++) {
        const uvec4 v = from.at[k * gl_WorkGroupSize.x];
        [[unroll]] for (uint i = 0u; i < WIDTH; i++) {
            const uint word = v[i * SIZE / 4u];
            const uint half_bits = (i & 1u) != 0u ? word >> 16 : word;
            bits[k * WIDTH + i] = HALF == 0u ? word : floatBitsToUint(unpackHalf2x16(half_bits).x);
        }
        if (MASKED == 0u)
            continue;
        [[unroll]] for (uint i = 0u; i < WIDTH; i += 4u) {
            const uint four = mask.at[(k * gl_WorkGroupSize.x * WIDTH + i) / 4u];
            [[unroll]] for (uint j = 0u; j < 4u; j++)
                counts &= (four >> (8u * j) & 255u) != 0u ? 0xffffffffu : ~(1u << (k * WIDTH + i + j));
        }
    }
}

// `last`: a sample of the lane's channel, which replaces samples behind the end; `count` are not replaced.
void load_singly(place at, uint last, uint count, out uint bits[SAMPLES], out uint counts)
{
    counts = count == 0u ? 0u : 0xffffffffu >> (32u - count);
    [[unroll]] for (uint k = 0u; k < SAMPLES; k++) {
        const uint i = min(span_place(k, false), last);
        bits[k] = sample_bits(at.samples, i);
        if (MASKED != 0u && !taken(at, i))
            counts &= ~(1u << k);
    }
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

// The extremes of samples in the window, of which some do not count.
void extremes_of(uint bits[SAMPLES], uint counts, out float low, out float high)
{
    low = uintBitsToFloat(LG_BITS_INF);
    high = -low;
    [[unroll]] for (uint k = 0u; k < SAMPLES; k++) {
        const bool counted = (counts >> k & 1u) != 0u;
        low = min(low, counted ? uintBitsToFloat(bits[k]) : low);
        high = max(high, counted ? uintBitsToFloat(bits[k]) : high);
    }
}

// A span of the lane.
void add_span(place at, uint bits[SAMPLES], uint counts, bool vectors)
{
    const bool all = counts == 0xffffffffu >> (32u - SAMPLES);
    float low, high;
    if (MASKED != 0u) {
        counted += bitCount(counts);
        if (!all) { // what is left out may be anything
            [[unroll]] for (uint k = 0u; k < SAMPLES; k++)
                bits[k] = (counts >> k & 1u) != 0u ? bits[k] : 0u;
        }
    }
    if (!all_in_window(bits, low, high)) {
        [[dont_unroll]] for (uint k = 0u; k < SAMPLES; k++)
            if ((counts >> k & 1u) != 0u)
                add_to_lane(sample_bits(at.samples, span_place(k, vectors)));
        return;
    }
    if (MASKED != 0u && !all)
        extremes_of(bits, counts, low, high);
    lane.low = min(lane.low, low);
    lane.high = max(lane.high, high);
    if (MASKED == 0u && !all) {
        [[unroll]] for (uint k = 0u; k < SAMPLES; k++)
            bits[k] = (counts >> k & 1u) != 0u ? bits[k] : 0u;
    }
    few_sums few = few_sums(0u, 0u);
    [[unroll]] for (uint k = 0u; k < SAMPLES; k++)
        add_in_window(bits[k], few);
    take_few(few, SAMPLES);
}

void add_segment(uint segment)
{
    const uint length = segment_length(segment), size = gl_WorkGroupSize.x;
    place at = segment_place(segment);
    [[dont_unroll]] for (uint done = 0u; done < length; done += size * SAMPLES) {
        const uint left = length - done, lane_left = left - min(left, gl_LocalInvocationIndex);
        const bool vectors = VECTORS != 0u && left >= size * SAMPLES;
        uint bits[SAMPLES], counts;
        if (vectors)
            load_vectors(at, bits, counts);
        else
            load_singly(at, left - CHANNELS + lane_channel,
                        min((lane_left + size - 1u) / size, SAMPLES), bits, counts);
        add_span(at, bits, counts, vectors);
        at.samples = lg_add64(at.samples, uvec2(size * SAMPLES * SIZE, 0u));
        at.mask = lg_add64(at.mask, uvec2(size * SAMPLES / CHANNELS, 0u));
    }
}

void main()
{
    lane_channel = gl_LocalInvocationIndex % CHANNELS;
    sums_clear();
    if (HALF == 0u)
        look_around();
    window_choose();
    if (MASKED == 0u && gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex < CHANNELS)
        add_word(gl_LocalInvocationIndex * WORDS + COUNT, 0u, p.rows * (p.samples / CHANNELS));
    for (uint segment = gl_WorkGroupID.x; segment < p.rows * p.segments; segment += gl_NumWorkGroups.x)
        add_segment(segment);
    if (MASKED != 0u)
        counts_publish(counted);
    lanes_publish();
    sums_publish(p.totals, gl_WorkGroupID.y);
}
