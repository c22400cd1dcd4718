// Hysteresis within tiles of 128 x 32 pixels. Weak pixels that are connected to strong ones become
// edges. Weak pixels that may be connected through another tile stay open, with the roots of their
// components for the next step. Other weak pixels are removed. One thread per column.
shared uint words[TILE_COLUMNS];
shared uint parent[TILE_NUMBERS];
shared uint with_edge[TILE_NUMBERS / 32], at_border[TILE_NUMBERS / 32]; // bits of roots
shared uint some;

// As find_root_and_shorten().
uint find_here(uint number)
{
    for (;;) {
        uint p = parent[number];
        if (p == number)
            return number;
        uint next = parent[p];
        if (next == p)
            return p;
        parent[number] = next;
        number = next;
    }
}

// As join().
void join_here(uint a, uint b)
{
    for (;;) {
        a = find_here(a);
        b = find_here(b);
        if (a == b)
            return;
        uint larger = max(a, b);
        b = min(a, b);
        a = atomicMin(parent[larger], b);
        if (a == larger)
            return;
    }
}

void join_columns(uint column, uint word, uint next)
{
    for (uint rest = word; rest != 0u;) {
        uint run = first_run(rest);
        rest ^= run;
        for (uint touching = next & widened(run); touching != 0u;) {
            int bit = findLSB(touching);
            touching ^= first_run(touching);
            join_here(number_in_tile(column, findLSB(run)),
                      number_in_tile(column + 1u, start_of_run(next, bit)));
        }
    }
}

void main()
{
    uint column = gl_LocalInvocationIndex, row = gl_WorkGroupID.y, z = gl_WorkGroupID.z;
    uint x = gl_WorkGroupID.x * TILE_COLUMNS + column;
    bool inside = x < lg.width;
    lg_words weak = lg_words(map_row(0u, row, z)), strong = lg_words(map_row(1u, row, z));
    uint word = inside ? weak.at[x] : 0u;
    if (column == 0u)
        some = 0u;
    barrier();
    if (word != 0u)
        some = 1u;
    words[column] = word;
    if (column < TILE_NUMBERS / 32) {
        with_edge[column] = 0u;
        at_border[column] = 0u;
    }
    for (uint rest = word; rest != 0u; rest ^= first_run(rest)) {
        uint number = number_in_tile(column, findLSB(rest));
        parent[number] = number;
    }
    barrier();
    if (some == 0u)
        return;
    if (word != 0u && column + 1u < TILE_COLUMNS)
        join_columns(column, word, words[column + 1u]);
    barrier();
    uint seeds = word != 0u ? strong.at[x] : 0u;
    bool side = column == 0u || column + 1u == TILE_COLUMNS;
    for (uint rest = word; rest != 0u;) {
        uint run = first_run(rest), number = number_in_tile(column, findLSB(rest));
        rest ^= run;
        uint root = find_here(number);
        if ((run & seeds) != 0u)
            atomicOr(with_edge[root >> 5], 1u << (root & 31u));
        if (side || (run & 0x80000001u) != 0u)
            atomicOr(at_border[root >> 5], 1u << (root & 31u));
    }
    barrier();
    uint open = 0u, edges = 0u;
    uvec2 parents = parents_of(z);
    uint first = number_of(x - column, row, 0);
    for (uint rest = word; rest != 0u;) {
        uint run = first_run(rest), number = number_in_tile(column, findLSB(rest));
        rest ^= run;
        uint root = find_here(number);
        if ((with_edge[root >> 5] >> (root & 31u) & 1u) != 0u) {
            edges |= run;
        } else if ((at_border[root >> 5] >> (root & 31u) & 1u) != 0u) {
            open |= run;
            parent_at(parents, first + number).at[0] = first + root;
        }
    }
    if (word != 0u) {
        weak.at[x] = open;
        strong.at[x] = edges;
    }
}
