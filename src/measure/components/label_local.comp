// Labels, first step: bits of the foreground, and components within tiles. A thread has a word.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_scan.glsl"
#include "measure/components/label_values.glsl"
#include "kernel/types.h"

layout(constant_id = 4) const uint TYPE = 0; // as lg_type

// Parents as 16-bit numbers of runs: a smaller one, or its own for a root. A word has two, since
// shared memory limits the workgroups that a processor runs at once.
shared uint parents[RUNS / 2u];
shared uvec2 words[WORDS];
shared uint starts_kept[VALUES == 0u ? 1u : WORDS];
shared uint component_count;

// ---- the foreground -----------------------------------------------------------------------------
//
// Bytes: the last 7 bits plus rule[0] reach 128, or (rule[1] == 1) and (0) the first bit is set.
// Halfwords: above rule[0]. Floats: not NaN, and as integers of the same order above rule[0], or with
// rule[1] == 1 not zero.

// Four bits.
uint bits_of_bytes(uint v)
{
    const uint sums = (v & 0x7f7f7f7fu) + p.rule[0];
    const uint high = (p.rule[1] != 0u ? v | sums : v & sums) & 0x80808080u;
    return (high >> 7) * 0x01020408u >> 24;
}

bool is_foreground(uint v)
{
    if (TYPE == LG_U16)
        return int(v) > int(p.rule[0]);
    const uint infinity = TYPE == LG_F16 ? 0x7c00u : 0x7f800000u;
    const uint sign = TYPE == LG_F16 ? 0x8000u : 0x80000000u;
    const uint magnitude = v & (sign - 1u);
    if (magnitude > infinity)
        return false;
    if (p.rule[1] != 0u)
        return magnitude != 0u;
    const int key = (v & sign) != 0u ? -1 - int(magnitude) : int(magnitude);
    return key > int(p.rule[0]);
}

uint bits_of_vector(uvec4 v)
{
    uint bits = 0u;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        if (TYPE == LG_U8)
            bits |= (bits_of_bytes(v[i]) & 15u) << (4u * i);
        else if (TYPE == LG_F32)
            bits |= is_foreground(v[i]) ? 1u << i : 0u;
        else
            bits |= (is_foreground(v[i] & 0xffffu) ? 1u << (2u * i) : 0u) |
                    (is_foreground(v[i] >> 16) ? 2u << (2u * i) : 0u);
    }
    return bits;
}

// 32 pixels; behind the row's end anything.
uint load_bits(uvec2 from)
{
    const uint size = TYPE == LG_U8 ? 1u : TYPE == LG_F32 ? 4u : 2u;
    uvec4 v[8];
    [[unroll]] for (uint i = 0u; i < 2u * size; i++)
        v[i] = lg_vectors(from).at[i];
    uint bits = 0u;
    [[unroll]] for (uint i = 0u; i < 2u * size; i++)
        bits |= bits_of_vector(v[i]) << (16u / size * i);
    return bits;
}

// Of the layer; may be beyond it.
uvec3 place_of(tile_place at, uint word)
{
    const uint layer = at.row / p.tiles_y;
    return uvec3(at.x * COLUMNS + word % TILE_WORDS * 32u,
                 (at.row - layer * p.tiles_y) * TILE_ROWS + word / TILE_WORDS, layer);
}

uint foreground_of(uvec3 place)
{
    const uint x = place.x;
    if (x >= p.width || place.y >= p.height)
        return 0u;
    const uint size = TYPE == LG_U8 ? 1u : TYPE == LG_F32 ? 4u : 2u;
    const uint bits = load_bits(lg_add64(row_address(place.z, place.y), uvec2(x * size, 0u)));
    return p.width - x < 32u ? bits & ((1u << (p.width - x)) - 1u) : bits;
}

equals equals_to_row(uvec3 place, uint y)
{
    return equals_of(row_address(place.z, place.y), row_address(place.z, y), place.x);
}

// ---- the forest of a tile -----------------------------------------------------------------------

