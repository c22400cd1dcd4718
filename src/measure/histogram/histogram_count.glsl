// What a pixel counts, and where: shared by the kernels for any samples.
//
// A table has TABLE counters and four more for samples below, above, NaN and infinite. All tables
// of a workgroup are in shared memory, in COPIES so that lanes with the same bin seldom use the
// same counter. With COPIES 0 they do not fit, and counters are global. PACKED: counters are halves
// of words; a workgroup has SLICE of them, other workgroups the rest.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"
#include "kernel/space/hsl.h"
#include "kernel/space/hsv.h"
#include "kernel/space/lab.h"
#include "kernel/space/lch.h"
#include "kernel/space/linear.h"
#include "kernel/space/luma.h"
#include "kernel/space/luv.h"
#include "kernel/space/oklab.h"
#include "kernel/space/xyz.h"
#include "kernel/space/ycbcr.h"
#include "kernel/space/yiq.h"
#include "kernel/types.h"
#include "measure/histogram/histogram_push.h"

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
layout(constant_id = 12) const uint PACKED = 0;
layout(constant_id = 13) const uint SLICE = 0; // PACKED: counters of a workgroup, an even number

const uint BELOW = 0u, ABOVE = 1u, NOT_A_NUMBER = 2u, INFINITE = 3u, RESTS = 4u;
const uint WORDS = OUTPUTS * (TABLE + RESTS);

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer lg_rules {
    lg_histogram_rules at;
};

// ---- counters -----------------------------------------------------------------------------------

shared uint counters[SHARED_WORDS];

uint slice_base = 0u; // PACKED: the first counter of this workgroup
uint totals_base;     // of this workgroup's layer, or of its own tables
lg_words_shared totals_at;

// One addition for all lanes that meet in a counter: images have large areas of one value, and a
// counter in device memory takes one addition after the other.
void count_global(uint at)
{
    if (subgroupMin(at) != subgroupMax(at)) {
        atomicAdd(totals_at.at[totals_base + at], 1u);
        return;
    }
    const uint lanes = subgroupAdd(1u);
    if (subgroupElect())
        atomicAdd(totals_at.at[totals_base + at], lanes);
}

void count(uint table, uint index)
{
    const uint at = table * (TABLE + RESTS) + index;
    if (PACKED != 0u) {
        const uint own = at - slice_base;
        if (own < SLICE)
            atomicAdd(counters[own >> 1], (own & 1u) == 0u ? 1u : 0x10000u);
    } else if (COPIES == 0u) {
        count_global(at);
    } else {
        atomicAdd(counters[at * COPIES + (gl_LocalInvocationIndex & (COPIES - 1u))], 1u);
    }
}

// Whether this workgroup has any counter of a table.
bool counts_here(uint table)
{
    const uint first = table * (TABLE + RESTS);
    return PACKED == 0u || (first < slice_base + SLICE && first + TABLE + RESTS > slice_base);
}

// Adds packed counters of at least `least` to the totals.
void spill(uint least)
{
    for (uint i = gl_LocalInvocationIndex; i < SHARED_WORDS; i += gl_WorkGroupSize.x) {
        const uint word = counters[i], at = totals_base + slice_base + 2u * i;
        const uint low = word & 0xffffu, high = word >> 16;
        if (max(low, high) < least)
            continue;
        if (low >= least)
            atomicAdd(totals_at.at[at], low);
        if (high >= least)
            atomicAdd(totals_at.at[at + 1u], high);
        counters[i] = (low >= least ? 0u : low) | (high >= least ? 0u : high << 16);
    }
}

void counters_clear(lg_device_totals totals)
{
    const uint layer = gl_WorkGroupID.y;
    for (uint i = gl_LocalInvocationIndex; i < SHARED_WORDS; i += gl_WorkGroupSize.x)
        counters[i] = 0u;
    totals_base = (PARTIAL != 0u ? layer * gl_NumWorkGroups.x + gl_WorkGroupID.x : layer) * WORDS;
    totals_at = PARTIAL != 0u ? lg_words_shared(totals.counters) : lg_own_copy(totals);
    barrier();
}

void counters_publish()
{
    barrier();
    if (PACKED != 0u) {
        spill(1u);
        return;
    }
    for (uint i = gl_LocalInvocationIndex; COPIES != 0u && i < WORDS; i += gl_WorkGroupSize.x) {
        uint sum = 0u;
        for (uint k = 0u; k < COPIES; k++)
            sum += counters[i * COPIES + ((k + i) & (COPIES - 1u))];
        if (PARTIAL != 0u)
            totals_at.at[totals_base + i] = sum;
        else if (sum != 0u)
            atomicAdd(totals_at.at[totals_base + i], sum);
    }
}

// ---- the float rule -----------------------------------------------------------------------------

// The rule of each table, in registers. A value is in the range when its key is first .. first +
// span.
float rule_factor[OUTPUTS], rule_start[OUTPUTS], rule_scale[OUTPUTS];
int rule_first[OUTPUTS];
uint rule_span[OUTPUTS];
float luma_float[3];
uint luma_integer[3];
float sample_scale;

