// Summed-area tables of the layers of an array, in tiles.
//
// A tile stands in shared memory. Rows are cut into segments of 32 elements of one channel: a thread sums one
// serially, in place. With the sum before each segment, the carry, a thread sums COLUMN rows of a column:
// once for what comes below, and, when the sum above is known, once more for the entries. Carries are added
// from left to right and from above, as the definition of plain tables of floats wants; integers do not mind.
//
// CHAINED: one pass. A tile waits for the carries of the tiles on its left and above it. Tiles are numbered
// by a counter, so that those it waits for were begun before. Every word of a carry has 16 bits and a mark,
// hence nothing depends on the order in which words become visible; who has read a word zeroes it for the
// next time. Who has waited in vain, on a device that does not let workgroups run side by side, says so and
// goes on: the caller takes the passes. There are three of them, with all carries in memory: ROW_SUMS,
// COLUMN_SUMS, ENTRIES.
#version 460
//@variant areasum_table_u32
//@variant areasum_table_u64 -DSUM_WIDE
//@variant areasum_table_f32 -DSUM_FLOAT
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/areasum/areasum_sums.glsl"

layout(constant_id = 4) const uint SEGMENTS = 4; // of a row of a tile, a multiple of the channels
layout(constant_id = 5) const uint BANDS = 1;
layout(constant_id = 6) const uint COLUMN = 32; // rows of a band
layout(constant_id = 7) const uint PASS = 0;

const uint CHAINED = 0u, ROW_SUMS = 1u, COLUMN_SUMS = 2u, ENTRIES = 3u;
const uint BLOCK = 32u;
const uint WIDTH = BLOCK * SEGMENTS, ROWS = COLUMN * BANDS; // of a tile, in samples
const uint STRIDE = WIDTH + 1u; // so that the threads of neighbouring rows use other banks

layout(push_constant, scalar) uniform parameters {
    uvec2 data, layer_stride;        // multiples of 16
    uvec2 table, table_layer_stride; // bytes
    uvec2 carries;                   // CHAINED: the counter and 15 words, then records; else of rows
    uvec2 column_carries;
    uvec2 largest;              // word: bits of the largest finite magnitude
    uvec2 trouble;              // word: 1 when a wait was in vain
    uint row_stride, table_row; // bytes
    uint width, height;         // samples of a row, rows
    uint tiles_x, tiles_y;
    uint band;    // rows of tiles that advance side by side
    uint first;   // tile of the first workgroup; in the order of the counter, unless CHAINED
    uint tickets; // in all
    uint above;
    int fraction;
} p;

shared uint low[ROWS * STRIDE];
#ifdef SUM_WIDE
shared uint high[ROWS * STRIDE];
#endif
shared SUM before[ROWS * SEGMENTS]; // a segment: its sum, then the carry before it
shared SUM bands[BANDS * WIDTH];    // likewise of columns
shared uint turn;

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

// ---- carries from tile to tile ----

#ifdef SUM_WIDE
#define HALVES uvec4
#define HALVES_ALIGN 16
#else
#define HALVES uvec2
#define HALVES_ALIGN 8
#endif
layout(buffer_reference, scalar, buffer_reference_align = HALVES_ALIGN)
    coherent volatile buffer carry_memory {
    HALVES halves;
};
const uint MARK = 0x80000000u;
const uint PATIENCE = 1u << 22; // looks: seconds
const uint ROW_CARRIES = ROWS * CHANNELS, RECORD = ROW_CARRIES + WIDTH;

carry_memory carry_at(uint tile, uint index)
{
    const uvec2 number = lg_add64(lg_mul64(tile, uvec2(RECORD, 0u)), uvec2(index + 8u / SUM_WORDS, 0u));
    return carry_memory(lg_add64(p.carries, lg_mul64(8u * SUM_WORDS, number)));
}

void publish(uint tile, uint index, SUM s)
{
    carry_at(tile, index).halves = sum_halves(s) | MARK;
}

SUM wait(uint tile, uint index)
{
    carry_memory there = carry_at(tile, index);
    HALVES h = there.halves;
    for (uint i = 0u; i < PATIENCE && any(lessThan(h, HALVES(MARK))); i++)
        h = there.halves;
    if (any(lessThan(h, HALVES(MARK)))) // there are devices that end long loops
        lg_words_shared(p.trouble).at[0] = 1u;
    there.halves = HALVES(0u);
    return sum_of_halves(h);
}

// ---- where the workgroup is ----

struct place {
    uint layer, x, y; // in tiles
    uint tile;        // in all
};

