// Float moments of the leaves at the right and lower end that are not whole.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_rows.glsl"

// The last rows of a leaf, fewer than 8. Their number is kept in the counts, where no compiler sees it.
lg_leaf_node[4] fold_tail(uvec2 base, uint row, uint rows)
{
    lg_leaf_node x[4];
    for (uint j = 0u; j < 4u; j++)
        x[j] = lg_leaf_empty();
    if ((rows & 1u) != 0u) {
        const vec4 v = load_row(base, row + rows - 1u);
        extremes_add(v);
        for (uint j = 0u; j < 4u; j++)
            x[j] = lg_leaf_node(rows & 1u, v[j], 0.0, 0.0);
    }
    if ((rows & 2u) != 0u) {
        const uint first = row + (rows & 4u);
        const vec4 v = load_row(base, first), w = load_row(base, first + 1u);
        extremes_add(v);
        extremes_add(w);
        for (uint j = 0u; j < 4u; j++) {
            lg_leaf_node n = lg_leaf_pair(v[j], w[j]);
            n.n = rows & 2u;
            x[j] = merge_any(n, x[j]);
        }
    }
    if ((rows & 4u) != 0u) {
        vec4 v[4];
        for (uint i = 0u; i < 4u; i++)
            v[i] = load_row(base, row + i);
        for (uint i = 0u; i < 4u; i++)
            extremes_add(v[i]);
        for (uint j = 0u; j < 4u; j++) {
            lg_leaf_node n = lg_leaf_four(v[0][j], v[1][j], v[2][j], v[3][j]);
            n.n = rows & 4u;
            x[j] = merge_any(n, x[j]);
        }
    }
    return x;
}

// The rows of a leaf: what is left of eights first, then pairs of eights from the end.
lg_leaf_node[4] fold_rows(uvec2 base, uint rows)
{
    const uint eights = rows >> 3;
    lg_leaf_node x[4] = fold_tail(base, rows & ~7u, rows & 7u);
    if ((eights & 1u) != 0u) {
        const lg_leaf_node a[4] = fold8(base, (eights - 1u) * 8u);
        for (uint j = 0u; j < 4u; j++)
            x[j] = merge_any(a[j], x[j]);
    }
    [[dont_unroll]] for (uint pair = eights >> 1; pair > 0u; pair--) {
        const lg_leaf_node a[4] = fold8(base, pair * 16u - 16u), c[4] = fold8(base, pair * 16u - 8u);
        for (uint j = 0u; j < 4u; j++) {
            const lg_leaf_node both = lg_leaf_merge_power(a[j], c[j], 1.0 / 16.0);
            x[j] = merge_any(both, x[j]);
        }
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
