// One pass of a Gaussian blur with levels over colours in bytes: steps at distances 1 and 2, then
// weights at a distance of 2^LEVELS.
//
// A workgroup has LINES lines, LENGTH results of each. A sample has 16 bits; a word holds two: red
// and blue, or green and alpha. Each thread does the steps for RUN neighbours of a line and stores
// them in shared memory. Then it computes EACH weighted sums of samples 2^LEVELS apart at a time.
//
// Defined before: AXIS (1: columns, from bytes to samples; 0: rows, from samples to bytes), BORDER,
// OPAQUE, LEVELS 1 or 2, TAPS, LINES, LENGTH. Words: layers, width, height, weights from the centre
// on, which sum to 2^16 for columns and 2^18 for rows.
#define THREADS int(LG_GROUP_X)
#define RUN     16
#define EACH    8
#define APART   (1 << LEVELS)
#define BEFORE  (2 * (APART - 1)) // samples that the steps need on either side
#define REACH   (TAPS * APART)
#define SPAN    (LENGTH + 2 * REACH)                    // samples after the steps
#define RUNS    ((SPAN + RUN - 1) / RUN)
#if OPAQUE
#define SAMPLES 3
#else
#define SAMPLES 4
#endif
#define FIRST_WEIGHT 3

// Gaps between samples let threads use different banks.
#if AXIS == 1
#define PLACES   (RUNS * (RUN + 1))
#define PLACE(i) (((i) + (i) / RUN) * LINES)
#define LINE(l)  (l)
#else
#define PLACES   ((RUNS + 1) * (RUN + 2))
#define PLACE(i) ((i) + 2 * ((i) / RUN))
#define LINE(l)  ((l) * PLACES)
#endif

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer lg_pairs {
    uvec2 at[];
};

shared uvec2 samples[PLACES * LINES]; // red and blue, green and alpha

uvec2 smooth3(uvec2 a, uvec2 b, uvec2 c)
{
    return (a + c + 2u * b + 0x00020002u) >> 2 & 0x3fff3fffu;
}

uvec2 sum3(uvec2 a, uvec2 b, uvec2 c)
{
    return a + c + 2u * b;
}

#define TAKEN (RUN + 2 * BEFORE)

// The results of the steps for neighbours: v[0 .. RUN - 1]. Sums of at most 64 bytes need no
// rounding.
void take_steps(inout uvec2 v[TAKEN])
{
#if AXIS == 1
#define FIRST sum3
#else
#define FIRST smooth3
#endif
    [[unroll]] for (int i = 0; i + 2 < TAKEN; i++)
        v[i] = FIRST(v[i], v[i + 1], v[i + 2]);
    [[unroll]] for (int i = 0; i + 4 < TAKEN; i++)
        v[i] = FIRST(v[i], v[i + 1], v[i + 2]);
#if LEVELS == 2
    [[unroll]] for (int i = 0; i + 8 < TAKEN; i++)
        v[i] = FIRST(v[i], v[i + 2], v[i + 4]);
    [[unroll]] for (int i = 0; i < RUN; i++)
        v[i] = smooth3(v[i], v[i + 2], v[i + 4]);
#elif AXIS == 1
    [[unroll]] for (int i = 0; i < RUN; i++)
        v[i] <<= 2;
#endif
}

// Sums of EACH results with distance APART, by channels; `first` is the place of the first sample.
void weigh(int first, out uint sum[4 * EACH])
{
    [[unroll]] for (int o = 0; o < 4 * EACH; o++)
        sum[o] = AXIS == 1 ? 1u << 15 : 1u << 23;
    [[unroll]] for (int i = 0; i < EACH + 2 * TAPS; i++) {
        // PLACE is additive here: the first sample is less than APART behind a multiple of RUN.
        uvec2 v = samples[first + PLACE(i * APART)];
        uint s[4] = uint[4](v.x & 0xffffu, v.y & 0xffffu, v.x >> 16, v.y >> 16);
        [[unroll]] for (int o = 0; o < EACH; o++)
            if (abs(i - TAPS - o) <= TAPS)
                [[unroll]] for (int c = 0; c < SAMPLES; c++)
                    sum[4 * o + c] += s[c] * lg.extra[FIRST_WEIGHT + abs(i - TAPS - o)];
    }
}

#if AXIS == 1

// Words of line x from row `from` on.
void load_run(int x, int from, uint z, out uint v[TAKEN])
{
    int height = int(lg.extra[2]);
    x = min(x, int(lg.extra[1]) - 1);
    if (from >= 0 && from + TAKEN <= height) {
        lg_words row = lg_words(lg_row(lg.views[0], uint(from), z));
        [[unroll]] for (int i = 0; i < TAKEN; i++)
            v[i] = row.at[x + i * int(lg.views[0].row_stride >> 2)];
    } else {
        // Short code rather than fast: edges only.
        [[dont_unroll]] for (int k = 0; k < TAKEN; k++) {
            int y = lg_border_index(from + k, height, BORDER);
            uint word = y >= 0 ? lg_words(lg_row(lg.views[0], uint(y), z)).at[x] : 0u;
            [[unroll]] for (int i = 0; i < TAKEN; i++)
                if (i == k)
                    v[i] = word;
        }
    }
}

