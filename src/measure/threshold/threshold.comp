// Level and mask in one dispatch: every workgroup finds the level from the counts that an earlier
// dispatch left, then compares its share of the pixels with it. Bytes, or the luma of four bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"
#include "kernel/pixel.glsl"
#include "kernel/space/luma.h"
#include "measure/threshold/threshold_otsu.glsl"
#include "measure/threshold/threshold_push.h"

layout(constant_id = 1) const uint METHOD = 0;   // LG_METHOD_OTSU ...
layout(constant_id = 2) const uint CHANNELS = 1; // stored: 1, 2 or 4; 4 is compared by luma
layout(constant_id = 3) const uint VECTORS = 1;  // 1: one or four channels, rows of 16-byte vectors
layout(constant_id = 4) const uint LUMA_MAX = 0;
layout(constant_id = 5) const uint COUNT = 0;    // 1: count the foreground
layout(constant_id = 6) const uint WRITE = 1;    // 0: no mask is wanted

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer lg_results {
    lg_threshold_result at[];
};

layout(push_constant, scalar) uniform parameters {
    lg_threshold_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer lg_vectors_out {
    uvec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer lg_words_out {
    uint at[];
};

shared uint level_cut;

const uint COPIES = 4u; // at most

void load_counts(uint layer)
{
    const uint k = gl_LocalInvocationIndex;
    if (k >= 256u)
        return;
    uint sum = 0u;
    for (uint l = 0u; l < p.layers; l++) {
        const uint at = (layer + l) * p.layer_words + p.table + k;
        uint part[COPIES];
        [[unroll]] for (uint copy = 0u; copy < COPIES; copy++)
            part[copy] = lg_words(p.counts).at[min(copy, p.copies - 1u) * p.copy_words + at];
        [[unroll]] for (uint copy = 0u; copy < COPIES; copy++)
            sum += copy < p.copies ? part[copy] : 0u;
    }
    otsu_n[k] = sum;
}

// Smallest value above the mean: v N > S.
uint mean_cut()
{
    const uint k = gl_LocalInvocationIndex;
    barrier();
    if (k == 0u)
        level_cut = 0u;
    if (k < 256u)
        umulExtended(otsu_n[k], k, otsu_s_high[k], otsu_s_low[k]);
    otsu_scan(k);
    if (k < 256u) {
        uint high, low;
        umulExtended(otsu_n[255], k, high, low);
        if (high < otsu_s_high[255] || (high == otsu_s_high[255] && low <= otsu_s_low[255]))
            atomicAdd(level_cut, 1u);
    }
    barrier();
    return level_cut;
}

uint find_cut(uint layer)
{
    if (METHOD == LG_METHOD_VALUE)
        return p.cut;
    load_counts(p.layers > 1u ? 0u : layer);
    return METHOD == LG_METHOD_MEAN ? mean_cut() : otsu_level() + 1u;
}

// 255 in every byte of `word` that is at least the cut; `bias` is (256 - cut) in both halves.
uint compare(uint word, uint bias)
{
    const uint even = (((word & 0x00ff00ffu) + bias) >> 8) & 0x00010001u;
    const uint odd = ((((word >> 8) & 0x00ff00ffu) + bias) >> 8) & 0x00010001u;
    return even * 255u | (odd * 255u) << 8;
}

uint foreground = 0u;

uint value_of(uint word) // of a pixel of four channels
{
    const uint r = word & 255u, g = (word >> 8) & 255u, b = (word >> 16) & 255u;
    return LUMA_MAX != 0u ? lg_luma_integer_max(r, g, b)
                          : lg_luma_integer(r, g, b, p.luma_rg & 0xffffu, p.luma_rg >> 16, p.luma_b);
}

void store(uvec2 mask, uint i, uvec4 v, uint cut)
{
    if (WRITE == 0u)
        return;
    if (CHANNELS == 4u) {
        lg_words_out(mask).at[i] = (value_of(v.x) >= cut ? 0x000000ffu : 0u) |
                                   (value_of(v.y) >= cut ? 0x0000ff00u : 0u) |
                                   (value_of(v.z) >= cut ? 0x00ff0000u : 0u) |
                                   (value_of(v.w) >= cut ? 0xff000000u : 0u);
        return;
    }
    const uint bias = (256u - cut) * 0x00010001u;
    lg_vectors_out(mask).at[i] =
        uvec4(compare(v.x, bias), compare(v.y, bias), compare(v.z, bias), compare(v.w, bias));
}

// Rows as vectors: the region starts at 16 bytes, and so does the mask.
void walk_vectors(uvec2 data, uvec2 mask, uint cut)
{
    const uint pixels = 16u / CHANNELS; // of a vector, and bytes of its mask
    const uint vectors = (p.width + pixels - 1u) / pixels;
    // One long row where rows follow each other without a gap, but not beyond 4 GiB: a device may count
    // the bytes of an index in 32 bits.
    const bool one = p.row_stride == p.width * CHANNELS && p.mask_row_stride == p.width &&
                     p.height <= 0x0fffffffu / vectors;
    const uint rows = one ? 1u : p.height, length = one ? (p.width / pixels) * p.height : vectors;
    const uint step = one ? gl_NumWorkGroups.x * gl_WorkGroupSize.x : gl_WorkGroupSize.x;
    const uint self = (one ? gl_WorkGroupID.x * gl_WorkGroupSize.x : 0u) + gl_LocalInvocationIndex;
    for (uint row = one ? 0u : gl_WorkGroupID.x; row < rows; row += one ? 1u : gl_NumWorkGroups.x) {
        lg_vectors from = lg_vectors(lg_add64(data, lg_mul64(row, uvec2(p.row_stride, 0u))));
        const uvec2 to = lg_add64(mask, lg_mul64(row, uvec2(p.mask_row_stride, 0u)));
        for (uint i = self; i < length; i += 4u * step) {
            uvec4 v[4];
            [[unroll]] for (uint k = 0u; k < 4u; k++)
                v[k] = from.at[min(i + k * step, length - 1u)];
            [[unroll]] for (uint k = 0u; k < 4u; k++)
                if (i + k * step < length)
                    store(to, i + k * step, v[k], cut);
        }
    }
}

uint value_at(uvec2 pixel)
{
    return CHANNELS != 4u ? lg_load_u8(pixel, 0u) : value_of(lg_load_u32(pixel, 0u));
}

// Four pixels at a time, whatever the alignment of the region.
void walk_pixels(uvec2 data, uvec2 mask, uint cut)
{
    const uint words = (p.width + 3u) / 4u;
    for (uint row = gl_WorkGroupID.x; row < p.height; row += gl_NumWorkGroups.x) {
        const uvec2 from = lg_add64(data, lg_mul64(row, uvec2(p.row_stride, 0u)));
        const uvec2 to = lg_add64(mask, lg_mul64(row, uvec2(p.mask_row_stride, 0u)));
        for (uint i = gl_LocalInvocationIndex; i < words; i += gl_WorkGroupSize.x) {
            uint word = 0u;
            for (uint j = 0u; j < min(4u, p.width - 4u * i); j++) {
                const bool above = value_at(lg_add64(from, uvec2((4u * i + j) * CHANNELS, 0u))) >= cut;
                word |= above ? 255u << (8u * j) : 0u;
                foreground += above ? 1u : 0u;
            }
            if (WRITE != 0u)
                lg_words_out(to).at[i] = word;
        }
    }
}

void main()
{
    const uint layer = gl_WorkGroupID.y;
    const uint cut = find_cut(layer);
    const uvec2 data = lg_add64(p.data, lg_mul64(layer, p.layer_stride));
    const uvec2 mask = lg_add64(p.mask, lg_mul64(layer, p.mask_layer_stride));
    if (VECTORS != 0u)
        walk_vectors(data, mask, cut);
    else
        walk_pixels(data, mask, cut);
    lg_results results = lg_results(p.results);
    if (COUNT != 0u) {
        const uint sum = subgroupAdd(foreground);
        if (subgroupElect())
            atomicAdd(results.at[layer].foreground, sum);
    }
    if (gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex == 0u)
        results.at[layer].cut = cut;
}
