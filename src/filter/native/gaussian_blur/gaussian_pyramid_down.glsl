// Halves bytes or a level LEVELS times, 1 or 2, along both axes.
//
// A thread goes down four columns of words, four rows at a time: two rows of the next level, one of the level
// behind it. Down the columns it needs nothing from others. Along rows it needs what its neighbours have
// beside its columns, by way of shared memory. Grey bytes are weighed along rows as they lie in memory, with
// products of four at once; nothing is rounded before that.
//
// Defined before: CH, BYTES, LEVELS, BORDER.
#define STRIDE (THREADS + 2)
#if BYTES && CH == 1
#define GREY 1
#else
#define GREY 0
#endif
#define HALO (LEVELS - GREY) // threads at either end without results
#if BYTES
#define RAW   4                 // words of a row as they lie in memory
#define SPAN  (CH == 4 ? 4 : 8) // pixels of a thread in a row
#define FRONT (CH == 4 ? 0 : 4) // pixels that it reads in front of them, and behind them
#else
#define RAW EACH
#endif

#if !GREY
shared uvec2 last_columns[2 * LINES * STRIDE]; // of a thread's four: the third and the fourth
shared uint first_columns[2 * LINES * STRIDE];
#endif
#if LEVELS == 2
shared uvec2 halved_columns[2 * LINES * STRIDE]; // of two rounds, so that one barrier is enough
#endif

// ---- rows of the source ---------------------------------------------------------------------------

#if BYTES
uint pixel_at(uvec2 row, int x)
{
    int column = lg_border_index(x, FROM_WORDS, BORDER);
    if (column < 0)
        return 0u;
#if CH == 4
    return lg_words(row).at[column];
#else
    return (lg_words(row).at[column >> 2] >> (8 * (column & 3)) & 255u) << (8 * (x & 3));
#endif
}

void fetch_beyond(int i, int y, uint z, out uint raw[RAW])
{
    [[unroll]] for (int c = 0; c < RAW; c++)
        raw[c] = 0u;
    int line = lg_border_index(y, FROM_ROWS, BORDER);
    if (line < 0)
        return;
    uvec2 row = lg_row(lg.views[0], uint(line), z);
    [[unroll]] for (int c = 0; c < SPAN + 2 * FRONT; c++)
        raw[c * RAW / (SPAN + 2 * FRONT)] |= pixel_at(row, SPAN * i - FRONT + c);
}

// Rows y .. y + 3, of the pixels that thread i needs.
void fetch(int i, int y, uint z, out uint raw[4 * RAW])
{
    // Always load from some address: loads behind a branch would be waited for.
    int top = clamp(y, 0, max(FROM_ROWS - 4, 0)), at = clamp(i, 0, (FROM_WORDS - 1) / SPAN);
    int pitch = FROM_ROWS >= 4 ? int(lg.views[0].row_stride) / (4 * SPAN / (CH == 4 ? 1 : 4)) : 0;
    uvec2 row = lg_row(lg.views[0], uint(top), z);
    [[unroll]] for (int k = 0; k < 4; k++) {
#if CH == 4
        uvec4 v = lg_vectors(row).at[at + k * pitch];
#else
        uvec2 own = word_pairs(row).at[at + k * pitch];
        uvec4 v = uvec4(lg_words(row).at[max(2 * at - 1, 0) + k * 2 * pitch], own,
                        lg_words(row).at[2 * at + 2 + k * 2 * pitch]);
#endif
        [[unroll]] for (int c = 0; c < RAW; c++)
            raw[k * RAW + c] = v[c];
    }
    int x = SPAN * i - FRONT;
    if (y >= 0 && y + 4 <= FROM_ROWS && x >= 0 && x + SPAN + 2 * FRONT <= FROM_WORDS)
        return;
    [[dont_unroll]] for (int k = 0; k < 4; k++) {
        uint beyond[RAW];
        fetch_beyond(i, y + k, z, beyond);
        [[unroll]] for (int n = 0; n < 4 * RAW; n++)
            if (n / RAW == k)
                raw[n] = beyond[n % RAW];
    }
}
#else
void fetch(int i, int y, uint z, out uint raw[4 * RAW])
{
    int at = 4 * i - FROM_FIRST;
    [[unroll]] for (int k = 0; k < 4; k++) {
        int line = clamp(y + k - FROM_FIRST_ROW, 0, FROM_ROWS - 1);
        lg_words row = lg_words(lg_row(lg.views[0], uint(line), z));
        [[unroll]] for (int c = 0; c < EACH; c++)
            raw[k * RAW + c] = row.at[clamp(at + c % 4, 0, FROM_WORDS - 1) + c / 4 * FROM_LINE];
    }
}
#endif

// ---- halving --------------------------------------------------------------------------------------

uint smooth3(uint a, uint b, uint c, uint bias)
{
    return quarters(a + c + 2u * b + bias * ONES);
}

