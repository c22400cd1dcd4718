// A measured parameter: from the counts of an 8-bit image to the numbers of a stage, on the device.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shader/memory.glsl"
#include "measure/threshold/threshold_otsu.glsl"

#include "graph/figure_rule.h"

const uint VALUES = 256u;

layout(push_constant, scalar) uniform parameters {
    uvec2 counts;   // u32 [copy][layer][table]
    uvec2 target;   // where the parameter's numbers go
    uvec2 previous; // four numbers, kept from run to run; 0: none
    uint copies, copy_words, layer_words, layers;
    uint first_table, table_words, tables; // one per component, or one
    uint kind, millionths;
    uint luma;      // 1: the mean of luma from three means
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
shared uint sums[12]; // of each table: high, low, count
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
    if (k == 0u)
        ranked[0] = ranked[1] = 0u;
    if (k < VALUES) {
        const uint sum = count_of(table, k);
        figure_counts[k] = sum;
        otsu_n[k] = sum;
    }
    barrier();
}

// All means at once: this is what most pipelines wait for.
void means_of_tables()
{
    const uint k = gl_LocalInvocationIndex;
    if (k < 12u)
        sums[k] = 0u;
    barrier();
    if (k < VALUES)
        for (uint i = 0u; i < p.tables; i++) {
            const uint c = count_of(i, k);
            atomicAdd(sums[3u * i], (c >> 16) * k);
            atomicAdd(sums[3u * i + 1u], (c & 0xffffu) * k);
            atomicAdd(sums[3u * i + 2u], c);
        }
    barrier();
    if (k < p.tables)
        figures[k] = lg_figure_mean(sums[3u * k], sums[3u * k + 1u], sums[3u * k + 2u]);
}

// The three below are called by all invocations; the first one's result counts.
float mean_of_table()
{
    const uint k = gl_LocalInvocationIndex;
    if (k < 3u)
        sums[k] = 0u;
    barrier();
    if (k < VALUES) {
        const uint c = figure_counts[k];
        atomicAdd(sums[0], (c >> 16) * k);
        atomicAdd(sums[1], (c & 0xffffu) * k);
        atomicAdd(sums[2], c);
    }
    barrier();
    return lg_figure_mean(sums[0], sums[1], sums[2]);
}

float variance_of_table()
{
    const float mean = mean_of_table();
    precise float sum = 0.0;
    if (gl_LocalInvocationIndex == 0u)
        for (uint k = 0u; k < VALUES; k++)
            sum = sum + lg_figure_square(k, figure_counts[k], mean);
    return sums[2] > 0u ? lg_div(sum, lg_figure_float(sums[2])) : 0.0;
}

float percentile_of_table(uint millionths)
{
    const uint k = gl_LocalInvocationIndex;
    if (k < VALUES)
        otsu_s_low[k] = otsu_s_high[k] = 0u;
    otsu_scan(k);
    const uint n = otsu_n[VALUES - 1u];
    const lg_figure_place at = lg_figure_place_of(n, millionths);
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
    if (k < VALUES)
        otsu_s_low[k] = otsu_s_high[k] = 0u;
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
    case LG_RULE_VARIANCE:
        return variance_of_table();
    case LG_RULE_STDDEV:
        return lg_sqrt(variance_of_table());
    case LG_RULE_OTSU:
        return lg_figure_level(otsu_level());
    case LG_RULE_MIN:
        return percentile_of_table(0u);
    case LG_RULE_MAX:
        return percentile_of_table(1000000u);
    default:
        return percentile_of_table(p.millionths);
    }
}

void main()
{
    const bool first = gl_LocalInvocationIndex == 0u;
    if (p.kind == LG_RULE_MEAN)
        means_of_tables();
    for (uint i = 0u; i < p.tables && p.kind != LG_RULE_MEAN; i++) {
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
    if (p.luma != 0u)
        v[0] = v[1] = v[2] = v[3] = lg_figure_luma(v[0], v[1], v[2]);
    if (p.no_alpha != 0u)
        v[3] = 1.0;
    for (uint i = 0u; i < p.numbers; i++) {
        float x = lg_figure_fit(v[i], p.factor, p.offset, p.least, p.most, p.whole);
        write_number(i, x);
    }
}
