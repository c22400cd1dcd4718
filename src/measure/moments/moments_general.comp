// Float moments of any leaf: masks, transparent or not finite samples left out, odd rows, steps, and
// magnitudes that need a scale. Does the leaves that other kernels marked, or all of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_sums.glsl"

// The leaf's place in the image, and its size.
uint layer, first_row, first_column, rows, columns;
int scale;

float load_sample(uint row, uint column, uint channel)
{
    const uvec2 pixel = lg_pixel_address(p.walk, layer, first_row + row, first_column + column);
    return HALF != 0u ? unpackHalf2x16(lg_load_u16(pixel, channel)).x
                      : uintBitsToFloat(lg_load_u32(pixel, channel));
}

bool selected(uint row, uint column)
{
    return row < rows && column < columns &&
           lg_selected(p.walk, layer, first_row + row, first_column + column, HALF != 0u ? 2u : 3u);
}

// One sample as a leaf node, scaled; empty when it does not count.
lg_leaf_node sample_node(uint row, uint column, uint channel)
{
    if (!selected(row, column))
        return lg_leaf_empty();
    const float x = load_sample(row, column, channel);
    if ((floatBitsToUint(x) & LG_BITS_ABS) >= LG_BITS_INF)
        return lg_leaf_empty();
    return lg_leaf_single(scale == 0 || scale == LG_SCALE_ZERO ? x : lg_leaf_scaled(x, scale));
}

lg_leaf_node pair_node(uint row, uint column, uint channel)
{
    const lg_leaf_node a = sample_node(row, column, channel), b = sample_node(row + 1u, column, channel);
    if (a.n == 1u && b.n == 1u)
        return lg_leaf_pair(a.hi, b.hi);
    return a.n == 1u ? a : b;
}

// The rows of one column: a binary counter over pairs of rows.
lg_leaf_node fold_column(uint column, uint channel)
{
    lg_leaf_node a, b, c, d;
    lg_leaf_node x = lg_leaf_empty();
    for (uint i = 0u; i < 16u; i++) {
        x = pair_node(2u * i, column, channel);
        if ((i & 1u) == 0u) {
            a = x;
            continue;
        }
        x = merge_any(a, x);
        if ((i & 2u) == 0u) {
            b = x;
            continue;
        }
        x = merge_any(b, x);
        if ((i & 4u) == 0u) {
            c = x;
            continue;
        }
        x = merge_any(c, x);
        if ((i & 8u) == 0u) {
            d = x;
            continue;
        }
        x = merge_any(d, x);
    }
    return x;
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
    for (uint column = lane_index(); column < columns; column += 32u) {
        for (uint row = 0u; row < rows; row++) {
            if (!selected(row, column))
                continue;
            const float x = load_sample(row, column, channel);
            const uint bits = floatBitsToUint(x), magnitude = bits & LG_BITS_ABS;
            if (magnitude > LG_BITS_INF) {
                s.nan++;
            } else if (magnitude == LG_BITS_INF) {
                s.pinf += 1u - (bits >> 31);
                s.ninf += bits >> 31;
            } else {
                s.low = min(s.low, lg_float_key(x));
                s.high = max(s.high, lg_float_key(x));
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
    for (uint block = 0u; block < 4u; block++) {
        lg_leaf_node n = fold_column(block * 32u + lane_index(), channel);
        for (uint mask = 1u; mask < 32u; mask <<= 1)
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
