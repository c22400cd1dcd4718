// Float moments of whole leaves: 32 rows of 128 columns, nothing left out. Every count is a power of
// two, so every factor is an exact constant.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "measure/moments/moments_rows.glsl"

lg_leaf_node[4] merge4(lg_leaf_node a[4], lg_leaf_node b[4], float c)
{
    for (uint j = 0u; j < 4u; j++)
        a[j] = lg_leaf_merge_equal(a[j], b[j], c);
    return a;
}

lg_leaf_node[4] fold32(uvec2 base)
{
    const lg_leaf_node a[4] = merge4(fold8(base, 0u), fold8(base, 8u), 1.0 / 16.0);
    return merge4(a, merge4(fold8(base, 16u), fold8(base, 24u), 1.0 / 16.0), 1.0 / 32.0);
}

lg_leaf_node choose(bool second, lg_leaf_node a, lg_leaf_node b)
{
    lg_leaf_node r;
    r.n = a.n;
    r.hi = second ? b.hi : a.hi;
    r.lo = second ? b.lo : a.lo;
    r.m2 = second ? b.m2 : a.m2;
    return r;
}

// Merges the columns of two lanes of which each keeps one of the nodes a and b.
lg_leaf_node keep_one(lg_leaf_node a, lg_leaf_node b, uint mask, float c)
{
    const bool second = (lane_index() & mask) != 0u;
    return lg_leaf_merge_equal(choose(second, a, b), exchange(choose(second, b, a), mask), c);
}

lg_leaf_node merge_lanes(lg_leaf_node n, uint mask, float c)
{
    return lg_leaf_merge_equal(n, exchange(n, mask), c);
}

// One channel: 128 columns of 32 samples in four nodes a lane.
lg_leaf_node fold_columns1(lg_leaf_node n[4])
{
    lg_leaf_node r = lg_leaf_merge_equal(lg_leaf_merge_equal(n[0], n[1], 1.0 / 64.0),
                                         lg_leaf_merge_equal(n[2], n[3], 1.0 / 64.0), 1.0 / 128.0);
    r = merge_lanes(r, 1u, 1.0 / 256.0);
    r = merge_lanes(r, 2u, 1.0 / 512.0);
    r = merge_lanes(r, 4u, 1.0 / 1024.0);
    r = merge_lanes(r, 8u, 1.0 / 2048.0);
    return merge_lanes(r, 16u, 1.0 / 4096.0);
}

// Two channels: 64 columns. Odd lanes end with channel 1.
lg_leaf_node fold_columns2(lg_leaf_node n[4])
{
    lg_leaf_node r = keep_one(lg_leaf_merge_equal(n[0], n[2], 1.0 / 64.0),
                              lg_leaf_merge_equal(n[1], n[3], 1.0 / 64.0), 1u, 1.0 / 128.0);
    r = merge_lanes(r, 2u, 1.0 / 256.0);
    r = merge_lanes(r, 4u, 1.0 / 512.0);
    r = merge_lanes(r, 8u, 1.0 / 1024.0);
    return merge_lanes(r, 16u, 1.0 / 2048.0);
}

// Four channels: 32 columns. Lane bits 0 and 1 become channel bits 1 and 0.
lg_leaf_node fold_columns4(lg_leaf_node n[4])
{
    lg_leaf_node r = keep_one(keep_one(n[0], n[2], 1u, 1.0 / 64.0),
                              keep_one(n[1], n[3], 1u, 1.0 / 64.0), 2u, 1.0 / 128.0);
    r = merge_lanes(r, 4u, 1.0 / 256.0);
    r = merge_lanes(r, 8u, 1.0 / 512.0);
    return merge_lanes(r, 16u, 1.0 / 1024.0);
}

lg_leaf_node fold_strip(uvec2 corner, uint strip)
{
    const lg_leaf_node n[4] =
        fold32(lg_add64(corner, uvec2((strip * STRIP + lane_index() * COLUMNS) * CHANNELS * BYTES, 0u)));
    if (CHANNELS == 1u)
        return fold_columns1(n);
    return CHANNELS == 2u ? fold_columns2(n) : fold_columns4(n);
}

void do_leaf(uint layer, uint leaf_x, uint leaf_y)
{
    const uvec2 corner = leaf_corner(layer, leaf_x, leaf_y);
    const uint lane = lane_index();
    extremes_clear();
    lg_leaf_node n, right;
    for (uint strip = 0u; strip < CHANNELS; strip++) {
        const lg_leaf_node x = fold_strip(corner, strip);
        if (strip == 0u) {
            n = x;
        } else if (strip == 1u) {
            n = lg_leaf_merge_equal(n, x, CHANNELS == 2u ? 1.0 / 4096.0 : 1.0 / 2048.0);
        } else if (strip == 2u) {
            right = x;
        } else {
            n = lg_leaf_merge_equal(n, lg_leaf_merge_equal(right, x, 1.0 / 2048.0), 1.0 / 4096.0);
        }
    }
    n.n = uint(LG_LEAF_SAMPLES);

    uint channel = 0u;
    float low, high;
    if (CHANNELS == 1u) {
        low = lowest(min(min(min_values.x, min_values.y), min(min_values.z, min_values.w)));
        high = highest(max(max(max_values.x, max_values.y), max(max_values.z, max_values.w)));
    } else if (CHANNELS == 2u) {
        channel = lane & 1u;
        const float l0 = lowest(min(min_values.x, min_values.z)), l1 = lowest(min(min_values.y, min_values.w));
        const float h0 = highest(max(max_values.x, max_values.z)), h1 = highest(max(max_values.y, max_values.w));
        low = channel == 0u ? l0 : l1;
        high = channel == 0u ? h0 : h1;
    } else {
        channel = ((lane & 1u) << 1) | ((lane >> 1) & 1u);
        const vec4 l = vec4(lowest(min_values.x), lowest(min_values.y), lowest(min_values.z), lowest(min_values.w));
        const vec4 h = vec4(highest(max_values.x), highest(max_values.y), highest(max_values.z), highest(max_values.w));
        low = channel < 2u ? (channel == 0u ? l.x : l.y) : (channel == 2u ? l.z : l.w);
        high = channel < 2u ? (channel == 0u ? h.x : h.y) : (channel == 2u ? h.z : h.w);
    }
    if (lane < CHANNELS)
        store_leaf(node_place(layer, channel, leaf_y * p.leaves_x + leaf_x), n, low, high);
}

void main()
{
    const uint leaves = p.whole_x * p.whole_y;
    for (uint leaf = group_index(); leaf < leaves; leaf += group_count()) {
        const uint leaf_y = leaf / p.whole_x;
        do_leaf(gl_WorkGroupID.y, leaf - leaf_y * p.whole_x, leaf_y);
    }
}