uint smooth5(uint a, uint b, uint c, uint d, uint e)
{
    return smooth3(smooth3(a, b, c, 2u), smooth3(b, c, d, 2u), smooth3(c, d, e, 2u), 1u);
}

// What goes down a column of a level: its two last rows, and what was smoothed around the first of them.
struct column {
    uint before, last, smoothed;
};

// A result from three rows in front of a, a and b.
uint halved(inout column s, uint a, uint b)
{
    uint behind = smooth3(s.last, a, b, 2u);
    uint result = smooth3(s.smoothed, smooth3(s.before, s.last, a, 2u), behind, 1u);
    s = column(a, b, behind);
    return result;
}

#if BYTES
// The first smoothing down columns of bytes, and then the first one along rows, leave no fraction: columns
// give 16ths of a byte's step, and rows 64ths.
struct source_column {
    uint last, sum; // the sum for the next result so far
};

const source_column no_rows = source_column(0u, 0u);

uint halved(inout source_column s, uint a, uint b)
{
    uint result = s.sum + 4u * a + b;
    s = source_column(b, s.last + 4u * a + 6u * b);
    return result;
}

uint halved_along(uint a, uint b, uint c, uint d, uint e)
{
    return quarters(a + e + 4u * (b + d) + 6u * c + ONES);
}
#else
#define source_column column
const column no_rows = column(0u, 0u, 0u);

uint halved_along(uint a, uint b, uint c, uint d, uint e)
{
    return smooth5(a, b, c, d, e);
}
#endif

#if GREY
#define COLUMNS 2 // of words that go down

// Sums of products of four bytes with four weights, the first in the lowest bits.
uint weighed(uint bytes, uint weights)
{
#ifdef LG_INTEGER_DOT
    return LG_DOT(bytes, weights);
#else
    uint sum = 0u;
    [[unroll]] for (int c = 0; c < 32; c += 8)
        sum += (bytes >> c & 255u) * (weights >> c & 255u);
    return sum;
#endif
}

// The weights 1, 4, 6, 4, 1 around the first and around the third byte of a word.
uint around_first(uint before, uint own)
{
    return weighed(before, 0x04010000u) + weighed(own, 0x00010406u);
}

uint around_third(uint own, uint behind)
{
    return weighed(own, 0x04060401u) + (behind & 255u);
}

void weigh_row(uint raw[4 * RAW], int k, out uint words[COLUMNS])
{
    uint a = raw[4 * k], b = raw[4 * k + 1], c = raw[4 * k + 2], d = raw[4 * k + 3];
    words[0] = around_first(a, b) + (around_first(b, c) << 16);
    words[1] = around_third(b, c) + (around_third(c, d) << 16);
}

// Two words of two rows, in level[row * 2 + column].
void halve_source(inout source_column state[COLUMNS], uint raw[4 * RAW], int thread, out uint level[4])
{
    uint a[COLUMNS], b[COLUMNS];
    [[unroll]] for (int k = 0; k < 2; k++) {
        weigh_row(raw, 2 * k, a);
        weigh_row(raw, 2 * k + 1, b);
        [[unroll]] for (int n = 0; n < COLUMNS; n++)
            level[k * 2 + n] = quarters(halved(state[n], a[n], b[n]) + ONES);
    }
}
#else
#define COLUMNS EACH

// Two samples of each word, in words[line * 4 + column].
void unpack(uint raw[4 * RAW], int k, out uint words[EACH])
{
#if BYTES
    [[unroll]] for (int c = 0; c < 4; c++) {
        words[c] = raw[k * RAW + c] & 0x00ff00ffu;
        words[4 + c] = raw[k * RAW + c] >> 8 & 0x00ff00ffu;
    }
#elif CH == 4
    [[unroll]] for (int c = 0; c < EACH; c++)
        words[c] = raw[k * RAW + c];
#else
    words[0] = low_halves(raw[k * RAW], raw[k * RAW + 2]);
    words[1] = high_halves(raw[k * RAW], raw[k * RAW + 2]);
    words[2] = low_halves(raw[k * RAW + 1], raw[k * RAW + 3]);
    words[3] = high_halves(raw[k * RAW + 1], raw[k * RAW + 3]);
#endif
}

// Two words of each line of two rows, in level[(row * LINES + line) * 2 + column].
void halve_source(inout source_column state[COLUMNS], uint raw[4 * RAW], int thread,
                  out uint level[4 * LINES])
{
    uint a[EACH], b[EACH], down[2 * EACH];
    [[unroll]] for (int k = 0; k < 2; k++) {
        unpack(raw, 2 * k, a);
        unpack(raw, 2 * k + 1, b);
        [[unroll]] for (int n = 0; n < EACH; n++)
            down[k * EACH + n] = halved(state[n], a[n], b[n]);
    }
    [[unroll]] for (int n = 0; n < 2 * LINES; n++) {
        last_columns[n * STRIDE + thread + 1] = uvec2(down[4 * n + 2], down[4 * n + 3]);
        first_columns[n * STRIDE + thread + 1] = down[4 * n];
    }
    barrier();
    [[unroll]] for (int n = 0; n < 2 * LINES; n++) {
        uvec2 before = last_columns[n * STRIDE + thread];
        uint behind = first_columns[n * STRIDE + thread + 2];
        uint c0 = down[4 * n], c1 = down[4 * n + 1], c2 = down[4 * n + 2], c3 = down[4 * n + 3];
        level[2 * n] = halved_along(left_of(before.x, c2), left_of(before.y, c3), c0, c1, c2);
        level[2 * n + 1] = halved_along(c0, c1, c2, c3, right_of(c0, behind));
    }
#if LEVELS == 1
    barrier(); // the next rows take the same place in shared memory
#endif
}
#endif

