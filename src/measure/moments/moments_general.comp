// Float moments of any leaf: masks, transparent or not finite samples left out, odd rows, steps, and
// magnitudes that need a scale. Does the leaves that other kernels marked, or all of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_sums.glsl"

// The leaf's place in the image, and its size.
uint layer, first_row, first_column, rows, columns;
int scale;

// Eight rows of a column. All loads are under way before the first is used; what lies outside the leaf is
// read where it ends.
struct eight {
    uint bits[8];
    uint taken; // rows that the selection takes
};

eight load8(uint row, uint column, uint channel)
{
    eight e;
    bool take[8];
    const uint inside = min(column, columns - 1u);
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        const uint r = min(row + i, rows - 1u);
        const uvec2 pixel = lg_pixel_address(p.walk, layer, first_row + r, first_column + inside);
        e.bits[i] = HALF != 0u ? lg_load_u16(pixel, channel) : lg_load_u32(pixel, channel);
        take[i] = lg_selected(p.walk, layer, first_row + r, first_column + inside, HALF != 0u ? 2u : 3u);
    }
    e.taken = 0u;
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        if (HALF != 0u)
            e.bits[i] = floatBitsToUint(unpackHalf2x16(e.bits[i]).x);
        e.taken |= take[i] && row + i < rows && column < columns ? 1u << i : 0u;
    }
    return e;
}

// One sample as a leaf node, scaled; empty when it does not count.
lg_leaf_node sample_node(eight e, uint i)
{
    lg_leaf_node n = lg_leaf_empty();
    if ((e.taken >> i & 1u) != 0u && (e.bits[i] & LG_BITS_ABS) < LG_BITS_INF) {
        const float x = uintBitsToFloat(e.bits[i]);
        n.n = 1u;
        n.hi = scale == 0 || scale == LG_SCALE_ZERO ? x : lg_leaf_scaled(x, scale);
    }
    return n;
}

lg_leaf_node pair_node(eight e, uint i)
{
    const lg_leaf_node a = sample_node(e, i), b = sample_node(e, i + 1u);
    if (a.n == 1u && b.n == 1u)
        return lg_leaf_pair(a.hi, b.hi);
    return a.n == 1u ? a : b;
}

lg_leaf_node fold_column(uint column, uint channel)
{
    lg_leaf_node upper = lg_leaf_empty(), n = lg_leaf_empty(), all = lg_leaf_empty();
    [[dont_unroll]] for (uint row = 0u; row < 32u; row += 8u) {
        const eight e = load8(row, column, channel);
        lg_leaf_node fours[2];
        [[unroll]] for (uint i = 0u; i < 2u; i++)
            fours[i] = merge_any(pair_node(e, 4u * i), pair_node(e, 4u * i + 2u));
        n = merge_any(fours[0], fours[1]);
        if ((row & 8u) == 0u)
            upper = n;
        else if (row == 8u)
            all = merge_any(upper, n);
        else
            all = merge_any(all, merge_any(upper, n));
    }
    return all;
}

struct survey {
    uint low, high; // keys of the extremes
    uint nan, pinf, ninf;
};

survey across_lanes(survey s)
{
    for (uint mask = 1u; mask < 32u; mask <<= 1) {
        s.low = min(s.low, exchange(s.low, mask));
        s.high = max(s.high, exchange(s.high, mask));
        s.nan += exchange(s.nan, mask);
        s.pinf += exchange(s.pinf, mask);
        s.ninf += exchange(s.ninf, mask);
    }
    return s;
}

survey look(uint channel)
{
    survey s = survey(~0u, 0u, 0u, 0u, 0u);
    [[dont_unroll]] for (uint i = 0u; i < 16u; i++) {
        const eight e = load8(i % 4u * 8u, i / 4u * 32u + lane_index(), channel);
        [[unroll]] for (uint k = 0u; k < 8u; k++) {
            const uint magnitude = e.bits[k] & LG_BITS_ABS;
            if ((e.taken >> k & 1u) == 0u)
                continue;
            if (magnitude > LG_BITS_INF) {
                s.nan++;
            } else if (magnitude == LG_BITS_INF) {
                s.pinf += 1u - (e.bits[k] >> 31);
                s.ninf += e.bits[k] >> 31;
            } else {
                const uint key = lg_float_key(uintBitsToFloat(e.bits[k]));
                s.low = min(s.low, key);
                s.high = max(s.high, key);
            }
        }
    }
    return across_lanes(s);
}

// Every lane of the group returns the same.
lg_leaf_record do_leaf(uint leaf, uint channel)
{
    const uint leaf_y = leaf / p.leaves_x, leaf_x = leaf - leaf_y * p.leaves_x;
    first_row = leaf_y * LG_LEAF_HEIGHT;
    first_column = leaf_x * LG_LEAF_WIDTH;
    rows = min(p.walk.height - first_row, uint(LG_LEAF_HEIGHT));
    columns = min(p.walk.width - first_column, uint(LG_LEAF_WIDTH));
    const survey s = look(channel);
    const bool any = s.low != ~0u || s.high != 0u;
    const float low = any ? lg_key_float(s.low) : 0.0f, high = any ? lg_key_float(s.high) : 0.0f;
    scale = lg_leaf_scale(max(lg_bits(low) & LG_BITS_ABS, lg_bits(high) & LG_BITS_ABS));
    lg_leaf_node left = lg_leaf_empty(), total = lg_leaf_empty();
    [[dont_unroll]] for (uint block = 0u; block < 4u; block++) {
        lg_leaf_node n = fold_column(block * 32u + lane_index(), channel);
        [[dont_unroll]] for (uint mask = 1u; mask < 32u; mask <<= 1)
            n = merge_any(n, exchange(n, mask));
        if ((block & 1u) == 1u)
            n = merge_any(left, n);
        if (block == 3u)
            n = merge_any(total, n);
        if ((block & 1u) == 0u)
            left = n;
        else
            total = n;
    }
    return lg_leaf_record_of(total, scale, low, high, s.nan, s.pinf, s.ninf);
}

// Records that were marked, dealt out in blocks of 32, or all leaves, dealt out one by one.
void main()
{
    const uint line = gl_WorkGroupID.y, leaves = p.leaves_x * p.leaves_y, lane = lane_index();
    const uint channel = line & (CHANNELS - 1u), size = p.all != 0u ? 1u : 32u;
    layer = line / CHANNELS;
    sums_clear();
    for (uint first = group_index() * size; first < leaves; first += group_count() * size) {
        const uint leaf = first + lane;
        bool mine = lane < size && leaf < leaves;
        if (mine && p.all == 0u)
            mine = lg_words(p.marks).at[line * leaves + leaf] == MARKED;
        uint wanted = mine ? 1u << lane : 0u;
        for (uint mask = 1u; mask < 32u; mask <<= 1)
            wanted |= exchange(wanted, mask);
        for (; wanted != 0u; wanted &= wanted - 1u) {
            const uint which = uint(findLSB(wanted));
            const lg_leaf_record done = do_leaf(first + which, channel);
            if (lane == which)
                sums_add(channel, done);
        }
    }
    sums_publish(layer);
}
