// Exact moments of u8 and u16 samples: sum, sum of squares, minimum and maximum of every stored
// channel in one pass. All arithmetic is in integers, so no order matters.
#version 460
//@variant moments_integer
//@variant moments_integer_f16 -DPACKED_F16
//@variant moments_integer_u16 -DPACKED_U16
//@variant moments_integer_dot_f16 -DDOT -DPACKED_F16
//@variant moments_integer_dot_u16 -DDOT -DPACKED_U16
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernel/memory.glsl"
#include "measure/moments/moments_push.h"
#include "measure/moments/moments_tally.glsl"
#ifdef PACKED_F16
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#ifdef PACKED_U16
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#endif
#ifdef DOT
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4451)
uint lg_dot(uint a, uint b, spirv_literal uint format);
#endif

layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint WIDE = 0;     // 0: u8, 1: u16
layout(constant_id = 3) const uint PASSES = 4;   // 16-byte loads in flight per lane
layout(constant_id = 4) const uint FOLD_WORDS = 1024; // CHANNELS * (3 + WIDE) * lanes

// Packed pairs of 16-bit halves. For u8 the bytes of a word split into even and odd ones; which
// channels these are depends on CHANNELS alone.
uint low_even = ~0u, low_odd = ~0u, high_even = 0u, high_odd = 0u;
uvec4 sum = uvec4(0u);       // per channel; the host bounds the work of a lane so that nothing wraps
uvec4 square = uvec4(0u);    // low words
uvec4 square_high = uvec4(0u);

// Four bytes of one channel: sum and sum of squares.
uint sum4(uint word)
{
#ifdef DOT
    return lg_dot(word, 0x01010101u, 0u);
#else
    uint halves = (word & 0x00ff00ffu) + ((word >> 8) & 0x00ff00ffu);
    return (halves & 0xffffu) + (halves >> 16);
#endif
}

uint square4(uint word)
{
#ifdef DOT
    return lg_dot(word, word, 0u);
#else
    uint a = word & 255u, b = (word >> 8) & 255u, c = (word >> 16) & 255u, d = word >> 24;
    return a * a + b * b + c * c + d * d;
#endif
}

#if defined(PACKED_U16)
uint pack_min(uint a, uint b)
{
    return pack32(min(unpack16(a), unpack16(b)));
}
uint pack_max(uint a, uint b)
{
    return pack32(max(unpack16(a), unpack16(b)));
}
#else
uint pack_min(uint a, uint b)
{
    return min(a & 0xffffu, b & 0xffffu) | min(a & 0xffff0000u, b & 0xffff0000u);
}
uint pack_max(uint a, uint b)
{
    return max(a & 0xffffu, b & 0xffffu) | max(a & 0xffff0000u, b & 0xffff0000u);
}
#endif

#ifdef PACKED_F16
// Bytes: 1024 + byte as a half float is ordered like the byte, and a normal number.
const uint BYTE_BIAS = 0x64006400u;
uint byte_min(uint a, uint b)
{
    return packFloat2x16(min(unpackFloat2x16(a), unpackFloat2x16(b)));
}
uint byte_max(uint a, uint b)
{
    return packFloat2x16(max(unpackFloat2x16(a), unpackFloat2x16(b)));
}
#else
const uint BYTE_BIAS = 0u;
uint byte_min(uint a, uint b)
{
    return pack_min(a, b);
}
uint byte_max(uint a, uint b)
{
    return pack_max(a, b);
}
#endif

void extremes_u8(uvec4 v)
{
    for (uint i = 0u; i < 4u; i++) {
        uint even = (v[i] & 0x00ff00ffu) | BYTE_BIAS, odd = ((v[i] >> 8) & 0x00ff00ffu) | BYTE_BIAS;
        low_even = byte_min(low_even, even);
        low_odd = byte_min(low_odd, odd);
        high_even = byte_max(high_even, even);
        high_odd = byte_max(high_odd, odd);
    }
}

void add_bytes(uint channel, uint word)
{
    sum[channel] += sum4(word);
    square[channel] += square4(word);
}

