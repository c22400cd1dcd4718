// A summed-area table of bytes in tiles of 16 x 16 pixels, so that no tile waits for another. An
// entry is the sum of three parts: inside the pixel's tile (16 bits), the same rows of the tiles on
// its left, and all rows above the tile up to the pixel's column.
//
// LG_TILED_INSIDE: a thread has eight samples of 16 rows. It writes the first part, and the sums of
// each tile from which the other parts are made. LG_TILED_LEFT, then LG_TILED_ABOVE: sums along
// lines of these, in place. Behind the last row and column of tiles is another one, all 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel/memory.glsl"
#include "measure/areasum/areasum_push.h"

layout(constant_id = 1) const uint CHANNELS = 2; // or 4
layout(constant_id = 2) const uint PASS = 0;
layout(constant_id = 3) const uint PARTS = 1; // of a line

const uint SPAN = 16u; // entries at once, of a workgroup that sums along lines

layout(push_constant, scalar) uniform parameters {
    lg_area_tiled_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer byte_vectors {
    uvec2 at[];
};
// Each is less than 4 GiB.
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer vectors {
    uvec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer words {
    uint at[];
};

// ---- inside a tile ------------------------------------------------------------------------------

// Eight bytes as pairs of 16 bits, which hold the sums of a tile: with four channels the even and
// the odd samples of a pixel, with two those of a pixel.
uvec4 pairs_of(uvec2 v)
{
    const uint even = 0xff00ffu;
    if (CHANNELS == 4u)
        return uvec4(v.x & even, v.x >> 8 & even, v.y & even, v.y >> 8 & even);
    return uvec4((v.x & 0xffu) | (v.x & 0xff00u) << 8, (v.x >> 16 & 0xffu) | (v.x >> 8 & 0xff0000u),
                 (v.y & 0xffu) | (v.y & 0xff00u) << 8, (v.y >> 16 & 0xffu) | (v.y >> 8 & 0xff0000u));
}

// Sums up to and including each pixel.
uvec4 sum_pixels(uvec4 s)
{
    if (CHANNELS == 4u) {
        s.zw += s.xy;
        return s;
    }
    s.y += s.x;
    s.z += s.y;
    s.w += s.z;
    return s;
}

uvec2 last_of(uvec4 s)
{
    return CHANNELS == 4u ? s.zw : uvec2(s.w, 0u);
}

uvec4 add_to_all(uvec4 s, uvec2 sum)
{
    return s + (CHANNELS == 4u ? sum.xyxy : sum.xxxx);
}

const uint LANES = LG_TILED_SIDE * CHANNELS / LG_TILED_HELD; // of a tile's row

// The sum over the lanes of this tile before this one.
uvec2 sum_before(uvec2 own, uint lane)
{
    uvec2 sum = own;
    [[unroll]] for (uint distance = 1u; distance < LANES; distance *= 2u) {
        const bool has = lane % LANES >= distance;
        const uvec2 other = subgroupShuffle(sum, has ? lane - distance : lane);
        sum += has ? other : uvec2(0u);
    }
    return sum - own;
}

// Samples in their order.
uint[8] samples_of(uvec4 s)
{
    const uvec4 low = s & 0xffffu, high = s >> 16;
    if (CHANNELS == 2u)
        return uint[8](low.x, high.x, low.y, high.y, low.z, high.z, low.w, high.w);
    return uint[8](low.x, low.y, high.x, high.y, low.z, low.w, high.z, high.w);
}

void write_words(uvec2 to, uint first, uint v[8])
{
    vectors(to).at[first / 4u] = uvec4(v[0], v[1], v[2], v[3]);
    vectors(to).at[first / 4u + 1u] = uvec4(v[4], v[5], v[6], v[7]);
}

uint samples_of_row()
{
    return p.tiles_x * LG_TILED_SIDE * CHANNELS;
}

// Words of a layer's row of tiles to the left of pixels; of all rows, down to the end of the last tile.
uint left_words(uint layer, uint tile_x)
{
    return (layer * p.tiles_x + tile_x) * p.tiles_y * LG_TILED_SIDE * CHANNELS;
}

// A lane keeps the sums of two or four rows of its tile, which are eight words.
void keep_row_sum(uint r, uint lane, uvec2 sum, inout uint kept[8])
{
    const uint rows = LG_TILED_SIDE / LANES;
    if (r / rows != lane % LANES)
        return;
    const uint i = r % rows * CHANNELS;
    kept[i] = sum.x & 0xffffu;
    if (CHANNELS == 2u) {
        kept[i + 1u] = sum.x >> 16;
        return;
    }
    kept[i + 1u] = sum.y & 0xffffu;
    kept[i + 2u] = sum.x >> 16;
    kept[i + 3u] = sum.y >> 16;
}

void sum_tiles(uint layer, uint tile_y)
{
    const uint lane = gl_SubgroupInvocationID;
    const uint thread = gl_SubgroupID * gl_SubgroupSize + lane;
    const uint x = (gl_WorkGroupID.x * gl_WorkGroupSize.x + thread) * LG_TILED_HELD; // sample
    const uint tile_x = x / (LG_TILED_SIDE * CHANNELS), top = tile_y * LG_TILED_SIDE;
    const uint row_samples = samples_of_row();
    const bool some = x < row_samples;
    // Other pixels are read in place of those outside, so that no load waits for a branch.
    const uint samples = p.width * CHANNELS;
    const bool any = x < samples && top < p.height;
    const uvec2 layer_at = lg_add64(p.data, lg_mul64(layer, p.layer_stride));
    const uvec2 from = lg_add64(layer_at, uvec2(min(x, (samples - 1u) / LG_TILED_HELD * LG_TILED_HELD), 0u));
    uvec2 rows[LG_TILED_SIDE];
    [[unroll]] for (uint r = 0u; r < LG_TILED_SIDE; r++) {
        const uvec2 row = lg_mul64(min(top + r, p.height - 1u), uvec2(p.row_stride, 0u));
        rows[r] = byte_vectors(lg_add64(from, row)).at[0];
    }
    uvec4 columns = uvec4(0u), sums;
    uint kept[8];
    // In vectors of 8 halfwords.
    uint to = ((layer * p.tiles_y * LG_TILED_SIDE + top) * row_samples + x) / LG_TILED_HELD;
    [[unroll]] for (uint r = 0u; r < LG_TILED_SIDE; r++, to += row_samples / LG_TILED_HELD) {
        columns += pairs_of(any ? rows[r] : uvec2(0u));
        sums = sum_pixels(columns);
        sums = add_to_all(sums, sum_before(last_of(sums), lane));
        if (some)
            vectors(p.inside).at[to] = sums;
        keep_row_sum(r, lane, subgroupShuffle(last_of(sums), lane | (LANES - 1u)), kept);
    }
    if (!some)
        return;
    write_words(p.left, left_words(layer, tile_x) + top * CHANNELS + lane % LANES * 8u, kept);
    write_words(p.above, (layer * p.tiles_y + tile_y) * row_samples + x, samples_of(sums));
}

// ---- along lines --------------------------------------------------------------------------------

shared uint part_sums[LG_TILED_LINES * PARTS];

struct line_place {
    uint first, step, count; // words
    uint left;               // LG_TILED_ABOVE: of the first tile's last row
};

line_place place_of(uint layer, uint line)
{
    if (PASS == LG_TILED_LEFT)
        return line_place(left_words(layer, 0u) + line, p.tiles_y * LG_TILED_SIDE * CHANNELS, p.tiles_x, 0u);
    const uint tile_x = line / (LG_TILED_SIDE * CHANNELS);
    return line_place(layer * p.tiles_y * samples_of_row() + line, samples_of_row(), p.tiles_y,
                      left_words(layer, tile_x) + (LG_TILED_SIDE - 1u) * CHANNELS + line % CHANNELS);
}

void load_span(line_place at, uint k, uint end, out uint v[SPAN])
{
    [[unroll]] for (uint i = 0u; i < SPAN; i++) {
        v[i] = 0u;
        if (k + i >= end)
            continue;
        v[i] = words(PASS == LG_TILED_LEFT ? p.left : p.above).at[at.first + (k + i) * at.step];
        if (PASS == LG_TILED_ABOVE)
            v[i] += words(p.left).at[at.left + (k + i) * LG_TILED_SIDE * CHANNELS];
    }
}

// Each entry becomes the sum of the entries before it, except the last one.
void sum_lines(uint layer, uint line, bool some)
{
    const uint part = gl_LocalInvocationIndex / LG_TILED_LINES;
    const line_place at = place_of(layer, line);
    const uint each = (at.count + PARTS - 1u) / PARTS;
    const uint first = min(part * each, at.count), end = some ? min(first + each, at.count) : first;
    uint v[SPAN], sum = 0u;
    for (uint k = first; k < end; k += SPAN) {
        load_span(at, k, end, v);
        [[unroll]] for (uint i = 0u; i < SPAN; i++)
            sum += v[i];
    }
    barrier();
    part_sums[gl_LocalInvocationIndex] = sum;
    barrier();
    sum = 0u;
    for (uint i = 0u; i < part; i++)
        sum += part_sums[i * LG_TILED_LINES + gl_LocalInvocationIndex % LG_TILED_LINES];
    for (uint k = first; k < end; k += SPAN) {
        if (each > SPAN) // else they are still in registers
            load_span(at, k, end, v);
        [[unroll]] for (uint i = 0u; i < SPAN; i++)
            if (k + i < end) {
                words(PASS == LG_TILED_LEFT ? p.left : p.above).at[at.first + (k + i) * at.step] =
                    k + i + 1u == at.count ? 0u : sum;
                sum += v[i];
            }
    }
}

void main()
{
    if (PASS == LG_TILED_INSIDE) {
        for (uint layer = gl_WorkGroupID.z; layer < p.layers; layer += gl_NumWorkGroups.z)
            for (uint y = gl_WorkGroupID.y; y < p.tiles_y; y += gl_NumWorkGroups.y)
                sum_tiles(layer, y);
        return;
    }
    const uint lines = PASS == LG_TILED_LEFT ? p.tiles_y * LG_TILED_SIDE * CHANNELS : samples_of_row();
    const uint line = gl_WorkGroupID.x * LG_TILED_LINES + gl_LocalInvocationIndex % LG_TILED_LINES;
    for (uint layer = gl_WorkGroupID.z; layer < p.layers; layer += gl_NumWorkGroups.z)
        sum_lines(layer, min(line, lines - 1u), line < lines);
}
