// Doubles a blurred level LEVELS times, 1 or 2, along both axes, into bytes or into a level.
//
// A thread goes down one word of each line and has two columns of the next level, four of the level behind
// it. Down the columns it needs nothing from others. Along rows of the level between it needs a column from
// either neighbour, by way of shared memory.
//
// Defined before: CH, BYTES, LEVELS, OPAQUE.
#define STRIDE  (THREADS + 2)
#define COLUMNS (2 * LEVELS)      // of a line
#define RESULTS (COLUMNS * LINES) // words of a row: [line * COLUMNS + column]

// Two rounds of two rows, so that one barrier is enough.
shared uvec2 doubled_columns[2 * 2 * LINES * STRIDE];

// Samples 2 i and 2 i + 1 of what is twice as large; halves go down, as along rows.
uvec2 doubled(uint a, uint b, uint c)
{
    return uvec2(quarters(halves(a + c + 2u * ONES) + 3u * b), halves(b + c));
}

void load(int i, int y, uint z, out uint words[3 * LINES])
{
    int at = i - FROM_FIRST, line = clamp(y - FROM_FIRST_ROW, 0, FROM_ROWS - 1);
    lg_words row = lg_words(lg_row(lg.views[0], uint(line), z));
    [[unroll]] for (int n = 0; n < 3 * LINES; n++)
        words[n] = row.at[clamp(at + n % 3 - 1, 0, FROM_WORDS - 1) + n / 3 * FROM_LINE];
}

void double_row(uint words[3 * LINES], out uint columns[2 * LINES])
{
    [[unroll]] for (int l = 0; l < LINES; l++) {
        uint own = words[3 * l + 1];
        uvec2 v = doubled(left_of(words[3 * l], own), own, right_of(own, words[3 * l + 2]));
        columns[2 * l] = v.x;
        columns[2 * l + 1] = v.y;
    }
}

// ---- results --------------------------------------------------------------------------------------

#if BYTES
// Bytes are the upper halves of both samples.
uint last_near(uint a, uint b, uint c)
{
    return halves(a + c + 257u * ONES) + 3u * b;
}

uint last_between(uint b, uint c)
{
    return 2u * (b + c + 64u * ONES);
}

uint joined(uint even, uint odd)
{
    return (even >> 8 & 0x00ff00ffu) | (odd & 0xff00ff00u);
}

void store(int i, int y, uint z, uint v[RESULTS])
{
    uvec2 row = lg_row(lg.views[1], uint(y), z);
#if CH == 4
    const uint opaque = OPAQUE != 0 ? 0xff000000u : 0u;
#if LEVELS == 2
    lg_vectors(row).at[i] = uvec4(joined(v[0], v[4]), joined(v[1], v[5]), joined(v[2], v[6]),
                                  joined(v[3], v[7])) | opaque;
#else
    word_pairs(row).at[i] = uvec2(joined(v[0], v[2]), joined(v[1], v[3])) | opaque;
#endif
#elif LEVELS == 2
    uint first = joined(v[0], v[1]), last = joined(v[2], v[3]);
    word_pairs(row).at[i] = uvec2(low_halves(first, last), high_halves(first, last));
#else
    lg_words(row).at[i] = joined(v[0], v[1]);
#endif
}

#define PIXELS (CH == 4 ? COLUMNS : 2 * COLUMNS)

bool has_results(int i)
{
    return i >= 0 && PIXELS * i < TO_WORDS;
}
#else
uint last_near(uint a, uint b, uint c)
{
    return quarters(halves(a + c + 5u * ONES) + 3u * b);
}

uint last_between(uint b, uint c)
{
    return halves(b + c + ONES);
}

void store(int i, int y, uint z, uint v[RESULTS])
{
    uvec2 row = lg_row(lg.views[1], uint(y - TO_FIRST_ROW), z);
    [[unroll]] for (int l = 0; l < LINES; l++) {
        uint w[COLUMNS];
        [[unroll]] for (int c = 0; c < COLUMNS; c++)
            w[c] = v[l * COLUMNS + c];
#if CH == 1
        [[unroll]] for (int c = 0; c < COLUMNS; c += 2) {
            w[c / 2] = low_halves(v[c], v[c + 1]);
            w[c / 2 + LEVELS] = high_halves(v[c], v[c + 1]);
        }
#endif
        int at = COLUMNS * i - TO_FIRST + l * TO_LINE;
#if LEVELS == 2
        lg_vectors(row).at[at >> 2] = uvec4(w[0], w[1], w[2], w[3]);
#else
        word_pairs(row).at[at >> 1] = uvec2(w[0], w[1]);
#endif
    }
}

bool has_results(int i)
{
    int at = COLUMNS * i - TO_FIRST;
    return at >= 0 && at < TO_WORDS;
}
#endif

