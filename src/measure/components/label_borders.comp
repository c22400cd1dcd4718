// Labels, second step: joins components across the borders of tiles. Workgroups have a row of
// tiles: SPLIT threads for each word of its first row, then a thread for each row of the border on
// a tile's left.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_values.glsl"
#include "measure/components/label_forest.glsl"
#include "measure/components/label_pixels.glsl"

layout(constant_id = 4) const uint SPLIT = 1; // a power of two, up to 32

// The value by which the first or last pixel of a word joins others, or 1; 0 for the background.
uint class_of(uint tile_row, uint row, uint x, bool is_last)
{
    const uint bits = bits_at(tile_row, row, x), bit = is_last ? bits >> 31 : bits & 1u;
    if (VALUES == 0u || bit == 0u)
        return bit;
    const uint at = (32u * x + (is_last ? 31u : 0u)) * VALUES;
    const uint v = lg_words(lg_add64(row_of(tile_row, row), uvec2(at & ~3u, 0u))).at[0] >> (at % 4u * 8u);
    return VALUES == 4u ? v : v & ((1u << (8u * VALUES)) - 1u);
}

// The row above is in the same tiles; other threads process the row above the first one.
void join_left(uint tile_row, uint row, uint x)
{
    const uint right = class_of(tile_row, row, x, false), left = class_of(tile_row, row, x - 1u, true);
    uint above_right = 0u, above_left = 0u;
    if (left == 0u && right == 0u)
        return;
    if (row > 0u) {
        above_right = class_of(tile_row, row - 1u, x, false);
        above_left = class_of(tile_row, row - 1u, x - 1u, true);
    }
    const uint column = 32u * x;
    if (left == right) {
        if (!(above_left == left && above_right == right)) // those are joined already
            join_pixels(tile_row, row, column, tile_row, row, column - 1u);
        return;
    }
    if (p.diagonal != 0u && right != 0u && above_left == right && above_right != right)
        join_pixels(tile_row, row, column, tile_row, row - 1u, column - 1u);
    if (p.diagonal != 0u && left != 0u && above_right == left && above_left != left)
        join_pixels(tile_row, row, column - 1u, tile_row, row - 1u, column);
}

void main()
{
    const uint tile_row = gl_WorkGroupID.y, parts = p.tiles_x * TILE_WORDS * SPLIT;
    uint i = gl_GlobalInvocationID.x;
    if (i < parts) {
        const uint own = 0xffffffffu >> (32u - 32u / SPLIT) << (32u / SPLIT * (i % SPLIT));
        if (tile_row % p.tiles_y > 0u)
            join_words(word_place(tile_row, 0u, i / SPLIT),
                       word_place(tile_row - 1u, TILE_ROWS - 1u, i / SPLIT), own, p.diagonal);
        return;
    }
    i -= parts;
    const uint border = i / TILE_ROWS + 1u;
    if (border < p.tiles_x)
        join_left(tile_row, i % TILE_ROWS, border * TILE_WORDS);
}
