// Weighs the smallest level of bytes with 2 TAPS + 1 weights, down columns and then along rows.
//
// A workgroup goes down a strip of words of one line, STEP rows at a time. Sums down columns go into shared
// memory, where a thread reads a window of a row for four words of the result.
//
// Defined before: CH, TAPS. In place of FROM_FIRST_ROW and behind it: weights from the centre on, which sum
// to 2^16.
#define FIRST_WEIGHT 9
#define STEP         4
#define WINDOW       (2 * TAPS + STEP)
#define REACH        (CH == 4 ? TAPS : (TAPS + 1) / 2) // words on either side
#define PAD          ((REACH + 3) / 4 * 4)
#define STRIP        (THREADS - 2 * PAD)
#define SPAN         (2 * PAD + 4) // words that a thread reads

shared uvec4 columns[STEP * int(LG_GROUP_X) / 4];

// Sums of the samples in the upper halves of words, and of whole words modulo 2^32: the difference is the
// sum of those in the lower halves. So a lower half is not taken out for every weight.
struct sums {
    uint all, high;
};

const sums no_sums = sums(0x80008000u, 0x8000u); // halves go up

void add(inout sums s, uint samples, int k)
{
    uint weight = lg.extra[FIRST_WEIGHT + k];
    s.all += samples * weight;
    s.high += (samples >> 16) * weight;
}

uint rounded(sums s)
{
    return (s.all - (s.high << 16)) >> 16 | (s.high & 0xffff0000u);
}

uint weighed_down(uint rows[WINDOW], int k)
{
    sums s = no_sums;
    add(s, rows[k + TAPS], 0);
    [[unroll]] for (int i = 1; i <= TAPS; i++)
        add(s, rows[k + TAPS - i] + rows[k + TAPS + i], i);
    return rounded(s);
}

// The samples i places behind those of word `at`.
uint neighbours(uint line[SPAN], int at, int i)
{
#if CH == 4
    return line[at + i];
#else
    return (i & 1) == 0 ? line[at + (i >> 1)] : right_of(line[at + (i >> 1)], line[at + (i >> 1) + 1]);
#endif
}

uint weighed_along(uint line[SPAN], int at)
{
    sums s = no_sums;
    add(s, line[at], 0);
    [[unroll]] for (int i = 1; i <= TAPS; i++)
        add(s, neighbours(line, at, -i) + neighbours(line, at, i), i);
    return rounded(s);
}

void fetch(int x, int y, int line, uint z, out uint rows[STEP])
{
    [[unroll]] for (int k = 0; k < STEP; k++)
        rows[k] = lg_words(lg_row(lg.views[0], uint(min(y + k, FROM_ROWS - 1)), z)).at[x + line * FROM_LINE];
}

void weigh_rows(int left, int y, int end, int line, int thread, uint z)
{
    int k = thread / (THREADS / STEP), to = 4 * (thread % (THREADS / STEP));
    if (y + k >= end || to >= STRIP || left + to >= TO_WORDS)
        return;
    uint words[SPAN];
    [[unroll]] for (int v = 0; v < SPAN / 4; v++)
        [[unroll]] for (int c = 0; c < 4; c++)
            words[4 * v + c] = columns[(k * THREADS + to) / 4 + v][c];
    uvec4 result;
    [[unroll]] for (int c = 0; c < 4; c++)
        result[c] = weighed_along(words, PAD + c);
    lg_vectors(lg_row(lg.views[1], uint(y + k), z)).at[(left + to + line * TO_LINE) >> 2] = result;
}

void go_down(int left, int first, int end, int line, int thread, uint z)
{
    int x = clamp(left + thread - PAD + TO_FIRST - FROM_FIRST, 0, FROM_WORDS - 1), y = first;
    uint rows[WINDOW], next[STEP];
    [[unroll]] for (int k = 0; k < 2 * TAPS; k += STEP) {
        fetch(x, y + k, line, z, next);
        [[unroll]] for (int i = 0; i < STEP; i++)
            rows[k + i] = next[i];
    }
    fetch(x, y + 2 * TAPS, line, z, next);
    for (int to = first; to < end; to += STEP) {
        [[unroll]] for (int i = 0; i < STEP; i++)
            rows[2 * TAPS + i] = next[i];
        y += STEP;
        fetch(x, y + 2 * TAPS, line, z, next); // loads overlap with the computation
        [[unroll]] for (int k = 0; k < STEP; k++)
            columns[(k * THREADS + thread) >> 2][thread & 3] = weighed_down(rows, k);
        [[unroll]] for (int i = 0; i < 2 * TAPS; i++)
            rows[i] = rows[i + STEP];
        barrier();
        weigh_rows(left, to, end, line, thread, z);
        barrier();
    }
}

void main()
{
    for (uint n = gl_WorkGroupID.z; n < LAYERS * LINES; n += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * BAND; y < TO_ROWS; y += int(gl_NumWorkGroups.y) * BAND)
            for (int x = int(gl_WorkGroupID.x) * STRIP; x < TO_WORDS; x += int(gl_NumWorkGroups.x) * STRIP)
                go_down(x, y, min(y + BAND, TO_ROWS), int(n % LINES), int(gl_LocalInvocationID.x), n / LINES);
}
