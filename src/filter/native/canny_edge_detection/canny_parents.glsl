// Components of open pixels across tiles: a forest over numbers of runs. A parent's number is never
// larger, and a root is its own parent. Number 0 stands for all edges. Every tile of 128 x 32
// pixels has 2048 numbers, 16 for each of its columns: two runs of a word never begin in the same
// pair of bits.
//
// Words 4 and 5: address of the parents.
#define TILE_COLUMNS 128
#define TILE_NUMBERS (16 * TILE_COLUMNS)

uint tiles_across()
{
    return (lg.width + TILE_COLUMNS - 1u) / TILE_COLUMNS;
}

// Of a layer.
uvec2 parents_of(uint z)
{
    uvec2 size = lg_mul32(tiles_across() * map_rows(), TILE_NUMBERS);
    size = lg_add64(size, uvec2(1u, 0u));
    uvec2 bytes = uvec2(size.x << 2, size.y << 2 | size.x >> 30);
    uvec2 offset = lg_mul32(z, bytes.x);
    offset.y += z * bytes.y;
    return lg_add64(uvec2(lg.extra[4], lg.extra[5]), offset);
}

// One word: a device may count the bytes of an index in 32 bits.
lg_common_words parent_at(uvec2 parents, uint number)
{
    return lg_common_words(lg_add64(parents, lg_mul32(number, 4u)));
}

// A run within its tile.
uint number_in_tile(uint column, int start)
{
    return uint(start >> 1) * TILE_COLUMNS + column;
}

uint number_of(uint x, uint row, int start)
{
    uint tile = row * tiles_across() + x / TILE_COLUMNS;
    return 1u + tile * TILE_NUMBERS + number_in_tile(x % TILE_COLUMNS, start);
}

uint find_root(uvec2 parents, uint number)
{
    while (number != 0u) {
        uint parent = parent_at(parents, number).at[0];
        if (parent == number)
            break;
        number = parent;
    }
    return number;
}

// The same, with path halving.
uint find_root_and_shorten(uvec2 parents, uint number)
{
    while (number != 0u) {
        uint parent = parent_at(parents, number).at[0];
        if (parent == number || parent == 0u)
            return parent;
        uint next = parent_at(parents, parent).at[0];
        if (next == parent)
            return parent;
        // This is an ancestor too, whatever other threads do meanwhile.
        parent_at(parents, number).at[0] = next;
        number = next;
    }
    return number;
}

// The larger root gets the smaller one as its parent. If it was no root any more, its previous
// parent is joined instead. Numbers only fall, so this ends.
void join(uvec2 parents, uint a, uint b)
{
    for (;;) {
        a = find_root_and_shorten(parents, a);
        b = find_root_and_shorten(parents, b);
        if (a == b)
            return;
        uint larger = max(a, b);
        b = min(a, b);
        a = atomicMin(parent_at(parents, larger).at[0], b);
        if (a == larger)
            return;
    }
}
