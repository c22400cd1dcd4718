// Summed-area ripmaps of up to three dimensions: all blocks of levels, in one pass TILE_LEVELS of
// them along axis 0 and 3 or 4 along axis 1.
//
// SAMPLES, NODES: 32 lanes make a tile of 32 vectors x 8 or 16 rows, from the array or from the
// block of levels (base, 0). They hold a row, with the nodes of all levels of axis 0 above it, in
// eight words each. Rows are then joined in pairs in the order in which a binary counter carries,
// so that few are kept at a time. COLUMNS: the same along columns of the blocks of level `base` of
// axis 1, a column per thread. All this is per layer. Then layers of each block are joined like
// rows, each as one long row. This is the order of the definition: axis 0 first, then axis 1 for
// all levels of axis 0, then axis 2.
#version 460
//@variant areasum_ripmap_u32
//@variant areasum_ripmap_u64 -DSUM_WIDE
//@variant areasum_ripmap_f32 -DSUM_FLOAT
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/areasum/areasum_lanes.glsl"
#include "measure/areasum/areasum_push.h"

layout(constant_id = 5) const uint STAGE = 0;
layout(constant_id = 7) const uint BATCHES = 2; // of rows of a tile, 1 or 2
layout(constant_id = 8) const uint LAYERED = 0; // 1: the array has several layers

const uint ROWS = LG_RIPMAP_BATCH * BATCHES, ROW_LEVELS = 4u;
const uint STEPS = PIXELS == 4u ? 2u : PIXELS == 2u ? 1u : 0u; // levels within a vector, beyond the first
const uint TILE_LEVELS = STEPS + 5u;

layout(push_constant, scalar) uniform parameters {
    lg_area_ripmap_push p;
};

SUM join(SUM a, SUM b)
{
#if !defined(SUM_WIDE) && !defined(SUM_FLOAT)
    if (OPERATION == LEAST)
        return min(a, b);
    if (OPERATION == MOST)
        return max(a, b);
#endif
    return sum_add(a, b);
}

uvec2 block_number(uint number)
{
    lg_words address = lg_words(lg_add64(p.blocks, uvec2(8u * number, 0u)));
    return uvec2(address.at[0], address.at[1]);
}

uint words_of(uint level_x)
{
    return (p.width >> level_x) * CHANNELS;
}

// The layer of this workgroup of tiles.
uint layer()
{
    return LAYERED != 0u ? (p.first / GROUPS + gl_WorkGroupID.x) / p.layer_groups : 0u;
}

// A layer of the block of levels (level_x, level_y, 0).
uvec2 block(uint level_x, uint level_y, uint of_layer)
{
    const uvec2 first = block_number(level_x + p.levels_x * level_y);
    if (LAYERED == 0u)
        return first;
    const uvec2 row = lg_mul64(SUM_BYTES, uvec2(words_of(level_x), 0u));
    return lg_add64(first, lg_mul64(of_layer, lg_mul64(p.height >> level_y, row)));
}

// ---- a row of a tile ----

// Words 0 .. 3: the vector. Then those of the next levels within it, if any. At ABOVE, CHANNELS
// words of the further levels, a node per lane: 16 lanes have the first of these levels, 8 the
// next, and so on.
SUM row[8];
const uint ABOVE_VECTOR = CHANNELS == 1u ? 7u : CHANNELS == 2u ? 6u : 4u;

shared SUM swapped[SHUFFLED < LG_AREA_LANES ? LG_AREA_LANES * GROUPS : 1u];

// Joins s of a pair of neighbouring lanes; `lane` selects the pair.
SUM joined_lanes(SUM s)
{
    const uint source = 2u * lane() % LG_AREA_LANES;
    if (SHUFFLED == LG_AREA_LANES) {
        const uint first = gl_SubgroupInvocationID - lane() + source;
        return join(subgroupShuffle(s, first), subgroupShuffle(s, first + 1u));
    }
    barrier();
    swapped[thread()] = s;
    barrier();
    return join(swapped[group() * LG_AREA_LANES + source], swapped[group() * LG_AREA_LANES + source + 1u]);
}

void make_levels()
{
    if (PIXELS == 4u) {
        row[4] = join(row[0], row[1]);
        row[5] = join(row[2], row[3]);
        row[6] = join(row[4], row[5]);
    } else if (PIXELS == 2u) {
        row[4] = join(row[0], row[2]);
        row[5] = join(row[1], row[3]);
    }
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
        const uint last = CHANNELS == 1u ? 6u : CHANNELS == 2u ? 4u + c : c;
        SUM s = joined_lanes(row[last]);
        // Lane i of a level gets lanes 2 i and 2 i + 1 of the level before.
        [[unroll]] for (uint start = 16u; start < 31u; start += (LG_AREA_LANES - start) / 2u) {
            const SUM next = joined_lanes(s);
            s = lane() < start ? s : next;
        }
        row[ABOVE_VECTOR + c] = s;
    }
}

