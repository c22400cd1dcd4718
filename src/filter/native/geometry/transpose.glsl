// Images whose rows become columns. A workgroup moves a tile: a thread reads words of PER neighbouring rows,
// turns the block of PER x PER pixels, and puts its words into shared memory, from where rows of the output
// are written word by word. Defined before: PER, pixels of a word: 1, 2 or 4; ACROSS and DOWN, 1 or -1: the
// steps in the input along a row and down a column of the output. Words: height and layers of the output,
// row and column of the input for its pixel 0, 0, height and width of the input.
#define WIDE   32                    // words of a tile's row
#define NARROW (PER == 4 ? 16 : 32)  // words of the input's rows in it
#define HIGH   (NARROW * PER)        // rows of a tile
#define BLOCKS (WIDE * NARROW)
#define LANES  (LG_GROUP_X * LG_GROUP_Y)

shared uint tile[HIGH * (WIDE + 1)];

// Word `at` of a row whose pixels are taken from column `first` on, which may begin within a word.
uint word_at(lg_words row, int first, int at)
{
    int pixel = first + at * PER, last = (int(lg.extra[5]) - 1) / PER, i = pixel >> (PER >> 1);
    uint shift = uint(pixel & (PER - 1)) * (32u / PER), word = row.at[clamp(i, 0, last)];
    return shift == 0u ? word : word >> shift | row.at[clamp(i + 1, 0, last)] << (32u - shift);
}

void turn(inout uint w[PER])
{
#if PER == 2
    w = uint[](w[0] & 65535u | w[1] << 16, w[0] >> 16 | w[1] & 0xffff0000u);
#elif PER == 4
    uint a = w[0] & 0x00ff00ffu | w[1] << 8 & 0xff00ff00u, b = w[0] >> 8 & 0x00ff00ffu | w[1] & 0xff00ff00u;
    uint c = w[2] & 0x00ff00ffu | w[3] << 8 & 0xff00ff00u, d = w[2] >> 8 & 0x00ff00ffu | w[3] & 0xff00ff00u;
    w = uint[](a & 65535u | c << 16, b & 65535u | d << 16, a >> 16 | c & 0xffff0000u,
               b >> 16 | d & 0xffff0000u);
#endif
}

void take_tile(int x0, int y0, uint z)
{
    int first = int(lg.extra[3]) + DOWN * y0 - (DOWN < 0 ? HIGH - 1 : 0);
    [[unroll]] for (int i = 0; i < BLOCKS / LANES; i++) {
        int block = int(gl_LocalInvocationIndex) + i * LANES, at = block % NARROW, k = block / NARROW;
        uint w[PER];
        [[unroll]] for (int j = 0; j < PER; j++) {
            int row = int(lg.extra[2]) + ACROSS * (x0 + k * PER + j);
            row = clamp(row, 0, int(lg.extra[4]) - 1);
            w[j] = word_at(lg_words(lg_row(lg.views[0], uint(row), z)), first, at);
        }
        turn(w);
        [[unroll]] for (int j = 0; j < PER; j++) {
            int y = DOWN > 0 ? at * PER + j : HIGH - 1 - at * PER - j;
            tile[y * (WIDE + 1) + k] = w[j];
        }
    }
}

void put_tile(int x0, int y0, uint z)
{
    int lane = int(gl_LocalInvocationID.x);
    for (int y = int(gl_LocalInvocationID.y); y < HIGH && y0 + y < int(lg.extra[0]); y += LG_GROUP_Y)
        if (x0 + lane * PER < int(lg.width))
            lg_words(lg_row(lg.views[1], uint(y0 + y), z)).at[x0 / PER + lane] =
                tile[y * (WIDE + 1) + lane];
}

void main()
{
    const int wide = WIDE * PER;
    ivec2 step = ivec2(gl_NumWorkGroups.xy) * ivec2(wide, HIGH);
    for (uint z = gl_WorkGroupID.z; z < lg.extra[1]; z += gl_NumWorkGroups.z)
        for (int y0 = int(gl_WorkGroupID.y) * HIGH; y0 < int(lg.extra[0]); y0 += step.y)
            for (int x0 = int(gl_WorkGroupID.x) * wide; x0 < int(lg.width); x0 += step.x) {
                take_tile(x0, y0, z);
                barrier();
                put_tile(x0, y0, z);
                barrier();
            }
}
