// Both passes of a resized image in one dispatch: a workgroup keeps what the first pass makes for a tile of
// the output in shared memory. Behind resize.glsl or resize_bytes.glsl. Defined before: COLUMNS_FIRST; PITCH
// what stands between two rows of the tile; TILE_ROWS; FIRST_TAPS and SECOND_TAPS, the most weights of an
// output in each pass when they are few enough to be loaded at once, else 0. Words: layers, height and width
// of the output, 0; then of the lists of both axes, along rows and down columns: entries, weights of each,
// address. Behind the weights of the second axis stand, for every tile, the first input that it reads and
// how many.
#define COLUMNS (4 * LG_GROUP_X)

// Lanes read entries that are a few powers of two apart; with a gap behind every eighth entry these lie in
// different banks.
#define PLACE(x) ((x) + ((x) >> 3))

shared KEPT tile[TILE_ROWS * PITCH];

struct axis {
    lg_words list;
    int entries, taps;
};

axis axis_of(int k)
{
    return axis(lg_words(uvec2(lg.extra[6 + 4 * k], lg.extra[7 + 4 * k])), int(lg.extra[4 + 4 * k]),
                int(lg.extra[5 + 4 * k]));
}

int first_of(axis a, int i)
{
    return int(a.list.at[i]);
}

int count_of(axis a, int i)
{
    return int(a.list.at[a.entries + i]);
}

// Where weight k of an output stands: those of neighbours lie side by side, as lanes read them.
int weight_of(axis a, int i, int k)
{
    return (2 + k) * a.entries + i;
}

// Where the part of the input begins that tile i reads, and how long it is.
ivec2 part_of(axis a, int i)
{
    int at = 2 * a.entries + a.entries * a.taps + 2 * i;
    return ivec2(a.list.at[at], a.list.at[at + 1]);
}

// The sum of one output in the first pass, at `other` on the axis that it does not go along.
#if FIRST_TAPS
struct first_line {
    int begin, last;
    WEIGHT weight[FIRST_TAPS];
};

first_line first_line_of(axis a, int i)
{
    first_line l;
    l.begin = first_of(a, i);
    l.last = l.begin + count_of(a, i) - 1;
    [[unroll]] for (int k = 0; k < FIRST_TAPS; k++)
        l.weight[k] = WEIGHT_AT(a.list, weight_of(a, i, k));
    return l;
}

KEPT made_at(axis a, first_line l, int other, uint z)
{
    SUM v[FIRST_TAPS];
    [[unroll]] for (int k = 0; k < FIRST_TAPS; k++) {
        int i = min(l.begin + k, l.last);
        v[k] = COLUMNS_FIRST != 0 ? pixel_at(other, i, z) : pixel_at(i, other, z);
    }
    precise SUM sum = v[0] * l.weight[0];
    [[unroll]] for (int k = 1; k < FIRST_TAPS; k++)
        sum = WITH(sum, v[k] * l.weight[k], l.begin + k <= l.last);
    return keep(sum);
}
#else
#define first_line           int
#define first_line_of(a, i) (i)

KEPT made_at(axis a, int i, int other, uint z)
{
    int first = first_of(a, i), count = count_of(a, i);
    SUM v = COLUMNS_FIRST != 0 ? pixel_at(other, first, z) : pixel_at(first, other, z);
    precise SUM sum = v * WEIGHT_AT(a.list, weight_of(a, i, 0));
    for (int k = 1; k < count; k++) {
        v = COLUMNS_FIRST != 0 ? pixel_at(other, first + k, z) : pixel_at(first + k, other, z);
        sum = sum + v * WEIGHT_AT(a.list, weight_of(a, i, k));
    }
    return keep(sum);
}
#endif

#if COLUMNS_FIRST
#define ENTRY(row, x, k) tile[(row) * PITCH + PLACE((x) + (k))]
#else
#define ENTRY(row, x, k) tile[((row) + (k)) * PITCH + PLACE(x)]
#endif

