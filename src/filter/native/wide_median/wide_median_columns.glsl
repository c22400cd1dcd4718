// Medians of bytes: colours of view 0, as 8 bits each of the words of view 1. A workgroup walks down a strip
// and keeps a histogram of 2 RADIUS + 1 rows of each of its columns: 256 counts of a byte, four in a word,
// then those of the 16 high halves. A window adds the counts of its columns, first of high halves, then of
// the low halves that have the high half of the median.
//
// Defined before: RADIUS, BORDER, CHANNELS of the image, PLANES, COLUMNS of a workgroup, SHARED: whether
// histograms are in shared memory. Words: height, layers, rows of a strip, address of histograms.
#define SIDE    (2 * RADIUS + 1)
#define OUTPUTS (COLUMNS - 2 * RADIUS)
#define STRIDE  69 // words of a column: odd, so that neighbours are in different banks
#define COARSE  64
#define PACKED  (255 / SIDE) // columns whose counts add up to bytes

#if SHARED
shared uint histograms[COLUMNS * STRIDE];
#define COUNTS(i) histograms[i]
#define HISTOGRAMS
#define WAIT() barrier()
#else
#define COUNTS(i)  histograms.at[base + (i)]
#define WAIT()                                                                                               \
    do {                                                                                                     \
        memoryBarrierBuffer();                                                                               \
        barrier();                                                                                           \
    } while (false)
uint base;
lg_words histograms;
#endif

uint read_byte(int x, int y, uint z, int plane)
{
    int i = lg_border_index(x, lg_param_int(5), BORDER), j = lg_border_index(y, lg_param_int(6), BORDER);
    if (i < 0 || j < 0)
        return 0u;
    uint at = uint(i) * CHANNELS + uint(plane);
    return lg_words(lg_row(lg.views[0], uint(j), z)).at[at >> 2] >> (8u * (at & 3u)) & 255u;
}

void count_byte(uint column, uint v, bool more)
{
    uint at = column * STRIDE;
    uint fine = 1u << (8u * (v & 3u)), coarse = 1u << (8u * (v >> 4 & 3u));
    COUNTS(at + (v >> 2)) += more ? fine : 0u - fine;
    COUNTS(at + COARSE + (v >> 6)) += more ? coarse : 0u - coarse;
}

// Counts of 16 bins from word `first` of the columns of window x on, two in a word: bins 4 w and 4 w + 2 in
// 2 w, the two others in 2 w + 1.
void add_columns(uint x, uint first, out uint counts[8])
{
    for (int w = 0; w < 8; w++)
        counts[w] = 0u;
    uint at = x * STRIDE + first;
    for (int left = SIDE; left > 0; left -= PACKED) {
        uint sums[4] = uint[4](0u, 0u, 0u, 0u);
        int columns = min(left, PACKED);
        for (int i = 0; i < columns; i++) {
            [[unroll]] for (int w = 0; w < 4; w++)
                sums[w] += COUNTS(at + w);
            at += STRIDE;
        }
        [[unroll]] for (int w = 0; w < 4; w++) {
            counts[2 * w] += sums[w] & 0x00ff00ffu;
            counts[2 * w + 1] += sums[w] >> 8 & 0x00ff00ffu;
        }
    }
}

// The bin in which the sample is that `rank` others precede; `rank` becomes its rank there.
uint find_bin(uint counts[8], inout uint rank)
{
    uint bin = 0u, before = 0u, sum = 0u;
    [[unroll]] for (int i = 0; i < 16; i++) {
        sum += counts[i / 4 * 2 + (i & 1)] >> (8 * (i & 2)) & 65535u;
        bin += sum <= rank ? 1u : 0u;
        before = sum <= rank ? sum : before;
    }
    rank -= before;
    return bin;
}

uint find_median(uint x)
{
    uint counts[8], rank = uint(SIDE * SIDE / 2);
    add_columns(x, COARSE, counts);
    uint high = find_bin(counts, rank);
    add_columns(x, 4u * high, counts);
    return high << 4 | find_bin(counts, rank);
}

void walk(int x0, int y0, int y1, uint z, int plane)
{
    uint thread = gl_LocalInvocationID.x;
    for (uint i = thread; i < COLUMNS * STRIDE; i += LG_GROUP_X)
        COUNTS(i) = 0u;
    WAIT();
    for (uint c = thread; c < COLUMNS; c += LG_GROUP_X)
        for (int y = y0 - RADIUS; y < y0 + RADIUS; y++)
            count_byte(c, read_byte(x0 + int(c) - RADIUS, y, z, plane), true);
    for (int y = y0; y < y1; y++) {
        for (uint c = thread; c < COLUMNS; c += LG_GROUP_X) {
            count_byte(c, read_byte(x0 + int(c) - RADIUS, y + RADIUS, z, plane), true);
            if (y > y0)
                count_byte(c, read_byte(x0 + int(c) - RADIUS, y - RADIUS - 1, z, plane), false);
        }
        WAIT();
        lg_words row = lg_words(lg_row(lg.views[1], uint(y), z));
        for (uint x = thread; x < OUTPUTS && x0 + int(x) < int(lg.width); x += LG_GROUP_X) {
            uint median = find_median(x) << (8 * plane);
            row.at[uint(x0) + x] = plane == 0 ? median : row.at[uint(x0) + x] | median;
        }
        WAIT();
    }
}

void main()
{
    int height = int(lg.extra[0]), rows = int(lg.extra[2]);
#if SHARED == 0
    histograms = lg_words(uvec2(lg.extra[3], lg.extra[4]));
    base = ((gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x +
            gl_WorkGroupID.x) * uint(COLUMNS * STRIDE);
#endif
    for (uint z = gl_WorkGroupID.z; z < lg.extra[1]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * rows; y < height; y += int(gl_NumWorkGroups.y) * rows)
            for (int x = int(gl_WorkGroupID.x) * OUTPUTS; x < int(lg.width);
                 x += int(gl_NumWorkGroups.x) * OUTPUTS)
                for (int plane = 0; plane < PLANES; plane++)
                    walk(x, y, min(y + rows, height), z, plane);
}
