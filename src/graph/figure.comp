// A measured parameter: from the counts of an 8-bit image to the numbers of a stage, on the device.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"
#include "measure/threshold/threshold_otsu.glsl"

#include "graph/figure_moments.h"

const uint VALUES = 256u;

layout(push_constant, scalar) uniform parameters {
    uvec2 counts;   // u32 [copy][layer][table]
    uvec2 target;   // where the parameter's numbers go
    uvec2 previous; // four numbers, kept from run to run; 0: none
    uint copies, copy_words, layer_words, layers;
    uint first_table, table_words, tables; // one per component, or one
    uint kind, billionths;
    uint numbers;   // of the parameter: 1 or 4
    uint first_run; // 1: there is nothing kept yet
    uint whole;
    uint no_alpha;  // 1: the fourth number is 1
    float factor, offset, least, most;
} p;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer lg_numbers {
    float at[];
};

shared float figures[4];
shared uint figure_counts[VALUES];
const uint SUMS = 5u;
shared uint sums[4u * SUMS]; // of each table: values and squares in high and low halves, count
shared uint ranked[2];
shared uint least_share; // of what the scan has: the count of the lowest value

uint count_of(uint table, uint value)
{
    uint sum = 0u;
    for (uint copy = 0u; copy < p.copies; copy++)
        for (uint layer = 0u; layer < p.layers; layer++)
            sum += lg_words(p.counts).at[copy * p.copy_words + layer * p.layer_words +
                                         p.first_table + table * p.table_words + value];
    return sum;
}

void load_table(uint table)
{
    const uint k = gl_LocalInvocationIndex;
    barrier();
    if (k < VALUES)
        figure_counts[k] = count_of(table, k);
    barrier();
}

// The counts once more for a scan, which leaves its sums in their place. A figure may scan several times.
void load_scan()
{
    const uint k = gl_LocalInvocationIndex;
    barrier();
    if (k < VALUES) {
        otsu_n[k] = figure_counts[k];
        otsu_s_low[k] = otsu_s_high[k] = 0u;
    }
    barrier();
}

void clear_sums(uint tables)
{
    barrier();
    if (gl_LocalInvocationIndex < tables * SUMS)
        sums[gl_LocalInvocationIndex] = 0u;
    barrier();
}

// Sums of up to 2^32 samples: halves of counts keep each part below 2^32.
void add_sums(uint table, uint k, uint c)
{
    const uint at = SUMS * table, low = (c & 0xffffu) * k * k;
    atomicAdd(sums[at], (c >> 16) * k);
    atomicAdd(sums[at + 1u], (c & 0xffffu) * k);
    atomicAdd(sums[at + 2u], (c >> 16) * k * k + (low >> 16));
    atomicAdd(sums[at + 3u], low & 0xffffu);
    atomicAdd(sums[at + 4u], c);
}

float figure_of_sums(uint table)
{
    const uint at = SUMS * table;
    lg_figure_sums s;
    s.sum = lg_limbs_of_halves(sums[at], sums[at + 1u]);
    s.squares = lg_limbs_of_halves(sums[at + 2u], sums[at + 3u]);
    s.n = sums[at + 4u];
    s.negative = 0u;
    s.unit = 0;
    s.scale = VALUES - 1u;
    s.low = s.high = 0.0;
    return lg_figure_of_sums(s, p.kind);
}

// Figures of sums of all tables at once: this is what most pipelines wait for.
void sums_of_tables()
{
    const uint k = gl_LocalInvocationIndex;
    clear_sums(p.tables);
    if (k < VALUES)
        for (uint i = 0u; i < p.tables; i++)
            add_sums(i, k, count_of(i, k));
    barrier();
    if (k < p.tables)
        figures[k] = figure_of_sums(k);
}

// Called by all invocations; the first one's result counts.
float percentile_of_table(uint billionths)
{
    const uint k = gl_LocalInvocationIndex;
    load_scan();
    if (k == 0u)
        ranked[0] = ranked[1] = 0u;
    otsu_scan(k);
    const uint n = otsu_n[VALUES - 1u];
    const lg_figure_place at = lg_figure_place_of(n, billionths);
    // The value of a rank: as many as there are whose samples and all smaller ones are no more than it.
    const uint second = at.rank + 1u < n ? at.rank + 1u : at.rank;
    if (k < VALUES) {
        atomicAdd(ranked[0], otsu_n[k] <= at.rank ? 1u : 0u);
        atomicAdd(ranked[1], otsu_n[k] <= second ? 1u : 0u);
    }
    barrier();
    return lg_figure_between(min(ranked[0], VALUES - 1u), min(ranked[1], VALUES - 1u), at.rest);
}

// A number of a table, kept for the next run where that is wanted.
void write_number(uint i, float x)
{
    float now = x;
    if ((p.previous.x | p.previous.y) != 0u) {
        now = p.first_run != 0u ? x : lg_numbers(p.previous).at[i];
        lg_numbers(p.previous).at[i] = x;
    }
    lg_numbers(p.target).at[i] = now;
}

// The share of samples up to each value.
void curve_of_table(uint table)
{
    const uint k = gl_LocalInvocationIndex, start = table * (LG_CURVE_HEADER + VALUES);
    load_scan();
    if (k == 0u)
        least_share = 0xffffffffu;
    otsu_scan(k);
    const uint n = otsu_n[VALUES - 1u];
    if (k < VALUES && otsu_n[k] > 0u)
        atomicMin(least_share, otsu_n[k]);
    barrier();
    if (k < VALUES)
        write_number(start + LG_CURVE_HEADER + k, lg_figure_share(otsu_n[k], least_share, n));
    if (k == 0u) {
        write_number(start, LG_CURVE_LOW_U8);
        write_number(start + 1u, n > least_share ? 255.0 : 0.0);
        write_number(start + 2u, 1.0);
    }
    barrier();
}

float figure_of_table()
{
    switch (p.kind) {
    case LG_RULE_OTSU:
        load_scan();
        return lg_figure_level(otsu_level(), VALUES - 1u);
    case LG_RULE_MIN:
        return percentile_of_table(0u);
    case LG_RULE_MAX:
        return percentile_of_table(1000000000u);
    default:
        return percentile_of_table(p.billionths);
    }
}

void main()
{
    const bool first = gl_LocalInvocationIndex == 0u;
    const bool of_sums = p.kind == LG_RULE_MEAN || p.kind == LG_RULE_STDDEV || p.kind == LG_RULE_VARIANCE;
    if (of_sums)
        sums_of_tables();
    for (uint i = 0u; i < p.tables && !of_sums; i++) {
        load_table(i);
        if (p.kind == LG_RULE_CDF) {
            curve_of_table(i);
            continue;
        }
        const float figure = figure_of_table();
        if (first)
            figures[i] = figure;
    }
    barrier();
    // The counters are zero again for the next count.
    for (uint i = gl_LocalInvocationIndex; i < p.copies * p.copy_words; i += gl_WorkGroupSize.x)
        lg_words_shared(p.counts).at[i] = 0u;
    if (!first || p.kind == LG_RULE_CDF)
        return;
    float v[4];
    for (uint i = 0u; i < 4u; i++)
        v[i] = p.tables == 1u ? figures[0] : i < p.tables ? figures[i] : 1.0;
    if (p.no_alpha != 0u)
        v[3] = 1.0;
    for (uint i = 0u; i < p.numbers; i++) {
        float x = lg_figure_fit(v[i], p.factor, p.offset, p.least, p.most, p.whole);
        write_number(i, x);
    }
}