shared uvec2 block_at[8u * (ROW_LEVELS + 1u)]; // of levels (base + i % 8, i / 8), of this layer
uvec4 samples[LG_RIPMAP_BATCH];

void load_samples(uint x, uint y)
{
    const uvec2 data =
        LAYERED != 0u ? lg_add64(p.data, lg_mul64(layer(), p.layer_stride)) : p.data;
    [[unroll]] for (uint r = 0u; r < LG_RIPMAP_BATCH; r++) {
        const uvec2 start =
            lg_add64(data, lg_mul64(min(y + r, p.height - 1u), uvec2(p.row_stride, 0u)));
        samples[r] = x < p.width * CHANNELS ? load_vector(start, x) : uvec4(0u);
    }
}

void take_row(uint x, uint y, uint r)
{
    if (STAGE == LG_RIPMAP_SAMPLES) {
        const sample_rule rule =
            sample_rule(p.above, p.fraction, is_in_units() ? lg_words(p.largest).at[0] : p.max);
        [[unroll]] for (uint k = 0u; k < VECTOR; k++)
            row[k] = sample_value(sample_bits(samples[r], k), rule);
        return;
    }
    const uint words = words_of(p.base);
    const uvec2 at = lg_add64(lg_mul64(min(y + r, p.height - 1u), uvec2(words, 0u)), uvec2(x, 0u));
    sum_memory from = sum_entry(LAYERED != 0u ? block_at[0] : block(p.base, 0u, 0u), at);
    [[unroll]] for (uint k = 0u; k < VECTOR; k++)
        row[k] = x + k < words ? from.at[k] : SUM_ZERO;
}

// ---- writing it ----

const uint PARTS = 4u; // of a row: the vector, two levels within it, the levels above it

// The words of each part of a row that a lane writes.
uint part_level[PARTS], part_bytes[PARTS]; // behind `base`; of a row
uint part_word[PARTS], part_rest[PARTS];   // rest: words of the row from this one on; 0: none

void keep_blocks()
{
    for (uint i = gl_LocalInvocationIndex; i < 8u * (ROW_LEVELS + 1u); i += gl_WorkGroupSize.x) {
        const uint level_x = p.base + i % 8u, level_y = i / 8u;
        block_at[i] = level_x < p.levels_x && level_y < p.levels_y
                          ? block(level_x, level_y, layer())
                          : uvec2(0u);
    }
    barrier();
}

void find_part(uint part, uint level, uint word, bool some)
{
    const uint words = p.base + level < p.levels_x ? words_of(p.base + level) : 0u;
    part_level[part] = level;
    part_bytes[part] = words * SUM_BYTES;
    part_word[part] = word;
    part_rest[part] = some && word < words ? words - word : 0u;
}

void find_parts(uint tile, bool some)
{
    const uint word = (tile * LG_AREA_LANES + lane()) * VECTOR;
    find_part(0u, 0u, word, some && STAGE == LG_RIPMAP_SAMPLES);
    find_part(1u, 1u, word / 2u, some && PIXELS > 1u);
    find_part(2u, 2u, word / 4u, some && PIXELS > 2u);
    const uint level = lane() < LG_AREA_LANES - 1u ? 4u - findMSB(31u - lane()) : 0u;
    const uint within = lane() - (LG_AREA_LANES - (LG_AREA_LANES >> level));
    const uint node = (tile * LG_AREA_LANES >> (level + 1u)) + within;
    find_part(3u, STEPS + 1u + level, node * CHANNELS, some && lane() < LG_AREA_LANES - 1u);
}

// The addresses of the parts of a row of a level of axis 1; the next row is part_bytes behind.
struct places {
    uvec2 at[PARTS];
};

places places_of(uint level_y, uint y)
{
    places to;
    [[unroll]] for (uint part = 0u; part < PARTS; part++)
        to.at[part] = lg_add64(lg_add64(block_at[8u * level_y + part_level[part]],
                                        lg_mul64(y, uvec2(part_bytes[part], 0u))),
                               lg_mul64(SUM_BYTES, uvec2(part_word[part], 0u)));
    return to;
}

void next_row(inout places to)
{
    [[unroll]] for (uint part = 0u; part < PARTS; part++)
        to.at[part] = lg_add64(to.at[part], uvec2(part_bytes[part], 0u));
}

// Writes up to `count` words, as many as the row has.
void write_part(uvec2 to, uint part, uint from, uint count)
{
    const uint rest = part_rest[part];
    if (rest == 0u)
        return;
    SUM s[4];
    [[unroll]] for (uint k = 0u; k < count; k++)
        s[k] = row[from + k];
    if (count == 4u && count <= rest && (to.x & 15u) == 0u) {
        write_vector(to, s);
    } else if (count == 2u && count <= rest && (to.x & (2u * SUM_BYTES - 1u)) == 0u) {
        write_pair(to, s);
    } else {
        [[unroll]] for (uint k = 0u; k < count; k++)
            if (k < rest)
                sum_memory(to).at[k] = s[k];
    }
}