void sums_u8(uvec4 v)
{
    if (CHANNELS == 1u) {
        for (uint i = 0u; i < 4u; i++)
            add_bytes(0u, v[i]);
        return;
    }
    uvec4 even = v & 0x00ff00ffu, odd = (v >> 8) & 0x00ff00ffu;
    if (CHANNELS == 2u) {
        add_bytes(0u, even.x | (even.y << 8));
        add_bytes(0u, even.z | (even.w << 8));
        add_bytes(1u, odd.x | (odd.y << 8));
        add_bytes(1u, odd.z | (odd.w << 8));
        return;
    }
    // Four pixels of four channels: transpose so that a word holds one channel.
    uint a = even.x | (even.y << 8), b = even.z | (even.w << 8);
    uint c = odd.x | (odd.y << 8), d = odd.z | (odd.w << 8);
    add_bytes(0u, (a & 0xffffu) | (b << 16));
    add_bytes(2u, (a >> 16) | (b & 0xffff0000u));
    add_bytes(1u, (c & 0xffffu) | (d << 16));
    add_bytes(3u, (c >> 16) | (d & 0xffff0000u));
}

void add_wide(uint channel, uint value)
{
    uint carry;
    sum[channel] += value;
    square[channel] = uaddCarry(square[channel], value * value, carry);
    square_high[channel] += carry;
}

// u16: the even halves of word i are channel (2 i) mod CHANNELS, the odd ones the next.
void extremes_u16(uvec4 v)
{
    for (uint i = 0u; i < 4u; i++) {
        if (CHANNELS == 4u && (i & 1u) == 1u) {
            low_odd = pack_min(low_odd, v[i]);
            high_odd = pack_max(high_odd, v[i]);
        } else {
            low_even = pack_min(low_even, v[i]);
            high_even = pack_max(high_even, v[i]);
        }
    }
}

void sums_u16(uvec4 v)
{
    for (uint i = 0u; i < 4u; i++) {
        add_wide((2u * i) & (CHANNELS - 1u), v[i] & 0xffffu);
        add_wide((2u * i + 1u) & (CHANNELS - 1u), v[i] >> 16);
    }
}

uint pick(uvec4 v, uint i)
{
    return i < 2u ? (i == 0u ? v.x : v.y) : (i == 2u ? v.z : v.w);
}

uint bytes_below(uint end, uint word) // of a word of a vector
{
    const uint n = uint(clamp(int(end) - int(4u * word), 0, 4));
    return n == 4u ? ~0u : (1u << (8u * n)) - 1u;
}

shared uint edge_extremes[8]; // [channel]: complement of the minimum, maximum

// A row's first or last vector, of which bytes first .. end-1 count; the sums use zeros outside
// them. Extremes are found one by one and in integers: packed halves lost some here on an NVIDIA
// device.
void lg_edge(uvec4 v, uint first, uint end)
{
    uvec4 inside;
    for (uint i = 0u; i < 4u; i++)
        inside[i] = bytes_below(end, i) & ~bytes_below(first, i);
    if (WIDE == 0u)
        sums_u8(v & inside);
    else
        sums_u16(v & inside);
    [[dont_unroll]] for (uint i = first; i < end; i += 1u << WIDE) {
        const uint value = (pick(v, i >> 2) >> (8u * (i & 3u))) & (WIDE == 0u ? 0xffu : 0xffffu);
        const uint place = 2u * ((i >> WIDE) & (CHANNELS - 1u));
        atomicMax(edge_extremes[place], ~value);
        atomicMax(edge_extremes[place + 1u], value);
    }
}

void lg_vector(uvec4 v)
{
    if (WIDE == 0u) {
        extremes_u8(v);
        sums_u8(v);
    } else {
        extremes_u16(v);
        sums_u16(v);
    }
}

#define LG_PASSES PASSES
#include "kernel/vectors.glsl"

layout(push_constant, scalar) uniform parameters {
    lg_moments_rows_push p;
};

// Minimum (x) and maximum (y) of a channel from the packed halves.
uvec2 extremes(uint channel)
{
    uint low, high;
    const uint bits = WIDE == 0u ? 0xffu : 0xffffu;
    if (CHANNELS == 4u) {
        const bool odd = WIDE == 0u ? (channel & 1u) == 1u : channel >= 2u;
        const uint shift = (WIDE == 0u ? channel >= 2u : (channel & 1u) == 1u) ? 16u : 0u;
        low = ((odd ? low_odd : low_even) >> shift) & bits;
        high = ((odd ? high_odd : high_even) >> shift) & bits;
    } else if (CHANNELS == 2u && WIDE == 1u) {
        low = (low_even >> (16u * channel)) & bits;
        high = (high_even >> (16u * channel)) & bits;
    } else {
        const uint l = channel == 1u ? low_odd : low_even, h = channel == 1u ? high_odd : high_even;
        low = min(l & bits, (l >> 16) & bits);
        high = max(h & bits, (h >> 16) & bits);
        if (CHANNELS == 1u && WIDE == 0u) {
            low = min(low, min(low_odd & bits, (low_odd >> 16) & bits));
            high = max(high, max(high_odd & bits, (high_odd >> 16) & bits));
        }
    }
    return uvec2(low, high);
}