// Floats as integers of the same order, as a device may flush subnormal floats to zero when it
// compares. Zeros are neighbours: -1 and 0.
int order_key(float v)
{
    const int bits = floatBitsToInt(v);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

bool is_nan(float v)
{
    return (floatBitsToUint(v) & 0x7fffffffu) > 0x7f800000u;
}

bool is_inf(float v)
{
    return (floatBitsToUint(v) & 0x7fffffffu) == 0x7f800000u;
}

bool is_zero(float v)
{
    return (floatBitsToUint(v) & 0x7fffffffu) == 0u;
}

void load_rules(uvec2 address)
{
    lg_rules rules = lg_rules(address);
    for (uint table = 0u; table < OUTPUTS; table++) {
        const float lo = rules.at.lo[table], hi = rules.at.hi[table];
        const int last = is_zero(hi) ? 0 : order_key(hi);
        rule_factor[table] = rules.at.factor[table];
        rule_start[table] = rules.at.start[table];
        rule_scale[table] = rules.at.scale[table];
        rule_first[table] = is_zero(lo) ? -1 : order_key(lo);
        rule_span[table] = uint(last - rule_first[table]);
    }
    for (uint i = 0u; i < 3u; i++) {
        luma_float[i] = rules.at.luma_float[i];
        luma_integer[i] = rules.at.luma[i];
    }
    sample_scale = rules.at.sample_scale;
}

// v * factor, exact also on a device that flushes subnormal floats to zero: these are multiples of
// 2^-149, and 2^-149 times a factor above 1 is a normal float.
float scaled_value(float v, float factor)
{
    const uint bits = floatBitsToUint(v);
    if (factor > 1.0 && (bits & 0x7f800000u) == 0u) {
        const float size = float(bits & 0x7fffffu) * uintBitsToFloat(floatBitsToUint(factor) - (149u << 23));
        return (bits & 0x80000000u) != 0u ? -size : size;
    }
    return v * factor;
}

// The index in a table, or in its four further counters.
uint bin_of(float v, uint table)
{
    const int key = order_key(v);
    if (uint(key - rule_first[table]) <= rule_span[table]) {
        precise float t = (scaled_value(v, rule_factor[table]) - rule_start[table]) * rule_scale[table];
        return min(uint(t), TABLE - 1u);
    }
    if (is_nan(v))
        return TABLE + NOT_A_NUMBER;
    if (is_inf(v))
        return TABLE + INFINITE;
    return TABLE + (key < rule_first[table] ? BELOW : ABOVE);
}

// ---- pixels -------------------------------------------------------------------------------------

float stored_value(uint bits)
{
    if (TYPE == LG_F16)
        return unpackHalf2x16(bits).x;
    return uintBitsToFloat(bits);
}

color convert(color c)
{
    if (SPACE == LG_SPACE_LINEAR)
        return lg_point_linear(c);
    if (SPACE == LG_SPACE_HSV)
        return lg_point_hsv(c);
    if (SPACE == LG_SPACE_HSL)
        return lg_point_hsl(c);
    if (SPACE == LG_SPACE_YCBCR601)
        return lg_point_ycbcr601(c);
    if (SPACE == LG_SPACE_YCBCR709)
        return lg_point_ycbcr709(c);
    if (SPACE == LG_SPACE_YIQ)
        return lg_point_yiq(c);
    if (SPACE == LG_SPACE_XYZ)
        return lg_point_xyz(c);
    if (SPACE == LG_SPACE_LUV)
        return lg_point_luv(c);
    if (SPACE == LG_SPACE_LCH)
        return lg_point_lch(c);
    if (SPACE == LG_SPACE_OKLAB)
        return lg_point_oklab(c);
    return lg_point_lab(c);
}

float luma_of(color c)
{
    if (LUMA_MAX != 0u)
        return lg_luma_float_max(c.r, c.g, c.b);
    return lg_luma_float(c.r, c.g, c.b, luma_float[0], luma_float[1], luma_float[2]);
}

// Tables first .. OUTPUTS-1 of a computed float colour.
void count_computed(color c, uint first)
{
    const bool nan = is_nan(c.r) || is_nan(c.g) || is_nan(c.b);
    const bool inf = is_inf(c.r) || is_inf(c.g) || is_inf(c.b);
    float value[5];
    if (SPACE == LG_SPACE_LUMA || SPACE == LG_SPACE_RGBL) {
        value[first] = luma_of(c);
    } else {
        const color y = convert(c);
        value[0] = y.r;
        value[1] = y.g;
        value[2] = y.b;
    }
    for (uint table = first; table < OUTPUTS; table++)
        count(table,
              nan ? TABLE + NOT_A_NUMBER : (inf ? TABLE + INFINITE : bin_of(value[table], table)));
}

void count_pixel(uint bits[CHANNELS])
{
    for (uint c = 0u; c < SOURCES; c++)
        if (counts_here(c))
            count(c, NATIVE != 0u ? bits[c] : bin_of(stored_value(bits[c]), c));
    if (SOURCES == OUTPUTS || CHANNELS < 4u)
        return;
    const uint r = bits[0], g = bits[1 % CHANNELS], b = bits[2 % CHANNELS];
    if (NATIVE != 0u) {
        count(SOURCES, LUMA_MAX != 0u ? lg_luma_integer_max(r, g, b)
                                      : lg_luma_integer(r, g, b, luma_integer[0], luma_integer[1],
                                                        luma_integer[2]));
        return;
    }
    color c;
    if (TYPE == LG_U8 || TYPE == LG_U16) {
        precise float sr = float(r) * sample_scale;
        precise float sg = float(g) * sample_scale;
        precise float sb = float(b) * sample_scale;
        c = color(sr, sg, sb, 1.0);
    } else {
        c = color(stored_value(r), stored_value(g), stored_value(b), 1.0);
    }
    count_computed(c, SOURCES);
}