uint parent_of(uint run)
{
    return parents[run / 2u] >> run % 2u * 16u & 0xffffu;
}

// For a run without a parent yet, or to change it; other threads may change the other half of the
// word.
void change_parent(uint run, uint by)
{
    atomicXor(parents[run / 2u], by << run % 2u * 16u);
}

// Returns the parent before, which stays if it is smaller.
uint lower_parent(uint run, uint to)
{
    const uint shift = run % 2u * 16u;
    uint pair = parents[run / 2u];
    for (;;) {
        const uint before = pair >> shift & 0xffffu;
        if (before <= to)
            return before;
        const uint seen = atomicCompSwap(parents[run / 2u], pair, pair ^ (before ^ to) << shift);
        if (seen == pair)
            return before;
        pair = seen;
    }
}

uint find_here(uint run)
{
    for (uint up = parent_of(run); up < run; up = parent_of(run))
        run = up;
    return run;
}

// As join() of label_forest.glsl.
void join_here(uint a, uint b)
{
    while (a != b) {
        a = find_here(a);
        b = find_here(b);
        if (a == b)
            return;
        const uint larger = max(a, b);
        b = min(a, b);
        a = lower_parent(larger, b);
        if (a >= larger)
            return;
    }
}

// Every run gets its root as its parent, upper rows first. A thread has both runs of a word.
void flatten(uint runs)
{
    for (uint i = thread(); 2u * i < runs; i += WORDS) {
        const uint pair = parents[i];
        parents[i] = find_here(pair & 0xffffu) | find_here(pair >> 16) << 16;
    }
}

// Gives every run a parent on its left or above, if there is one, and removes that link. Only this
// thread writes the parent.
void plant(uvec2 own, uint starts, uvec2 above, uint above_starts, bool continued, inout links l,
           inout bool left)
{
    uint run = own.y;
    for (uint rest = starts; rest != 0u; rest &= rest - 1u, run++) {
        const uint first = rest & (~rest + 1u), bits = run_bits(own.x, starts, first);
        const uint candidates = (l.vertical | l.left | l.right) & bits;
        uint up = run;
        if (candidates != 0u) {
            const uint bit = candidates & (~candidates + 1u);
            up = above.y + bitCount(above_starts & (bit | (bit - 1u)));
            if (((l.vertical | l.left) & bit) != 0u) {
                up--;
                if ((l.vertical & bit) != 0u) {
                    l.vertical ^= bit;
                } else {
                    l.left ^= bit;
                    if (VALUES != 0u && (above_starts & bit) != 0u)
                        up--; // the pixel above has another value
                }
            } else {
                l.right ^= bit;
            }
        } else if (continued && (first & 1u) != 0u) {
            up = run - 1u;
            left = false;
        }
        change_parent(run, up);
    }
}

// The diagonal pixel above has the number of the run that began last, or of the next one.
void join_rest(uvec2 own, uint starts, uvec2 above, uint above_starts, links l, bool left)
{
    if (left)
        join_here(own.y, own.y - 1u);
    for (uint rest = l.vertical | l.left; rest != 0u; rest &= rest - 1u) {
        const uint bit = findLSB(rest);
        uint other = run_number(above, above_starts, bit);
        if (VALUES != 0u && (l.left & above_starts & 1u << bit) != 0u)
            other--; // the pixel above has another value
        join_here(run_number(own, starts, bit), other);
    }
    for (uint rest = l.right; rest != 0u; rest &= rest - 1u) {
        const uint bit = findLSB(rest);
        join_here(run_number(own, starts, bit), run_number(above, above_starts, bit) + 1u);
    }
}

const uint MARKED = 0x8000u; // with the number of the component