// ---- one fold for the workgroup ----
//
// Every lane stores its figures in shared memory, then each subgroup folds some of them over all
// lanes. This takes two reductions across lanes per figure of the workgroup, instead of six per
// channel and subgroup.

const uint FIGURES = 3u + WIDE; // of a channel: sum, square, extremes, then the square's high words
shared uint figures[FOLD_WORDS]; // [CHANNELS][FIGURES][lanes]

uint place_of(uint channel, uint figure)
{
    return (channel * FIGURES + figure) * gl_WorkGroupSize.x;
}

void leave_figures(uint channel)
{
    const uvec2 e = extremes(channel);
    const uint at = place_of(channel, 0u) + gl_LocalInvocationIndex, lanes = gl_WorkGroupSize.x;
    figures[at] = pick(sum, channel);
    figures[at + lanes] = pick(square, channel);
    figures[at + 2u * lanes] = (e.x ^ 0xffffu) << 16 | e.y;
    if (WIDE != 0u)
        figures[at + 3u * lanes] = pick(square_high, channel);
}

// The sum of a figure, in separate limbs of 16 bits: up to 65536 lanes cannot overflow.
uvec2 fold_limbs(uint channel, uint figure)
{
    uvec2 limbs = uvec2(0u);
    for (uint i = gl_SubgroupInvocationID; i < gl_WorkGroupSize.x; i += gl_SubgroupSize) {
        const uint value = figures[place_of(channel, figure) + i];
        limbs += uvec2(value & 0xffffu, value >> 16);
    }
    return uvec2(subgroupAdd(limbs.x), subgroupAdd(limbs.y));
}

void fold_sums(uint channel, uint figure)
{
    const uint place = channel * TALLY_WORDS + (figure == 0u ? SUM : SQUARE);
    const uvec2 a = fold_limbs(channel, figure);
    const uvec2 b = WIDE != 0u && figure == 1u ? fold_limbs(channel, 3u) : uvec2(0u);
    if (subgroupElect()) {
        tallies[place] = a.x & 0xffffu;
        tallies[place + 1u] = (a.x >> 16) + (a.y & 0xffffu);
        tallies[place + 2u] = (a.y >> 16) + b.x; // the high words of a lane are below 2^16: no b.y
    }
}

void fold_extremes(uint channel)
{
    uint low = 0u, high = 0u;
    for (uint i = gl_SubgroupInvocationID; i < gl_WorkGroupSize.x; i += gl_SubgroupSize) {
        const uint value = figures[place_of(channel, 2u) + i];
        low = max(low, value);
        high = max(high, value & 0xffffu);
    }
    low = subgroupMax(low);
    high = subgroupMax(high);
    if (subgroupElect()) {
        tallies[channel * TALLY_WORDS + LOW] =
            max(low >> 16 | 0xffff0000u, edge_extremes[2u * channel]);
        tallies[channel * TALLY_WORDS + HIGH] = max(high, edge_extremes[2u * channel + 1u]);
    }
}

void main()
{
    if (WIDE == 0u) { // neutral: 255 and 0
        low_even = low_odd = 0x00ff00ffu | BYTE_BIAS;
        high_even = high_odd = BYTE_BIAS;
    }
    tallies_clear();
    if (gl_LocalInvocationIndex < 8u)
        edge_extremes[gl_LocalInvocationIndex] = 0u;
    if (p.rows.first_skip != 0u || p.rows.last_keep != 16u)
        barrier();
    lg_walk_rows(p.rows, gl_WorkGroupID.y);
    // Not unrolled: code that runs once is faster to fetch when short.
    [[dont_unroll]] for (uint c = 0u; c < CHANNELS; c++)
        leave_figures(c);
    barrier();
    [[dont_unroll]] for (uint i = gl_SubgroupID; i < CHANNELS * 3u; i += gl_NumSubgroups) {
        if (i < CHANNELS)
            fold_extremes(i);
        else
            fold_sums((i - CHANNELS) >> 1, (i - CHANNELS) & 1u);
    }
    tallies_publish(p.totals, gl_WorkGroupID.y, CHANNELS);
}