// The sum of one output in the second pass, from an entry of the tile on.
#if SECOND_TAPS
struct second_line {
    int begin, last;
    WEIGHT weight[SECOND_TAPS];
};

second_line second_line_of(axis a, int i, int part)
{
    second_line l;
    l.begin = first_of(a, i) - part;
    l.last = count_of(a, i) - 1;
    [[unroll]] for (int k = 0; k < SECOND_TAPS; k++)
        l.weight[k] = WEIGHT_AT(a.list, weight_of(a, i, k));
    return l;
}

SUM result_at(axis a, second_line l, int row, int x)
{
    precise SUM sum = kept(ENTRY(row, x, 0)) * l.weight[0];
    [[unroll]] for (int k = 1; k < SECOND_TAPS; k++)
        sum = WITH(sum, kept(ENTRY(row, x, min(k, l.last))) * l.weight[k], k <= l.last);
    return sum;
}
#else
struct second_line {
    int begin, entry;
};

second_line second_line_of(axis a, int i, int part)
{
    return second_line(first_of(a, i) - part, i);
}

SUM result_at(axis a, second_line l, int row, int x)
{
    int count = count_of(a, l.entry);
    precise SUM sum = kept(ENTRY(row, x, 0)) * WEIGHT_AT(a.list, weight_of(a, l.entry, 0));
    for (int k = 1; k < count; k++)
        sum = sum + kept(ENTRY(row, x, k)) * WEIGHT_AT(a.list, weight_of(a, l.entry, k));
    return sum;
}
#endif

void make_tile(axis along, axis down, ivec2 part, int x0, int y0, uint z)
{
    int width = int(lg.extra[2]), height = int(lg.extra[1]);
    int lx = int(gl_LocalInvocationID.x), ly = int(gl_LocalInvocationID.y);
#if COLUMNS_FIRST
    if (y0 + ly >= height)
        return;
    first_line l = first_line_of(down, y0 + ly);
    for (int x = lx; x < part.y; x += LG_GROUP_X)
        tile[ly * PITCH + PLACE(x)] = made_at(down, l, part.x + x, z);
#else
    for (int x = lx; x < COLUMNS && x0 + x < width; x += LG_GROUP_X) {
        first_line l = first_line_of(along, x0 + x);
        for (int y = ly; y < part.y; y += LG_GROUP_Y)
            tile[y * PITCH + PLACE(x)] = made_at(along, l, part.x + y, z);
    }
#endif
}

void use_tile(axis along, axis down, ivec2 part, int x0, int y0, uint z)
{
    int width = int(lg.extra[2]), height = int(lg.extra[1]);
    int lx = 4 * int(gl_LocalInvocationID.x), y = y0 + int(gl_LocalInvocationID.y);
    if (y >= height || x0 + lx >= width)
        return;
    LG_WORDS_OUT(v);
#if !COLUMNS_FIRST
    second_line l = second_line_of(down, y, part.x);
#endif
    [[unroll]] for (int j = 0; j < 4; j++) {
        int x = min(lx + j, width - 1 - x0);
#if COLUMNS_FIRST
        second_line l = second_line_of(along, x0 + x, part.x);
        put_result(v, j, result_at(along, l, y - y0, l.begin));
#else
        put_result(v, j, result_at(down, l, l.begin, x));
#endif
    }
    lg_flush(v, x0 + lx, y, z);
}

void main()
{
    axis along = axis_of(0), down = axis_of(1);
    int tiles = (int(lg.extra[1]) + LG_GROUP_Y - 1) / LG_GROUP_Y;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int t = int(gl_WorkGroupID.y); t < tiles; t += int(gl_NumWorkGroups.y)) {
            int x0 = int(gl_WorkGroupID.x) * COLUMNS, y0 = t * LG_GROUP_Y;
            ivec2 part = COLUMNS_FIRST != 0 ? part_of(along, int(gl_WorkGroupID.x)) : part_of(down, t);
            make_tile(along, down, part, x0, y0, z);
            barrier();
            use_tile(along, down, part, x0, y0, z);
            barrier();
        }
}