void store(int i, int y, uint z, int line, uint word)
{
    int at = i - TO_FIRST;
    if (at >= 0 && at < TO_WORDS)
        lg_words(lg_row(lg.views[1], uint(y - TO_FIRST_ROW), z)).at[at + line * TO_LINE] = word;
}

#if LEVELS == 1
void store_level(int i, int y, int end, uint z, uint level[4 * LINES])
{
    [[unroll]] for (int n = 0; n < 2 * LINES; n++) {
        uint a = level[2 * n], b = level[2 * n + 1];
        if (y + n / LINES >= end)
            continue;
#if CH == 1
        uint first = low_halves(a, b);
        b = high_halves(a, b);
        a = first;
#endif
        store(2 * i, y + n / LINES, z, n % LINES, a);
        store(2 * i + 1, y + n / LINES, z, n % LINES, b);
    }
}
#else
void halve_level(inout column state[2 * LINES], uint level[4 * LINES], int round, int thread,
                 out uint result[LINES])
{
    uint down[2 * LINES];
    int from = (round & 1) * LINES * STRIDE + thread;
    [[unroll]] for (int n = 0; n < 2 * LINES; n++)
        down[n] = halved(state[n], level[n], level[2 * LINES + n]);
    [[unroll]] for (int l = 0; l < LINES; l++)
        halved_columns[from + l * STRIDE + 1] = uvec2(down[2 * l], down[2 * l + 1]);
    barrier();
    [[unroll]] for (int l = 0; l < LINES; l++) {
        uvec2 before = halved_columns[from + l * STRIDE];
        uint behind = halved_columns[from + l * STRIDE + 2].x, a = down[2 * l], b = down[2 * l + 1];
        result[l] = smooth5(left_of(before.x, a), left_of(before.y, b), a, b, right_of(a, behind));
    }
}
#endif

// Results of rows first .. end - 1. The first round of rows, and two more of two levels, fill the columns.
void go_down(int i, int first, int end, int thread, bool stores, uint z)
{
    int y = LEVELS == 2 ? 4 * (first - 2) - 1 : 2 * first - 3;
    uint raw[4 * RAW], level[4 * LINES];
    source_column state[COLUMNS];
    [[unroll]] for (int n = 0; n < COLUMNS; n++)
        state[n] = no_rows;
#if LEVELS == 2
    column between[2 * LINES];
    uint result[LINES];
    [[unroll]] for (int n = 0; n < 2 * LINES; n++)
        between[n] = column(0u, 0u, 0u);
#endif
    fetch(i, y, z, raw);
    halve_source(state, raw, thread, level);
    fetch(i, y + 4, z, raw);
    for (int to = LEVELS == 2 ? first - 2 : first; to < end; to += 3 - LEVELS) {
        halve_source(state, raw, thread, level);
        y += 4;
        fetch(i, y + 4, z, raw); // loads overlap with the computation
#if LEVELS == 1
        if (stores)
            store_level(i, to, end, z, level);
#else
        halve_level(between, level, to, thread, result);
        if (stores && to >= first)
            [[unroll]] for (int l = 0; l < LINES; l++)
                store(i, to, z, l, result[l]);
#endif
    }
#if LEVELS == 2
    barrier(); // the next band may begin with the same half of shared memory
#endif
}

void main()
{
    int thread = int(gl_LocalInvocationID.x), strip = THREADS - 2 * HALO;
    int top = TO_FIRST_ROW, end = top + TO_ROWS;
    int left = LEVELS == 2 ? TO_FIRST : TO_FIRST >> 1;
    int right = LEVELS == 2 ? TO_FIRST + TO_WORDS : (TO_FIRST + TO_WORDS + 1) >> 1;
    bool stores = thread >= HALO && thread < THREADS - HALO;
    for (uint z = gl_WorkGroupID.z; z < LAYERS; z += gl_NumWorkGroups.z)
        for (int y = top + int(gl_WorkGroupID.y) * BAND; y < end; y += int(gl_NumWorkGroups.y) * BAND)
            for (int x = left + int(gl_WorkGroupID.x) * strip; x < right;
                 x += int(gl_NumWorkGroups.x) * strip)
                go_down(x + thread - HALO, y, min(y + BAND, end), thread, stores, z);
}
