// Summed-area tables of the layers of an array, in tiles.
//
// A row of a tile belongs to 32 lanes, each with the samples of a vector of it; a thread has EACH rows. Sums
// along a row are formed by halves, within the vector and from lane to lane, and stay in registers: 16 bits
// each where samples are small (LOCAL_PACKED), 32 where that will do (LOCAL_NARROW). They get the sum before
// the tile. Sums down a column are formed in the thread, over the threads of the tile, then get what is above
// the tile. The order of these additions is the definition of plain tables of floats; integers do not mind.
//
// CHAINED: one pass. What is before a tile comes from the tiles on its left and above it, which each say
// first what they add themselves, and later what is up to and with them: who looks back adds the former to
// the nearest of the latter. Tiles are numbered by a counter, so that those it waits for were begun before.
// Every word of a carry has 16 bits, the number of the run and its state, hence nothing depends on the
// order in which words become visible, and nothing has to be cleared. Who has waited in vain, on a device
// that does not let workgroups run side by side, says so and goes on: the caller takes the passes. There
// are three of them, with all carries in memory: ROW_SUMS, COLUMN_SUMS, ENTRIES.
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

layout(constant_id = 5) const uint DEPTH = 4;  // tiles that one look back takes in
layout(constant_id = 7) const uint PASS = 0;
layout(constant_id = 8) const uint EACH = 8; // rows of a thread

#ifdef SUM_WIDE
#define LOW_WORD(s) ((s).x)
#else
#define LOW_WORD(s) (s)
#endif

const uint CHAINED = 0u, ROW_SUMS = 1u, COLUMN_SUMS = 2u, ENTRIES = 3u;
const uint LAST = VECTOR - CHANNELS;          // the last pixel
const uint WIDTH = LANES * VECTOR, ROWS = EACH * GROUPS; // of a tile, in samples

layout(push_constant, scalar) uniform parameters {
    uvec2 data, layer_stride;        // multiples of 16
    uvec2 table, table_layer_stride; // bytes
    uvec2 carries;                   // CHAINED: a header, then records; else of rows
    uvec2 column_carries;
    uvec2 largest;              // word: bits of the largest finite magnitude
    uvec2 trouble;              // word: 1 when a wait was in vain
    uint row_stride, table_row; // bytes
    uint width, height;         // samples of a row, rows
    uint tiles_x, tiles_y;
    uint tile_rows; // of all layers
    uint advance;   // rows of tiles that advance side by side
    uint first;     // tile of the first workgroup; in the order of the counter, unless CHAINED
    uint tickets;   // in all
    uint room;      // behind `carries`, in vectors of 16 bytes
    uint above;
    int fraction;
} p;

// ---- sums within a row of a tile ----

#if defined(SUM_WIDE) && !defined(LOCAL_NARROW) && !defined(LOCAL_PACKED)
#define LOCAL uvec2
#elif defined(SUM_FLOAT)
#define LOCAL float
#else
#define LOCAL uint
#endif

LOCAL add_local(LOCAL a, LOCAL b)
{
#if defined(SUM_WIDE) && !defined(LOCAL_NARROW) && !defined(LOCAL_PACKED)
    return lg_add64(a, b);
#else
    precise LOCAL s = a + b;
    return s;
#endif
}

#ifdef LOCAL_PACKED
uint even[EACH], odd[EACH]; // sums of samples 0 and 2, 1 and 3

SUM row_sum(uint r, uint k)
{
    const uint s = ((k & 1u) == 0u ? even[r] : odd[r]) >> (8u * (k & 2u)) & 0xffffu;
#ifdef SUM_WIDE
    return uvec2(s, 0u);
#else
    return s;
#endif
}
#else
LOCAL v[EACH * 4u];

SUM row_sum(uint r, uint k)
{
#ifdef LOCAL_NARROW
    return uvec2(v[4u * r + k], 0u);
#else
    return v[4u * r + k];
#endif
}
#endif

shared LOCAL swapped[SHUFFLED < LANES ? LANES * GROUPS : 1u];
shared SUM row_sums[ROWS * CHANNELS]; // of a tile's rows, then what is before them
shared SUM within[GROUPS * WIDTH];    // sums of a group of rows, then of the groups above it
shared SUM above_tile[WIDTH];
shared uint turn, run;

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
const uint OWN = 1u, WHOLE = 2u; // states: what a tile adds, what is up to and with it
const uint PATIENCE = 1u << 22;  // looks: seconds
const uint TAKEN = 0u, FINISHED = 1u, RUN = 2u, HEADER = 16u; // words of the header
const uint RUNS = 1u << 14;
const uint ROW_CARRIES = ROWS * CHANNELS, RECORD = ROW_CARRIES + WIDTH;

