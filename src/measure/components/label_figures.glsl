// Sums over the pixels of components. The sums of a tile's components are formed in shared memory
// and added to the component's record; those of a subgroup's longest run first in registers. An
// exception is the tile's largest component that extends beyond the tile, with all its parts there:
// its sums go to a record of the tile. Many tiles may have the same such component and would wait
// for each other. label_gather.comp adds these records up.
#include "measure/components/label_record.glsl"

// Sums of pixels in a tile; x and y count from its corner. The first three are maxima; `left` is
// the maximum of the distance from the last column. `low` is the maximum of the distance from the
// largest sample, `high` that of the sample. Large sums have two parts, the second in units of
// 65536.
const uint IN_LEFT = 0u, IN_RIGHT = 1u, IN_BOTTOM = 2u, IN_AREA = 3u, IN_X = 4u, IN_Y = 5u, IN_XX = 6u,
           IN_YY = 7u, IN_XY = 8u, IN_LOW = 9u, IN_HIGH = 10u, IN_SUM = 11u, IN_SQUARES = 12u, IN_MX = 14u,
           IN_MY = 16u;
const uint SUM_WORDS = !FIGURES ? 1u : INTENSITY > 0u ? 18u : MOMENTS ? 9u : 6u;
const uint GREATEST = 65535u; // sample

struct sums {
    uint at[18];
};

bool is_greatest(uint i)
{
    return i < IN_AREA || i == IN_LOW || i == IN_HIGH;
}

shared uint largest;         // area and number of the largest component that is not whole
shared uint kept[SUM_WORDS]; // sums of its parts
shared uint kept_top;        // the tile's first row with pixels of these parts

const uint PLACES = FIGURES ? 1536u / SUM_WORDS : 1u; // components with sums in shared memory
shared uint tile_sums[SUM_WORDS * PLACES];

uint first_place; // the component in the first place; later ones follow when these sums are done

// The number of components that have places.
uint places()
{
    return min(components - first_place, PLACES);
}

void clear_sums()
{
    for (uint i = thread(); i < SUM_WORDS * PLACES; i += WORDS)
        tile_sums[i] = 0u;
    if (first_place == 0u && thread() == 0u) {
        largest = 0u;
        kept_top = TILE_ROWS;
        [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++)
            kept[i] = 0u;
    }
}

// ---- records ------------------------------------------------------------------------------------

uvec2 wide(uint v)
{
    return uvec2(v, 0u);
}

uvec2 product(uint a, uint b)
{
    return lg_mul64(a, uvec2(b, 0u));
}

uvec2 two_parts(uint low, uint high)
{
    return lg_add64(wide(low), uvec2(high << 16, high >> 16));
}

void add_moments(lg_words_shared to, uint x0, uint y0, uint layer, sums s, bool plain)
{
    const uint area = s.at[IN_AREA], x = s.at[IN_X], y = s.at[IN_Y];
    const uvec2 xx = lg_add64(wide(s.at[IN_XX]), product(2u * x0, x));
    add_64(to, XX, lg_add64(xx, lg_mul64(area, product(x0, x0))), plain);
    const uvec2 yy = lg_add64(wide(s.at[IN_YY]), product(2u * y0, y));
    add_64(to, YY, lg_add64(yy, lg_mul64(area, product(y0, y0))), plain);
    add_64(to, XY,
           lg_add64(lg_add64(wide(s.at[IN_XY]), lg_add64(product(x0, y), product(y0, x))),
                    lg_mul64(area, product(x0, y0))),
           plain);
    if (VOLUME) {
        add_64(to, ZZ, lg_mul64(area, product(layer, layer)), plain);
        add_64(to, XZ, lg_mul64(layer, lg_add64(wide(x), product(area, x0))), plain);
        add_64(to, YZ, lg_mul64(layer, lg_add64(wide(y), product(area, y0))), plain);
    }
}

void add_intensity(lg_words_shared to, uint x0, uint y0, uint layer, sums s, bool plain)
{
    const uint sum = s.at[IN_SUM];
    raise(to, LOW, s.at[IN_LOW], plain);
    raise(to, HIGH, s.at[IN_HIGH], plain);
    add_64(to, SUM, wide(sum), plain);
    add_64(to, SQUARES, two_parts(s.at[IN_SQUARES], s.at[IN_SQUARES + 1u]), plain);
    add_64(to, MX, lg_add64(two_parts(s.at[IN_MX], s.at[IN_MX + 1u]), product(sum, x0)), plain);
    add_64(to, MY, lg_add64(two_parts(s.at[IN_MY], s.at[IN_MY + 1u]), product(sum, y0)), plain);
    if (VOLUME)
        add_64(to, MZ, product(sum, layer), plain);
}

