// Halves bytes or a level LEVELS times, 1 or 2, along both axes.
//
// A thread goes down four columns, four rows at a time: two rows of the next level, one of the level behind
// it. Down the columns it needs nothing from others. Along rows it needs what its neighbours have beside its
// columns, by way of shared memory.
//
// Defined before: CH, BYTES, LEVELS, BORDER.
#include "filter/native/byte_row_glsl.h"

#define STRIDE (THREADS + 2)
#if BYTES
#define RAW (CH == 4 ? 4 : 2) // words of a row as they lie in memory
#else
#define RAW EACH
#endif

shared uvec2 last_columns[2 * LINES * STRIDE]; // of a thread's four: the third and the fourth
shared uint first_columns[2 * LINES * STRIDE];
shared uvec2 halved_columns[LINES * STRIDE];

// ---- rows of the source ---------------------------------------------------------------------------

#if BYTES
#define PIXELS (CH == 4 ? 4 : 8) // of a thread in a row

uint pixel_at(uvec2 row, int x)
{
    return stored_at(row, lg_border_index(x, FROM_WORDS, BORDER));
}

void fetch_beyond(int i, int y, uint z, out uint raw[RAW])
{
    [[unroll]] for (int c = 0; c < RAW; c++)
        raw[c] = 0u;
    int line = lg_border_index(y, FROM_ROWS, BORDER);
    if (line < 0)
        return;
    uvec2 row = lg_row(lg.views[0], uint(line), z);
    [[unroll]] for (int c = 0; c < PIXELS; c++)
        raw[c * RAW / PIXELS] |= pixel_at(row, PIXELS * i + c) << (CH == 4 ? 0 : 8 * (c & 3));
}

// Rows y .. y + 3, of the pixels that thread i has.
void fetch(int i, int y, uint z, out uint raw[4 * RAW])
{
    // Always load from some address: loads behind a branch would be waited for.
    int top = clamp(y, 0, max(FROM_ROWS - 4, 0));
    int pitch = FROM_ROWS >= 4 ? int(lg.views[0].row_stride) / (4 * RAW) : 0;
    int at = clamp(i, 0, (FROM_WORDS - 1) / PIXELS);
    uvec2 row = lg_row(lg.views[0], uint(top), z);
    [[unroll]] for (int k = 0; k < 4; k++) {
#if CH == 4
        uvec4 v = lg_vectors(row).at[at + k * pitch];
#else
        uvec2 v = word_pairs(row).at[at + k * pitch];
#endif
        [[unroll]] for (int c = 0; c < RAW; c++)
            raw[k * RAW + c] = v[c];
    }
    if (y >= 0 && y + 4 <= FROM_ROWS && i >= 0 && PIXELS * i + PIXELS <= FROM_WORDS)
        return;
    [[dont_unroll]] for (int k = 0; k < 4; k++) {
        uint beyond[RAW];
        fetch_beyond(i, y + k, z, beyond);
        [[unroll]] for (int n = 0; n < 4 * RAW; n++)
            if (n / RAW == k)
                raw[n] = beyond[n % RAW];
    }
}

// Two bytes of each word, in words[line * 4 + column].
void unpack(uint raw[4 * RAW], int k, out uint words[EACH])
{
#if CH == 4
    [[unroll]] for (int c = 0; c < 4; c++) {
        words[c] = raw[k * RAW + c] & 0x00ff00ffu;
        words[4 + c] = raw[k * RAW + c] >> 8 & 0x00ff00ffu;
    }
#else
    uint even = low_halves(raw[k * RAW], raw[k * RAW + 1]);
    uint odd = high_halves(raw[k * RAW], raw[k * RAW + 1]);
    words[0] = even & 0x00ff00ffu;
    words[1] = even >> 8 & 0x00ff00ffu;
    words[2] = odd & 0x00ff00ffu;
    words[3] = odd >> 8 & 0x00ff00ffu;
#endif
}
#else
void fetch(int i, int y, uint z, out uint raw[4 * RAW])
{
    int at = clamp(4 * i - FROM_FIRST, 0, FROM_WORDS - 4) >> 2;
    [[unroll]] for (int k = 0; k < 4; k++) {
        int line = clamp(y + k - FROM_FIRST_ROW, 0, FROM_ROWS - 1);
        lg_vectors row = lg_vectors(lg_row(lg.views[0], uint(line), z));
        [[unroll]] for (int l = 0; l < LINES; l++) {
            uvec4 v = row.at[at + l * (FROM_LINE >> 2)];
            [[unroll]] for (int c = 0; c < 4; c++)
                raw[k * RAW + 4 * l + c] = v[c];
        }
    }
}

