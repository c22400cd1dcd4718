// Counts of any samples: every type, native or binned, stored or computed colour, mask, alpha, step.
//
// A table has TABLE counters and four more for what lies below, above, is NaN or infinite. All tables
// of a workgroup stand in shared memory, COPIES times so that lanes that meet in a bin seldom meet in a
// counter; with COPIES 0 there is no room and the counters are global.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "shader/memory.glsl"
#include "shader/pixel.glsl"
#include "filter/point/hsl.h"
#include "filter/point/hsv.h"
#include "filter/point/lab.h"
#include "filter/point/linear.h"
#include "filter/point/luma.h"

layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint TYPE = 0;     // lg_type: u8, u16, f16, f32
layout(constant_id = 3) const uint NATIVE = 1;   // the sample itself (its bits) is the index
layout(constant_id = 4) const uint SPACE = 0;    // lg_space
layout(constant_id = 5) const uint SOURCES = 1;  // stored channels counted
layout(constant_id = 6) const uint OUTPUTS = 1;  // tables
layout(constant_id = 7) const uint TABLE = 256;
layout(constant_id = 8) const uint COPIES = 1;
layout(constant_id = 9) const uint LUMA_MAX = 0; // luma is the largest component
layout(constant_id = 10) const uint PARTIAL = 0; // every workgroup writes tables of its own
layout(constant_id = 11) const uint SHARED_WORDS = 1;

const uint U8 = 0u, U16 = 1u, F16 = 2u;                                   // lg_type
const uint LUMA = 1u, RGBL = 2u, LINEAR = 3u, HSV = 4u, HSL = 5u, LAB = 6u; // lg_space
const uint BELOW = 0u, ABOVE = 1u, NOT_A_NUMBER = 2u, INFINITE = 3u, RESTS = 4u;
const uint WORDS = OUTPUTS * (TABLE + RESTS);

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer lg_rules {
    float lo[5], hi[5], scale[5];
    float luma_float[3];
    uint luma[3];
    float sample_scale;
};

layout(push_constant, scalar) uniform parameters {
    lg_walk walk;
    lg_totals totals; // u32 [layer][WORDS]; [layer][workgroup][WORDS] if PARTIAL
    uvec2 rules;
} p;

shared uint counters[SHARED_WORDS];

void count(uint layer, uint table, uint index)
{
    const uint at = table * (TABLE + RESTS) + index;
    if (COPIES == 0u)
        atomicAdd(lg_own_copy(p.totals).at[layer * WORDS + at], 1u);
    else
        atomicAdd(counters[at * COPIES + (gl_LocalInvocationIndex & (COPIES - 1u))], 1u);
}

uint load_bits(uvec2 pixel, uint channel)
{
    if (TYPE == U8)
        return lg_load_u8(pixel, channel);
    if (TYPE == U16 || TYPE == F16)
        return lg_load_u16(pixel, channel);
    return lg_load_u32(pixel, channel);
}

float stored_value(uint bits)
{
    if (TYPE == F16)
        return unpackHalf2x16(bits).x;
    return uintBitsToFloat(bits);
}

bool is_nan(float v)
{
    return (floatBitsToUint(v) & 0x7fffffffu) > 0x7f800000u;
}

bool is_inf(float v)
{
    return (floatBitsToUint(v) & 0x7fffffffu) == 0x7f800000u;
}

// Finite floats as integers of the same order; both zeros are one.
uint order_key(float v)
{
    const uint bits = floatBitsToUint(v) == 0x80000000u ? 0u : floatBitsToUint(v);
    return (bits & 0x80000000u) != 0u ? ~bits : (bits | 0x80000000u);
}

// The float rule: index into a table and its four more.
uint bin_of(float v, uint table)
{
    lg_rules rules = lg_rules(p.rules);
    if (is_nan(v))
        return TABLE + NOT_A_NUMBER;
    if (is_inf(v))
        return TABLE + INFINITE;
    // As integers: a device may take subnormal floats for zero when it compares.
    const uint key = order_key(v);
    if (key < order_key(rules.lo[table]))
        return TABLE + BELOW;
    if (key > order_key(rules.hi[table]))
        return TABLE + ABOVE;
    precise float t = (v - rules.lo[table]) * rules.scale[table];
    return min(uint(t), TABLE - 1u);
}

