// Float moments, full speed: leaves without mask or gaps, whose rows come in eights. A leaf that turns
// out to need more (not finite, far from 1 in magnitude, odd rows) is marked for the general kernel.
//
// 32 lanes work on a leaf. A lane holds 16 bytes of a row: four columns of one channel, two of two or
// one of four. It folds the rows of its columns; then the columns are folded, within the lane first,
// across lanes next, and across the strips of 512 bytes (four for four channels) last.
#version 460
//@variant moments_float
#extension GL_GOOGLE_include_directive : require
#include "measure/moments/moments_leaf.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer lg_aligned {
    vec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer lg_half_aligned {
    uvec2 at[];
};
const uint COLUMNS = 4u / CHANNELS;       // pixels of a lane
const uint STRIP = 32u * COLUMNS;         // columns of a strip; a leaf has CHANNELS strips
const uint BYTES = HALF != 0u ? 2u : 4u;  // of a sample

vec4 min_values, max_values; // of this lane, over the leaf

// Four samples of row `row` below `base`.
vec4 load_row(uvec2 base, uint row)
{
    if (HALF != 0u) {
        if (ALIGNED != 0u) {
            const uvec2 v = lg_half_aligned(base).at[row * (p.walk.row_stride >> 3)];
            return vec4(unpackHalf2x16(v.x), unpackHalf2x16(v.y));
        }
        const uint i = row * (p.walk.row_stride >> 1);
        lg_samples_u16 h = lg_samples_u16(base);
        return vec4(unpackHalf2x16(uint(h.at[i]) | (uint(h.at[i + 1u]) << 16)),
                    unpackHalf2x16(uint(h.at[i + 2u]) | (uint(h.at[i + 3u]) << 16)));
    }
    if (ALIGNED != 0u)
        return lg_aligned(base).at[row * (p.walk.row_stride >> 4)];
    const uint i = row * (p.walk.row_stride >> 2);
    lg_floats f = lg_floats(base);
    return vec4(f.at[i], f.at[i + 1u], f.at[i + 2u], f.at[i + 3u]);
}

lg_leaf_node fold4(float a, float b, float c, float d)
{
    return lg_leaf_merge_equal(lg_leaf_pair(a, b), lg_leaf_pair(c, d), 0.25f);
}

// Rows row .. row+7 of the lane's four samples.
lg_leaf_node[4] fold8(uvec2 base, uint row)
{
    vec4 v[8];
    for (uint i = 0u; i < 8u; i++)
        v[i] = load_row(base, row + i);
    for (uint i = 0u; i < 8u; i++) {
        min_values = min(min_values, v[i]);
        max_values = max(max_values, v[i]);
    }
    lg_leaf_node n[4];
    for (uint j = 0u; j < 4u; j++)
        n[j] = lg_leaf_merge_equal(fold4(v[0][j], v[1][j], v[2][j], v[3][j]),
                                   fold4(v[4][j], v[5][j], v[6][j], v[7][j]), 0.125f);
    return n;
}

// Rows row .. row+rows-1, rows 8 or 16.
lg_leaf_node[4] fold16(uvec2 base, uint row, uint rows)
{
    lg_leaf_node a[4] = fold8(base, row);
    if (rows > 8u) {
        const lg_leaf_node b[4] = fold8(base, row + 8u);
        for (uint j = 0u; j < 4u; j++)
            a[j] = lg_leaf_merge_equal(a[j], b[j], 0.0625f);
    }
    return a;
}

// All rows: 8, 16, 24 or 32.
lg_leaf_node[4] fold_rows(uvec2 base, uint rows)
{
    lg_leaf_node a[4] = fold16(base, 0u, rows);
    if (rows > 16u) {
        const lg_leaf_node b[4] = fold16(base, 16u, rows - 16u);
        if (rows == 32u) {
            for (uint j = 0u; j < 4u; j++)
                a[j] = lg_leaf_merge_equal(a[j], b[j], 0.03125f);
        } else {
            for (uint j = 0u; j < 4u; j++)
                a[j] = merge_any(a[j], b[j]);
        }
    }
    return a;
}

// Two nodes that stand side by side, in a leaf whose columns are all there or not.
lg_leaf_node side_by_side(lg_leaf_node a, lg_leaf_node b, bool whole)
{
    if (whole)
        return lg_leaf_merge_equal(a, b, reciprocal(2u * a.n));
    return merge_any(a, b);
}

// Folds the strip's columns. Afterwards channel c of the strip is in n[c] of every lane.
void fold_columns(inout lg_leaf_node n[4], bool whole)
{
    if (CHANNELS == 1u) {
        n[0] = side_by_side(n[0], n[1], whole);
        n[2] = side_by_side(n[2], n[3], whole);
        n[0] = side_by_side(n[0], n[2], whole);
    } else if (CHANNELS == 2u) {
        n[0] = side_by_side(n[0], n[2], whole);
        n[1] = side_by_side(n[1], n[3], whole);
    }
    for (uint mask = 1u; mask < 32u; mask <<= 1)
        for (uint c = 0u; c < CHANNELS; c++)
            n[c] = side_by_side(n[c], exchange(n[c], mask), whole);
}

