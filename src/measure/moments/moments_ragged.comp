// Float moments of the leaves at the right and lower end that are not whole. Those whose rows do not come
// in eights are left to the general kernel.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_rows.glsl"

// The rows of a leaf in eights: pairs of eights from the end.
lg_leaf_node[4] fold_rows(uvec2 base, uint rows)
{
    const uint eights = rows >> 3;
    lg_leaf_node x[4];
    for (uint j = 0u; j < 4u; j++)
        x[j] = lg_leaf_empty();
    if ((eights & 1u) != 0u)
        x = fold8(base, (eights - 1u) * 8u);
    [[dont_unroll]] for (uint pair = eights >> 1; pair > 0u; pair--) {
        const lg_leaf_node a[4] = fold8(base, pair * 16u - 16u), b[4] = fold8(base, pair * 16u - 8u);
        for (uint j = 0u; j < 4u; j++)
            x[j] = merge_any(lg_leaf_merge_equal(a[j], b[j], 1.0 / 16.0), x[j]);
    }
    return x;
}

// Folds the strip's columns. Afterwards channel c of the strip is in n[c] of every lane.
void fold_columns(inout lg_leaf_node n[4])
{
    if (CHANNELS == 1u) {
        n[0] = merge_any(n[0], n[1]);
        n[2] = merge_any(n[2], n[3]);
        n[0] = merge_any(n[0], n[2]);
    } else if (CHANNELS == 2u) {
        n[0] = merge_any(n[0], n[2]);
        n[1] = merge_any(n[1], n[3]);
    }
    [[dont_unroll]] for (uint mask = 1u; mask < 32u; mask <<= 1)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            n[c] = merge_any(n[c], exchange(n[c], mask));
}

void take_leaf(uint layer, uint channel, uint leaf, lg_leaf_record r)
{
    lg_words_shared(p.marks).at[mark_place(layer, channel, leaf)] = r.counts;
    sums_add(channel, r);
}

void do_leaf(uint layer, uint leaf_x, uint leaf_y)
{
    const uint rows = min(p.walk.height - leaf_y * LG_LEAF_HEIGHT, uint(LG_LEAF_HEIGHT));
    const uint columns = min(p.walk.width - leaf_x * LG_LEAF_WIDTH, uint(LG_LEAF_WIDTH));
    const uint lane = lane_index();
    if ((rows & 7u) != 0u) {
        lg_leaf_record marked;
        marked.counts = MARKED;
        if (lane < CHANNELS)
            take_leaf(layer, lane, leaf_y * p.leaves_x + leaf_x, marked);
        return;
    }
    const uvec2 corner = leaf_corner(layer, leaf_x, leaf_y);
    const float infinity = uintBitsToFloat(LG_BITS_INF), minus = uintBitsToFloat(LG_BITS_INF | 0x80000000u);
    float lows[4] = {infinity, infinity, infinity, infinity}, highs[4] = {minus, minus, minus, minus};
    lg_leaf_node total[4], left[4];
    [[dont_unroll]] for (uint s = 0u; s < CHANNELS; s++) {
        const uint first = s * STRIP + lane * COLUMNS;
        const uint present = first < columns ? min(columns - first, COLUMNS) : 0u;
        lg_leaf_node n[4];
        for (uint j = 0u; j < 4u; j++)
            n[j] = lg_leaf_empty();
        if (present > 0u) {
            extremes_clear();
            n = fold_rows(lg_add64(corner, uvec2(first * CHANNELS * BYTES, 0u)), rows);
            for (uint j = 0u; j < 4u; j++) {
                const bool there = j / CHANNELS < present;
                n[j].n = there ? rows : 0u;
                lows[j] = there ? lower(lows[j], smallest_sample(j)) : lows[j];
                highs[j] = there ? higher(highs[j], largest_sample(j)) : highs[j];
            }
        }
        fold_columns(n);
        // Strips pair up like everything else: (0, 1), (2, 3), then the two halves.
        for (uint c = 0u; c < CHANNELS; c++) {
            if ((s & 1u) == 1u)
                n[c] = merge_any(total[c], n[c]);
            if (s == 1u)
                left[c] = n[c];
            if (s == 3u)
                n[c] = merge_any(left[c], n[c]);
            total[c] = n[c];
        }
    }
    for (uint j = CHANNELS; j < 4u; j++) {
        const uint c = j & (CHANNELS - 1u);
        lows[c] = lower(lows[c], lows[j]);
        highs[c] = higher(highs[c], highs[j]);
    }
    for (uint c = 0u; c < CHANNELS; c++) {
        const float low = lowest(lows[c]), high = highest(highs[c]);
        if (lane == 0u)
            take_leaf(layer, c, leaf_y * p.leaves_x + leaf_x, leaf_record(total[c], low, high));
    }
}

void main()
{
    const uint right = (p.leaves_x - p.whole_x) * p.leaves_y; // of the last column, then the last row
    const uint leaves = p.leaves_x * p.leaves_y - p.whole_x * p.whole_y;
    sums_clear();
    for (uint i = group_index(); i < leaves; i += group_count()) {
        if (i < right)
            do_leaf(gl_WorkGroupID.y, p.whole_x, i);
        else
            do_leaf(gl_WorkGroupID.y, i - right, p.whole_y);
    }
    sums_publish(gl_WorkGroupID.y);
}
