// Sums over the pixels of components. Those of a tile's components are formed in shared memory, that of the
// longest run of a subgroup in registers before, and go to the component's record.
//
// A record: pixels, the first one, sums of x (2 words), y (2), the complement of the least x, the greatest x,
// that y; volumes: the complement of the least y, the greatest z, 0, sum of z (2), 0, 0. Zero before.
const uint FIGURE_WORDS = VOLUME ? 16u : 12u;
const uint AREA = 0u, FIRST = 1u, SUM_X = 2u, SUM_Y = 4u, LEFT = 6u, RIGHT = 7u, BOTTOM = 8u, TOP = 9u,
           BACK = 10u, SUM_Z = 12u;

const uint PLACES = 384u; // of components whose sums are formed in shared memory
const uint SUMS = FIGURES ? PLACES : 1u, ROOTS = FIGURES ? WORDS : 1u;
shared uint areas[SUMS], sums_x[SUMS], sums_y[SUMS], lefts[SUMS], rights[SUMS], bottoms[SUMS];
shared uvec2 root_words[ROOTS]; // of a word: bits of roots, place of the first
shared uint places;

// Of pixels in a tile: x and y from its corner, `left` the distance from its last column.
struct sums {
    uint area, x, y, left, right, bottom;
};

lg_words_shared record_of(uint component)
{
    return lg_words_shared(element(p.figures, component - 1u, 4u * FIGURE_WORDS));
}

void begin_figures(uint component, uint pixel)
{
    if (component <= p.capacity)
        record_of(component).at[FIRST] = pixel;
}

void clear_sums()
{
    for (uint i = thread(); i < SUMS; i += WORDS)
        areas[i] = sums_x[i] = sums_y[i] = lefts[i] = rights[i] = bottoms[i] = 0u;
    if (thread() == 0u)
        places = 0u;
}

void number_roots(uint word, uint roots)
{
    root_words[word] = uvec2(roots, roots != 0u ? atomicAdd(places, bitCount(roots)) : 0u);
}

uint place_of(uint root)
{
    const uvec2 word = root_words[root / 32u];
    return word.y + bitCount(word.x & ((1u << root % 32u) - 1u));
}

void add_64(lg_words_shared to, uint at, uvec2 sum)
{
    const uint before = sum.x == 0u ? 0u : atomicAdd(to.at[at], sum.x);
    sum.y += before + sum.x < before ? 1u : 0u;
    if (sum.y != 0u)
        atomicAdd(to.at[at + 1u], sum.y);
}

// Reads first: most tiles change nothing, and numbers only grow.
void raise(lg_words_shared to, uint at, uint value)
{
    if (to.at[at] < value)
        atomicMax(to.at[at], value);
}

void add_to_record(tile_place at, uint component, uint top, sums s, bool whole)
{
    if (component > p.capacity)
        return;
    const uint layer = at.row / p.tiles_y;
    const uint x0 = at.x * COLUMNS, y0 = (at.row - layer * p.tiles_y) * TILE_ROWS;
    const uvec2 x = lg_add64(lg_mul64(s.area, uvec2(x0, 0u)), uvec2(s.x, 0u));
    const uvec2 y = lg_add64(lg_mul64(s.area, uvec2(y0, 0u)), uvec2(s.y, 0u));
    const uint left = ~(x0 + COLUMNS - 1u - s.left), right = x0 + s.right, bottom = y0 + s.bottom;
    lg_words_shared to = record_of(component);
    if (whole) {
        to.at[AREA] = s.area;
        to.at[SUM_X] = x.x;
        to.at[SUM_X + 1u] = x.y;
        to.at[SUM_Y] = y.x;
        to.at[SUM_Y + 1u] = y.y;
        to.at[LEFT] = left;
        to.at[RIGHT] = right;
        to.at[BOTTOM] = bottom;
        return;
    }
    atomicAdd(to.at[AREA], s.area);
    add_64(to, SUM_X, x);
    add_64(to, SUM_Y, y);
    raise(to, LEFT, left);
    raise(to, RIGHT, right);
    raise(to, BOTTOM, bottom);
    if (VOLUME) {
        raise(to, TOP, ~(y0 + top));
        raise(to, BACK, layer);
        add_64(to, SUM_Z, lg_mul64(s.area, uvec2(layer, 0u)));
    }
}

void add_to_sums(uint i, sums s)
{
    atomicAdd(areas[i], s.area);
    atomicAdd(sums_x[i], s.x);
    atomicAdd(sums_y[i], s.y);
    atomicMax(lefts[i], s.left);
    atomicMax(rights[i], s.right);
    atomicMax(bottoms[i], s.bottom);
}

uint length_of_first(uint bits, uint rest)
{
    return bitCount(bits & ~(bits + (rest & (~rest + 1u))));
}

void add_runs(tile_place at, uint word, uvec2 own)
{
    root_places roots = tile_roots(at);
    const uint starts = starts_of(own.x), row = word / TILE_WORDS;
    uint longest = 0u, run = own.y;
    for (uint rest = starts; rest != 0u; rest &= rest - 1u, run++)
        longest = max(longest, length_of_first(own.x, rest) << 16 | uint(roots.at[run]));
    longest = subgroupMax(longest);
    const uint main_root = longest == 0u ? 0xffffffffu : longest & 0xffffu;
    sums of_common = sums(0u, 0u, 0u, 0u, 0u, 0u);
    run = own.y;
    for (uint rest = starts; rest != 0u; rest &= rest - 1u, run++) {
        const uint root = uint(roots.at[run]);
        const uint first = word % TILE_WORDS * 32u + findLSB(rest);
        const uint length = length_of_first(own.x, rest);
        sums s = sums(length, length * first + length * (length - 1u) / 2u, length * row,
                      COLUMNS - 1u - first, first + length - 1u, row);
        if (root == main_root) {
            of_common.area += s.area;
            of_common.x += s.x;
            of_common.left = max(of_common.left, s.left);
            of_common.right = max(of_common.right, s.right);
            continue;
        }
        const uint place = place_of(root);
        if (place < PLACES)
            add_to_sums(place, s);
        else
            add_to_record(at, label[run_at(root)], row, s, false);
    }
    if (longest == 0u)
        return;
    of_common.y = subgroupAdd(of_common.area * row);
    of_common.bottom = subgroupMax(of_common.area != 0u ? row : 0u);
    of_common.area = subgroupAdd(of_common.area);
    of_common.x = subgroupAdd(of_common.x);
    of_common.left = subgroupMax(of_common.left);
    of_common.right = subgroupMax(of_common.right);
    const uint least_row = VOLUME ? main_root / COLUMNS : 0u; // the root's
    if (!subgroupElect())
        return;
    const uint place = place_of(main_root);
    if (place < PLACES)
        add_to_sums(place, of_common);
    else
        add_to_record(at, label[run_at(main_root)], least_row, of_common, false);
}

// A component that does not touch the tile's border is whole.
void add_up(tile_place at, uint word)
{
    const uvec2 roots = root_words[word];
    const uint top = word / TILE_WORDS;
    uint place = roots.y;
    for (uint rest = roots.x; rest != 0u; rest &= rest - 1u, place++) {
        if (place >= PLACES)
            return;
        const sums s = sums(areas[place], sums_x[place], sums_y[place], lefts[place], rights[place],
                            bottoms[place]);
        const bool whole = !VOLUME && top > 0u && s.bottom < TILE_ROWS - 1u &&
                           s.left < COLUMNS - 1u && s.right < COLUMNS - 1u;
        add_to_record(at, label[run_at(32u * word + findLSB(rest))], top, s, whole);
    }
}