// Row y of a level of axis 1, if it exists.
void write_row(places to, uint level_y, uint y)
{
    if (y >= p.height >> level_y)
        return;
    if (level_y > 0u || p.write_first != 0u)
        write_part(to.at[0], 0u, 0u, VECTOR);
    if (PIXELS > 1u)
        write_part(to.at[1], 1u, 4u, 2u);
    if (PIXELS > 2u)
        write_part(to.at[2], 2u, 6u, 1u);
    write_part(to.at[3], 3u, ABOVE_VECTOR, CHANNELS);
}

// ---- tiles ----

SUM kept[ROW_LEVELS * 8u]; // per level of axis 1, the row that has no partner yet

void keep(uint level)
{
    [[unroll]] for (uint k = 0u; k < 8u; k++)
        kept[8u * level + k] = row[k];
}

void join_kept(uint level)
{
    [[unroll]] for (uint k = 0u; k < 8u; k++)
        row[k] = join(kept[8u * level + k], row[k]);
}

void pair_batch(uint x, uint y)
{
    places first = places_of(0u, y), second = places_of(1u, y >> 1);
    if (STAGE == LG_RIPMAP_SAMPLES)
        load_samples(x, y);
    [[unroll]] for (uint r = 0u; r < LG_RIPMAP_BATCH; r++) {
        take_row(x, y, r);
        make_levels();
        write_row(first, 0u, y + r);
        next_row(first);
        if ((r & 1u) == 0u) {
            keep(0u);
            continue;
        }
        join_kept(0u);
        write_row(second, 1u, (y + r) >> 1);
        next_row(second);
        if ((r & 2u) == 0u) {
            keep(1u);
            continue;
        }
        join_kept(1u);
        write_row(places_of(2u, (y + r) >> 2), 2u, (y + r) >> 2);
        if ((r & 4u) == 0u) {
            keep(2u);
            continue;
        }
        join_kept(2u);
        write_row(places_of(3u, (y + r) >> 3), 3u, (y + r) >> 3);
    }
}

void pair_tile()
{
    const uint number =
        p.first + gl_WorkGroupID.x * GROUPS + group() - layer() * p.layer_groups * GROUPS;
    const bool some = number < p.tiles;
    const uint tile = number % p.tiles_x, top = some ? number / p.tiles_x * ROWS : p.height;
    keep_blocks();
    find_parts(tile, some);
    const uint x = (tile * LG_AREA_LANES + lane()) * VECTOR;
    pair_batch(x, top);
    if (BATCHES == 1u)
        return;
    keep(3u);
    pair_batch(x, top + LG_RIPMAP_BATCH);
    join_kept(3u);
    write_row(places_of(4u, top >> 4), 4u, top >> 4);
}

// ---- columns ----

// Word `word` of row `row` of a block, `level` levels along the joined axis.
uvec2 column_at(uint level_x, uint level, uint row, uint words, uint word)
{
    return uvec2(sum_entry(block_number(level_x + p.levels_x * p.level_y + p.next_block * level),
                           lg_add64(lg_mul64(row, uvec2(words, 0u)), uvec2(word, 0u))));
}

void pair_blocks()
{
    const uint level_x = p.level_x + gl_WorkGroupID.y, word = p.first + gl_GlobalInvocationID.x;
    const uint words = words_of(level_x) * p.rows;
    const uint number = p.first_column + gl_WorkGroupID.z;
    const uint of_layer = number < p.layer_groups ? 0u : number / p.layer_groups;
    const uint top = (number - of_layer * p.layer_groups) * LG_RIPMAP_COLUMN;
    if (word >= words)
        return;
    SUM column[LG_RIPMAP_COLUMN];
    uvec2 step = lg_mul64(SUM_BYTES, uvec2(words, 0u));
    uint rows = p.extent >> p.base;
    uvec2 at = column_at(level_x, p.base, of_layer * rows + top, words, word);
    [[unroll]] for (uint r = 0u; r < LG_RIPMAP_COLUMN; r++) {
        column[r] = top + r < rows ? sum_memory(at).at[0] : SUM_ZERO;
        at = lg_add64(at, step);
    }
    [[unroll]] for (uint l = 1u; l <= LG_RIPMAP_COLUMN_LEVELS; l++) {
        if (p.base + l >= p.levels)
            return;
        rows /= 2u;
        const uint start = top >> l;
        at = column_at(level_x, p.base + l, of_layer * rows + start, words, word);
        [[unroll]] for (uint r = 0u; r < LG_RIPMAP_COLUMN >> l; r++) {
            column[r] = join(column[2u * r], column[2u * r + 1u]);
            if (start + r < rows)
                sum_memory(at).at[0] = column[r];
            at = lg_add64(at, step);
        }
    }
}

void main()
{
    if (STAGE == LG_RIPMAP_COLUMNS)
        pair_blocks();
    else
        pair_tile();
}
