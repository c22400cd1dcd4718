// Float moments of leaves of 128 columns and 32 rows (or 8, 16, 24 at the lower end), nothing left out.
// But for 24 rows, every count is a power of two and every factor an exact constant.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_rows.glsl"

layout(constant_id = 5) const uint ROWS = 32; // of the leaf: 8, 16, 24 or 32
layout(constant_id = 6) const uint LAST = 0;  // 1: the leaf row below the whole ones

lg_leaf_node[4] merge4(lg_leaf_node a[4], lg_leaf_node b[4], float c)
{
    for (uint j = 0u; j < 4u; j++)
        a[j] = lg_leaf_merge_power(a[j], b[j], c);
    return a;
}

lg_leaf_node[4] fold_rows(uvec2 base)
{
    lg_leaf_node a[4] = fold8(base, 0u);
    if (ROWS >= 16u)
        a = merge4(a, fold8(base, 8u), 1.0 / 16.0);
    if (ROWS == 32u)
        return merge4(a, merge4(fold8(base, 16u), fold8(base, 24u), 1.0 / 16.0), 1.0 / 32.0);
    if (ROWS == 24u) {
        const lg_leaf_node b[4] = fold8(base, 16u);
        const float ra = 1.0 / 16.0, rb = 1.0 / 8.0, rab = reciprocal(24u);
        for (uint j = 0u; j < 4u; j++) {
            a[j].n = 16u;
            a[j] = lg_leaf_merge_any(a[j], lg_leaf_node(8u, b[j].hi, b[j].lo, b[j].m2), ra, rb, rab);
        }
    }
    return a;
}

float unit; // 1 / (2 ROWS) rounded; what follows scales it by powers of two

lg_leaf_node merge(lg_leaf_node a, lg_leaf_node b, float c)
{
    return ROWS == 24u ? lg_leaf_merge_equal(a, b, c) : lg_leaf_merge_power(a, b, c);
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
    return merge(choose(second, a, b), exchange(choose(second, b, a), mask), c);
}

lg_leaf_node merge_lanes(lg_leaf_node n, uint mask, float c)
{
    return merge(n, exchange(n, mask), c);
}

// One channel: 128 columns in four nodes a lane.
lg_leaf_node fold_columns1(lg_leaf_node n[4])
{
    lg_leaf_node r = merge(merge(n[0], n[1], unit),
                                         merge(n[2], n[3], unit), unit * 0.5);
    r = merge_lanes(r, 1u, unit * 0.25);
    r = merge_lanes(r, 2u, unit * 0.125);
    r = merge_lanes(r, 4u, unit * 0.0625);
    r = merge_lanes(r, 8u, unit * 0.03125);
    return merge_lanes(r, 16u, unit * 0.015625);
}

// Two channels: 64 columns. Odd lanes end with channel 1.
lg_leaf_node fold_columns2(lg_leaf_node n[4])
{
    lg_leaf_node r = keep_one(merge(n[0], n[2], unit),
                              merge(n[1], n[3], unit), 1u, unit * 0.5);
    r = merge_lanes(r, 2u, unit * 0.25);
    r = merge_lanes(r, 4u, unit * 0.125);
    r = merge_lanes(r, 8u, unit * 0.0625);
    return merge_lanes(r, 16u, unit * 0.03125);
}

// Four channels: 32 columns. Lane bits 0 and 1 become channel bits 1 and 0.
lg_leaf_node fold_columns4(lg_leaf_node n[4])
{
    lg_leaf_node r = keep_one(keep_one(n[0], n[2], 1u, unit),
                              keep_one(n[1], n[3], 1u, unit), 2u, unit * 0.5);
    r = merge_lanes(r, 4u, unit * 0.25);
    r = merge_lanes(r, 8u, unit * 0.125);
    return merge_lanes(r, 16u, unit * 0.0625);
}

lg_leaf_node fold_strip(uvec2 corner, uint strip)
{
    const lg_leaf_node n[4] =
        fold_rows(lg_add64(corner, uvec2((strip * STRIP + lane_index() * COLUMNS) * CHANNELS * BYTES, 0u)));
    if (CHANNELS == 1u)
        return fold_columns1(n);
    return CHANNELS == 2u ? fold_columns2(n) : fold_columns4(n);
}

