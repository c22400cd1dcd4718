// Hysteresis from tile to tile: joins the components on both sides of every border. One thread per column
// of a tile.

// Where the run that pixel `bit` belongs to is an edge, 0.
uint number_at(uint x, uint row, uint open, int bit)
{
    if ((open >> bit & 1u) == 0u)
        return 0u;
    return number_of(x, row, start_of_run(open, bit));
}

void main()
{
    uint x = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y, z = gl_WorkGroupID.z;
    if (x >= lg.width)
        return;
    lg_words open_words = lg_words(map_row(0u, row, z)), edge_words = lg_words(map_row(1u, row, z));
    uint open = open_words.at[x], all = open | edge_words.at[x];
    if (all == 0u)
        return;
    uvec2 parents = parents_of(z);
    // To the column on the right.
    if (x % TILE_COLUMNS == TILE_COLUMNS - 1u && x + 1u < lg.width) {
        uint next_open = open_words.at[x + 1u], next = next_open | edge_words.at[x + 1u];
        for (uint rest = all; rest != 0u;) {
            uint run = first_run(rest);
            int bit = findLSB(run);
            rest ^= run;
            for (uint touching = next & widened(run); touching != 0u;) {
                int other = findLSB(touching);
                touching ^= first_run(touching);
                uint a = number_at(x, row, open, bit);
                uint b = number_at(x + 1u, row, next_open, other);
                if (a != b)
                    join(parents, a, b);
            }
        }
    }
    // To the row below; what is connected within a row is connected already.
    if (all >> 31 == 0u || row + 1u >= map_rows())
        return;
    open_words = lg_words(map_row(0u, row + 1u, z));
    edge_words = lg_words(map_row(1u, row + 1u, z));
    uint a = number_at(x, row, open, 31);
    uint below_open = open_words.at[x];
    if (((below_open | edge_words.at[x]) & 1u) != 0u) {
        uint b = number_at(x, row + 1u, below_open, 0);
        if (a != b)
            join(parents, a, b);
        return;
    }
    for (uint side = 0u; side < 2u; side++) {
        uint to = side == 0u ? x - 1u : x + 1u; // around to a large number at the left
        if (to >= lg.width)
            continue;
        below_open = open_words.at[to];
        if (((below_open | edge_words.at[to]) & 1u) == 0u)
            continue;
        uint b = number_at(to, row + 1u, below_open, 0);
        if (a != b)
            join(parents, a, b);
    }
}
