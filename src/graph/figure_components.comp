// A measured parameter on the device: from the components of an image to the numbers of a stage.
// Workgroups find the largest component of their part of the records, and one more workgroup the
// largest of these.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernel/memory.glsl"

#include "graph/figure_components.h"
#include "graph/figure_output.glsl"

layout(constant_id = 1) const bool LAST = false; // the last workgroup

layout(push_constant, scalar) uniform parameters {
    lg_figure_components_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer lg_found {
    uvec2 at[];
};

shared uvec2 found[gl_WorkGroupSize.x];

lg_words record_of(uint component)
{
    return lg_words(lg_add64(p.records, lg_mul64(component - 1u, uvec2(p.record_bytes, 0u))));
}

uvec2 larger(uvec2 a, uvec2 b)
{
    const bool second = b.x > a.x || (b.x == a.x && b.y != 0u && (a.y == 0u || b.y < a.y));
    return second ? b : a;
}

// All invocations call this; the first one's result counts.
uvec2 largest_of_group(uvec2 own)
{
    const uint k = gl_LocalInvocationIndex;
    found[k] = own;
    barrier();
    for (uint step = gl_WorkGroupSize.x / 2u; step > 0u; step /= 2u) {
        if (k < step)
            found[k] = larger(found[k], found[k + step]);
        barrier();
    }
    return found[0];
}

uvec2 largest_of_part()
{
    const uint components = lg_words(p.count).at[0];
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uvec2 own = uvec2(0u);
    for (uint i = gl_GlobalInvocationID.x; i < components; i += step)
        own = larger(own, uvec2(record_of(i + 1u).at[0], i + 1u));
    return largest_of_group(own);
}

lg_largest component_of(uint number)
{
    lg_largest c = lg_largest(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
    if (number == 0u)
        return c;
    lg_words r = record_of(number);
    c.area_low = r.at[0];
    c.x_low = r.at[2];
    c.x_high = r.at[3];
    c.y_low = r.at[4];
    c.y_high = r.at[5];
    c.left = ~r.at[6];
    c.top = p.volume != 0u ? ~r.at[9] : r.at[1] / p.width % p.height;
    c.width = r.at[7] - c.left + 1u;
    c.height = r.at[8] - c.top + 1u;
    return c;
}

void main()
{
    const uint k = gl_LocalInvocationIndex;
    if (!LAST) {
        const uvec2 part = largest_of_part();
        if (k == 0u)
            lg_found(p.parts).at[gl_WorkGroupID.x] = part;
        return;
    }
    const bool any = p.to.kind >= LG_FIRST_OF_LARGEST && k < p.part_count;
    const uvec2 best = largest_of_group(any ? lg_found(p.parts).at[k] : uvec2(0u));
    if (k >= p.to.numbers)
        return;
    lg_figure_write_fitted(p.to, k,
                           lg_figure_of_components(component_of(best.y), lg_words(p.count).at[0],
                                                   p.to.kind, k, p.width, p.height));
}
