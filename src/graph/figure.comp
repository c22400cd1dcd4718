// A measured parameter: from the counts of an 8-bit image to the numbers of a stage, on the device.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"
#include "measure/threshold/threshold_otsu.glsl"

#include "graph/figure_output.glsl"
#include "graph/figure_sums.h"

const uint VALUES = 256u;

layout(push_constant, scalar) uniform parameters {
    lg_figure_counts_push p;
};

shared float figures[4];
const uint SUMS = 7u;
// Of each table: values and squares in high and low halves, count, 255 minus the least value, the largest.
shared uint sums[4u * SUMS];
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

// The counts of a table for a scan, which leaves its sums in their place. A figure may scan several times.
void load_scan(uint table)
{
    const uint k = gl_LocalInvocationIndex;
    barrier();
    if (k < VALUES) {
        otsu_n[k] = count_of(table, k);
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
    atomicMax(sums[at + 5u], c > 0u ? VALUES - 1u - k : 0u);
    atomicMax(sums[at + 6u], c > 0u ? k : 0u);
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
    s.low = float(VALUES - 1u - sums[at + 5u]);
    s.high = float(sums[at + 6u]);
    return lg_figure_of_sums(s, p.to.kind);
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

// Called by all invocations; the first one's result counts. So for the next.
float lg_counts_percentile(uint table, uint billionths)
{
    const uint k = gl_LocalInvocationIndex;
    load_scan(table);
    if (k == 0u)
        ranked[0] = ranked[1] = 0u;
    otsu_scan(k);
    const lg_figure_place at = lg_figure_place_of(otsu_n[VALUES - 1u], billionths);
    // The value of a rank: as many as there are whose samples and all smaller ones are no more than it.
    if (k < VALUES) {
        atomicAdd(ranked[0], otsu_n[k] <= at.rank ? 1u : 0u);
        atomicAdd(ranked[1], otsu_n[k] <= at.next ? 1u : 0u);
    }
    barrier();
    return lg_figure_between(min(ranked[0], VALUES - 1u), min(ranked[1], VALUES - 1u), at.rest);
}

float lg_counts_otsu(uint table)
{
    load_scan(table);
    return lg_figure_level(otsu_level(), VALUES - 1u);
}

float figure_of_counts(uint c, uint kind, uint billionths)
{
    uint row = LG_FIRST_OF_RANKS;
    LG_FIGURES_OF_RANKS(LG_FIGURE_CASE)
    LG_FIGURES_OF_CLASSES(LG_FIGURE_CASE)
    return 0.0;
}

// The share of samples up to each value.
void curve_of_table(uint table)
{
    const uint k = gl_LocalInvocationIndex, start = table * (LG_CURVE_HEADER + VALUES);
    load_scan(table);
    if (k == 0u)
        least_share = 0xffffffffu;
    otsu_scan(k);
    const uint n = otsu_n[VALUES - 1u];
    if (k < VALUES && otsu_n[k] > 0u)
        atomicMin(least_share, otsu_n[k]);
    barrier();
    if (k < VALUES) {
        const float share = lg_figure_of_curve(otsu_n[k], least_share, n, p.to.kind);
        lg_figure_write(p.to, start + LG_CURVE_HEADER + k, share);
    }
    if (k == 0u) {
        lg_figure_write(p.to, start, LG_CURVE_LOW_U8);
        lg_figure_write(p.to, start + 1u, n > least_share ? 255.0 : 0.0);
        lg_figure_write(p.to, start + 2u, 1.0);
    }
    barrier();
}

void main()
{
    const bool first = gl_LocalInvocationIndex == 0u;
    const bool of_sums = p.to.kind < LG_FIRST_OF_RANKS, of_curves = p.to.kind >= LG_FIRST_OF_CURVES;
    if (of_sums)
        sums_of_tables();
    for (uint i = 0u; i < p.tables && !of_sums; i++) {
        if (of_curves) {
            curve_of_table(i);
            continue;
        }
        const float figure = figure_of_counts(i, p.to.kind, p.billionths);
        if (first)
            figures[i] = figure;
    }
    barrier();
    // The counters are zero again for the next count.
    for (uint i = gl_LocalInvocationIndex; i < p.copies * p.copy_words; i += gl_WorkGroupSize.x)
        lg_words_shared(p.counts).at[i] = 0u;
    if (!first || of_curves)
        return;
    float v[4];
    for (uint i = 0u; i < 4u; i++)
        v[i] = p.tables == 1u ? figures[0] : i < p.tables ? figures[i] : 1.0;
    if (p.no_alpha != 0u)
        v[3] = 1.0;
    for (uint i = 0u; i < p.to.numbers; i++)
        lg_figure_write_fitted(p.to, i, v[i]);
}
