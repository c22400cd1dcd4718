// Summed-area ripmaps in two dimensions: all blocks of levels, LEVELS of them along axis 0 and 5 along axis 1
// in a pass.
//
// SAMPLES, NODES: a tile of 2^LEVELS x 32 elements goes to shared memory, from the array or from the block
// of levels (base, 0). Nodes of all levels of axis 0 follow it in each row. Then every column, of every
// level, is a thread's, which pairs its rows up in registers. COLUMNS: the columns of the blocks of level
// `base` of axis 1 are paired up alike. That is the order of the definition: axis 0 first, then axis 1 for
// all levels of axis 0.
#version 460
//@variant areasum_ripmap_u32
//@variant areasum_ripmap_u64 -DSUM_WIDE
//@variant areasum_ripmap_f32 -DSUM_FLOAT
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/areasum/areasum_sums.glsl"

layout(constant_id = 4) const uint LEVELS = 6;
layout(constant_id = 5) const uint STAGE = 0;

const uint SAMPLES = 0u, NODES = 1u, COLUMNS = 2u;
const uint ROWS = 32u, ROW_LEVELS = 5u;
const uint SIDE = (1u << LEVELS) * CHANNELS; // words of a row of a tile
const uint STRIDE = 2u * SIDE;               // with the nodes above

layout(push_constant, scalar) uniform parameters {
    uvec2 data;
    uvec2 blocks; // addresses of the blocks of levels (l0, l1) at [l0 + levels_x * l1]
    uint row_stride;       // bytes; SAMPLES
    uint width, height;    // elements of the array
    uint levels_x, levels_y;
    uint base;             // level of what is read
    uint tiles_x, first;
    uint write_first; // 1: the block of levels (0, 0) is written too
    uint above;
} p;

const uint SHARED = STAGE == COLUMNS ? 1u : ROWS * STRIDE;
shared uint low[SHARED];
#ifdef SUM_WIDE
shared uint high[SHARED];
#endif

SUM get(uint i)
{
#if defined(SUM_WIDE)
    return uvec2(low[i], high[i]);
#elif defined(SUM_FLOAT)
    return uintBitsToFloat(low[i]);
#else
    return low[i];
#endif
}

void put(uint i, SUM s)
{
#if defined(SUM_WIDE)
    low[i] = s.x;
    high[i] = s.y;
#elif defined(SUM_FLOAT)
    low[i] = floatBitsToUint(s);
#else
    low[i] = s;
#endif
}

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

// Word `word` of row `row` of a block whose rows have `words`.
sum_memory node(uint level_x, uint level_y, uint words, uint row, uint word)
{
    const uint index = level_x + p.levels_x * level_y;
    lg_words address = lg_words(lg_add64(p.blocks, uvec2(8u * index, 0u)));
    return sum_entry(uvec2(address.at[0], address.at[1]),
                     lg_add64(lg_mul64(row, uvec2(words, 0u)), uvec2(word, 0u)));
}

// ---- axis 0 ----

const uint VECTOR = 16u / SAMPLE_BYTES;
const uint ROW_VECTORS = SIDE / VECTOR; // of a tile: at least 16 samples

void load_samples(uint left, uint top)
{
    sample_rule rule = sample_rule(p.above, 0, 0u);
    for (uint i = gl_LocalInvocationIndex; i < ROWS * ROW_VECTORS; i += gl_WorkGroupSize.x) {
        const uint row = i / ROW_VECTORS, column = i % ROW_VECTORS * VECTOR;
        const uint x = left * CHANNELS + column, y = top + row;
        uvec4 v = uvec4(0u);
        if (y < p.height && x < p.width * CHANNELS) {
            const uvec2 start = lg_add64(p.data, lg_mul64(y, uvec2(p.row_stride, 0u)));
            v = lg_vectors(lg_add64(start, lg_mul64(x, uvec2(SAMPLE_BYTES, 0u)))).at[0];
        }
        [[unroll]] for (uint k = 0u; k < VECTOR; k++)
            put(row * STRIDE + column + k, sample_value(sample_bits(v, k), rule));
    }
}

