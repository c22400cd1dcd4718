// Joining pixels of two tiles by their components there. Needs label_tile.glsl, label_values.glsl and
// label_forest.glsl.

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

uint starts_at(word_place at, uint bits)
{
    if (VALUES == 0u)
        return starts_of(bits);
    const tile_place tile = tile_place(at.x / TILE_WORDS, at.tile_row);
    return tile_starts(tile).at[at.row * TILE_WORDS + at.x % TILE_WORDS];
}

uvec2 row_of(uint tile_row, uint row)
{
    const uint layer = tile_row / p.tiles_y;
    return row_address(layer, (tile_row - layer * p.tiles_y) * TILE_ROWS + row);
}

// The first pixel of the tile's component to which a foreground pixel belongs.
uint begin_of(uint tile_row, uint row, uint column)
{
    const tile_place tile = tile_place(column / COLUMNS, tile_row);
    const word_place at = word_place(tile_row, row, column / 32u);
    const uvec2 word = word_of(at);
    const uint run = run_number(word, starts_at(at, word.x), column % 32u);
    root_places roots = tile_roots(tile);
    return pixel_number(tile, uint(roots.at[RUNS + uint(roots.at[run])]));
}

uint last_a = 0u, last_b = 0u;

// Often they belong to the same components as the previous ones.
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

// Joins some bits of a word with those of another row; corners: all bits if corners join too, else
// 0.
void join_words(word_place at, word_place other, uint some, uint corners)
{
    surroundings s = surroundings(word_of(at).x, 0u, 0u, 0u, 0u, 0u);
    if ((s.bits & some) == 0u)
        return;
    s.above = word_of(other).x;
    if (at.x > 0u) {
        s.left = bits_at(at.tile_row, at.row, at.x - 1u) >> 31;
        s.above_left = bits_at(other.tile_row, other.row, at.x - 1u) >> 31;
    }
    if (at.x + 1u < p.tiles_x * TILE_WORDS) {
        s.right = bits_at(at.tile_row, at.row, at.x + 1u) & 1u;
        s.above_right = bits_at(other.tile_row, other.row, at.x + 1u) & 1u;
    }
    links l;
    if (VALUES == 0u) {
        l = links_of(s, corners);
    } else {
        const uvec2 row = row_of(at.tile_row, at.row), above = row_of(other.tile_row, other.row);
        l = links_of_values(s, equals_of(row, row, 32u * at.x), equals_of(row, above, 32u * at.x), corners);
    }
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
