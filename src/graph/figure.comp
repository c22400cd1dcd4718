// A measured parameter: from the counts of an 8-bit image to the numbers of a stage, on the device.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shader/memory.glsl"
#include "measure/threshold/threshold_otsu.glsl"

shared uint figure_counts[256];
#define lg_count(i) figure_counts[i]
#include "graph/figure_rule.h"

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

void load_table(uint table)
{
    const uint k = gl_LocalInvocationIndex;
    barrier();
    if (k < 256u) {
        uint sum = 0u;
        for (uint copy = 0u; copy < p.copies; copy++)
            for (uint layer = 0u; layer < p.layers; layer++)
                sum += lg_words(p.counts).at[copy * p.copy_words + layer * p.layer_words +
                                             p.first_table + table * p.table_words + k];
        figure_counts[k] = sum;
        otsu_n[k] = sum;
    }
    barrier();
}

void main()
{
    const bool first = gl_LocalInvocationIndex == 0u;
    for (uint i = 0u; i < p.tables; i++) {
        load_table(i);
        if (p.kind == LG_RULE_OTSU) {
            const uint level = otsu_level();
            if (first)
                figures[i] = lg_figure_level(level);
        } else if (first) {
            figures[i] = lg_figure_of_counts(p.kind, p.millionths);
        }
    }
    if (!first)
        return;
    float v[4];
    for (uint i = 0u; i < 4u; i++)
        v[i] = p.tables == 1u ? figures[0] : i < p.tables ? figures[i] : 1.0;
    if (p.luma != 0u)
        v[0] = v[1] = v[2] = v[3] = lg_luma_float(v[0], v[1], v[2], 0.2125, 0.7154, 0.0721);
    if (p.no_alpha != 0u)
        v[3] = 1.0;
    for (uint i = 0u; i < p.numbers; i++) {
        float x = lg_figure_fit(v[i], p.factor, p.offset, p.least, p.most, p.whole);
        float now = x;
        if ((p.previous.x | p.previous.y) != 0u) {
            now = p.first_run != 0u ? x : lg_numbers(p.previous).at[i];
            lg_numbers(p.previous).at[i] = x;
        }
        lg_numbers(p.target).at[i] = now;
    }
}