void store_leaf(uint place, lg_leaf_node n, float low, float high)
{
    const uint magnitude = max(floatBitsToUint(low) & LG_BITS_ABS, floatBitsToUint(high) & LG_BITS_ABS);
    const uint bits = max(magnitude, max(floatBitsToUint(n.hi) & LG_BITS_ABS,
                                         floatBitsToUint(n.m2) & LG_BITS_ABS));
    const int k = bits < LG_BITS_INF ? lg_leaf_scale(magnitude) : 1;
    lg_node node;
    if (k == 0 || k == LG_SCALE_ZERO) {
        node = lg_node_from_leaf(n, k, low, high, 0u, 0u, 0u);
    } else {
        node = lg_node_empty();
        node.reserved = MARKED;
    }
    lg_nodes(p.nodes).at[place] = node;
}

void do_leaf(uint layer, uint leaf, bool inside)
{
    const uint leaf_y = leaf / p.leaves_x, leaf_x = leaf - leaf_y * p.leaves_x;
    const uint rows = min(p.walk.height - leaf_y * LG_LEAF_HEIGHT, uint(LG_LEAF_HEIGHT));
    const uint columns = min(p.walk.width - leaf_x * LG_LEAF_WIDTH, uint(LG_LEAF_WIDTH));
    const bool whole = columns == LG_LEAF_WIDTH;
    const uint lane = lane_index();
    const uvec2 corner = lg_add64(lg_add64(p.walk.data, lg_mul64(layer, p.walk.layer_stride)),
                                  lg_add64(lg_mul64(leaf_y * LG_LEAF_HEIGHT, uvec2(p.walk.row_stride, 0u)),
                                           uvec2(leaf_x * LG_LEAF_WIDTH * CHANNELS * BYTES, 0u)));
    lg_leaf_node leaf_nodes[4];
    lg_leaf_node left[4];
    vec4 lows = vec4(uintBitsToFloat(LG_BITS_INF)), highs = -lows;
    const bool odd = (rows & 7u) != 0u;
    for (uint s = 0u; s < CHANNELS; s++) {
        const uint first = s * STRIP + lane * COLUMNS;
        const uint present = first < columns ? min(columns - first, COLUMNS) : 0u;
        lg_leaf_node n[4];
        for (uint j = 0u; j < 4u; j++)
            n[j] = lg_leaf_empty();
        if (present > 0u && inside && !odd) {
            min_values = vec4(uintBitsToFloat(LG_BITS_INF));
            max_values = -min_values;
            n = fold_rows(lg_add64(corner, uvec2(first * CHANNELS * BYTES, 0u)), rows);
            for (uint j = 0u; j < 4u; j++) {
                const bool there = j / CHANNELS < present;
                n[j].n = there ? rows : 0u;
                lows[j] = there ? min(lows[j], min_values[j]) : lows[j];
                highs[j] = there ? max(highs[j], max_values[j]) : highs[j];
            }
        }
        fold_columns(n, whole);
        // Strips pair up like everything else: (0, 1), (2, 3), then the two halves.
        for (uint c = 0u; c < CHANNELS; c++) {
            if ((s & 1u) == 1u)
                n[c] = side_by_side(leaf_nodes[c], n[c], whole);
            if (s == 1u && CHANNELS == 4u)
                left[c] = n[c];
            if (s == 3u)
                n[c] = side_by_side(left[c], n[c], whole);
            leaf_nodes[c] = n[c];
        }
    }
    for (uint mask = 1u; mask < 32u; mask <<= 1) {
        for (uint j = 0u; j < 4u; j++) {
            lows[j] = min(lows[j], exchange(lows[j], mask));
            highs[j] = max(highs[j], exchange(highs[j], mask));
        }
    }
    for (uint j = CHANNELS; j < 4u; j++) {
        lows[j & (CHANNELS - 1u)] = min(lows[j & (CHANNELS - 1u)], lows[j]);
        highs[j & (CHANNELS - 1u)] = max(highs[j & (CHANNELS - 1u)], highs[j]);
    }
    if (lane != 0u || !inside)
        return;
    for (uint c = 0u; c < CHANNELS; c++) {
        if (odd) {
            lg_node node = lg_node_empty();
            node.reserved = MARKED;
            lg_nodes(p.nodes).at[node_place(layer, c, leaf)] = node;
        } else {
            store_leaf(node_place(layer, c, leaf), leaf_nodes[c], lows[c], highs[c]);
        }
    }
}

void main()
{
    // Every group of a workgroup makes the same number of turns: exchange() may have barriers.
    const uint groups = gl_WorkGroupSize.x >> 5;
    const uint leaves = p.leaves_x * p.leaves_y;
    for (uint first = gl_WorkGroupID.x * groups; first < leaves; first += gl_NumWorkGroups.x * groups) {
        const uint leaf = first + group_index();
        do_leaf(gl_WorkGroupID.y, min(leaf, leaves - 1u), leaf < leaves);
    }
}
