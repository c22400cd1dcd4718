// Extremes of bytes over squares up to radius 16, both axes at once: grey images, or red of colour.
//
// A tile has ROWS rows of 224 pixels and 16 more on either side. Each thread takes four columns down: bytes
// two by two in the 16-bit lanes of a word. Two rows of a column then share a word in shared memory, so
// that going along rows moves whole words. In both directions, as many outputs as the window is wide
// (about) share what their windows have in common; each has its own part before it and behind it.
//
// Lanes are half floats, 1 + v / 1024, whose maximum is one instruction of many devices; LANES 0: integers.
//
// Defined before: RADIUS 1 .. 16, ROWS, LANES, MAXIMUM, IN and OUT channels (1 or 4), BORDER.
// Words: height, layers.

#define COLUMNS   64  // words of a tile's row
#define OUT_WIDTH 224 // pixels
#define DOWN      (2 * RADIUS) // outputs of a thread that goes down
#define ALONG     (RADIUS >= 8 ? 16 : RADIUS >= 4 ? 8 : RADIUS >= 2 ? 4 : 2)
#define PAIR_ROW  320 // words of two rows: 256, and four more behind every sixteen

shared uvec4 pairs[ROWS / 2 * PAIR_ROW / 4];

#if LANES
#define FLOOR 0x3c003c00u
uint lanes_max(uint a, uint b)
{
    return packFloat2x16(max(unpackFloat2x16(a), unpackFloat2x16(b)));
}
#else
#define FLOOR 0u
uint lanes_max(uint a, uint b)
{
    uint more = (((a | 0x01000100u) - b) >> 8 & 0x00010001u) * 255u;
    return (a & more) | (b & ~more);
}
#endif

uint byte_at(uvec2 row, int x)
{
    int column = lg_border_index(x, lg_whole(5), BORDER);
    if (column < 0)
        return 0u;
#if IN == 1
    return lg_words(row).at[column >> 2] >> (8 * (column & 3)) & 255u;
#else
    return lg_words(row).at[column] & 255u;
#endif
}

// Four bytes from column x on, a multiple of four.
uint word_at(int x, int y, uint z)
{
    int line = lg_border_index(y, lg_whole(6), BORDER);
    uint v = 0u;
    if (line >= 0) {
        uvec2 row = lg_row(lg.views[0], uint(line), z);
        if (x >= 0 && x + 3 < lg_whole(5)) {
#if IN == 1
            v = lg_words(row).at[x >> 2];
#else
            uvec4 w = lg_vectors(row).at[x >> 2];
            v = (w.x & 255u) | (w.y & 255u) << 8 | (w.z & 255u) << 16 | w.w << 24;
#endif
        } else {
            v = byte_at(row, x) | byte_at(row, x + 1) << 8 | byte_at(row, x + 2) << 16 |
                byte_at(row, x + 3) << 24;
        }
    }
    return MAXIMUM != 0 ? v : ~v;
}

// Bytes 0 and 2, bytes 1 and 3.
uvec2 lanes_of(uint v)
{
    return uvec2((v & 0x00ff00ffu) | FLOOR, (v >> 8 & 0x00ff00ffu) | FLOOR);
}

uvec2 lanes_max2(uvec2 a, uvec2 b)
{
    return uvec2(lanes_max(a.x, b.x), lanes_max(a.y, b.y));
}

// Rows first .. first + DOWN - 1 of the tile, in the columns of this thread.
void go_down(int column, int x, int y, int first, uint z)
{
    uvec2 before[DOWN];
    uvec2 best = lanes_of(word_at(x, y + first + RADIUS, z));
    [[unroll]] for (int j = 2 * RADIUS - 1; j >= 0; j--) {
        best = lanes_max2(best, lanes_of(word_at(x, y + first + j - RADIUS, z)));
        before[j] = best;
    }
    uvec2 even = before[0], behind = uvec2(0u);
    [[unroll]] for (int j = 1; j < DOWN; j++) {
        uvec2 next = lanes_of(word_at(x, y + first + j + RADIUS, z));
        behind = j == 1 ? next : lanes_max2(behind, next);
        uvec2 v = lanes_max2(before[j], behind);
        if ((j & 1) == 0) {
            even = v;
            continue;
        }
        uint pair = uint(first + j) >> 1;
        uint at = (pair * PAIR_ROW + 20u * (uint(column) >> 2)) / 4u + (uint(column) & 3u);
        pairs[at] = uvec4((even.x & 0xffffu) | v.x << 16, (even.y & 0xffffu) | v.y << 16,
                          even.x >> 16 | (v.x & 0xffff0000u), even.y >> 16 | (v.y & 0xffff0000u));
    }
}