carry_memory carry_at(uint tile, uint index)
{
    const uvec2 number = lg_add64(lg_mul64(tile, uvec2(RECORD, 0u)), uvec2(index + HEADER / (2u * SUM_WORDS), 0u));
    return carry_memory(lg_add64(p.carries, lg_mul64(8u * SUM_WORDS, number)));
}

void publish(uint tile, uint index, SUM s, uint state)
{
    carry_at(tile, index).halves = sum_halves(s) | (run << 2 | state) << 16;
}

bool is_in_state(HALVES h, uint state)
{
    return all(equal(h >> 16, HALVES(run << 2 | state)));
}

// What is before a tile: `step` tiles back is the nearest of the `count` before it.
SUM look_back(uint tile, uint step, uint count, uint index)
{
    for (uint i = 0u; i < PATIENCE; i++) {
        HALVES h[DEPTH];
        [[unroll]] for (uint k = 0u; k < DEPTH; k++)
            h[k] = k < count ? carry_at(tile - (k + 1u) * step, index).halves : HALVES(0u);
        bool found = false;
        SUM sum = SUM_ZERO;
        [[unroll]] for (int k = int(DEPTH) - 1; k >= 0; k--) {
            const SUM s = sum_of_halves(h[k] & 0xffffu);
            if (is_in_state(h[k], WHOLE)) {
                found = true;
                sum = s;
            } else {
                found = found && is_in_state(h[k], OWN);
                sum = sum_add(sum, s);
            }
        }
        if (found)
            return sum;
    }
    lg_words_shared(p.trouble).at[0] = 1u;
    return SUM_ZERO;
}

// Says what a tile adds to a line of `count` tiles before it and, if `more`, others behind; returns what is before.
SUM chain(uint tile, uint step, uint count, bool more, uint index, SUM own)
{
    SUM before = SUM_ZERO;
    if (count > 0u) {
        if (more)
            publish(tile, index, own, OWN);
        before = look_back(tile, step, count, index);
    }
    if (more)
        publish(tile, index, sum_add(before, own), WHOLE);
    return before;
}

// ---- where the workgroup is ----

struct place {
    uint layer, x, y; // in tiles
    uint tile;        // in all
};

place place_of(uint tile_row, uint x)
{
    return place(tile_row / p.tiles_y, x, tile_row % p.tiles_y, tile_row * p.tiles_x + x);
}

// Rows of tiles advance side by side, each one tile behind the row above; a row that has come to its end
// goes on with the one `advance` rows below. False: there is nothing to do.
bool take_turn(out place at)
{
    lg_words_shared header = lg_words_shared(p.carries);
    if (gl_LocalInvocationIndex == 0u) {
        turn = atomicAdd(header.at[TAKEN], 1u);
        run = header.at[RUN];
    }
    barrier();
    const uint row = turn % p.advance, step = turn / p.advance;
    const uint along = step < row ? 0u : step - row;
    const uint tile_row = along / p.tiles_x * p.advance + row;
    at = place_of(tile_row, along % p.tiles_x);
    return step >= row && tile_row < p.tile_rows;
}

// The last one to finish begins the next run; the numbers of runs come again only after all words are gone.
void finish_turn()
{
    lg_words_shared header = lg_words_shared(p.carries);
    if (gl_LocalInvocationIndex != 0u || atomicAdd(header.at[FINISHED], 1u) != p.tickets - 1u)
        return;
    header.at[TAKEN] = header.at[FINISHED] = 0u;
    header.at[RUN] = (run + 1u) % RUNS;
    if (run + 1u < RUNS)
        return;
    for (uint i = HEADER / 4u; i < p.room;)
        for (const uint end = min(i + 32768u, p.room); i < end; i++)
            word_vectors(lg_add64(p.carries, lg_mul64(16u, uvec2(i, 0u)))).at[0] = uvec4(0u);
}

place fixed_place()
{
    const uint tile = p.first + gl_WorkGroupID.x;
    return place_of(tile / p.tiles_x, tile % p.tiles_x);
}

// ---- the steps ----