// `top`: the tile's first row with pixels of these sums. `plain`: no other thread adds to the
// record.
void add_to(lg_words_shared to, tile_place at, uint top, sums s, bool plain)
{
    const uint layer = at.row / p.tiles_y, area = s.at[IN_AREA];
    const uint x0 = at.x * COLUMNS, y0 = (at.row - layer * p.tiles_y) * TILE_ROWS;
    const uint left = ~(x0 + COLUMNS - 1u - s.at[IN_LEFT]);
    const uvec3 bounds = uvec3(left, x0 + s.at[IN_RIGHT], y0 + s.at[IN_BOTTOM]);
    const uvec3 before = plain ? uvec3(0u) : uvec3(to.at[LEFT], to.at[RIGHT], to.at[BOTTOM]);
    add_32(to, AREA, area, plain);
    add_64(to, X, lg_add64(product(area, x0), wide(s.at[IN_X])), plain);
    add_64(to, Y, lg_add64(product(area, y0), wide(s.at[IN_Y])), plain);
    raise_from(before.x, to, LEFT, bounds.x, plain);
    raise_from(before.y, to, RIGHT, bounds.y, plain);
    raise_from(before.z, to, BOTTOM, bounds.z, plain);
    if (VOLUME) {
        raise(to, TOP, ~(y0 + top), plain);
        raise(to, BACK, layer, plain);
        add_64(to, Z, product(area, layer), plain);
    }
    if (MOMENTS)
        add_moments(to, x0, y0, layer, s, plain);
    if (INTENSITY > 0u)
        add_intensity(to, x0, y0, layer, s, plain);
}

layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer record_vectors {
    uvec4 at[];
};

// The same of a plain record without more sums, by vectors; `first` goes to FIRST.
void write_record(uvec2 to, tile_place at, uint first, sums s)
{
    const uint layer = at.row / p.tiles_y, area = s.at[IN_AREA];
    const uint x0 = at.x * COLUMNS, y0 = (at.row - layer * p.tiles_y) * TILE_ROWS;
    const uvec2 x = lg_add64(product(area, x0), wide(s.at[IN_X]));
    const uvec2 y = lg_add64(product(area, y0), wide(s.at[IN_Y]));
    record_vectors(to).at[0] = uvec4(area, first, x);
    record_vectors(to).at[1] = uvec4(y, ~(x0 + COLUMNS - 1u - s.at[IN_LEFT]), x0 + s.at[IN_RIGHT]);
    record_vectors(to).at[2] = uvec4(y0 + s.at[IN_BOTTOM], 0u, 0u, 0u);
}

// ---- runs ---------------------------------------------------------------------------------------

layout(buffer_reference, scalar, buffer_reference_align = 1) readonly buffer sample_bytes {
    uint8_t at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 2) readonly buffer sample_halfwords {
    uint16_t at[];
};

void sum_samples(tile_place at, uint row, uint first, uint length, inout sums s)
{
    const uint layer = at.row / p.tiles_y, y = first_row(at.row) - layer * p.height + row;
    uvec2 from = lg_add64(p.pixels, lg_mul64(layer, p.layer_stride));
    from = lg_add64(from, lg_mul64(y, uvec2(p.row_stride, 0u)));
    from = lg_add64(from, product(at.x * COLUMNS + first, INTENSITY));
    uint low = GREATEST, high = 0u, sum = 0u, squares = 0u, squares_high = 0u, mx = 0u;
    for (uint i = 0u; i < length; i++) {
        const uint v = INTENSITY == 1u ? uint(sample_bytes(from).at[i]) : uint(sample_halfwords(from).at[i]);
        const uint square = v * v;
        low = min(low, v);
        high = max(high, v);
        sum += v;
        squares += square & 0xffffu;
        squares_high += square >> 16;
        mx += v * (first + i);
    }
    const uint my = sum * row;
    s.at[IN_LOW] = GREATEST - low;
    s.at[IN_HIGH] = high;
    s.at[IN_SUM] = sum;
    s.at[IN_SQUARES] = squares;
    s.at[IN_SQUARES + 1u] = squares_high;
    s.at[IN_MX] = mx & 0xffffu;
    s.at[IN_MX + 1u] = mx >> 16;
    s.at[IN_MY] = my & 0xffffu;
    s.at[IN_MY + 1u] = my >> 16;
}

// `first`: column of the tile.
sums sums_of_run(tile_place at, uint row, uint first, uint length)
{
    sums s;
    const uint pairs = length * (length - 1u) / 2u;
    s.at[IN_LEFT] = COLUMNS - 1u - first;
    s.at[IN_RIGHT] = first + length - 1u;
    s.at[IN_BOTTOM] = row;
    s.at[IN_AREA] = length;
    s.at[IN_X] = length * first + pairs;
    s.at[IN_Y] = length * row;
    if (MOMENTS) {
        s.at[IN_XX] = length * first * first + 2u * first * pairs + pairs * (2u * length - 1u) / 3u;
        s.at[IN_YY] = length * row * row;
        s.at[IN_XY] = row * s.at[IN_X];
    }
    if (INTENSITY > 0u)
        sum_samples(at, row, first, length, s);
    return s;
}

