// One pass of a Gaussian blur with levels over colours in bytes: steps at distances 1 and 2, then weights at
// a distance of 2^LEVELS.
//
// Loops over channels are not unrolled, which keeps the text short.
//
// A workgroup takes LINES lines, LENGTH results of each. A sample has 16 bits, and two of them are a word:
// red and blue, green and alpha. Each thread does the steps for RUN neighbours of a line and leaves them in
// shared memory; then it computes EACH weighted sums of samples 2^LEVELS apart at a time.
//
// Defined before: AXIS (1: columns, from bytes to samples; 0: rows, from samples to bytes), BORDER, OPAQUE,
// LEVELS 1 or 2, TAPS, LINES, LENGTH. Words: layers, width, height, weights from the centre on, which sum to
// 2^16 for columns and 2^18 for rows.
#define THREADS int(LG_GROUP_X)
#define RUN     16
#define EACH    8
#define APART   (1 << LEVELS)
#define BEFORE  (2 * (APART - 1)) // samples that the steps take on either side
#define REACH   (TAPS * APART)
#define SPAN    (LENGTH + 2 * REACH)                    // samples behind the steps
#define RUNS    ((SPAN + RUN - 1) / RUN)
#if OPAQUE
#define SAMPLES 3
#else
#define SAMPLES 4
#endif
#define FIRST_WEIGHT 3

// Places are left out so that threads meet different banks.
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

#define PLANE (PLACES * LINES)

shared uint samples[2 * PLANE]; // red and blue of all, then green and alpha
#if AXIS == 0
#define RESULT(i) ((i) + (i) / 32 * 4)
shared uvec4 results[LINES * RESULT(LENGTH) / 4];
#endif

uint smooth3(uint a, uint b, uint c)
{
    return (a + c + 2u * b + 0x00020002u) >> 2 & 0x3fff3fffu;
}

uint sum3(uint a, uint b, uint c)
{
    return a + c + 2u * b;
}

#define TAKEN (RUN + 2 * BEFORE)

// What the steps make of neighbours: v[0 .. RUN - 1]. Sums of no more than 64 bytes need no rounding.
void take_steps(inout uint v[TAKEN])
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

