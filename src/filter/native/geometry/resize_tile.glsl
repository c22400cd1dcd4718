// Both passes of a resized image in one dispatch: a workgroup keeps what the first pass makes for a tile of
// the output in shared memory. Behind resize.glsl or resize_bytes.glsl. Defined before: COLUMNS_FIRST; PITCH
// what stands between two rows of the tile; TILE_ROWS. Words: layers, height and width of the output, 0; then
// of the lists of both axes, along rows and down columns: entries, weights of each, address. Behind the
// weights of the second axis stand, for every tile, the first input that it reads and how many.
#define COLUMNS (4 * LG_GROUP_X)

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

int weights_of(axis a, int i)
{
    return 2 * a.entries + i * a.taps;
}

// Where the part of the input begins that tile i reads, and how long it is.
ivec2 part_of(axis a, int i)
{
    int at = 2 * a.entries + a.entries * a.taps + 2 * i;
    return ivec2(a.list.at[at], a.list.at[at + 1]);
}

// The first pass for one entry of the tile: `i` of axis `a`, beside `other`.
KEPT made_at(axis a, int i, int other, uint z)
{
    int first = first_of(a, i), count = count_of(a, i), at = weights_of(a, i);
    SUM v = COLUMNS_FIRST != 0 ? pixel_at(other, first, z) : pixel_at(first, other, z);
    precise SUM sum = v * WEIGHT(a.list, at);
    for (int k = 1; k < count; k++) {
        v = COLUMNS_FIRST != 0 ? pixel_at(other, first + k, z) : pixel_at(first + k, other, z);
        sum = sum + v * WEIGHT(a.list, at + k);
    }
    return keep(sum);
}

// The second one.
SUM result_at(axis a, int i, int at, int step)
{
    int count = count_of(a, i), w = weights_of(a, i);
    precise SUM sum = kept(tile[at]) * WEIGHT(a.list, w);
    for (int k = 1; k < count; k++)
        sum = sum + kept(tile[at + k * step]) * WEIGHT(a.list, w + k);
    return sum;
}

void make_tile(axis along, axis down, ivec2 part, int x0, int y0, uint z)
{
    int width = int(lg.extra[2]), height = int(lg.extra[1]);
    int lx = int(gl_LocalInvocationID.x), ly = int(gl_LocalInvocationID.y);
#if COLUMNS_FIRST
    if (y0 + ly < height)
        for (int x = lx; x < part.y; x += LG_GROUP_X)
            tile[ly * PITCH + x] = made_at(down, y0 + ly, part.x + x, z);
#else
    for (int y = ly; y < part.y; y += LG_GROUP_Y)
        for (int x = lx; x < COLUMNS && x0 + x < width; x += LG_GROUP_X)
            tile[y * PITCH + x] = made_at(along, x0 + x, part.x + y, z);
#endif
}

void use_tile(axis along, axis down, ivec2 part, int x0, int y0, uint z)
{
    int width = int(lg.extra[2]), height = int(lg.extra[1]);
    int lx = 4 * int(gl_LocalInvocationID.x), y = y0 + int(gl_LocalInvocationID.y);
    uvec4 v[LG_VECTORS_OUT];
    if (y >= height || x0 + lx >= width)
        return;
    [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
        v[k] = uvec4(0u);
    [[unroll]] for (int j = 0; j < 4; j++) {
        int x = min(lx + j, width - 1 - x0);
#if COLUMNS_FIRST
        SUM s = result_at(along, x0 + x, (y - y0) * PITCH + first_of(along, x0 + x) - part.x, 1);
#else
        SUM s = result_at(down, y, (first_of(down, y) - part.x) * PITCH + x, PITCH);
#endif
        put_result(v, j, s);
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
