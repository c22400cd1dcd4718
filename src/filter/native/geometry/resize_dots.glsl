// An image of bytes at half its size where all outputs have the same weights, but for those at an edge: both
// passes in one dispatch, the first one in products of four bytes. A workgroup makes ROWS rows of a strip. A
// thread has a word of the input's rows. It goes down, joins the same byte of four rows into a word, and
// keeps these words for all outputs that they belong to. A weight is 256 HIGH + LOW, bytes of which the
// first one has a sign. The second pass has 16 samples a thread, from shared memory. Defined before: CH 1 or
// 4; SET as in resize_bytes.glsl; TAPS, the weights of an output, an even number; QUADS, how many fours of
// them there are with zeros behind them, whose bytes are LOW and HIGH; WEIGHTS, all of them; ROWS. Words:
// layers and width of the output, width of the input, rows of the output that are made, first and end, rows
// of the input that are there, likewise, addresses of the lists of both axes, along rows and down columns of
// the rows that are made; resize.glsl tells what stands in them.
#define LAYERS   lg.extra[0]
#define WIDTH    int(lg.extra[1])
#define WIDTH_IN int(lg.extra[2])
#define Y_FIRST  int(lg.extra[3])
#define Y_END    int(lg.extra[4])
#define Y_FROM   int(lg.extra[5])
#define Y_TO     int(lg.extra[6])
#define THREADS int(LG_GROUP_X)
#define PIXELS  (4 / CH)                           // of a word
#define SPAN    (16 / CH)                          // outputs of a thread along a row
#define LEAD    (TAPS / 2 - 1)                     // input 2 i - LEAD is the first one of output i
#define GAP     (CH == 4 ? 0 : 3 - (LEAD + 3) % 4) // pixels of the first word in front of it
#define BESIDE  ((GAP + TAPS - 2 + PIXELS - 1) / PIXELS)
#define SPANS   ((THREADS - BESIDE) / 8)  // of a row of the strip
#define VECTORS ((8 + BESIDE + 1) / 2)    // of samples, that a thread reads in the second pass
#define PITCH   (THREADS / 2 + THREADS / 8)
#define KEPT    (2 * QUADS - 1)
#define BIAS    32768u // makes what the first pass keeps positive

// Neighbours read every fourth vector; with a gap behind each fourth these lie in different banks.
#define PLACE(i) ((i) + ((i) >> 2))

shared uvec4 tile[ROWS * PITCH]; // a word of the input became two of them

const uint low[QUADS] = uint[](LOW), high[QUADS] = uint[](HIGH);
const uint weights[TAPS] = uint[](WEIGHTS);

lg_words list_of(int axis)
{
    return lg_words(uvec2(lg.extra[7 + 2 * axis], lg.extra[8 + 2 * axis]));
}

void keep(int row, int thread, uint v[4])
{
    int at = row * PITCH + PLACE(thread >> 1), half_of = 2 * (thread & 1);
    tile[at][half_of] = v[0] | v[1] << 16;
    tile[at][half_of + 1] = v[2] | v[3] << 16;
}

// Whether all columns that an output needs lie inside.
bool is_inside(int i, int size)
{
    return 2 * i >= LEAD && 2 * i - LEAD + TAPS <= size;
}

void go_down(int word, int y0, uint z, int thread)
{
    uint quads[4][KEPT];
    uvec2 row = lg_row(lg.views[0], uint(2 * y0 - LEAD), z), stride = uvec2(lg.views[0].row_stride, 0u);
    uint even = 0u, odd = 0u; // bytes 0 and 2, 1 and 3 of the two rows above
    [[unroll]] for (int pair = 0; pair < ROWS + KEPT; pair++) {
        uint a = lg_words(row).at[word];
        row = lg_add64(row, stride);
        uint b = lg_words(row).at[word];
        row = lg_add64(row, stride);
        uint next_even = a & 0x00ff00ffu | b << 8 & 0xff00ff00u;
        uint next_odd = a >> 8 & 0x00ff00ffu | b & 0xff00ff00u;
        if (pair > 0) {
            int to = (pair - 1) % KEPT;
            quads[0][to] = even & 65535u | next_even << 16;
            quads[1][to] = odd & 65535u | next_odd << 16;
            quads[2][to] = even >> 16 | next_even & 0xffff0000u;
            quads[3][to] = odd >> 16 | next_odd & 0xffff0000u;
        }
        even = next_even;
        odd = next_odd;
        if (pair < KEPT)
            continue;
        uint v[4];
        [[unroll]] for (int c = 0; c < 4; c++) {
            uint sum = (BIAS << 8) + 128u;
            [[unroll]] for (int q = 0; q < QUADS; q++)
                sum += LG_DOT(quads[c][(pair - KEPT + 2 * q) % KEPT], low[q]);
            int more = int(sum >> 8);
            [[unroll]] for (int q = 0; q < QUADS; q++)
                more += LG_SIGNED_DOT(high[q], quads[c][(pair - KEPT + 2 * q) % KEPT]);
            v[c] = uint(more);
        }
        keep(pair - KEPT, thread, v);
    }
}