place place_of(uint layer, uint x, uint y)
{
    return place(layer, x, y, (layer * p.tiles_y + y) * p.tiles_x + x);
}

// Rows of tiles advance in bands, each row one tile behind the row above.
bool take_turn(out place at)
{
    if (gl_LocalInvocationIndex == 0u) {
        turn = atomicAdd(lg_words_shared(p.carries).at[0], 1u);
        if (turn == p.tickets - 1u) // nobody comes after this one
            atomicExchange(lg_words_shared(p.carries).at[0], 0u);
    }
    barrier();
    const uint steps = p.tiles_x + p.band - 1u, of_band = steps * p.band;
    const uint bands_of_layer = (p.tiles_y + p.band - 1u) / p.band;
    const uint number = turn / of_band, within = turn % of_band;
    const uint row = within % p.band, step = within / p.band;
    const uint y = number % bands_of_layer * p.band + row;
    at = place_of(number / bands_of_layer, step - row, y);
    return step >= row && step - row < p.tiles_x && y < p.tiles_y;
}

place fixed_place()
{
    const uint tile = p.first + gl_WorkGroupID.x, of_layer = p.tiles_x * p.tiles_y;
    const uint layer = tile / of_layer, y = tile % of_layer / p.tiles_x;
    return place_of(layer, tile % p.tiles_x, y);
}

// ---- the steps ----

const uint VECTOR = 16u / SAMPLE_BYTES;  // samples
const uint ROW_VECTORS = WIDTH / VECTOR; // of a tile
const uint LOADS = (ROWS * ROW_VECTORS + BLOCK * SEGMENTS * BANDS - 1u) / (BLOCK * SEGMENTS * BANDS);

void load_tile(place at)
{
    sample_rule rule = sample_rule(p.above, p.fraction, 0u);
    if (is_float() && SUM_WORDS == 2u && (OPERATION == VALUE || OPERATION == SQUARE))
        rule.largest = lg_words(p.largest).at[0];
    const uvec2 layer = lg_add64(p.data, lg_mul64(at.layer, p.layer_stride));
    uvec4 v[LOADS];
    [[unroll]] for (uint k = 0u; k < LOADS; k++) {
        const uint number = k * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
        const uint row = number / ROW_VECTORS, column = number % ROW_VECTORS * VECTOR;
        const uint y = at.y * ROWS + row, x = at.x * WIDTH + column;
        v[k] = uvec4(0u);
        if (row < ROWS && y < p.height && x < p.width) {
            const uvec2 start = lg_add64(layer, lg_mul64(y, uvec2(p.row_stride, 0u)));
            v[k] = lg_vectors(lg_add64(start, lg_mul64(x, uvec2(SAMPLE_BYTES, 0u)))).at[0];
        }
    }
    [[unroll]] for (uint k = 0u; k < LOADS; k++) {
        const uint number = k * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
        const uint row = number / ROW_VECTORS, column = number % ROW_VECTORS * VECTOR;
        const bool inside = at.y * ROWS + row < p.height;
        if (row < ROWS)
            [[unroll]] for (uint i = 0u; i < VECTOR; i++)
                put(row * STRIDE + column + i,
                    inside && at.x * WIDTH + column + i < p.width
                        ? sample_value(sample_bits(v[k], i), rule)
                        : SUM_ZERO);
    }
}

void sum_segments()
{
    const uint row = gl_LocalInvocationIndex % ROWS, segment = gl_LocalInvocationIndex / ROWS;
    if (segment >= SEGMENTS)
        return;
    const uint first = row * STRIDE + segment / CHANNELS * (BLOCK * CHANNELS) + segment % CHANNELS;
    SUM s = get(first);
    for (uint i = 1u; i < BLOCK; i++) {
        s = sum_add(s, get(first + i * CHANNELS));
        put(first + i * CHANNELS, s);
    }
    before[row * SEGMENTS + segment] = s;
}

// Entry of the carries of rows in memory, of a row's first segment in this tile.
uvec2 row_carry(place at, uint row)
{
    const uint y = (at.layer * p.tiles_y + at.y) * ROWS + row;
    return lg_add64(lg_mul64(y, uvec2(p.tiles_x * SEGMENTS, 0u)), uvec2(at.x * SEGMENTS, 0u));
}

uvec2 column_carry(place at, uint band)
{
    const uint y = (at.layer * p.tiles_y + at.y) * BANDS + band;
    return lg_add64(lg_mul64(y, uvec2(p.tiles_x * WIDTH, 0u)), uvec2(at.x * WIDTH, 0u));
}