// Sums of EACH results APART apart for channel c; `place` is that of the first sample.
void weigh(int place, int c, out uint sum[EACH])
{
    place += (c & 1) * PLANE;
    int shift = (c >> 1) * 16;
    [[unroll]] for (int o = 0; o < EACH; o++)
        sum[o] = AXIS == 1 ? 1u << 15 : 1u << 23;
    [[unroll]] for (int i = 0; i < EACH + 2 * TAPS; i++) {
        // PLACE is additive here: the first sample is at a multiple of RUN, but for less than APART.
        uint v = samples[place + PLACE(i * APART)] >> shift & 0xffffu;
        [[unroll]] for (int o = 0; o < EACH; o++)
            if (abs(i - TAPS - o) <= TAPS)
                sum[o] += v * lg.extra[FIRST_WEIGHT + abs(i - TAPS - o)];
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
        // A short text: it is for edges only.
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
    [[dont_unroll]] for (int k = thread; k < LINES * RUNS; k += THREADS) {
        int l = k % LINES, from = k / LINES * RUN;
        uint words[TAKEN];
        load_run(line + l, first - REACH - BEFORE + from, z, words);
        [[dont_unroll]] for (int plane = 0; plane < 2; plane++) {
            uint v[TAKEN];
            [[unroll]] for (int i = 0; i < TAKEN; i++)
                v[i] = words[i] >> 8 * plane & 0x00ff00ffu;
            take_steps(v);
            [[unroll]] for (int i = 0; i < RUN; i++)
                samples[plane * PLANE + PLACE(from) + i * LINES + l] = v[i];
        }
    }
    barrier();
    [[dont_unroll]] for (int k = thread; k < LINES * (LENGTH / EACH); k += THREADS) {
        int l = k % LINES, phase = k / LINES % APART, from = k / (LINES * APART) * (EACH * APART);
        int y = first + from + phase;
        if (y >= int(lg.extra[2]) || line + l >= int(lg.extra[1]))
            continue;
        uint result[2 * EACH];
        [[unroll]] for (int o = 0; o < 2 * EACH; o++)
            result[o] = 0u;
        [[dont_unroll]] for (int c = 0; c < SAMPLES; c++) {
            uint sum[EACH];
            weigh(PLACE(from) + phase * LINES + l, c, sum);
            [[unroll]] for (int o = 0; o < EACH; o++) {
                // Red, green, then blue above red, alpha above green.
                uint v = c < 2 ? sum[o] >> 16 : sum[o] & 0xffff0000u;
                result[2 * o] |= (c & 1) == 0 ? v : 0u;
                result[2 * o + 1] |= (c & 1) == 1 ? v : 0u;
            }
        }
        lg_pairs to = lg_pairs(lg_row(lg.views[1], uint(y), z));
        [[unroll]] for (int o = 0; o < EACH; o++)
            if (y + o * APART < int(lg.extra[2]))
                to.at[line + l + o * APART * int(lg.views[1].row_stride >> 3)] =
                    uvec2(result[2 * o], result[2 * o + 1]);
    }
}

#else

void tile(int line, int first, int thread, uint z)
{
    int width = int(lg.extra[1]), height = int(lg.extra[2]);
    [[dont_unroll]] for (int i = thread; i < SPAN + 2 * BEFORE; i += THREADS) {
        int x = lg_border_index(first - REACH - BEFORE + i, width, BORDER);
        lg_pairs from = lg_pairs(lg_row(lg.views[0], uint(line), z));
        [[unroll]] for (int l = 0; l < LINES; l++) {
            uvec2 v = uvec2(0u);
            if (x >= 0 && line + l < height)
                v = from.at[x + l * int(lg.views[0].row_stride >> 3)];
            samples[PLACE(i) + LINE(l)] = v.x;
            samples[PLANE + PLACE(i) + LINE(l)] = v.y;
        }
    }
    barrier();
    // Lines of both planes.
    [[dont_unroll]] for (int start = 0; start < 2 * LINES * RUNS; start += THREADS) {
        int k = start + thread, from = k % RUNS * RUN, base = PLACE(from) + LINE(k / RUNS);
        uint v[TAKEN];
        if (k < 2 * LINES * RUNS) {
            [[unroll]] for (int i = 0; i < TAKEN; i++)
                v[i] = samples[base + PLACE(i)];
            take_steps(v);
        }
        barrier();
        if (k < 2 * LINES * RUNS)
            [[unroll]] for (int i = 0; i < RUN; i++)
                samples[base + i] = v[i];
        barrier();
    }
    [[dont_unroll]] for (int k = thread; k < LINES * (LENGTH / EACH); k += THREADS) {
        int phase = k % APART, from = k / APART % (LENGTH / (EACH * APART)) * (EACH * APART);
        int l = k / (LENGTH / EACH), x = first + from + phase;
        if (x >= width || line + l >= height)
            continue;
        uint result[EACH];
        [[unroll]] for (int o = 0; o < EACH; o++)
            result[o] = OPAQUE != 0 ? 0xff000000u : 0u;
        [[dont_unroll]] for (int c = 0; c < SAMPLES; c++) {
            uint sum[EACH];
            weigh(PLACE(from) + phase + LINE(l), c, sum);
            [[unroll]] for (int o = 0; o < EACH; o++)
                result[o] |= sum[o] >> 24 << 8 * c;
        }
        [[unroll]] for (int o = 0; o < EACH; o++) {
            int to = l * RESULT(LENGTH) + RESULT(from + o * APART) + phase;
            results[to >> 2][to & 3] = result[o];
        }
    }
    barrier();
    // From here so that neighbours are stored together.
    for (int k = thread; k < LINES * LENGTH / 4; k += THREADS) {
        int l = k / (LENGTH / 4), i = k % (LENGTH / 4) * 4;
        if (first + i < width && line + l < height)
            lg_vectors(lg_row(lg.views[1], uint(line + l), z)).at[(first + i) >> 2] =
                results[(l * RESULT(LENGTH) + RESULT(i)) >> 2];
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
