// Labels: sums of float intensities, from labels in memory. Samples become multiples of a unit, see
// lg_label_unit, so sums are integers and their order does not matter. A workgroup has a tile. Its
// threads go down a column in some of the rows and add up consecutive pixels of a component. Shared
// memory has slots for the components that come first; others add directly to the component's
// record.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_slots.glsl"
#include "measure/components/label_tile.glsl"
#include "measure/components/label_real.glsl"

layout(constant_id = 5) const bool VOLUME = false; // components extend over layers

// Words of a record of p.figures, lg_label_real_record: numbers of several words, the lowest first;
// signed sums are modulo 2^96.
const uint SUM = 0u, SQUARES = 3u, MX = 7u, MY = 10u, MZ = 13u, COUNT = 16u, LOW = 17u, HIGH = 18u;
const uint FIELDS = 19u, RECORD_WORDS = 20u;
const uint WITH_SIGN[] = {SUM, MX, MY, MZ}; // of three words

const uint PARTS = 2u; // of the rows
shared uint sums[SLOTS * FIELDS];

// ---- numbers of several words -------------------------------------------------------------------

uvec3 add_96(uvec3 a, uvec3 b)
{
    uint first, second, third;
    const uint x = uaddCarry(a.x, b.x, first), with = uaddCarry(a.y, first, second);
    const uint y = uaddCarry(with, b.y, third);
    return uvec3(x, y, a.z + b.z + second + third);
}

uvec2 with_sign_of(bool negative, uvec2 v)
{
    return negative ? lg_add64(~v, uvec2(1u, 0u)) : v;
}

// With its sign.
uvec3 wide(uvec2 v)
{
    return uvec3(v, v.y >> 31 != 0u ? 0xffffffffu : 0u);
}

uvec3 product(uvec2 v, uint by)
{
    uint x, y_low, y, z;
    umulExtended(v.x, by, y_low, x);
    umulExtended(v.y, by, z, y);
    const uint extra = v.y >> 31 != 0u ? by : 0u; // the sign's part
    return add_96(uvec3(x, y_low, 0u), uvec3(0u, y, z - extra));
}

// Of a number below 2^42.
uvec3 square(uvec2 v)
{
    uint low, high, middle_low, middle_high;
    umulExtended(v.x, v.x, high, low);
    umulExtended(v.x, 2u * v.y, middle_high, middle_low);
    return add_96(uvec3(low, high, v.y * v.y), uvec3(0u, middle_low, middle_high));
}

// ---- sums ---------------------------------------------------------------------------------------

// Sums of consecutive pixels of a component in a column; `my` counts rows from the tile's first.
struct column_sums {
    uint label, count, low, high;
    uvec2 sum, my;
    uvec3 squares;
};

int unit; // the power of two

// The magnitude, ties to even.
uvec2 units_of(uint magnitude)
{
    const real r = real_of(magnitude);
    const int shift = r.power - unit;
    if (shift >= 32)
        return uvec2(0u, r.whole << (shift - 32));
    if (shift >= 0)
        return uvec2(r.whole << shift, shift == 0 ? 0u : r.whole >> (32 - shift));
    if (shift < -24)
        return uvec2(0u);
    const uint down = uint(-shift), whole = r.whole >> down, rest = r.whole & ((1u << down) - 1u);
    const uint half_unit = 1u << (down - 1u);
    return uvec2(whole + (rest > half_unit || (rest == half_unit && (whole & 1u) != 0u) ? 1u : 0u), 0u);
}

void add_sample(inout column_sums s, uint v, uint row)
{
    const uint magnitude = magnitude_of(v);
    if (magnitude >= INFINITE)
        return;
    const bool negative = is_negative(v);
    const uvec2 units = units_of(magnitude), with_sign = with_sign_of(negative, units);
    const uint key = 0x80000000u + (negative ? 0u - magnitude : magnitude);
    s.sum = lg_add64(s.sum, with_sign);
    s.my = lg_add64(s.my, product(with_sign, row).xy);
    s.squares = add_96(s.squares, square(units));
    s.low = max(s.low, ~key);
    s.high = max(s.high, key);
    s.count++;
}

lg_words_shared record_of(uint label)
{
    return lg_words_shared(element(p.figures, label - 1u, 4u * RECORD_WORDS));
}

// Adds to a word of shared memory or of a record; returns the carry.
uint add_word(uint slot, uint label, uint field, uint v, uint carry)
{
    uint over;
    const uint sum = uaddCarry(v, carry, over);
    if (sum == 0u)
        return over;
    uint before;
    if (slot < SLOTS)
        before = atomicAdd(sums[slot * FIELDS + field], sum);
    else
        before = atomicAdd(record_of(label).at[field], sum);
    return over + (before + sum < before ? 1u : 0u);
}

