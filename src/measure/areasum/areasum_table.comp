// Summed-area tables of the layers of an array, in tiles.
//
// A row of a tile has 32 lanes, each with a vector of samples; a thread has EACH rows. Sums along a
// row are formed by halves, within the vector and then from lane to lane, and stay in registers.
// They have 16 bits if samples are small (LOCAL_PACKED), 32 if these suffice (LOCAL_NARROW). Then
// the sum before the tile is added. Sums down a column are formed in the thread and over the
// threads of the tile; then the sum above the tile is added. The order of these additions is the
// definition of plain tables of floats; for integers it does not matter.
//
// LG_TABLE_CHAINED: one pass; tiles get the sums before them from tiles on their left and above. On
// a device that does not run workgroups side by side, a tile that waits too long sets the flag and
// goes on, and the caller uses the three passes. These keep all carries in memory:
// LG_TABLE_ROW_SUMS, LG_TABLE_COLUMN_SUMS, LG_TABLE_ENTRIES.
#version 460
//@variant areasum_table_u32
//@variant areasum_table_u32_packed -DLOCAL_PACKED
//@variant areasum_table_u64 -DSUM_WIDE
//@variant areasum_table_u64_narrow -DSUM_WIDE -DLOCAL_NARROW
//@variant areasum_table_u64_packed -DSUM_WIDE -DLOCAL_PACKED
//@variant areasum_table_f32 -DSUM_FLOAT
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/areasum/areasum_lanes.glsl"
#include "measure/areasum/areasum_push.h"

layout(constant_id = 5) const uint DEPTH = 4;  // tiles that one look-back reads
layout(constant_id = 7) const uint PASS = 0;
layout(constant_id = 8) const uint EACH = 8; // rows of a thread
layout(constant_id = 9) const bool PREMULTIPLIED = false; // bytes, the last channel is alpha
layout(constant_id = 10) const uint PATIENCE = 1; // reads before a tile gives up

const uint WIDTH = LG_AREA_LANES * VECTOR, ROWS = EACH * GROUPS; // of a tile, in samples

layout(push_constant, scalar) uniform parameters {
    lg_area_table_push p;
};

#include "measure/areasum/areasum_rows.glsl"

// ---- what is before a tile ----

shared SUM within[GROUPS * WIDTH];    // sums of a group of rows, then of the groups above it
shared SUM above_tile[WIDTH];

const uint ROW_CARRIES = ROWS * CHANNELS, RECORD = ROW_CARRIES + WIDTH; // of a tile
#include "measure/areasum/areasum_chain.glsl"

// ---- where the workgroup is ----

struct place {
    uint layer, x, y; // in tiles
    uint tile;        // in all
};

place place_of(uint tile_row, uint x)
{
    return place(tile_row / p.tiles_y, x, tile_row % p.tiles_y, tile_row * p.tiles_x + x);
}

// Rows of tiles advance together, each one tile behind the row above. A row at its end continues
// with the one `advance` rows below. False: there is nothing to do.
bool place_of_turn(uint turn, out place at)
{
    const uint row = turn % p.advance, step = turn / p.advance;
    const uint along = step < row ? 0u : step - row;
    const uint tile_row = along / p.tiles_x * p.advance + row;
    at = place_of(tile_row, along % p.tiles_x);
    return step >= row && tile_row < p.tile_rows;
}

place fixed_place()
{
    const uint tile = p.first + gl_WorkGroupID.x;
    return place_of(tile / p.tiles_x, tile % p.tiles_x);
}

// ---- the steps ----

uvec4 samples[EACH]; // of this thread

void load_tile(place at)
{
    const uint x = at.x * WIDTH + lane() * VECTOR, first = at.y * ROWS + group() * EACH;
    const uvec2 layer = lg_add64(p.data, lg_mul64(at.layer, p.layer_stride));
    // Threads outside the array come last.
    [[unroll]] for (uint r = 0u; r < EACH; r++) {
        const uint y = min(first + r, p.height - 1u);
        const uvec2 row = lg_add64(layer, lg_mul64(y, uvec2(p.row_stride, 0u)));
        samples[r] = x < p.width ? load_vector(row, x) : uvec4(0u);
    }
}

void keep_tile()
{
    sample_rule rule = sample_rule(p.above, p.fraction, 0u);
    if (is_in_units())
        rule.largest = lg_words(p.largest).at[0];
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        keep_samples(r, samples[r], rule);
}

// The carries of a tile's rows in memory; there are CHANNELS of them.
uvec2 row_carry(place at, uint row)
{
    const uint y = (at.layer * p.tiles_y + at.y) * ROWS + row;
    return lg_add64(lg_mul64(y, uvec2(p.tiles_x * CHANNELS, 0u)), uvec2(at.x * CHANNELS, 0u));
}

uvec2 column_carry(place at)
{
    const uint y = at.layer * p.tiles_y + at.y;
    return lg_add64(lg_mul64(y, uvec2(p.tiles_x * WIDTH, 0u)), uvec2(at.x * WIDTH, 0u));
}

