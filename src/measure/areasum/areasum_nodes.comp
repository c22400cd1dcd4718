// Figures of boxes from the nodes of a ripmap; a thread for each channel of a box.
//
// Results: sums in 64 bits, extremes of keys in the first of two words, plain sums of floats as a pair
// hi, lo.
#version 460
//@variant areasum_nodes_u32
//@variant areasum_nodes_u64 -DSUM_WIDE
//@variant areasum_nodes_f32 -DSUM_FLOAT
#extension GL_GOOGLE_include_directive : require
#include "measure/areasum/areasum_sums.glsl"
#include "measure/areasum/areasum_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_area_nodes_push p;
};

layout(constant_id = 4) const uint DEEP = 0; // 1: three dimensions

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer pair_memory {
    uvec2 at;
};

// The rest of an interval along an axis, in nodes of a level.
struct interval {
    uint low, end, level;
};

// The next node from the ends inwards, lower end first; one must be left.
uint next_node(inout interval i)
{
    const uint up = uint(findLSB(i.low | i.end));
    i.low >>= up;
    i.end >>= up;
    i.level += up;
    if ((i.low & 1u) != 0u)
        return i.low++;
    return --i.end;
}

#if defined(SUM_FLOAT)
float hi = 0.0, lo = 0.0;

void take(float v)
{
    precise float s = hi + v, t = s - hi;
    precise float rest = (hi - (s - t)) + (v - t);
    lo += rest;
    hi = s;
}

uvec2 result()
{
    return uvec2(floatBitsToUint(hi), floatBitsToUint(lo));
}
#else
uvec2 sum = uvec2(OPERATION == LEAST ? ~0u : 0u, 0u);

void take(SUM v)
{
#ifdef SUM_WIDE
    sum = lg_add64(sum, v);
#else
    if (OPERATION == LEAST)
        sum.x = min(sum.x, v);
    else if (OPERATION == MOST)
        sum.x = max(sum.x, v);
    else
        sum = lg_add64(sum, uvec2(v, 0u));
#endif
}

uvec2 result()
{
    return sum;
}
#endif

uvec2 block_number(uint number)
{
    return pair_memory(lg_add64(p.blocks, uvec2(8u * number, 0u))).at;
}

// Nodes of a row of blocks: `level` is the number of levels (level_y, level_z), y counts rows of all layers.
void take_row(uint low, uint end, uint level, uint y, uint channel)
{
    interval x = interval(low, end, 0u);
    while (x.low < x.end) {
        const uint node = next_node(x);
        const uint words = (p.width >> x.level) * CHANNELS;
        take(sum_entry(block_number(x.level + p.levels_x * level),
                       lg_add64(lg_mul64(y, uvec2(words, 0u)), uvec2(node * CHANNELS + channel, 0u)))
                 .at[0]);
    }
}

void take_layer(lg_words box, interval y, uint level_z, uint z, uint channel)
{
    const uint low = box.at[0], end = box.at[p.dims];
    while (y.low < y.end) {
        const uint node = next_node(y);
        if (DEEP != 0u)
            take_row(low, end, y.level + p.levels_y * level_z, z * (p.height >> y.level) + node,
                     channel);
        else
            take_row(low, end, y.level, node, channel);
    }
}

void main()
{
    const uint number = p.first + gl_GlobalInvocationID.x;
    if (number >= p.count)
        return;
    const uint channel = number % CHANNELS;
    lg_words box = lg_words(lg_add64(p.boxes, lg_mul64(number / CHANNELS, uvec2(8u * p.dims, 0u))));
    interval y = interval(0u, 1u, 0u);
    if (p.dims >= 2u)
        y = interval(box.at[1], box.at[p.dims + 1u], 0u);
    if (DEEP != 0u) {
        interval z = interval(box.at[2], box.at[5], 0u);
        while (z.low < z.end) {
            const uint node = next_node(z);
            take_layer(box, y, z.level, node, channel);
        }
    } else {
        take_layer(box, y, 0u, 0u, channel);
    }
    pair_memory(lg_add64(p.results, lg_mul64(number, uvec2(8u, 0u)))).at = result();
}