void keep_samples(uint r, uvec4 vector, sample_rule rule)
{
#if defined(LOCAL_PACKED)
    if (TYPE == U8 && OPERATION == VALUE) {
        even[r] = vector.x & 0xff00ffu;
        odd[r] = vector.x >> 8 & 0xff00ffu;
        return;
    }
    uint bits[4] = {0u, 0u, 0u, 0u};
    [[unroll]] for (uint k = 0u; k < VECTOR; k++)
        bits[k] = LOW_WORD(sample_value(sample_bits(vector, k), rule));
    even[r] = bits[0] | bits[2] << 16;
    odd[r] = bits[1] | bits[3] << 16;
#else
    [[unroll]] for (uint k = 0u; k < VECTOR; k++)
#ifdef LOCAL_NARROW
        v[4u * r + k] = sample_value(sample_bits(vector, k), rule).x;
#else
        v[4u * r + k] = sample_value(sample_bits(vector, k), rule);
#endif
#endif
}

uvec4 samples[EACH]; // of this thread

void load_tile(place at)
{
    const uint x = at.x * WIDTH + lane() * VECTOR, first = at.y * ROWS + group() * EACH;
    const uvec2 layer = lg_add64(p.data, lg_mul64(at.layer, p.layer_stride));
    // What is not in the array comes behind all that is.
    [[unroll]] for (uint r = 0u; r < EACH; r++) {
        const uint y = min(first + r, p.height - 1u);
        const uvec2 row = lg_add64(layer, lg_mul64(y, uvec2(p.row_stride, 0u)));
        samples[r] = x < p.width ? load_vector(row, x) : uvec4(0u);
    }
}

void keep_tile()
{
    sample_rule rule = sample_rule(p.above, p.fraction, 0u);
    if (is_float() && SUM_WORDS == 2u && (OPERATION == VALUE || OPERATION == SQUARE))
        rule.largest = lg_words(p.largest).at[0];
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        keep_samples(r, samples[r], rule);
}

// Another lane's s; lanes exchange within blocks of 2 distance.
LOCAL from_lane(LOCAL s, uint source, uint distance)
{
    if (2u * distance <= SHUFFLED)
        return subgroupShuffle(s, gl_SubgroupInvocationID - lane() % SHUFFLED + source % SHUFFLED);
    barrier();
    swapped[thread()] = s;
    barrier();
    return swapped[group() * LANES + source];
}

// The lane with the last sum of the lower half, for lanes of an upper one.
uint lower_lane(uint distance)
{
    return (lane() & distance) != 0u ? (lane() & ~(distance - 1u)) - 1u : lane();
}

// Sums over the lanes up to and with this one.
LOCAL sum_lanes(LOCAL s)
{
    [[unroll]] for (uint distance = 1u; distance < LANES; distance *= 2u) {
        const LOCAL lower = from_lane(s, lower_lane(distance), distance);
        s = (lane() & distance) != 0u ? add_local(lower, s) : s;
    }
    return s;
}

void keep_row_sum(uint r, uint channel, SUM s)
{
    if (lane() == LANES - 1u && channel < CHANNELS)
        row_sums[(group() * EACH + r) * CHANNELS + channel] = s;
}

#ifdef LOCAL_PACKED

SUM low_half(uint s)
{
#ifdef SUM_WIDE
    return uvec2(s & 0xffffu, 0u);
#else
    return s & 0xffffu;
#endif
}

// Two sums of a row, or of two rows, go from lane to lane at once; 128 samples leave room in 16 bits.
void sum_rows()
{
    [[unroll]] for (uint r = 0u; r < EACH; r++) {
        if (CHANNELS == 1u) {
            odd[r] += even[r]; // pixels 0 + 1, 2 + 3
            const uint half_sum = odd[r] << 16;
            even[r] += half_sum;
            odd[r] += half_sum;
        } else if (CHANNELS == 2u) {
            even[r] += even[r] << 16;
            odd[r] += odd[r] << 16;
        }
    }
    [[unroll]] for (uint r = 0u; r < EACH; r += 2u) {
        if (CHANNELS == 1u) {
            const uint own = odd[r] >> 16 | (odd[r + 1u] & 0xffff0000u);
            const uint up_to = sum_lanes(own), before = up_to - own;
            const uint first = (before & 0xffffu) * 0x10001u, second = (before >> 16) * 0x10001u;
            even[r] += first;
            odd[r] += first;
            even[r + 1u] += second;
            odd[r + 1u] += second;
            keep_row_sum(r, 0u, low_half(up_to));
            keep_row_sum(r + 1u, 0u, low_half(up_to >> 16));
            continue;
        }
        [[unroll]] for (uint i = r; i < r + 2u; i++) {
            if (CHANNELS == 2u) {
                const uint own = even[i] >> 16 | (odd[i] & 0xffff0000u);
                const uint up_to = sum_lanes(own), before = up_to - own;
                even[i] += (before & 0xffffu) * 0x10001u;
                odd[i] += (before >> 16) * 0x10001u;
                keep_row_sum(i, 0u, low_half(up_to));
                keep_row_sum(i, 1u, low_half(up_to >> 16));
            } else {
                even[i] = sum_lanes(even[i]);
                odd[i] = sum_lanes(odd[i]);
                keep_row_sum(i, 0u, low_half(even[i]));
                keep_row_sum(i, 1u, low_half(odd[i]));
                keep_row_sum(i, 2u, low_half(even[i] >> 16));
                keep_row_sum(i, 3u, low_half(odd[i] >> 16));
            }
        }
    }
}