void unpack(uint raw[4 * RAW], int k, out uint words[EACH])
{
#if CH == 4
    [[unroll]] for (int c = 0; c < EACH; c++)
        words[c] = raw[k * RAW + c];
#else
    words[0] = low_halves(raw[k * RAW], raw[k * RAW + 2]);
    words[1] = high_halves(raw[k * RAW], raw[k * RAW + 2]);
    words[2] = low_halves(raw[k * RAW + 1], raw[k * RAW + 3]);
    words[3] = high_halves(raw[k * RAW + 1], raw[k * RAW + 3]);
#endif
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

uint halved_along(uint a, uint b, uint c, uint d, uint e)
{
    return smooth5(a, b, c, d, e);
}
#endif

void halve_columns(inout source_column state[EACH], uint raw[4 * RAW], out uint down[2 * EACH])
{
    uint a[EACH], b[EACH];
    [[unroll]] for (int k = 0; k < 2; k++) {
        unpack(raw, 2 * k, a);
        unpack(raw, 2 * k + 1, b);
        [[unroll]] for (int n = 0; n < EACH; n++)
            down[k * EACH + n] = halved(state[n], a[n], b[n]);
    }
}

// Two words of each line of two rows, in level[(row * LINES + line) * 2 + column].
void halve_rows(uint down[2 * EACH], int thread, out uint level[4 * LINES])
{
    [[unroll]] for (int n = 0; n < 2 * LINES; n++) {
        last_columns[n * STRIDE + thread + 1] = uvec2(down[4 * n + 2], down[4 * n + 3]);
        first_columns[n * STRIDE + thread + 1] = down[4 * n];
    }
    barrier();
    [[unroll]] for (int n = 0; n < 2 * LINES; n++) {
        uvec2 before = last_columns[n * STRIDE + thread];
        uint behind = first_columns[n * STRIDE + thread + 2];
        uint a = down[4 * n], b = down[4 * n + 1], c = down[4 * n + 2], d = down[4 * n + 3];
        level[2 * n] = halved_along(left_of(before.x, c), left_of(before.y, d), a, b, c);
        level[2 * n + 1] = halved_along(a, b, c, d, right_of(a, behind));
    }
}

#if LEVELS == 1
void store_level(int i, int y, int end, uint z, uint level[4 * LINES])
{
    [[unroll]] for (int n = 0; n < 2 * LINES; n++) {
        uvec2 v = uvec2(level[2 * n], level[2 * n + 1]);
        if (y + n / LINES >= end)
            continue;
#if CH == 1
        v = uvec2(low_halves(v.x, v.y), high_halves(v.x, v.y));
#endif
        uvec2 row = lg_row(lg.views[1], uint(y + n / LINES - TO_FIRST_ROW), z);
        word_pairs(row).at[(2 * i - TO_FIRST + n % LINES * TO_LINE) >> 1] = v;
    }
}
#else
void halve_level(inout column state[2 * LINES], uint level[4 * LINES], int thread, out uint result[LINES])
{
    uint down[2 * LINES];
    [[unroll]] for (int n = 0; n < 2 * LINES; n++)
        down[n] = halved(state[n], level[n], level[2 * LINES + n]);
    [[unroll]] for (int l = 0; l < LINES; l++)
        halved_columns[l * STRIDE + thread + 1] = uvec2(down[2 * l], down[2 * l + 1]);
    barrier();
    [[unroll]] for (int l = 0; l < LINES; l++) {
        uvec2 before = halved_columns[l * STRIDE + thread];
        uint behind = halved_columns[l * STRIDE + thread + 2].x, a = down[2 * l], b = down[2 * l + 1];
        result[l] = smooth5(left_of(before.x, a), left_of(before.y, b), a, b, right_of(a, behind));
    }
}

void store_result(int i, int y, uint z, uint result[LINES])
{
    lg_words row = lg_words(lg_row(lg.views[1], uint(y - TO_FIRST_ROW), z));
    [[unroll]] for (int l = 0; l < LINES; l++)
        row.at[i - TO_FIRST + l * TO_LINE] = result[l];
}
#endif

// Results of rows first .. end - 1. The first round of rows, and two more of two levels, fill the columns.
void go_down(int i, int first, int end, int thread, bool stores, uint z)
{
    int y = LEVELS == 2 ? 4 * (first - 2) - 1 : 2 * first - 3;
    uint raw[4 * RAW], down[2 * EACH], level[4 * LINES];
    source_column state[EACH];
    [[unroll]] for (int n = 0; n < EACH; n++)
#if BYTES
        state[n] = source_column(0u, 0u);
#else
        state[n] = column(0u, 0u, 0u);
#endif
#if LEVELS == 2
    column between[2 * LINES];
    uint result[LINES];
    [[unroll]] for (int n = 0; n < 2 * LINES; n++)
        between[n] = column(0u, 0u, 0u);
#endif
    fetch(i, y, z, raw);
    halve_columns(state, raw, down);
    fetch(i, y + 4, z, raw);
    for (int to = LEVELS == 2 ? first - 2 : first; to < end; to += 3 - LEVELS) {
        halve_columns(state, raw, down);
        y += 4;
        fetch(i, y + 4, z, raw); // loads overlap with the computation
        halve_rows(down, thread, level);
#if LEVELS == 1
        if (stores)
            store_level(i, to, end, z, level);
        barrier();
#else
        halve_level(between, level, thread, result);
        if (stores && to >= first)
            store_result(i, to, z, result);
#endif
    }
}

void main()
{
    int thread = int(gl_LocalInvocationID.x), strip = THREADS - 2 * LEVELS;
    int top = TO_FIRST_ROW, end = top + TO_ROWS;
    int left = LEVELS == 2 ? TO_FIRST : TO_FIRST >> 1;
    int right = LEVELS == 2 ? TO_FIRST + TO_WORDS : (TO_FIRST + TO_WORDS) >> 1;
    for (uint z = gl_WorkGroupID.z; z < LAYERS; z += gl_NumWorkGroups.z)
        for (int y = top + int(gl_WorkGroupID.y) * BAND; y < end; y += int(gl_NumWorkGroups.y) * BAND)
            for (int x = left + int(gl_WorkGroupID.x) * strip; x < right;
                 x += int(gl_NumWorkGroups.x) * strip) {
                bool stores = thread >= LEVELS && thread < THREADS - LEVELS && x + thread - LEVELS < right;
                go_down(x + thread - LEVELS, y, min(y + BAND, end), thread, stores, z);
            }
}
