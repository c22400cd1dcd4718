// Labels of volumes: joins the components of a layer with those of the layer before. Workgroups
// have a row of tiles, a thread per word.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_values.glsl"
#include "measure/components/label_forest.glsl"
#include "measure/components/label_pixels.glsl"

// p.across_layers: 6, 18 or 26, the connectivity.
bool joins_rows(int step)
{
    return step == 0 || p.across_layers != 6u;
}

bool joins_corners(int step)
{
    return p.across_layers == 26u || (p.across_layers == 18u && step == 0);
}

void join_row(uint tile_row, uint row, uint other_tile_row, uint other_row, uint x, bool corners)
{
    join_words(word_place(tile_row, row, x), word_place(other_tile_row, other_row, x), 0xffffffffu,
               corners ? 0xffffffffu : 0u);
}

void main()
{
    const uint tile_row = gl_WorkGroupID.y, words = p.tiles_x * TILE_WORDS;
    const uint row = gl_GlobalInvocationID.x / words, x = gl_GlobalInvocationID.x - row * words;
    const uint first = tile_row % p.tiles_y * TILE_ROWS; // of the layer
    if (tile_row < p.tiles_y || row >= TILE_ROWS || first + row >= p.height)
        return;
    for (int step = -1; step <= 1; step++) {
        const uint y = first + row + uint(step); // around to a large number above the first row
        if (y < p.height && joins_rows(step))
            join_row(tile_row, row, tile_row - tile_row % p.tiles_y - p.tiles_y + y / TILE_ROWS,
                     y % TILE_ROWS, x, joins_corners(step));
    }
}