// The lane's channel after fold_strip, and the strip's extremes of that channel.
uint lane_channel()
{
    const uint lane = lane_index();
    if (CHANNELS == 4u)
        return ((lane & 1u) << 1) | ((lane >> 1) & 1u);
    return lane & (CHANNELS - 1u);
}

void strip_extremes(out float low, out float high)
{
    const uint channel = lane_channel();
    float l[4], h[4];
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        l[i] = smallest_sample(i);
        h[i] = largest_sample(i);
        if (i >= CHANNELS) {
            l[i & (CHANNELS - 1u)] = lower(l[i & (CHANNELS - 1u)], l[i]);
            h[i & (CHANNELS - 1u)] = higher(h[i & (CHANNELS - 1u)], h[i]);
        }
    }
    low = lowest(l[0]);
    high = highest(h[0]);
    [[unroll]] for (uint c = 1u; c < CHANNELS; c++) {
        const float lc = lowest(l[c]), hc = highest(h[c]);
        low = channel == c ? lc : low;
        high = channel == c ? hc : high;
    }
}

struct part {
    lg_leaf_node n;
    float low, high;
};

shared part parts[16 * 4]; // [group][channel's lane]

part both(part a, part b, float c)
{
    return part(merge(a.n, b.n, c), lower(a.low, b.low), higher(a.high, b.high));
}

// Records wait in the lanes of the first strip's group until each lane has one.
const uint HELD = 32u / CHANNELS;
lg_leaf_record held_record;
uint held_leaf;

void add_held(uint layer, uint count)
{
    if ((group_in_workgroup() & (CHANNELS - 1u)) != 0u || lane_index() / CHANNELS >= count)
        return;
    sums_add(lane_channel(), held_record);
    if (held_record.counts != 0u)
        lg_words_shared(p.marks).at[mark_place(layer, lane_channel(), held_leaf)] = held_record.counts;
}

// The groups of a workgroup take the strips of a leaf side by side, so that what is read at the same
// time lies close together.
void main()
{
    const uint layer = gl_WorkGroupID.y, lane = lane_index(), group = group_in_workgroup();
    const uint strip = group & (CHANNELS - 1u);
    const uint at_once = (gl_WorkGroupSize.x >> 5) / CHANNELS; // leaves
    const uint leaves = p.whole_x * (LAST != 0u ? 1u : p.whole_y);
    uint held = 0u;
    unit = ROWS == 32u ? 1.0 / 64.0 : (ROWS == 16u ? 1.0 / 32.0 : 1.0 / 16.0);
    if (ROWS == 24u)
        unit = reciprocal(48u);
    sums_clear();
    for (uint first = gl_WorkGroupID.x * at_once; first < leaves; first += gl_NumWorkGroups.x * at_once) {
        const bool there = first + group / CHANNELS < leaves;
        const uint leaf = min(first + group / CHANNELS, leaves - 1u);
        const uint leaf_row = leaf / p.whole_x, leaf_x = leaf - leaf_row * p.whole_x;
        const uint leaf_y = leaf_row + (LAST != 0u ? p.whole_y : 0u);
        extremes_clear();
        part sum;
        sum.n = fold_strip(leaf_corner(layer, leaf_x, leaf_y), strip);
        strip_extremes(sum.low, sum.high);
        if (CHANNELS > 1u) {
            barrier();
            if (lane < CHANNELS)
                parts[group * 4u + lane] = sum;
            barrier();
        }
        const uint at = group * 4u + (lane & (CHANNELS - 1u));
        if (CHANNELS == 2u)
            sum = both(sum, parts[at + 4u], unit * 0.015625);
        if (CHANNELS == 4u)
            sum = both(both(sum, parts[at + 4u], unit * 0.03125),
                       both(parts[at + 8u], parts[at + 12u], unit * 0.03125), unit * 0.015625);
        sum.n.n = there ? ROWS * LG_LEAF_WIDTH : 0u;
        if (lane / CHANNELS == held) {
            held_record = leaf_record(sum.n, sum.low, sum.high);
            held_leaf = leaf_y * p.leaves_x + leaf_x;
        }
        if (++held == HELD) {
            add_held(layer, held);
            held = 0u;
        }
    }
    add_held(layer, held);
    sums_publish(layer);
}
