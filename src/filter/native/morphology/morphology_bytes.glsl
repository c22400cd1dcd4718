// Extremes of bytes over squares up to radius 16, both axes at once: grey images, red of colour, or
// all four components.
//
// A workgroup goes down a strip. A thread has one word of each row; its four bytes are in the
// 16-bit lanes of two words. Down the columns, blocks of 2 RADIUS rows follow each other. A block
// has the extremes from each of its rows to its end, the next block those from its beginning to
// each row; a window is one of both. So a row is read once. The results go through shared memory,
// as lines of words with two rows of a pixel (grey) or two components. Along a line, several
// outputs share the common part of their windows; each adds its own parts before and behind.
//
// Lanes are half floats, 1 + v / 1024, whose maximum is one instruction on many devices; LANES 0:
// integers.
//
// Defined before: RADIUS 1 .. 16; UNITS blocks, or 1 / PARTS of one, between two turns along the
// lines; LANES; MAXIMUM; ALL all components (else red); IN and OUT channels (1 or 4); OPAQUE_IN,
// OPAQUE_OUT; BORDER; PREFETCH. Words: height, layers, rows of a strip.

#define DOWN    (2 * RADIUS) // rows of a block
#define THREADS LG_GROUP_X
#define PART    (DOWN / PARTS) // rows of a block that go through shared memory together
#define ALONG   (RADIUS >= 8 ? 16 : RADIUS >= 4 ? 8 : RADIUS >= 2 ? 4 : 2)
#define SEGMENT (RADIUS >= 8 && ALL == 0 ? 32 : 16) // outputs of a thread along a line
#define TURN    (UNITS * DOWN) // rows between two turns along the lines
#define MARGIN  16 // pixels of a strip beside those that it writes

#if ALL
#define PER_WORD 1 // pixels
#define LINES    (2 * UNITS * PART)
#else
#define PER_WORD 4
#define LINES    (UNITS * PART / 2)
#endif
#define STRIP      (THREADS * PER_WORD) // pixels of a line
#define OUT_WIDTH  (STRIP - 2 * MARGIN)
#define SEGMENTS   (OUT_WIDTH / SEGMENT)
#define LINE       (STRIP / SEGMENT * (SEGMENT + 4)) // words: four more behind every segment
#define FROM       (SEGMENT + 2 * MARGIN)

shared uvec4 lines[LINES * LINE / 4];

#if LANES == 1
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

uvec2 lanes_max2(uvec2 a, uvec2 b)
{
    return uvec2(lanes_max(a.x, b.x), lanes_max(a.y, b.y));
}

// Bytes 0 and 2, bytes 1 and 3.
uvec2 lanes_of(uint v)
{
    return uvec2((v & 0x00ff00ffu) | FLOOR, (v >> 8 & 0x00ff00ffu) | FLOOR);
}
uint bytes_of_lanes(uint even, uint odd)
{
    return (even & 0x00ff00ffu) | (odd & 0x00ff00ffu) << 8;
}

// ---- reading ------------------------------------------------------------------------------------

// Values outside the image, in lanes for the maximum; the rest of the window decides where it ends.
#if BORDER == 3 && MAXIMUM == 0
#define OUTSIDE 0xffffffffu
#else
#define OUTSIDE 0u
#endif

// The column of a thread: the address, and which of the bytes read are inside.
struct column_place {
    uint at;
    uint inside;
};

column_place column_at(int x, int width)
{
    column_place p;
    p.at = uint(clamp(x, 0, width - 1)) / PER_WORD;
    int left = width - x; // pixels from here to the end
    p.inside = x < 0 || left <= 0 ? 0u : left >= PER_WORD ? 0xffffffffu : (1u << (8 * left)) - 1u;
    return p;
}

uint word_of(uvec2 row, uint at)
{
#if IN == 1 || ALL
    return lg_words(row).at[at];
#else
    uvec4 w = lg_vectors(row).at[at];
    return (w.x & 255u) | (w.y & 255u) << 8 | (w.z & 255u) << 16 | w.w << 24;
#endif
}

#if BORDER == 2
// Four bytes of pixels that wrap around.
uint wrapped_word(uvec2 row, int x, int width)
{
#if ALL
    return lg_words(row).at[lg_border_index(x, width, BORDER)];
#else
    uint v = 0u;
    for (int k = 0; k < 4; k++) {
        uint i = uint(lg_border_index(x + k, width, BORDER));
#if IN == 1
        v |= (lg_words(row).at[i >> 2] >> (8u * (i & 3u)) & 255u) << (8 * k);
#else
        v |= (lg_words(row).at[i] & 255u) << (8 * k);
#endif
    }
    return v;
#endif
}
#endif

uvec2 layer_base;
uint row_units; // of a row, as word_of counts

