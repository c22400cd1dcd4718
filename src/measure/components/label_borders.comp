// Labels, second step: joins components on both sides of the borders of tiles. Workgroups of a row of tiles;
// SPLIT threads for each word of its first row, then one for each row of the border on a tile's left.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_forest.glsl"

layout(constant_id = 4) const uint SPLIT = 1; // a power of two, up to 32

uvec2 word_of(uint tile_row, uint row, uint x)
{
    const tile_place at = tile_place(x / TILE_WORDS, tile_row);
    return tile_words(at).at[row * TILE_WORDS + x % TILE_WORDS];
}

// What the component that a pixel of the foreground belongs to in its tile begins with.
uint begin_of(uint tile_row, uint row, uint column)
{
    const tile_place at = tile_place(column / COLUMNS, tile_row);
    const uint run = run_number(word_of(tile_row, row, column / 32u), column % 32u);
    return pixel_number(at, uint(tile_roots(at).at[run]));
}

uint last_a = 0u, last_b = 0u;

// Pixels of two tiles; often they are of the same components as those before.
void join_pixels(uint tile_row, uint row, uint column, uint other_tile_row, uint other_row,
                 uint other_column)
{
    const uint a = begin_of(tile_row, row, column);
    const uint b = begin_of(other_tile_row, other_row, other_column);
    if (a == last_a && b == last_b)
        return;
    last_a = a;
    last_b = b;
    join(a, b);
}

void join_above(uint tile_row, uint x, uint part)
{
    const uint bits = word_of(tile_row, 0u, x).x, last_row = TILE_ROWS - 1u;
    const uint own = 0xffffffffu >> (32u - 32u / SPLIT) << (32u / SPLIT * part);
    if ((bits & own) == 0u)
        return;
    const uint above = word_of(tile_row - 1u, last_row, x).x;
    uint left = 0u, right = 0u, above_left = 0u, above_right = 0u;
    if (x > 0u) {
        left = word_of(tile_row, 0u, x - 1u).x >> 31;
        above_left = word_of(tile_row - 1u, last_row, x - 1u).x >> 31;
    }
    if (x + 1u < p.tiles_x * TILE_WORDS) {
        right = word_of(tile_row, 0u, x + 1u).x & 1u;
        above_right = word_of(tile_row - 1u, last_row, x + 1u).x & 1u;
    }
    const links l = links_of(bits, above, left, right, above_left, above_right);
    for (uint rest = (l.vertical | l.left | l.right) & own; rest != 0u; rest &= rest - 1u) {
        const uint bit = rest & (~rest + 1u), column = 32u * x + findLSB(rest);
        if ((l.vertical & bit) != 0u)
            join_pixels(tile_row, 0u, column, tile_row - 1u, last_row, column);
        if ((l.left & bit) != 0u)
            join_pixels(tile_row, 0u, column, tile_row - 1u, last_row, column - 1u);
        if ((l.right & bit) != 0u)
            join_pixels(tile_row, 0u, column, tile_row - 1u, last_row, column + 1u);
    }
}

// The row above is in the same tiles; what is above the first row, join_above() looks at.
void join_left(uint tile_row, uint row, uint x)
{
    const bool right = (word_of(tile_row, row, x).x & 1u) != 0u;
    const bool left = word_of(tile_row, row, x - 1u).x >> 31 != 0u;
    bool above_right = false, above_left = false;
    if (!left && !right)
        return;
    if (row > 0u) {
        above_right = (word_of(tile_row, row - 1u, x).x & 1u) != 0u;
        above_left = word_of(tile_row, row - 1u, x - 1u).x >> 31 != 0u;
    }
    const uint column = 32u * x;
    if (left && right) {
        if (!(above_left && above_right)) // which are joined, and these to them
            join_pixels(tile_row, row, column, tile_row, row, column - 1u);
    } else if (p.diagonal != 0u && right && above_left && !above_right) {
        join_pixels(tile_row, row, column, tile_row, row - 1u, column - 1u);
    } else if (p.diagonal != 0u && left && above_right && !above_left) {
        join_pixels(tile_row, row, column - 1u, tile_row, row - 1u, column);
    }
}

void main()
{
    const uint tile_row = gl_WorkGroupID.y, parts = p.tiles_x * TILE_WORDS * SPLIT;
    uint i = gl_GlobalInvocationID.x;
    if (i < parts) {
        if (tile_row % p.tiles_y > 0u)
            join_above(tile_row, i / SPLIT, i % SPLIT);
        return;
    }
    i -= parts;
    const uint border = i / TILE_ROWS + 1u;
    if (border < p.tiles_x)
        join_left(tile_row, i % TILE_ROWS, border * TILE_WORDS);
}