// Four columns of two rows as four bytes of either row.
uvec2 bytes_of(uint a, uint b, uint c, uint d)
{
    uint low = (a & 0x00ff00ffu) | (b & 0x00ff00ffu) << 8;
    uint high = (c & 0x00ff00ffu) | (d & 0x00ff00ffu) << 8;
    uvec2 v = uvec2((low & 0xffffu) | high << 16, low >> 16 | (high & 0xffff0000u));
    return MAXIMUM != 0 ? v : ~v;
}

void store_sixteen(uvec4 v, int x, int y, uint z)
{
    uvec2 row = lg_row(lg.views[1], uint(y), z);
#if OUT == 1
    lg_vectors(row).at[x >> 4] = v;
#else
    [[unroll]] for (int k = 0; k < 4; k++) {
        uvec4 w = (uvec4(v[k]) >> uvec4(0u, 8u, 16u, 24u) & 255u) * 0x010101u | 0xff000000u;
        if (uint(x + 4 * k) < lg.width)
            lg_vectors(row).at[(x >> 2) + k] = w;
    }
#endif
}

// Sixteen pixels of two rows.
void go_along(int pair, int segment, int x, int y, int height, uint z)
{
    uint from[48];
    uint at = uint(pair * PAIR_ROW + 20 * segment) / 4u;
    [[unroll]] for (int k = 0; k < 12; k++) {
        uvec4 v = pairs[at + uint(k + k / 4)];
        from[4 * k] = v.x;
        from[4 * k + 1] = v.y;
        from[4 * k + 2] = v.z;
        from[4 * k + 3] = v.w;
    }
    uint to[16];
    [[unroll]] for (int base = 0; base < 16; base += ALONG) {
        uint best = from[16 + base + RADIUS];
        [[unroll]] for (int j = 2 * RADIUS - 1; j >= 0; j--) {
            best = lanes_max(best, from[16 - RADIUS + base + j]);
            if (j < ALONG)
                to[base + j] = best;
        }
        uint behind = 0u;
        [[unroll]] for (int j = 1; j < ALONG; j++) {
            uint next = from[16 + base + RADIUS + j];
            behind = j == 1 ? next : lanes_max(behind, next);
            to[base + j] = lanes_max(to[base + j], behind);
        }
    }
    uvec4 upper, lower;
    [[unroll]] for (int k = 0; k < 4; k++) {
        uvec2 v = bytes_of(to[4 * k], to[4 * k + 1], to[4 * k + 2], to[4 * k + 3]);
        upper[k] = v.x;
        lower[k] = v.y;
    }
    if (uint(x) >= lg.width)
        return;
    if (y < height)
        store_sixteen(upper, x, y, z);
    if (y + 1 < height)
        store_sixteen(lower, x, y + 1, z);
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]);
    int x = int(gl_WorkGroupID.x) * OUT_WIDTH;
    int thread = int(gl_LocalInvocationIndex), threads = LG_GROUP_X;
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * ROWS; y < height; y += int(gl_NumWorkGroups.y) * ROWS) {
            int column = thread & (COLUMNS - 1);
            for (int first = thread / COLUMNS * DOWN; first < ROWS; first += threads / COLUMNS * DOWN)
                go_down(column, x - 16 + 4 * column, y, first, z);
            barrier();
            for (int i = thread; i < ROWS / 2 * 14; i += threads)
                go_along(i / 14, i % 14, x + i % 14 * 16, y + i / 14 * 2, height, z);
            barrier();
        }
}