void write_row_sums(place at)
{
    for (uint i = gl_LocalInvocationIndex; i < ROWS * SEGMENTS; i += gl_WorkGroupSize.x)
        sum_entry(p.carries, lg_add64(row_carry(at, i / SEGMENTS), uvec2(i % SEGMENTS, 0u))).at[0] =
            before[i];
}

void read_row_carries(place at)
{
    for (uint i = gl_LocalInvocationIndex; i < ROWS * SEGMENTS; i += gl_WorkGroupSize.x)
        before[i] =
            sum_entry(p.carries, lg_add64(row_carry(at, i / SEGMENTS), uvec2(i % SEGMENTS, 0u))).at[0];
}

void chain_rows(place at)
{
    for (uint i = gl_LocalInvocationIndex; i < ROW_CARRIES; i += gl_WorkGroupSize.x) {
        const uint first = i / CHANNELS * SEGMENTS + i % CHANNELS;
        SUM carry = at.x > 0u ? wait(at.tile, i) : SUM_ZERO;
        [[unroll]] for (uint s = 0u; s < SEGMENTS; s += CHANNELS) {
            const SUM own = before[first + s];
            before[first + s] = carry;
            carry = sum_add(carry, own);
        }
        if (at.x + 1u < p.tiles_x)
            publish(at.tile + 1u, i, carry);
    }
}

uint column()
{
    return gl_LocalInvocationIndex % WIDTH;
}

uint band()
{
    return gl_LocalInvocationIndex / WIDTH;
}

// A row's sum up to this thread's column.
SUM row_sum(uint row)
{
    const uint segment = column() / (BLOCK * CHANNELS) * CHANNELS + column() % CHANNELS;
    return sum_add(before[row * SEGMENTS + segment], get(row * STRIDE + column()));
}

void sum_bands()
{
    const uint first = band() * COLUMN;
    SUM s = row_sum(first);
    for (uint i = 1u; i < COLUMN; i++)
        s = sum_add(s, row_sum(first + i));
    bands[gl_LocalInvocationIndex] = s;
}

void chain_columns(place at)
{
    if (band() != 0u)
        return;
    SUM carry = at.y > 0u ? wait(at.tile, ROW_CARRIES + column()) : SUM_ZERO;
    [[unroll]] for (uint b = 0u; b < BANDS; b++) {
        const SUM own = bands[b * WIDTH + column()];
        bands[b * WIDTH + column()] = carry;
        carry = sum_add(carry, own);
    }
    if (at.y + 1u < p.tiles_y)
        publish(at.tile + p.tiles_x, ROW_CARRIES + column(), carry);
}

void write_entries(place at, SUM carry)
{
    const uint x = at.x * WIDTH + column(), first = band() * COLUMN;
    if (x >= p.width)
        return;
    const uint rows = min(COLUMN, p.height - min(p.height, at.y * ROWS + first));
    uvec2 to = lg_add64(p.table, lg_mul64(at.layer, p.table_layer_stride));
    to = lg_add64(to, lg_mul64(at.y * ROWS + first, uvec2(p.table_row, 0u)));
    to = lg_add64(to, lg_mul64(x, uvec2(SUM_BYTES, 0u)));
    SUM s;
    for (uint i = 0u; i < rows; i++) {
        const SUM next = row_sum(first + i);
        s = i == 0u ? next : sum_add(s, next);
        sum_memory(to).at[0] = sum_add(carry, s);
        to = lg_add64(to, uvec2(p.table_row, 0u));
    }
}

void main()
{
    place at;
    if (PASS != CHAINED)
        at = fixed_place();
    else if (!take_turn(at))
        return;
    load_tile(at);
    barrier();
    sum_segments();
    barrier();
    if (PASS == ROW_SUMS) {
        write_row_sums(at);
        return;
    }
    if (PASS == CHAINED)
        chain_rows(at);
    else
        read_row_carries(at);
    barrier();
    if (PASS != ENTRIES)
        sum_bands();
    if (PASS == COLUMN_SUMS) {
        sum_entry(p.column_carries, lg_add64(column_carry(at, band()), uvec2(column(), 0u))).at[0] =
            bands[gl_LocalInvocationIndex];
        return;
    }
    if (PASS == CHAINED) {
        barrier();
        chain_columns(at);
        barrier();
        write_entries(at, bands[gl_LocalInvocationIndex]);
    } else {
        write_entries(at, sum_entry(p.column_carries,
                                    lg_add64(column_carry(at, band()), uvec2(column(), 0u))).at[0]);
    }
}