#else

void sum_vector(uint at)
{
    if (PIXELS > 1u)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            v[at + CHANNELS + c] = add_local(v[at + c], v[at + CHANNELS + c]);
    if (PIXELS == 4u) {
        v[at + 3u] = add_local(v[at + 2u], v[at + 3u]);
        v[at + 2u] = add_local(v[at + 1u], v[at + 2u]);
        v[at + 3u] = add_local(v[at + 1u], v[at + 3u]);
    }
}

// By halves: what is in an upper half gets the last sum of the lower one. Of integers only the last sum of a
// vector goes from lane to lane.
void sum_rows()
{
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        sum_vector(4u * r);
#ifdef SUM_FLOAT
    [[unroll]] for (uint distance = 1u; distance < LANES; distance *= 2u)
        [[unroll]] for (uint r = 0u; r < EACH; r++)
            [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
                const float lower = from_lane(v[4u * r + LAST + c], lower_lane(distance), distance);
                [[unroll]] for (uint k = 4u * r + c; k < 4u * r + VECTOR; k += CHANNELS)
                    v[k] = (lane() & distance) != 0u ? add_local(lower, v[k]) : v[k];
            }
#else
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
            const LOCAL own = v[4u * r + LAST + c], up_to = sum_lanes(own);
#if defined(SUM_WIDE) && !defined(LOCAL_NARROW)
            const LOCAL before = lg_add64(up_to, negative64(own));
#else
            const LOCAL before = up_to - own;
#endif
            [[unroll]] for (uint k = 4u * r + c; k < 4u * r + VECTOR; k += CHANNELS)
                v[k] = add_local(before, v[k]);
        }
#endif
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            keep_row_sum(r, c, row_sum(r, LAST + c));
}

#endif

// Entry of the carries of rows in memory; there are CHANNELS of a tile.
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
        if (PASS == CHAINED) {
            row_sums[i] = chain(at.tile, 1u, at.x, at.x + 1u < p.tiles_x, i, row_sums[i]);
            continue;
        }
        sum_memory there =
            sum_entry(p.carries, lg_add64(row_carry(at, i / CHANNELS), uvec2(i % CHANNELS, 0u)));
        if (PASS == ROW_SUMS)
            there.at[0] = row_sums[i];
        else
            row_sums[i] = there.at[0];
    }
}

// What the k-th column of a row of the thread adds to the entries below it.
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
        if (PASS == CHAINED) {
            above_tile[x] = chain(at.tile, p.tiles_x, at.y, at.y + 1u < p.tiles_y, ROW_CARRIES + x, sum);
            continue;
        }
        sum_memory there = sum_entry(p.column_carries, lg_add64(column_carry(at), uvec2(x, 0u)));
        if (PASS == COLUMN_SUMS)
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

// No workgroup leaves before a barrier, even if `some` is false: with returns the kernel took 126 registers in
// place of 79 on one driver.
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
    if (PASS == ROW_SUMS)
        return;
    barrier();
    if (some)
        sum_columns();
    barrier();
    if (some)
        carry_columns(at);
    if (PASS == COLUMN_SUMS)
        return;
    barrier();
    if (some)
        write_entries(at);
}

void main()
{
    if (PASS != CHAINED) {
        make_tile(fixed_place(), true);
        return;
    }
    place at;
    const bool some = take_turn(at);
    make_tile(at, some);
    finish_turn();
}
