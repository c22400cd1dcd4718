// Joining pixels of two tiles by their components there. Needs label_tile.glsl and label_forest.glsl.

struct word_place {
    uint tile_row, row, x; // row within the tile; x in words
};

uvec2 word_of(word_place at)
{
    const tile_place tile = tile_place(at.x / TILE_WORDS, at.tile_row);
    return tile_words(tile).at[at.row * TILE_WORDS + at.x % TILE_WORDS];
}

uint bits_at(uint tile_row, uint row, uint x)
{
    return word_of(word_place(tile_row, row, x)).x;
}

// What the component that a pixel of the foreground belongs to in its tile begins with.
uint begin_of(uint tile_row, uint row, uint column)
{
    const tile_place tile = tile_place(column / COLUMNS, tile_row);
    const uint run = run_number(word_of(word_place(tile_row, row, column / 32u)), column % 32u);
    root_places roots = tile_roots(tile);
    return pixel_number(tile, uint(roots.at[RUNS + uint(roots.at[run])]));
}

uint last_a = 0u, last_b = 0u;

// Often they are of the same components as those before.
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

// Some bits of a word with those of another row; corners: all bits where they join too, else 0.
void join_words(word_place at, word_place other, uint some, uint corners)
{
    const uint bits = word_of(at).x;
    if ((bits & some) == 0u)
        return;
    const uint above = word_of(other).x;
    uint left = 0u, right = 0u, above_left = 0u, above_right = 0u;
    if (at.x > 0u) {
        left = bits_at(at.tile_row, at.row, at.x - 1u) >> 31;
        above_left = bits_at(other.tile_row, other.row, at.x - 1u) >> 31;
    }
    if (at.x + 1u < p.tiles_x * TILE_WORDS) {
        right = bits_at(at.tile_row, at.row, at.x + 1u) & 1u;
        above_right = bits_at(other.tile_row, other.row, at.x + 1u) & 1u;
    }
    const links l = links_of(bits, above, left, right, above_left, above_right, corners);
    for (uint rest = (l.vertical | l.left | l.right) & some; rest != 0u; rest &= rest - 1u) {
        const uint bit = rest & (~rest + 1u), column = 32u * at.x + findLSB(rest);
        if ((l.vertical & bit) != 0u)
            join_pixels(at.tile_row, at.row, column, other.tile_row, other.row, column);
        if ((l.left & bit) != 0u)
            join_pixels(at.tile_row, at.row, column, other.tile_row, other.row, column - 1u);
        if ((l.right & bit) != 0u)
            join_pixels(at.tile_row, at.row, column, other.tile_row, other.row, column + 1u);
    }
}