color convert(color c)
{
    if (SPACE == LINEAR)
        return lg_point_linear(c);
    if (SPACE == HSV)
        return lg_point_hsv(c);
    if (SPACE == HSL)
        return lg_point_hsl(c);
    return lg_point_lab(c);
}

float luma_of(color c)
{
    if (LUMA_MAX != 0u)
        return lg_luma_float_max(c.r, c.g, c.b);
    lg_rules rules = lg_rules(p.rules);
    return lg_luma_float(c.r, c.g, c.b, rules.luma_float[0], rules.luma_float[1], rules.luma_float[2]);
}

// Tables first .. OUTPUTS-1 of a computed float colour.
void count_computed(uint layer, color c, uint first)
{
    const bool nan = is_nan(c.r) || is_nan(c.g) || is_nan(c.b);
    const bool inf = is_inf(c.r) || is_inf(c.g) || is_inf(c.b);
    float value[5];
    if (SPACE == LUMA || SPACE == RGBL) {
        value[first] = luma_of(c);
    } else {
        const color y = convert(c);
        value[0] = y.r;
        value[1] = y.g;
        value[2] = y.b;
    }
    for (uint table = first; table < OUTPUTS; table++)
        count(layer, table,
              nan ? TABLE + NOT_A_NUMBER : (inf ? TABLE + INFINITE : bin_of(value[table], table)));
}

void count_pixel(uint layer, uvec2 pixel)
{
    uint bits[CHANNELS];
    for (uint c = 0u; c < CHANNELS; c++)
        bits[c] = load_bits(pixel, c);
    for (uint c = 0u; c < SOURCES; c++)
        count(layer, c, NATIVE != 0u ? bits[c] : bin_of(stored_value(bits[c]), c));
    if (SOURCES == OUTPUTS || CHANNELS < 4u)
        return;
    const uint r = bits[0], g = bits[1 % CHANNELS], b = bits[2 % CHANNELS];
    lg_rules rules = lg_rules(p.rules);
    if (NATIVE != 0u) {
        count(layer, SOURCES, LUMA_MAX != 0u ? lg_luma_integer_max(r, g, b)
                                             : lg_luma_integer(r, g, b, rules.luma[0], rules.luma[1],
                                                               rules.luma[2]));
        return;
    }
    color c;
    if (TYPE == U8 || TYPE == U16) {
        precise float sr = float(r) * rules.sample_scale;
        precise float sg = float(g) * rules.sample_scale;
        precise float sb = float(b) * rules.sample_scale;
        c = color(sr, sg, sb, 1.0);
    } else {
        c = color(stored_value(r), stored_value(g), stored_value(b), 1.0);
    }
    count_computed(layer, c, SOURCES);
}

void publish(uint layer)
{
    lg_words_shared counts = PARTIAL != 0u ? lg_words_shared(p.totals.counters) : lg_own_copy(p.totals);
    const uint slot = layer * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    for (uint i = gl_LocalInvocationIndex; i < WORDS; i += gl_WorkGroupSize.x) {
        uint sum = 0u;
        for (uint k = 0u; k < COPIES; k++)
            sum += counters[i * COPIES + ((k + i) & (COPIES - 1u))];
        if (PARTIAL != 0u)
            counts.at[slot * WORDS + i] = sum;
        else if (sum != 0u)
            atomicAdd(counts.at[layer * WORDS + i], sum);
    }
}

void main()
{
    const uint layer = gl_WorkGroupID.y;
    for (uint i = gl_LocalInvocationIndex; i < SHARED_WORDS; i += gl_WorkGroupSize.x)
        counters[i] = 0u;
    barrier();
    for (uint row = gl_WorkGroupID.x; row < p.walk.height; row += gl_NumWorkGroups.x) {
        for (uint column = gl_LocalInvocationIndex; column < p.walk.width; column += gl_WorkGroupSize.x) {
            if (lg_selected(p.walk, layer, row, column, TYPE))
                count_pixel(layer, lg_pixel_address(p.walk, layer, row, column));
        }
    }
    barrier();
    if (COPIES != 0u)
        publish(layer);
}