// The same where an output is at an edge.
void go_down_listed(int word, int y0, uint z, int thread)
{
    lg_words list = list_of(1);
    int rows = Y_END - Y_FIRST;
    [[dont_unroll]] for (int row = 0; row < ROWS; row++) {
        int y = min(y0 - Y_FIRST + row, rows - 1), first = int(list.at[y]), count = int(list.at[rows + y]);
        ivec4 sum = ivec4(int(BIAS << 8) + 128);
        [[dont_unroll]] for (int k = 0; k < count; k++) {
            uint w = lg_words(lg_row(lg.views[0], uint(first + k), z)).at[word];
            sum += ivec4(w & 255u, w >> 8 & 255u, w >> 16 & 255u, w >> 24) *
                   int(list.at[(2 + k) * rows + y]);
        }
        keep(row, thread, uint[](uint(sum.x) >> 8, uint(sum.y) >> 8, uint(sum.z) >> 8, uint(sum.w) >> 8));
    }
}

// What the second sum begins with: half of what is rounded, less the weighted bias.
const int BEGIN = (1 << 19) - int(BIAS << 14);

int byte_of(int sum)
{
    return clamp(sum >> 20, 0, 255);
}

// A sample of an output at an edge; `first` is the pixel that the tile begins with.
int listed_at(int x, int row, int channel, int first)
{
    lg_words list = list_of(0);
    int width = WIDTH, from = int(list.at[x]), count = int(list.at[width + x]), sum = BEGIN;
    [[dont_unroll]] for (int k = 0; k < count; k++) {
        int sample_of = (from + k - first) * CH + channel, word = sample_of >> 1;
        uint two = tile[row * PITCH + PLACE(word >> 2)][word & 3];
        sum += int(two >> (16 * (sample_of & 1)) & 65535u) * int(list.at[(2 + k) * width + x]);
    }
    return byte_of(sum);
}

void list_edges(inout uvec4 v, int x0, int row, int first)
{
    int width = WIDTH;
    [[dont_unroll]] for (int i = 0; i < 16; i++) {
        int x = x0 + i / CH;
        if (x >= width || is_inside(x, WIDTH_IN))
            continue;
        uint sample_of = uint(listed_at(x, row, i % CH, first)) << (8 * (i & 3));
        [[unroll]] for (int k = 0; k < 4; k++)
            if (k == i >> 2)
                v[k] = v[k] & ~(255u << (8 * (i & 3))) | sample_of;
    }
}

uvec4 bytes_at(int row, int span)
{
    int samples[4 / PIXELS][8 * VECTORS * PIXELS / 4];
    [[unroll]] for (int i = 0; i < VECTORS; i++) {
        uvec4 four = tile[row * PITCH + 5 * span + PLACE(i)];
        [[unroll]] for (int k = 0; k < 8; k++)
            samples[k % CH][(8 * i + k) / CH] = int(four[k >> 1] >> (16 * (k & 1)) & 65535u);
    }
    uvec4 v = uvec4(0u);
    [[unroll]] for (int i = 0; i < 16; i++) {
        int sum = BEGIN;
        [[unroll]] for (int k = 0; k < TAPS; k++)
            sum += samples[i % CH][2 * (i / CH) + k + GAP] * int(weights[k]);
        v[i >> 2] |= uint(byte_of(sum)) << (8 * (i & 3));
    }
    return v;
}

void make(int left, int y0, uint z)
{
    int thread = int(gl_LocalInvocationID.x), width = WIDTH;
    int first = 2 * left - LEAD - GAP, last = (WIDTH_IN * CH - 1) >> 2;
    int word = clamp((first * CH >> 2) + thread, 0, last);
    if (2 * y0 - LEAD >= Y_FROM && 2 * (y0 + ROWS + KEPT) - LEAD <= Y_TO)
        go_down(word, y0, z, thread);
    else
        go_down_listed(word, y0, z, thread);
    barrier();
    for (int item = thread; item < ROWS * SPANS; item += THREADS) {
        int row = item / SPANS, span = item % SPANS, x = left + SPAN * span;
        if (y0 + row >= Y_END || x >= width)
            continue;
        uvec4 v = bytes_at(row, span);
        if (!is_inside(x, WIDTH_IN) || !is_inside(x + SPAN - 1, WIDTH_IN))
            list_edges(v, x, row, first);
        lg_vectors(lg_row(lg.views[1], uint(y0 + row), z)).at[x / SPAN] = v | uvec4(SET);
    }
    barrier();
}

void main()
{
    for (uint z = gl_WorkGroupID.z; z < LAYERS; z += gl_NumWorkGroups.z)
        for (int y = Y_FIRST + int(gl_WorkGroupID.y) * ROWS; y < Y_END; y += int(gl_NumWorkGroups.y) * ROWS)
            for (int left = int(gl_WorkGroupID.x) * SPANS * SPAN; left < WIDTH;
                 left += int(gl_NumWorkGroups.x) * SPANS * SPAN)
                make(left, y, z);
}
