// Labels: counts for perimeters, surfaces and the Euler number, from labels in memory. A workgroup has a
// tile; its threads go down a column in some of the rows. Shared memory has slots for the
// components that come first; others add directly to the component's record.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_slots.glsl"
#include "measure/components/label_tile.glsl"

layout(constant_id = 4) const bool VOLUME = false; // layers are of one image

// Words of a record of p.figures, here lg_label_shape_record: windows of 2 x 2 pixels, 1 to 14, by
// which of their pixels belong to the component, border pixels by class, and pixels by which of
// their neighbours in the next layer do not belong.
const uint WINDOWS = 14u, CLASSES = 3u, DOWN = WINDOWS + CLASSES, COUNTS = DOWN + 9u, RECORD_WORDS = 28u;

const uint PARTS = 2u; // of the rows
shared uint counts[SLOTS * COUNTS];

uint last_label = 0u, last_slot = 0u;

void add_to_record(uint label, uint field, uint count)
{
    if (label <= p.capacity)
        atomicAdd(lg_words_shared(element(p.figures, label - 1u, 4u * RECORD_WORDS)).at[field], count);
}

void add(uint label, uint field)
{
    if (label != last_label) {
        last_label = label;
        last_slot = slot_of(label);
    }
    if (last_slot < SLOTS)
        atomicAdd(counts[last_slot * COUNTS + field], 1u);
    else
        add_to_record(label, field, 1u);
}

// ---- windows ------------------------------------------------------------------------------------

uint bit_if(bool set, uint i)
{
    return set ? 1u << i : 0u;
}

// The number of full windows follows from the area.
void count_window(uint a, uint b, uint c, uint d)
{
    if (a == b && c == d && a == c)
        return;
    if (a != 0u)
        add(a, bit_if(b == a, 1u) | bit_if(c == a, 2u) | bit_if(d == a, 3u));
    if (b != 0u && b != a)
        add(b, 1u + (bit_if(c == b, 2u) | bit_if(d == b, 3u)));
    if (c != 0u && c != a && c != b)
        add(c, 3u + bit_if(d == c, 3u));
    if (d != 0u && d != a && d != b && d != c)
        add(d, 7u);
}

// ---- border -------------------------------------------------------------------------------------

// The labels of columns x - 2 to x + 2 of a row, 0 beyond the image.
struct label_row {
    uint at[5];
};

// For columns x - 1 to x + 1: the label of border pixels, else 0.
struct border_row {
    uint at[3];
};

label_row load_row(uint layer, uint y, uint x)
{
    label_row row;
    [[unroll]] for (uint i = 0u; i < 5u; i++) {
        const uint column = x + i - 2u; // around to a large number on the left
        row.at[i] = 0u;
        if (y < p.height && column < p.width)
            row.at[i] = plain_words(element(p.labels, (layer * p.height + y) * p.width + column, 4u)).at[0];
    }
    return row;
}

border_row border_of(label_row above, label_row row, label_row below)
{
    border_row border;
    [[unroll]] for (uint i = 0u; i < 3u; i++) {
        const uint v = row.at[i + 1u];
        const bool inside =
            above.at[i + 1u] == v && below.at[i + 1u] == v && row.at[i] == v && row.at[i + 2u] == v;
        border.at[i] = inside ? 0u : v;
    }
    return border;
}

uint one_if(bool same)
{
    return same ? 1u : 0u;
}

// Classes by the border pixels among the neighbours, two bits each: at the sides and at the
// corners. scikit-image uses the sum of weights 10 2 10, 2 1 2, 10 2 10: 5, 7, 15, 17, 25 and 27
// are straight (0), 21 and 33 diagonal (1), 13 and 23 between (2); others do not count (3).
uint class_of(uint sides, uint corners)
{
    const uint sum = 1u + 2u * sides + 10u * corners;
    if (sum == 5u || sum == 7u || sum == 15u || sum == 17u || sum == 25u || sum == 27u)
        return 0u;
    return sum == 21u || sum == 33u ? 1u : sum == 13u || sum == 23u ? 2u : 3u;
}