// Rows y and y + 1 of the result, which lie at and behind row `last` of three rows.
void store_rows(int i, int y, int first, int end, uint z, uint before[RESULTS], uint last[RESULTS],
                uint next[RESULTS])
{
    uint v[RESULTS];
    if (y >= first && y < end) {
        [[unroll]] for (int n = 0; n < RESULTS; n++)
            v[n] = last_near(before[n], last[n], next[n]);
        store(i, y, z, v);
    }
    if (y + 1 >= first && y + 1 < end) {
        [[unroll]] for (int n = 0; n < RESULTS; n++)
            v[n] = last_between(last[n], next[n]);
        store(i, y + 1, z, v);
    }
}

// ---- the level between ----------------------------------------------------------------------------

#if LEVELS == 2
// Four columns of two rows, from two columns of them and of the rows around them.
void double_rows(uint before[2 * LINES], uint last[2 * LINES], uint next[2 * LINES], int round, int thread,
                 out uint rows[2 * RESULTS])
{
    uvec2 v[2 * LINES];
    int from = (round & 1) * 2 * LINES * STRIDE + thread;
    [[unroll]] for (int n = 0; n < 2 * LINES; n++)
        [[unroll]] for (int c = 0; c < 2; c++) {
            int at = 2 * (n % LINES) + c;
            v[n][c] = n < LINES ? quarters(halves(before[at] + next[at] + 5u * ONES) + 3u * last[at])
                                : halves(last[at] + next[at] + ONES);
        }
    [[unroll]] for (int n = 0; n < 2 * LINES; n++)
        doubled_columns[from + n * STRIDE + 1] = v[n];
    barrier();
    [[unroll]] for (int n = 0; n < 2 * LINES; n++) {
        uint left = left_of(doubled_columns[from + n * STRIDE].y, v[n].y);
        uint right = right_of(v[n].x, doubled_columns[from + n * STRIDE + 2].x);
        uvec2 a = doubled(left, v[n].x, v[n].y), b = doubled(v[n].x, v[n].y, right);
        rows[4 * n] = a.x;
        rows[4 * n + 1] = a.y;
        rows[4 * n + 2] = b.x;
        rows[4 * n + 3] = b.y;
    }
}
#endif

void go_down(int i, int first, int end, int thread, bool stores, uint z)
{
    uint words[3 * LINES], before[2 * LINES], last[2 * LINES], next[2 * LINES];
    int y = LEVELS == 2 ? (first >> 2) - 1 : first >> 1;
    int bottom = LEVELS == 2 ? (end + 1) >> 2 : (end - 1) >> 1;
    load(i, y - 1, z, words);
    double_row(words, before);
    load(i, y, z, words);
    double_row(words, last);
    load(i, y + 1, z, words);
#if LEVELS == 2
    uint kept[2 * RESULTS], rows[2 * RESULTS], a[RESULTS], b[RESULTS], c[RESULTS];
    [[unroll]] for (int n = 0; n < 2 * RESULTS; n++)
        kept[n] = 0u;
#endif
    for (; y <= bottom; y++) {
        double_row(words, next);
        load(i, y + 2, z, words); // loads overlap with the computation
#if LEVELS == 2
        double_rows(before, last, next, y, thread, rows);
        [[unroll]] for (int n = 0; n < RESULTS; n++) {
            a[n] = kept[n];
            b[n] = kept[RESULTS + n];
            c[n] = rows[n];
        }
        if (stores)
            store_rows(i, 4 * y - 2, first, end, z, a, b, c);
        [[unroll]] for (int n = 0; n < RESULTS; n++) {
            a[n] = rows[RESULTS + n];
            kept[n] = rows[n];
            kept[RESULTS + n] = rows[RESULTS + n];
        }
        if (stores)
            store_rows(i, 4 * y, first, end, z, b, c, a);
#else
        if (stores)
            store_rows(i, 2 * y, first, end, z, before, last, next);
#endif
        before = last;
        last = next;
    }
#if LEVELS == 2
    barrier(); // the next band may begin with the same half of shared memory
#endif
}

void main()
{
    int thread = int(gl_LocalInvocationID.x), halo = LEVELS - 1, strip = THREADS - 2 * halo;
    int top = TO_FIRST_ROW, end = top + TO_ROWS;
#if BYTES
    int left = 0, right = (TO_WORDS + PIXELS - 1) / PIXELS;
#else
    int left = TO_FIRST >> LEVELS, right = ((TO_FIRST + TO_WORDS - 1) >> LEVELS) + 1;
#endif
    for (uint z = gl_WorkGroupID.z; z < LAYERS; z += gl_NumWorkGroups.z)
        for (int y = top + int(gl_WorkGroupID.y) * BAND; y < end; y += int(gl_NumWorkGroups.y) * BAND)
            for (int x = left + int(gl_WorkGroupID.x) * strip; x < right;
                 x += int(gl_NumWorkGroups.x) * strip) {
                int i = x + thread - halo;
                bool stores = thread >= halo && thread < THREADS - halo && has_results(i);
                go_down(i, y, min(y + BAND, end), thread, stores, z);
            }
}