void add_words(uint slot, uint label, uint field, uvec4 v, uint count)
{
    uint carry = 0u;
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        if (i < count)
            carry = add_word(slot, label, field + i, v[i], carry);
}

void raise(uint slot, uint label, uint field, uint v)
{
    if (slot < SLOTS)
        atomicMax(sums[slot * FIELDS + field], v);
    else
        atomicMax(record_of(label).at[field], v);
}

void add_column(column_sums s, uint x, uint first_row, uint layer)
{
    if (s.count == 0u)
        return;
    const uint slot = slot_of(s.label);
    if (slot == SLOTS && s.label > p.capacity)
        return;
    const uvec3 my = add_96(wide(s.my), product(s.sum, first_row));
    add_words(slot, s.label, SUM, uvec4(wide(s.sum), 0u), 3u);
    add_words(slot, s.label, SQUARES, uvec4(s.squares, 0u), 4u);
    add_words(slot, s.label, MX, uvec4(product(s.sum, x), 0u), 3u);
    add_words(slot, s.label, MY, uvec4(my, 0u), 3u);
    if (VOLUME)
        add_words(slot, s.label, MZ, uvec4(product(s.sum, layer), 0u), 3u);
    add_words(slot, s.label, COUNT, uvec4(s.count, 0u, 0u, 0u), 1u);
    raise(slot, s.label, LOW, s.low);
    raise(slot, s.label, HIGH, s.high);
}

// ---- columns ------------------------------------------------------------------------------------

uint sample_at(uint layer, uint y, uint x)
{
    uvec2 from = lg_add64(p.pixels, lg_mul64(layer, p.layer_stride));
    from = lg_add64(from, lg_mul64(y, uvec2(p.row_stride, 0u)));
    const uint at = x * BYTES, v = lg_words(lg_add64(from, uvec2(at & ~3u, 0u))).at[0];
    return BYTES == 4u ? v : v >> (at % 4u * 8u) & 0xffffu;
}

void sum_column(uint layer, uint x, uint first_row, uint begin, uint end)
{
    column_sums s;
    s.label = 0u;
    s.count = 0u;
    for (uint y = begin; y < end; y++) {
        const uint label = plain_words(element(p.labels, (layer * p.height + y) * p.width + x, 4u)).at[0];
        if (label != s.label) {
            add_column(s, x, first_row, layer);
            s = column_sums(label, 0u, 0u, 0u, uvec2(0u), uvec2(0u), uvec3(0u));
        }
        if (label != 0u)
            add_sample(s, sample_at(layer, y, x), y - first_row);
    }
    add_column(s, x, first_row, layer);
}

void add_slot(uint slot)
{
    const uint label = keys[slot], from = slot * FIELDS;
    if (label == 0u || label > p.capacity)
        return;
    [[unroll]] for (uint i = 0u; i < WITH_SIGN.length(); i++) {
        const uint at = from + WITH_SIGN[i];
        if (WITH_SIGN[i] != MZ || VOLUME)
            add_words(SLOTS, label, WITH_SIGN[i], uvec4(sums[at], sums[at + 1u], sums[at + 2u], 0u), 3u);
    }
    const uint at = from + SQUARES;
    add_words(SLOTS, label, SQUARES, uvec4(sums[at], sums[at + 1u], sums[at + 2u], sums[at + 3u]), 4u);
    add_words(SLOTS, label, COUNT, uvec4(sums[from + COUNT], 0u, 0u, 0u), 1u);
    raise(SLOTS, label, LOW, sums[from + LOW]);
    raise(SLOTS, label, HIGH, sums[from + HIGH]);
}

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    for (uint i = thread; i < SLOTS; i += WORDS)
        keys[i] = 0u;
    for (uint i = thread; i < SLOTS * FIELDS; i += WORDS)
        sums[i] = 0u;
    const real largest = real_of(plain_words(p.result).at[0]);
    unit = largest.power + findMSB(largest.whole) + 1 - 40;
    barrier();
    const uint layer = gl_WorkGroupID.y / p.tiles_y;
    const uint first = (gl_WorkGroupID.y - layer * p.tiles_y) * TILE_ROWS;
    for (uint i = thread; i < PARTS * COLUMNS; i += WORDS) {
        const uint x = gl_WorkGroupID.x * COLUMNS + i % COLUMNS, part = i / COLUMNS;
        const uint begin = first + part * TILE_ROWS / PARTS;
        const uint end = min(first + (part + 1u) * TILE_ROWS / PARTS, p.height);
        if (x < p.width && begin < end)
            sum_column(layer, x, first, begin, end);
    }
    barrier();
    for (uint i = thread; i < SLOTS; i += WORDS)
        add_slot(i);
}