uint word_at(column_place p, int x, int y, int width, int height, uint z)
{
#if BORDER == 2
    uvec2 row = lg_row(lg.views[0], uint(lg_border_index(y, height, BORDER)), z);
    uint v = 0u;
    if (p.inside == 0xffffffffu)
        v = word_of(row, p.at);
    else
        v = wrapped_word(row, x, width);
#else
    uint v = word_of(layer_base, uint(clamp(y, 0, height - 1)) * row_units + p.at);
#endif
#if OPAQUE_IN
    v |= 0xff000000u;
#endif
    v = MAXIMUM != 0 ? v : ~v;
#if BORDER == 3
    uint inside = y >= 0 && y < height ? p.inside : 0u;
    v = (v & inside) | (OUTSIDE & ~inside);
#elif BORDER != 2
    v &= p.inside;
#endif
    return v;
}

// ---- writing ------------------------------------------------------------------------------------

#if ALL
void store_sixteen(uint v[SEGMENT], int x, int y, uint z)
{
    uvec2 row = lg_row(lg.views[1], uint(y), z);
    [[unroll]] for (int k = 0; k < SEGMENT / 4; k++) {
        uvec4 w = uvec4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
        w = MAXIMUM != 0 ? w : ~w;
#if OPAQUE_OUT
        w |= 0xff000000u;
#endif
        if (uint(x + 4 * k) < lg.width)
            lg_vectors(row).at[(x >> 2) + k] = w;
    }
}
#else
void store_sixteen(uvec4 v, int x, int y, uint z)
{
    uvec2 row = lg_row(lg.views[1], uint(y), z);
    v = MAXIMUM != 0 ? v : ~v;
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
#endif

// ---- along a line -------------------------------------------------------------------------------

// SEGMENT extremes along a line.
void go_along(int line, int segment, out uint to[SEGMENT])
{
    uint from[FROM];
    uint at = uint(line * LINE + (SEGMENT + 4) * segment) / 4u;
    [[unroll]] for (int k = 0; k < FROM / 4; k++) {
        uvec4 v = lines[at + uint(k + k / (SEGMENT / 4))];
        from[4 * k] = v.x;
        from[4 * k + 1] = v.y;
        from[4 * k + 2] = v.z;
        from[4 * k + 3] = v.w;
    }
#if RADIUS >= 15 && ALL == 0
    // With blocks of 16, a window is the end of one, the next one, and the beginning of the third.
    const int lead = 16 - RADIUS; // of the first block, in no window
    uint ends[17];
    ends[15] = from[31];
    [[unroll]] for (int i = 14; i >= 0; i--)
        ends[i] = lanes_max(ends[i + 1], from[16 + i]);
    uint best = ends[0], behind = 0u;
    to[15] = best;
    [[unroll]] for (int i = 15; i >= lead; i--) {
        best = lanes_max(best, from[i]);
        to[i - lead] = best;
    }
    [[unroll]] for (int j = lead; j < 16; j++) {
        uint next = from[32 + j - lead];
        behind = j == lead ? next : lanes_max(behind, next);
        to[j] = lanes_max(to[j], behind);
    }
    if (lead == 1)
        behind = lanes_max(behind, from[47]);
    [[unroll]] for (int j = 0; j < 16; j++) {
        if (j >= lead)
            behind = lanes_max(behind, from[48 + j - lead]);
        to[16 + j] = lead + j < 16 ? lanes_max(ends[lead + j], behind) : behind;
    }
#else
    [[unroll]] for (int base = 0; base < SEGMENT; base += ALONG) {
        uint best = from[MARGIN + base + RADIUS];
        [[unroll]] for (int j = 2 * RADIUS - 1; j >= 0; j--) {
            best = lanes_max(best, from[MARGIN - RADIUS + base + j]);
            if (j < ALONG)
                to[base + j] = best;
        }
        uint behind = 0u;
        [[unroll]] for (int j = 1; j < ALONG; j++) {
            uint next = from[MARGIN + base + RADIUS + j];
            behind = j == 1 ? next : lanes_max(behind, next);
            to[base + j] = lanes_max(to[base + j], behind);
        }
    }
#endif
}

#if ALL
void finish_lines(int x0, int y0, int height, uint z)
{
    for (int i = int(gl_LocalInvocationIndex); i < LINES / 2 * SEGMENTS; i += THREADS) {
        int x = x0 + i % SEGMENTS * SEGMENT, y = y0 + i / SEGMENTS;
        uint even[SEGMENT], odd[SEGMENT];
        go_along(i / SEGMENTS * 2, i % SEGMENTS, even);
        go_along(i / SEGMENTS * 2 + 1, i % SEGMENTS, odd);
        [[unroll]] for (int k = 0; k < SEGMENT; k++)
            even[k] = bytes_of_lanes(even[k], odd[k]);
        if (uint(x) < lg.width && y < height)
            store_sixteen(even, x, y, z);
    }
}
#else
// Four columns of two rows as four bytes of either row.
uvec2 bytes_of(uint a, uint b, uint c, uint d)
{
    uint low = bytes_of_lanes(a, b), high = bytes_of_lanes(c, d);
    return uvec2((low & 0xffffu) | high << 16, low >> 16 | (high & 0xffff0000u));
}

void finish_lines(int x0, int y0, int height, uint z)
{
    for (int i = int(gl_LocalInvocationIndex); i < LINES * SEGMENTS; i += THREADS) {
        int x = x0 + i % SEGMENTS * SEGMENT, y = y0 + i / SEGMENTS * 2;
        uint to[SEGMENT];
        go_along(i / SEGMENTS, i % SEGMENTS, to);
        [[unroll]] for (int s = 0; s < SEGMENT / 16; s++) {
            uvec4 upper, lower;
            [[unroll]] for (int k = 0; k < 4; k++) {
                int at = 16 * s + 4 * k;
                uvec2 v = bytes_of(to[at], to[at + 1], to[at + 2], to[at + 3]);
                upper[k] = v.x;
                lower[k] = v.y;
            }
            if (uint(x + 16 * s) < lg.width) {
                if (y < height)
                    store_sixteen(upper, x + 16 * s, y, z);
                if (y + 1 < height)
                    store_sixteen(lower, x + 16 * s, y + 1, z);
            }
        }
    }
}
#endif

// ---- down the columns ---------------------------------------------------------------------------

uvec2 upper_row; // of a pair

// Row first + j; first is even.
void put(int first, int j, uvec2 v)
{
    uint thread = gl_LocalInvocationIndex;
#if ALL
    uint at = uint(2 * (first + j) * LINE) + thread + thread / SEGMENT * 4u;
    lines[at / 4u][at & 3u] = v.x;
    lines[at / 4u + LINE / 4][at & 3u] = v.y;
#else
    if ((j & 1) == 0) {
        upper_row = v;
        return;
    }
    uint at = uint((first >> 1) + (j >> 1)) * (LINE / 4) + thread + thread / (SEGMENT / 4);
    lines[at] = uvec4((upper_row.x & 0xffffu) | v.x << 16, (upper_row.y & 0xffffu) | v.y << 16,
                      upper_row.x >> 16 | (v.x & 0xffff0000u),
                      upper_row.y >> 16 | (v.y & 0xffff0000u));
#endif
}

void go_down(int x0, int y0, int y_end, int height, uint z)
{
    int width = lg_param_int(5), x = x0 - MARGIN + int(gl_LocalInvocationIndex) * PER_WORD;
    column_place place = column_at(x, width);
    layer_base = lg_row(lg.views[0], 0u, z);
    row_units = lg.views[0].row_stride / (IN == 1 || ALL != 0 ? 4u : 16u);
    uvec2 before[DOWN]; // extremes of a block from its row j to its end
    uint raw[TURN];
    [[unroll]] for (int j = 0; j < DOWN; j++)
        before[j] = lanes_of(word_at(place, x, y0 - RADIUS + j, width, height, z));
    // Rows are read all at once, a turn ahead where registers allow, as the time goes into waiting
    // for them.
#if PREFETCH
    [[unroll]] for (int j = 0; j < TURN; j++)
        raw[j] = word_at(place, x, y0 + RADIUS + j, width, height, z);
#endif
    for (int y = y0; y < y_end; y += TURN) {
#if !PREFETCH
        [[unroll]] for (int j = 0; j < TURN; j++)
            raw[j] = word_at(place, x, y + RADIUS + j, width, height, z);
#endif
        [[unroll]] for (int unit = 0; unit < UNITS; unit++) {
            [[unroll]] for (int j = DOWN - 2; j >= 0; j--)
                before[j] = lanes_max2(before[j], before[j + 1]);
            uvec2 behind = uvec2(0u);
            [[unroll]] for (int j = 0; j < DOWN; j++) {
                uvec2 next = lanes_of(raw[unit * DOWN + j]);
                behind = j == 0 ? next : lanes_max2(behind, next);
                put(unit * DOWN, j % PART, lanes_max2(before[j], behind));
                before[j] = next;
#if PARTS > 1
                if (j % PART == PART - 1 && j < DOWN - 1) {
                    barrier();
                    finish_lines(x0, y + j + 1 - PART, height, z);
                    barrier();
                }
#endif
            }
        }
#if PREFETCH
        [[unroll]] for (int j = 0; j < TURN; j++)
            raw[j] = word_at(place, x, y + TURN + RADIUS + j, width, height, z);
#endif
        barrier();
        finish_lines(x0, y + (PARTS - 1) * PART, height, z);
        barrier();
    }
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), rows = int(lg.extra[2]);
    int x = int(gl_WorkGroupID.x) * OUT_WIDTH;
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * rows; y < height; y += int(gl_NumWorkGroups.y) * rows)
            go_down(x, y, min(y + rows, height), height, z);
}
