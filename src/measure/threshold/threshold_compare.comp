// Compares pixels of any type with up to seven levels per layer from the host: class bytes, and the
// number of pixels above all levels.
//
// Values are compared as integers of the same order, as devices treat subnormal floats differently.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "kernel/memory.glsl"
#include "kernel/pixel.glsl"
#include "measure/threshold/threshold_value.glsl"
#include "measure/threshold/threshold_push.h"

layout(constant_id = 4) const uint ALIGNED = 1; // rows start at 16 bytes
layout(constant_id = 5) const uint LEVELS = 1;
layout(constant_id = 6) const uint WRITE = 1; // 0: no mask is wanted

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer lg_cuts {
    ivec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer lg_words_out {
    uint at[];
};

layout(push_constant, scalar) uniform parameters {
    lg_threshold_compare_push p;
};

// A lane processes a unit of pixels at a time: at least 16 bytes and four pixels.
const uint UNIT = PIXEL >= 4u ? 4u : 16u / PIXEL;
const uint WORDS = UNIT * PIXEL / 4u;
const uint BUFFER = 16u, IN_FLIGHT = BUFFER / WORDS;

uint words[BUFFER];

void load(uvec2 from, uint to)
{
    if (ALIGNED != 0u) {
        for (uint i = 0u; i < WORDS / 4u; i++) {
            const uvec4 v = lg_vectors(from).at[i];
            words[to + 4u * i] = v.x;
            words[to + 4u * i + 1u] = v.y;
            words[to + 4u * i + 2u] = v.z;
            words[to + 4u * i + 3u] = v.w;
        }
        return;
    }
    for (uint i = 0u; i < WORDS; i++) {
        if (PIXEL >= 4u)
            words[to + i] = lg_load_u32(from, i);
        else if (PIXEL == 2u)
            words[to + i] = lg_load_u16(from, 2u * i) | lg_load_u16(from, 2u * i + 1u) << 16;
        else
            words[to + i] = lg_load_u8(from, 4u * i) | lg_load_u8(from, 4u * i + 1u) << 8 |
                            lg_load_u8(from, 4u * i + 2u) << 16 | lg_load_u8(from, 4u * i + 3u) << 24;
    }
}

uint sample_at(uint byte)
{
    if (SAMPLE == 4u)
        return words[byte / 4u];
    return (words[byte / 4u] >> ((byte & 3u) * 8u)) & (SAMPLE == 1u ? 0xffu : 0xffffu);
}

// The value of the pixel at a byte as an integer of the same order; NaN is above that of infinity.
int key_of(uint byte)
{
    if (CHANNELS == 4u) {
        const uvec3 c = uvec3(sample_at(byte), sample_at(byte + SAMPLE), sample_at(byte + 2u * SAMPLE));
        if (TYPE < LG_F16)
            return int(value_integer(c, p.weights));
        const int y = int(value_luma(c, p.weights));
        return y ^ ((y >> 31) & 0x7fffffff);
    }
    int v = int(sample_at(byte));
    if (TYPE == LG_F16)
        v = (v << 16) >> 16;
    return TYPE < LG_F16 ? v : v ^ ((v >> 31) & (TYPE == LG_F16 ? 0x7fff : 0x7fffffff));
}

int infinity()
{
    if (TYPE < LG_F16)
        return 0x7fffffff;
    return TYPE == LG_F32 || CHANNELS == 4u ? 0x7f800000 : 0x7c00;
}

// The cuts of a layer, in vectors of four.
const uint CUTS = LEVELS > 4u ? 2u : 1u;
ivec4 cuts[2];

uint class_of(int key)
{
    uint byte = 0u;
    [[unroll]] for (uint k = 0u; k < LEVELS; k++)
        if (key > cuts[k / 4u][k % 4u] && key <= infinity())
            byte += (p.steps[k / 4u] >> (8u * (k % 4u))) & 255u;
    return byte;
}

shared uint foreground;
uint passed = 0u;

// The unit in words[from ..]; `left` pixels of the row begin with it.
void compare(uvec2 to, uint from, uint left)
{
    for (uint word = 0u; word < UNIT / 4u; word++) {
        uint out_word = 0u;
        [[unroll]] for (uint i = 0u; i < 4u; i++) {
            const uint pixel = word * 4u + i;
            const uint byte = class_of(key_of(from * 4u + pixel * PIXEL));
            passed += byte == 255u && pixel < left ? 1u : 0u;
            out_word |= byte << (8u * i);
        }
        if (WRITE != 0u)
            lg_words_out(to).at[word] = out_word;
    }
}

void main()
{
    const uint layer = gl_WorkGroupID.y, step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    const uvec2 data = lg_add64(p.data, lg_mul64(layer, p.layer_stride));
    const uvec2 mask = lg_add64(p.mask, lg_mul64(layer, p.mask_layer_stride));
    const uint row_units = (p.width + UNIT - 1u) / UNIT, units = row_units * p.height;
    [[unroll]] for (uint k = 0u; k < CUTS; k++)
        cuts[k] = lg_cuts(p.cuts).at[layer * CUTS + k];
    if (gl_LocalInvocationIndex == 0u)
        foreground = 0u;
    barrier();
    for (uint first = gl_GlobalInvocationID.x; first < units; first += IN_FLIGHT * step) {
        [[unroll]] for (uint k = 0u; k < IN_FLIGHT; k++) {
            const uint i = min(first + k * step, units - 1u), row = i / row_units;
            load(lg_add64(lg_add64(data, lg_mul64(row, uvec2(p.row_stride, 0u))),
                          uvec2((i - row * row_units) * UNIT * PIXEL, 0u)),
                 k * WORDS);
        }
        [[unroll]] for (uint k = 0u; k < IN_FLIGHT; k++) {
            const uint i = first + k * step, row = i / row_units, column = (i - row * row_units) * UNIT;
            if (i < units)
                compare(lg_add64(lg_add64(mask, lg_mul64(row, uvec2(p.mask_row_stride, 0u))),
                                 uvec2(column, 0u)),
                        k * WORDS, p.width - column);
        }
    }
    if (passed != 0u)
        atomicAdd(foreground, passed);
    barrier();
    if (gl_LocalInvocationIndex == 0u && foreground != 0u)
        atomicAdd(lg_words_shared(p.results).at[layer], foreground);
}