// Roots become components of the tile, in any order, and begin the forest across tiles.
void number_components(tile_place at, uint word, uvec2 own, uint starts)
{
    uint run = own.y, roots = 0u;
    for (uint rest = starts; rest != 0u; rest &= rest - 1u, run++)
        roots |= parent_of(run) == run ? rest & (~rest + 1u) : 0u;
    uint component = roots != 0u ? atomicAdd(component_count, bitCount(roots)) : 0u;
    root_places places = tile_roots(at);
    for (uint rest = roots; rest != 0u; rest &= rest - 1u, component++) {
        const uint bit = findLSB(rest), place = 32u * word + bit, pixel = pixel_number(at, place);
        const uint run_of_bit = run_number(own, starts, bit);
        change_parent(run_of_bit, run_of_bit ^ (MARKED | component));
        places.at[RUNS + component] = uint16_t(place);
        plain_words(element(p.labels, pixel, 4u)).at[0] = pixel;
    }
    const uint layer = at.row / p.tiles_y, row = first_row(at.row) + word / TILE_WORDS;
    if (row < (layer + 1u) * p.height) {
        const uint x = at.x * TILE_WORDS + word % TILE_WORDS;
        plain_words(element(p.marks, row * p.segments * 4u + x, 4u)).at[0] = roots;
    }
}

uint component_of(uint v)
{
    return (v >= MARKED ? v : parent_of(v)) & ~MARKED;
}

void write_components(tile_place at, uint runs)
{
    lg_words_shared to = lg_words_shared(uvec2(tile_roots(at)));
    for (uint i = thread(); 2u * i < runs; i += WORDS) {
        const uint pair = parents[i];
        to.at[i] = component_of(pair & 0xffffu) | component_of(pair >> 16) << 16;
    }
}

void main()
{
    const tile_place at = tile_place(gl_WorkGroupID.x, gl_WorkGroupID.y);
    const uint word = thread();
    if (word == 0u) {
        component_count = 0u;
        if (tile_number(at) == 0u)
            plain_words(p.groups).at[TAKEN] = 0u;
    }
    const uvec3 place = place_of(at, word);
    uvec2 own = uvec2(foreground_of(place), 0u);
    uint runs, starts = starts_of(own.x);
    equals in_row = equals(0u, 0u, 0u);
    if (VALUES != 0u && own.x != 0u) {
        in_row = equals_to_row(place, place.y);
        starts = starts_of_values(own.x, in_row);
    }
    own.y = sum_before(bitCount(starts), runs);
    words[word] = own;
    if (VALUES != 0u)
        starts_kept[word] = starts;
    for (uint i = word; i < RUNS / 2u; i += WORDS)
        parents[i] = 0u;
    barrier();
    const uint x = word % TILE_WORDS;
    const bool first = x == 0u, last = x == TILE_WORDS - 1u, top = word < TILE_WORDS;
    const uvec2 above = top ? uvec2(0u) : words[word - TILE_WORDS];
    surroundings s;
    s.bits = own.x;
    s.above = above.x;
    s.left = first ? 0u : words[word - 1u].x >> 31;
    s.right = last ? 0u : words[word + 1u].x & 1u;
    s.above_left = first || top ? 0u : words[word - TILE_WORDS - 1u].x >> 31;
    s.above_right = last || top ? 0u : words[word - TILE_WORDS + 1u].x & 1u;
    links l = links(0u, 0u, 0u);
    bool continued = (own.x & s.left) != 0u;
    uint above_starts = starts_of(above.x);
    if (VALUES == 0u) {
        l = links_of(s, p.diagonal);
    } else {
        continued = continued && (in_row.left & 1u) != 0u;
        above_starts = top ? 0u : starts_kept[word - TILE_WORDS];
        if (own.x != 0u && !top)
            l = links_of_values(s, in_row, equals_to_row(place, place.y - 1u), p.diagonal);
    }
    bool to_left = continued;
    plant(own, starts, above, above_starts, continued, l, to_left);
    barrier();
    flatten(runs);
    barrier();
    join_rest(own, starts, above, above_starts, l, to_left);
    barrier();
    flatten(runs);
    barrier();
    number_components(at, word, own, starts);
    barrier();
    write_components(at, runs);
    tile_words(at).at[word] = uvec2(own.x, own.y | component_count << 16);
    if (VALUES != 0u)
        tile_starts(at).at[word] = starts;
}