void add_to_tile(uint component, sums s)
{
    const uint place = component - first_place; // smaller ones are beyond all places
    if (place >= PLACES)
        return;
    [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++) {
        if (!MOMENTS && i >= IN_XX && i <= IN_XY)
            continue;
        if (is_greatest(i))
            atomicMax(tile_sums[i * PLACES + place], s.at[i]);
        else
            atomicAdd(tile_sums[i * PLACES + place], s.at[i]);
    }
}

uint length_of_first(uint bits, uint starts, uint rest)
{
    return bitCount(run_bits(bits, starts, rest & (~rest + 1u)));
}

void add_runs(tile_place at, uint word, uvec2 own)
{
    const uint starts = starts_at(word, own.x), row = word / TILE_WORDS;
    uint longest = 0u, run = first_run(own);
    for (uint rest = starts; rest != 0u; rest &= rest - 1u, run++)
        longest = max(longest, length_of_first(own.x, starts, rest) << 16 | component_of(at, run));
    longest = subgroupMax(longest);
    const uint most = longest == 0u ? 0xffffffffu : longest & 0xffffu;
    sums of_most;
    [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++)
        of_most.at[i] = 0u;
    run = first_run(own);
    for (uint rest = starts; rest != 0u; rest &= rest - 1u, run++) {
        const uint component = component_of(at, run);
        const sums s = sums_of_run(at, row, word % TILE_WORDS * 32u + findLSB(rest),
                                   length_of_first(own.x, starts, rest));
        if (component != most) {
            add_to_tile(component, s);
            continue;
        }
        [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++)
            of_most.at[i] = is_greatest(i) ? max(of_most.at[i], s.at[i]) : of_most.at[i] + s.at[i];
    }
    if (longest == 0u)
        return;
    [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++)
        of_most.at[i] = is_greatest(i) ? subgroupMax(of_most.at[i]) : subgroupAdd(of_most.at[i]);
    if (subgroupElect())
        add_to_tile(most, of_most);
}

sums sums_at(uint place)
{
    sums s;
    [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++)
        s.at[i] = tile_sums[i * PLACES + place];
    return s;
}

uint root_of(tile_place at, uint place)
{
    return uint(tile_roots(at).at[RUNS + first_place + place]);
}

// A component that does not touch the tile's border is whole. No other tile adds to it.
bool is_whole(uint root, sums s)
{
    return !VOLUME && root >= COLUMNS && s.at[IN_BOTTOM] < TILE_ROWS - 1u && s.at[IN_LEFT] < COLUMNS - 1u &&
           s.at[IN_RIGHT] < COLUMNS - 1u;
}

// First those that have places; usually these are all.
void find_largest(tile_place at)
{
    for (uint i = thread(); i < places(); i += WORDS) {
        const sums s = sums_at(i);
        if (!is_whole(root_of(at, i), s))
            atomicMax(largest, s.at[IN_AREA] << 16 | i);
    }
}

// Sums of a part of the component in the tile's record.
void keep(uint top, sums s)
{
    atomicMin(kept_top, top);
    [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++) {
        if (is_greatest(i))
            atomicMax(kept[i], s.at[i]);
        else
            atomicAdd(kept[i], s.at[i]);
    }
}

void add_up(tile_place at)
{
    const uint of_largest = largest == 0u ? 0u : label_of_component(at, largest & 0xffffu);
    for (uint i = thread(); i < places(); i += WORDS) {
        const sums s = sums_at(i);
        const uint root = root_of(at, i), component = label_of_component(at, first_place + i);
        if (component == of_largest) {
            keep(root / COLUMNS, s);
            continue;
        }
        if (component > p.capacity)
            continue;
        const bool plain = is_whole(root, s);
        const uvec2 to = uvec2(record_of(component));
        if (plain && !VOLUME && !MOMENTS && INTENSITY == 0u)
            write_record(to, at, pixel_number(at, root), s);
        else
            add_to(lg_words_shared(to), at, root / COLUMNS, s, plain);
    }
}

// Of the thread that calls it.
void write_kept(tile_place at)
{
    const uvec2 to = uvec2(tile_record(tile_number(at)));
    if (largest == 0u) {
        lg_words_shared(to).at[FIRST] = 0u;
        return;
    }
    const uint component = label_of_component(at, largest & 0xffffu);
    sums s;
    [[unroll]] for (uint i = 0u; i < SUM_WORDS; i++)
        s.at[i] = kept[i];
    if (!VOLUME && !MOMENTS && INTENSITY == 0u) {
        write_record(to, at, component, s);
        return;
    }
    lg_words_shared(to).at[FIRST] = component;
    add_to(lg_words_shared(to), at, kept_top, s, true);
}

void sum_components(tile_place at, uint word, uvec2 own)
{
    for (first_place = 0u; first_place < max(components, 1u); first_place += PLACES) {
        if (first_place > 0u) {
            barrier();
            clear_sums();
            barrier();
        }
        add_runs(at, word, own);
        barrier();
        if (first_place == 0u) {
            find_largest(at);
            barrier();
        }
        add_up(at);
    }
    barrier();
    if (thread() == 0u)
        write_kept(at);
}