void load_nodes(uint left, uint top)
{
    const uint words = (p.width >> p.base) * CHANNELS;
    for (uint i = gl_LocalInvocationIndex; i < ROWS * SIDE; i += gl_WorkGroupSize.x) {
        const uint row = i / SIDE, column = i % SIDE, x = left * CHANNELS + column, y = top + row;
        SUM s = SUM_ZERO;
        if (y < p.height && x < words)
            s = node(p.base, 0u, words, y, x).at[0];
        put(row * STRIDE + column, s);
    }
}

void pair_columns()
{
    uint from = 0u, to = SIDE, words = SIDE / 2u;
    for (uint l = 0u; l < LEVELS; l++) {
        barrier();
        for (uint i = gl_LocalInvocationIndex; i < ROWS * words; i += gl_WorkGroupSize.x) {
            const uint row = i / words, k = i % words;
            const uint first = row * STRIDE + from + k / CHANNELS * 2u * CHANNELS + k % CHANNELS;
            put(row * STRIDE + to + k, join(get(first), get(first + CHANNELS)));
        }
        from = to;
        to += words;
        words /= 2u;
    }
    barrier();
}

// ---- axis 1 ----

SUM column[ROWS];

// Writes a column and what its rows pair up to; those below level `first_written` are there.
void pair_rows(uint level_x, uint level_y, uint word, uint top, uint first_written)
{
    const uint words = (p.width >> level_x) * CHANNELS;
    [[unroll]] for (uint l = 0u; l <= ROW_LEVELS; l++) {
        const uint level = level_y + l, rows = p.height >> level, start = top >> l;
        if (level < p.levels_y && l >= first_written && level_x < p.levels_x && word < words) {
            [[unroll]] for (uint r = 0u; r < ROWS >> l; r++)
                if (start + r < rows)
                    node(level_x, level, words, start + r, word).at[0] = column[r];
        }
        [[unroll]] for (uint r = 0u; r < ROWS >> (l + 1u); r++)
            column[r] = join(column[2u * r], column[2u * r + 1u]);
    }
}

void pair_tile()
{
    const uint tile = p.first + gl_WorkGroupID.x;
    const uint left = (tile % p.tiles_x) << LEVELS, top = tile / p.tiles_x * ROWS;
    if (STAGE == SAMPLES)
        load_samples(left, top);
    else
        load_nodes(left, top);
    pair_columns();
    // Levels of axis 0 lie side by side, each half as wide as the one before.
    const uint place = gl_LocalInvocationIndex / CHANNELS, rest = (2u << LEVELS) - place;
    if (rest < 2u || place >= 2u << LEVELS)
        return;
    const uint l = LEVELS - uint(findMSB(rest - 1u));
    const uint within = place - ((2u << LEVELS) - ((2u << LEVELS) >> l));
    const uint word = ((left >> l) + within) * CHANNELS + gl_LocalInvocationIndex % CHANNELS;
    [[unroll]] for (uint r = 0u; r < ROWS; r++)
        column[r] = get(r * STRIDE + gl_LocalInvocationIndex);
    const uint there = STAGE == NODES ? ROW_LEVELS + 1u : 1u - p.write_first;
    pair_rows(p.base + l, 0u, word, top, l == 0u ? there : 0u);
}

void pair_blocks()
{
    const uint level = gl_WorkGroupID.y, word = gl_GlobalInvocationID.x;
    const uint words = (p.width >> level) * CHANNELS, rows = p.height >> p.base;
    if (word >= words)
        return;
    const uint top = gl_WorkGroupID.z * ROWS;
    [[unroll]] for (uint r = 0u; r < ROWS; r++)
        column[r] = top + r < rows ? node(level, p.base, words, top + r, word).at[0] : SUM_ZERO;
    pair_rows(level, p.base, word, top, 1u);
}

void main()
{
    if (STAGE == COLUMNS)
        pair_blocks();
    else
        pair_tile();
}
