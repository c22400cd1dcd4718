// A measured parameter on the device: from the counts of an 8-bit image to the numbers of a stage.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

const uint VALUES = 256u;
// Per channel: the sum, the sum of squares, the count, 255 minus the smallest value, the largest.
const uint SUMS = 5u;
const uint WORDS = 4u * SUMS;

#include "graph/figure_counters.glsl"
#include "measure/threshold/threshold_otsu.glsl"

shared uint ranked[2];
shared uint least_share; // the scan's count of the lowest value

uint count_of(uint channel, uint value)
{
    uint sum = 0u;
    for (uint copy = 0u; copy < p.copies; copy++)
        for (uint layer = 0u; layer < p.layers; layer++)
            sum += lg_words(p.counters).at[counter_at(copy, layer, channel * p.words + value)];
    return sum;
}

// Loads the counts of a channel for a scan, which leaves its sums in their place. A figure may scan
// several times.
void load_scan(uint channel)
{
    const uint k = gl_LocalInvocationIndex;
    barrier();
    if (k < VALUES) {
        otsu_n[k] = count_of(channel, k);
        otsu_s_low[k] = otsu_s_high[k] = 0u;
    }
    barrier();
}

void clear_sums()
{
    barrier();
    if (gl_LocalInvocationIndex < WORDS)
        digits[gl_LocalInvocationIndex] = above[gl_LocalInvocationIndex] = 0u;
    barrier();
}

// Sums of up to 2^32 samples: halves of counts keep each part below 2^32.
void add_sums(uint channel, uint k, uint c)
{
    const uint at = SUMS * channel, squares = (c & 0xffffu) * k * k;
    atomicAdd(digits[at], (c & 0xffffu) * k);
    atomicAdd(above[at], (c >> 16) * k);
    atomicAdd(digits[at + 1u], squares & 0xffffu);
    atomicAdd(above[at + 1u], (c >> 16) * k * k + (squares >> 16));
    atomicAdd(digits[at + 2u], c);
    atomicMax(digits[at + 3u], c > 0u ? VALUES - 1u - k : 0u);
    atomicMax(digits[at + 4u], c > 0u ? k : 0u);
}

float figure_of_sums(uint channel)
{
    const uint at = SUMS * channel;
    lg_figure_sums s;
    s.sum = number_of(at, 1u);
    s.squares = number_of(at + 1u, 1u);
    s.n = digits[at + 2u];
    s.negative = 0u;
    s.unit = p.unit;
    s.scale = p.scale;
    s.low = float(VALUES - 1u - digits[at + 3u]);
    s.high = float(digits[at + 4u]);
    return lg_figure_of_sums(s, p.to.kind);
}

// Figures of the sums of all channels at once: most pipelines wait for these.
void sums_of_channels()
{
    const uint k = gl_LocalInvocationIndex;
    clear_sums();
    if (k < VALUES)
        for (uint i = 0u; i < p.channels; i++)
            add_sums(i, k, count_of(i, k));
    barrier();
    if (k < p.channels)
        figures[k] = figure_of_sums(k);
}

// All invocations call this; the first one's result counts. Likewise the next.
float lg_counts_percentile(uint channel, uint billionths)
{
    const uint k = gl_LocalInvocationIndex;
    load_scan(channel);
    if (k == 0u)
        ranked[0] = ranked[1] = 0u;
    otsu_scan(k);
    const lg_figure_place at = lg_figure_place_of(otsu_n[VALUES - 1u], billionths);
    // The value of a rank: the number of values whose cumulated counts do not exceed the rank.
    if (k < VALUES) {
        atomicAdd(ranked[0], otsu_n[k] <= at.rank ? 1u : 0u);
        atomicAdd(ranked[1], otsu_n[k] <= at.next ? 1u : 0u);
    }
    barrier();
    return lg_figure_between(min(ranked[0], VALUES - 1u), min(ranked[1], VALUES - 1u), at.rest,
                             VALUES - 1u);
}

float lg_counts_otsu(uint channel)
{
    load_scan(channel);
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
void curve_of_channel(uint channel)
{
    const uint k = gl_LocalInvocationIndex, start = channel * (LG_CURVE_HEADER + VALUES);
    load_scan(channel);
    if (k == 0u)
        least_share = 0xffffffffu;
    otsu_scan(k);
    const uint n = otsu_n[VALUES - 1u];
    if (k < VALUES && otsu_n[k] > 0u)
        atomicMin(least_share, otsu_n[k]);
    barrier();
    const uint none = p.to.kind == LG_FIRST_OF_CURVES ? least_share : 0u; // samples that do not count
    if (k < VALUES) {
        const float share = lg_figure_of_curve(otsu_n[k], none, n, p.to.kind);
        lg_figure_write(p.to, start + LG_CURVE_HEADER + k, share);
    }
    if (k == 0u) {
        lg_figure_write(p.to, start, LG_CURVE_LOW_U8);
        lg_figure_write(p.to, start + 1u, n > none ? 255.0 : 0.0);
        lg_figure_write(p.to, start + 2u, 1.0);
    }
    barrier();
}

void main()
{
    const bool of_sums = p.to.kind < LG_FIRST_OF_RANKS, of_curves = p.to.kind >= LG_FIRST_OF_CURVES;
    if (of_sums)
        sums_of_channels();
    for (uint i = 0u; i < p.channels && !of_sums; i++) {
        if (of_curves) {
            curve_of_channel(i);
            continue;
        }
        const float figure = figure_of_counts(i, p.to.kind, p.billionths);
        if (gl_LocalInvocationIndex == 0u)
            figures[i] = figure;
    }
    write_figures();
}
