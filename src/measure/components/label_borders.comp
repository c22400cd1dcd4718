// Labels, second step: joins components on both sides of the borders of tiles. Workgroups of a row of tiles;
// SPLIT threads for each word of its first row, then one for each row of the border on a tile's left.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_forest.glsl"
#include "measure/components/label_pixels.glsl"

layout(constant_id = 4) const uint SPLIT = 1; // a power of two, up to 32

// The row above is in the same tiles; what is above the first row, other threads look at.
void join_left(uint tile_row, uint row, uint x)
{
    const bool right = (bits_at(tile_row, row, x) & 1u) != 0u;
    const bool left = bits_at(tile_row, row, x - 1u) >> 31 != 0u;
    bool above_right = false, above_left = false;
    if (!left && !right)
        return;
    if (row > 0u) {
        above_right = (bits_at(tile_row, row - 1u, x) & 1u) != 0u;
        above_left = bits_at(tile_row, row - 1u, x - 1u) >> 31 != 0u;
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