void carry_rows(place at)
{
    for (uint i = thread(); i < ROW_CARRIES; i += gl_WorkGroupSize.x) {
        if (PASS == LG_TABLE_CHAINED) {
            row_sums[i] = chain(at.tile, 1u, at.x, at.x + 1u < p.tiles_x, i, row_sums[i]);
            continue;
        }
        sum_memory there =
            sum_entry(p.carries, lg_add64(row_carry(at, i / CHANNELS), uvec2(i % CHANNELS, 0u)));
        if (PASS == LG_TABLE_ROW_SUMS)
            there.at[0] = row_sums[i];
        else
            row_sums[i] = there.at[0];
    }
}

// The k-th column of a row's contribution to the entries below it.
SUM row_entry(uint r, uint k)
{
    return sum_add(row_sums[(group() * EACH + r) * CHANNELS + k % CHANNELS], row_sum(r, k));
}

// The thread's own part of its columns.
void sum_columns()
{
    [[unroll]] for (uint k = 0u; k < VECTOR; k++) {
        SUM s = row_entry(0u, k);
        [[unroll]] for (uint r = 1u; r < EACH; r++)
            s = sum_add(s, row_entry(r, k));
        within[group() * WIDTH + lane() * VECTOR + k] = s;
    }
}

void carry_columns(place at)
{
    for (uint x = thread(); x < WIDTH; x += gl_WorkGroupSize.x) {
        SUM sum = SUM_ZERO;
        [[unroll]] for (uint g = 0u; g < GROUPS; g++) {
            const SUM own = within[g * WIDTH + x];
            within[g * WIDTH + x] = sum;
            sum = sum_add(sum, own);
        }
        if (PASS == LG_TABLE_CHAINED) {
            above_tile[x] = chain(at.tile, p.tiles_x, at.y, at.y + 1u < p.tiles_y, ROW_CARRIES + x, sum);
            continue;
        }
        sum_memory there = sum_entry(p.column_carries, lg_add64(column_carry(at), uvec2(x, 0u)));
        if (PASS == LG_TABLE_COLUMN_SUMS)
            there.at[0] = sum;
        else
            above_tile[x] = there.at[0];
    }
}

void write_entries(place at)
{
    const uint column = lane() * VECTOR, x = at.x * WIDTH + column;
    const uint first = at.y * ROWS + group() * EACH;
    if (x >= p.width)
        return;
    const bool aligned = VECTOR == 4u && (p.table_row & 15u) == 0u && x + VECTOR <= p.width;
    uvec2 to = lg_add64(p.table, lg_mul64(at.layer, p.table_layer_stride));
    to = lg_add64(to, lg_mul64(first, uvec2(p.table_row, 0u)));
    to = lg_add64(to, lg_mul64(x, uvec2(SUM_BYTES, 0u)));
    SUM above[4], group_above[4], sum[4];
    [[unroll]] for (uint k = 0u; k < VECTOR; k++) {
        above[k] = above_tile[column + k];
        group_above[k] = within[group() * WIDTH + column + k];
#ifndef SUM_FLOAT
        sum[k] = sum_add(above[k], group_above[k]);
#endif
    }
    [[unroll]] for (uint r = 0u; r < EACH; r++) {
        if (first + r >= p.height)
            return;
        SUM entry[4];
        [[unroll]] for (uint k = 0u; k < VECTOR; k++) {
#ifdef SUM_FLOAT
            sum[k] = r == 0u ? row_entry(r, k) : sum_add(sum[k], row_entry(r, k));
            entry[k] = sum_add(above[k], sum_add(group_above[k], sum[k]));
#else
            entry[k] = sum[k] = sum_add(sum[k], row_entry(r, k));
#endif
        }
        if (aligned) {
            write_vector(to, entry);
        } else {
            [[unroll]] for (uint k = 0u; k < VECTOR; k++)
                if (x + k < p.width)
                    sum_memory(to).at[k] = entry[k];
        }
        to = lg_add64(to, uvec2(p.table_row, 0u));
    }
}

// No workgroup returns before a barrier, even if `some` is false: with returns the kernel took 126
// registers instead of 79 with one driver.
void make_tile(place at, bool some)
{
    if (some) {
        load_tile(at);
        keep_tile();
        sum_rows();
    }
    barrier();
    if (some)
        carry_rows(at);
    if (PASS == LG_TABLE_ROW_SUMS)
        return;
    barrier();
    if (some)
        sum_columns();
    barrier();
    if (some)
        carry_columns(at);
    if (PASS == LG_TABLE_COLUMN_SUMS)
        return;
    barrier();
    if (some)
        write_entries(at);
}

void main()
{
    if (PASS != LG_TABLE_CHAINED) {
        make_tile(fixed_place(), true);
        return;
    }
    place at;
    const bool some = place_of_turn(take_turn(), at);
    make_tile(at, some);
    finish_turn();
}