void tile(int line, int first, int thread, uint z)
{
    for (int k = thread; k < LINES * RUNS; k += THREADS) {
        int l = k % LINES, from = k / LINES * RUN;
        uint words[TAKEN];
        uvec2 v[TAKEN];
        load_run(line + l, first - REACH - BEFORE + from, z, words);
        [[unroll]] for (int i = 0; i < TAKEN; i++)
            v[i] = uvec2(words[i], words[i] >> 8) & 0x00ff00ffu;
        take_steps(v);
        [[unroll]] for (int i = 0; i < RUN; i++)
            samples[PLACE(from) + i * LINES + l] = v[i];
    }
    barrier();
    for (int k = thread; k < LINES * (LENGTH / EACH); k += THREADS) {
        int l = k % LINES, phase = k / LINES % APART, from = k / (LINES * APART) * (EACH * APART);
        int y = first + from + phase;
        uint sum[4 * EACH];
        if (y >= int(lg.extra[2]) || line + l >= int(lg.extra[1]))
            continue;
        weigh(PLACE(from) + phase * LINES + l, sum);
        lg_pairs to = lg_pairs(lg_row(lg.views[1], uint(y), z));
        [[unroll]] for (int o = 0; o < EACH; o++) {
            uint low = sum[4 * o] >> 16, high = sum[4 * o + 1] >> 16;
            uint alpha = OPAQUE != 0 ? 0u : sum[4 * o + 3] & 0xffff0000u;
            if (y + o * APART < int(lg.extra[2]))
                to.at[line + l + o * APART * int(lg.views[1].row_stride >> 3)] =
                    uvec2(low | (sum[4 * o + 2] & 0xffff0000u), high | alpha);
        }
    }
}

#else

#define ROUNDS ((SPAN + 2 * BEFORE + THREADS - 1) / THREADS)

void tile(int line, int first, int thread, uint z)
{
    int width = int(lg.extra[1]), height = int(lg.extra[2]);
    // A thread issues all its loads before it waits for one.
    uvec2 loaded[ROUNDS][LINES];
    [[unroll]] for (int k = 0; k < ROUNDS; k++) {
        int x = lg_border_index(first - REACH - BEFORE + thread + k * THREADS, width, BORDER);
        lg_pairs from = lg_pairs(lg_row(lg.views[0], uint(line), z));
        [[unroll]] for (int l = 0; l < LINES; l++) {
            int below = line + l < height ? l * int(lg.views[0].row_stride >> 3) : 0;
            loaded[k][l] = from.at[max(x, 0) + below];
            loaded[k][l] = x < 0 ? uvec2(0u) : loaded[k][l];
        }
    }
    [[unroll]] for (int k = 0; k < ROUNDS; k++)
        [[unroll]] for (int l = 0; l < LINES; l++) {
            int i = thread + k * THREADS;
            if (i < SPAN + 2 * BEFORE)
                samples[PLACE(i) + LINE(l)] = loaded[k][l];
        }
    barrier();
    for (int start = 0; start < LINES * RUNS; start += THREADS) {
        int k = start + thread, from = k % RUNS * RUN, base = PLACE(from) + LINE(k / RUNS);
        uvec2 v[TAKEN];
        if (k < LINES * RUNS) {
            [[unroll]] for (int i = 0; i < TAKEN; i++)
                v[i] = samples[base + PLACE(i)];
            take_steps(v);
        }
        barrier();
        if (k < LINES * RUNS)
            [[unroll]] for (int i = 0; i < RUN; i++)
                samples[base + i] = v[i];
        barrier();
    }
    for (int k = thread; k < LINES * (LENGTH / EACH); k += THREADS) {
        int phase = k % APART, from = k / APART % (LENGTH / (EACH * APART)) * (EACH * APART);
        int l = k / (LENGTH / EACH), x = first + from + phase;
        uint sum[4 * EACH];
        if (x >= width || line + l >= height)
            continue;
        weigh(PLACE(from) + phase + LINE(l), sum);
        lg_words row = lg_words(lg_row(lg.views[1], uint(line + l), z));
        [[unroll]] for (int o = 0; o < EACH; o++) {
            uint low = sum[4 * o] >> 24 | (sum[4 * o + 1] >> 24) << 8 | (sum[4 * o + 2] >> 24) << 16;
            uint alpha = OPAQUE != 0 ? 0xff000000u : sum[4 * o + 3] & 0xff000000u;
            if (x + o * APART < width)
                row.at[x + o * APART] = low | alpha;
        }
    }
}

#endif

void main()
{
    int lines = int(lg.extra[AXIS == 1 ? 1 : 2]), length = int(lg.extra[AXIS == 1 ? 2 : 1]);
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int l = int(gl_WorkGroupID.x) * LINES; l < lines; l += int(gl_NumWorkGroups.x) * LINES)
            for (int i = int(gl_WorkGroupID.y) * LENGTH; i < length;
                 i += int(gl_NumWorkGroups.y) * LENGTH) {
                tile(l, i, int(gl_LocalInvocationID.x), z);
                barrier();
            }
}
