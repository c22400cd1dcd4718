// Native counts of u8 samples: 256 bins for each stored channel (or luma in the place of alpha).
//
// Every lane owns one bank of shared memory: counter (bin, column) lies at bin * 32 + column and
// column = lane for one channel, channel * 8 + lane / 4 for four, where the lanes of a quad start at
// different channels. No two lanes of 32 ever meet in a bank, whatever the image shows.
#version 460
//@variant histogram_u8
#extension GL_GOOGLE_include_directive : require
#include "shader/memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint LUMA = 0;     // the fourth channel counted is 1: luma, 2: max(r, g, b)
layout(constant_id = 3) const uint PARTIAL = 0;  // 1: every workgroup writes a table of its own

layout(push_constant, scalar) uniform parameters {
    uvec2 data;         // first sample of the region, aligned down to 16 bytes
    uvec2 layer_stride; // bytes
    uvec2 totals;       // u32 [layer][256 * CHANNELS]: zero on entry and on exit
    uvec2 counts;       // u32 [layer][256 * CHANNELS]: the result; [layer][workgroup][...] if PARTIAL
    uvec2 tickets;      // u32 [layer]: zero on entry and on exit
    uint row_stride;    // in vectors of 16 bytes
    uint rows;
    uint vectors;       // of a row
    uint first_skip;    // bytes of a row's first vector that lie before the region
    uint last_keep;     // bytes of a row's last vector that lie inside, 1 .. 16
    uint luma_rg, luma_b; // luma weights in 1/65536, red in the low half
} p;

shared uint counters[256 * 32];

const uint PASSES = 4; // 16-byte loads in flight per lane

// Counter words of `word` for lane-dependent base columns.
void count_word(uint word, uvec4 base)
{
    atomicAdd(counters[((word << 5) & 0x1fe0u) | base.x], 1u);
    atomicAdd(counters[((word >> 3) & 0x1fe0u) | base.y], 1u);
    atomicAdd(counters[((word >> 11) & 0x1fe0u) | base.z], 1u);
    atomicAdd(counters[((word >> 19) & 0x1fe0u) | base.w], 1u);
}

uint with_luma(uint word)
{
    if (LUMA == 2u)
        return (word & 0x00ffffffu) |
               (max(max(word & 255u, (word >> 8) & 255u), (word >> 16) & 255u) << 24);
    uint y = (word & 255u) * (p.luma_rg & 0xffffu) + ((word >> 8) & 255u) * (p.luma_rg >> 16) +
             ((word >> 16) & 255u) * p.luma_b + 32768u;
    return (word & 0x00ffffffu) | ((y << 8) & 0xff000000u);
}

uint rotate(uint word, uint by)
{
    return CHANNELS == 1 ? word : (word >> by) | (word << ((32u - by) & 31u));
}

void count_vector(uvec4 v, uint by, uvec4 base)
{
    if (LUMA != 0)
        v = uvec4(with_luma(v.x), with_luma(v.y), with_luma(v.z), with_luma(v.w));
    count_word(rotate(v.x, by), base);
    count_word(rotate(v.y, by), base);
    count_word(rotate(v.z, by), base);
    count_word(rotate(v.w, by), base);
}

// The first or last vector of a row: only the bytes first .. end-1.
void count_edge(uvec4 v, uint first, uint end, uint lane)
{
    for (uint i = first; i < end; i++) {
        uint word = v[i >> 2];
        if (LUMA != 0)
            word = with_luma(word);
        uint value = (word >> ((i & 3u) * 8u)) & 255u;
        uint column = CHANNELS == 1 ? lane : (i & (CHANNELS - 1u)) * (32u / CHANNELS) + lane / CHANNELS;
        atomicAdd(counters[value * 32u + column], 1u);
    }
}

// Sum of the columns of one counter; lanes start at different columns to stay out of each other's way.
uint column_sum(uint bin, uint channel)
{
    const uint columns = 32u / CHANNELS;
    uint sum = 0u;
    for (uint i = 0u; i < columns; i++)
        sum += counters[bin * 32u + channel * columns + ((i + bin) & (columns - 1u))];
    return sum;
}

void publish(uint layer)
{
    const uint size = 256u * CHANNELS;
    lg_words_shared counts = lg_words_shared(p.counts);
    lg_words_shared totals = lg_words_shared(p.totals);
    for (uint i = gl_LocalInvocationIndex; i < size; i += gl_WorkGroupSize.x) {
        const uint bin = i / CHANNELS, channel = i & (CHANNELS - 1u);
        const uint sum = column_sum(bin, channel);
        if (PARTIAL != 0)
            counts.at[(layer * gl_NumWorkGroups.x + gl_WorkGroupID.x) * size + channel * 256u + bin] = sum;
        else if (sum != 0u)
            atomicAdd(totals.at[layer * size + channel * 256u + bin], sum);
    }
    if (PARTIAL != 0 || !lg_last_workgroup(lg_words_shared(p.tickets), layer, gl_NumWorkGroups.x))
        return;
    for (uint i = gl_LocalInvocationIndex; i < size; i += gl_WorkGroupSize.x)
        counts.at[layer * size + i] = atomicExchange(totals.at[layer * size + i], 0u);
}

void main()
{
    const uint lane = gl_LocalInvocationIndex & 31u;
    for (uint i = gl_LocalInvocationIndex; i < 256u * 32u; i += gl_WorkGroupSize.x)
        counters[i] = 0u;

    // Rotation by channel, so that the lanes of a quad (pair) start apart.
    const uint turn = lane & (CHANNELS - 1u);
    uvec4 base;
    for (uint k = 0u; k < 4u; k++) {
        uint channel = (k + turn) & (CHANNELS - 1u);
        base[k] = CHANNELS == 1 ? lane : channel * (32u / CHANNELS) + lane / CHANNELS;
    }
    const uint by = turn * 8u;
    barrier();

    const uint layer = gl_WorkGroupID.y;
    lg_vectors image = lg_vectors(lg_add64(p.data, lg_mul64(layer, p.layer_stride)));
    const uint span = gl_WorkGroupSize.x * PASSES;
    const uint pieces = (p.vectors + span - 1u) / span;
    const uint all = pieces * p.rows;
    for (uint piece = gl_WorkGroupID.x; piece < all; piece += gl_NumWorkGroups.x) {
        const uint row = p.rows == 1u ? 0u : piece / pieces;
        const uint start = (piece - row * pieces) * span + gl_LocalInvocationIndex;
        const uint offset = row * p.row_stride;
        uvec4 v[PASSES];
        for (uint k = 0u; k < PASSES; k++) {
            const uint i = start + k * gl_WorkGroupSize.x;
            if (i < p.vectors)
                v[k] = image.at[offset + i];
        }
        for (uint k = 0u; k < PASSES; k++) {
            const uint i = start + k * gl_WorkGroupSize.x;
            if (i >= p.vectors)
                break;
            const bool first = i == 0u && p.first_skip != 0u;
            const bool last = i == p.vectors - 1u && p.last_keep != 16u;
            if (first || last)
                count_edge(v[k], first ? p.first_skip : 0u, last ? p.last_keep : 16u, lane);
            else
                count_vector(v[k], by, base);
        }
    }
    barrier();
    publish(layer);
}