void count_border(border_row above, border_row row, border_row below)
{
    const uint v = row.at[1];
    if (v == 0u)
        return;
    const uint sides = one_if(above.at[1] == v) + one_if(below.at[1] == v) + one_if(row.at[0] == v) +
                       one_if(row.at[2] == v);
    const uint corners = one_if(above.at[0] == v) + one_if(above.at[2] == v) + one_if(below.at[0] == v) +
                         one_if(below.at[2] == v);
    const uint which = class_of(sides, corners);
    if (which < CLASSES)
        add(v, WINDOWS + which);
}

// ---- layers -------------------------------------------------------------------------------------

uint label_at(uint layer, uint y, uint x)
{
    if (layer >= p.rows / p.height || y >= p.height || x >= p.width)
        return 0u;
    return plain_words(element(p.labels, (layer * p.height + y) * p.width + x, 4u)).at[0];
}

void count_down(uint v, uint layer, uint y, uint x)
{
    if (v == 0u)
        return;
    [[unroll]] for (uint k = 0u; k < 9u; k++)
        if (label_at(layer + 1u, y + k / 3u - 1u, x + k % 3u - 1u) != v)
            add(v, DOWN + k);
}

// ---- columns ------------------------------------------------------------------------------------

// Windows whose lower right pixel is this one, and windows whose lower right pixel is outside the
// image.
void count_windows(label_row above, label_row row, bool last_column, bool last_row)
{
    count_window(above.at[1], above.at[2], row.at[1], row.at[2]);
    if (last_column)
        count_window(above.at[2], 0u, row.at[2], 0u);
    if (last_row)
        count_window(row.at[1], row.at[2], 0u, 0u);
    if (last_column && last_row)
        count_window(row.at[2], 0u, 0u, 0u);
}

void count_column(uint layer, uint x, uint begin, uint end)
{
    label_row before = load_row(layer, begin - 2u, x), above = load_row(layer, begin - 1u, x);
    label_row row = load_row(layer, begin, x), below = load_row(layer, begin + 1u, x);
    border_row border_above = border_of(before, above, row), border = border_of(above, row, below);
    for (uint y = begin; y < end; y++) {
        const label_row next = load_row(layer, y + 2u, x);
        const border_row border_below = border_of(row, below, next);
        count_windows(above, row, x == p.width - 1u, y == p.height - 1u);
        count_border(border_above, border, border_below);
        if (VOLUME)
            count_down(row.at[2], layer, y, x);
        above = row;
        row = below;
        below = next;
        border_above = border;
        border = border_below;
    }
}

void main()
{
    const uint thread = gl_LocalInvocationIndex;
    for (uint i = thread; i < SLOTS; i += WORDS)
        keys[i] = 0u;
    for (uint i = thread; i < SLOTS * COUNTS; i += WORDS)
        counts[i] = 0u;
    barrier();
    const uint layer = gl_WorkGroupID.y / p.tiles_y;
    const uint first = (gl_WorkGroupID.y - layer * p.tiles_y) * TILE_ROWS;
    for (uint i = thread; i < PARTS * COLUMNS; i += WORDS) {
        const uint x = gl_WorkGroupID.x * COLUMNS + i % COLUMNS, part = i / COLUMNS;
        const uint begin = first + part * TILE_ROWS / PARTS;
        const uint end = min(first + (part + 1u) * TILE_ROWS / PARTS, p.height);
        if (x < p.width && begin < end)
            count_column(layer, x, begin, end);
    }
    barrier();
    for (uint i = thread; i < SLOTS * COUNTS; i += WORDS)
        if (counts[i] != 0u)
            add_to_record(keys[i / COUNTS], i % COUNTS, counts[i]);
}
