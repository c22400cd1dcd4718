// Gaussian blur of bytes in one dispatch, without levels.
//
// A workgroup goes down a strip of columns, STEP rows at a time. A thread computes sums down a
// column of words: the pixels of a colour image, or four neighbours of a grey one. These go into
// shared memory, where each thread reads neighbours in a row and computes sums along it.
//
// Columns: the products (byte - 128) * integer weight are summed exactly in floats. Weights here
// sum to 2^18 and have at most 16 significant bits, so 24 bits hold all sums. The result is 2^23 +
// a sample with 6 fractional bits. Rows are computed from the bits of these floats: 0x4b000000
// times weights that sum to 2^18 is a multiple of 2^32.
//
// Defined before: CH 1 or 4, BORDER, OPAQUE, TAPS, STEP; EACH, the samples of a row that a thread sums, 4
// times an odd number, for different banks; SCALE, the factor of a sum where the output are
// no such bytes, else 0; AMOUNT, the index of the parameter that says how much of the image itself there
// is in the result, or -1, and then a word behind the weights that is 0. Words: layers, height, rows of
// a band, width in words, weights from the centre on.
#include "filter/native/gaussian_blur/gaussian_blur_float.h"

#define THREADS int(LG_GROUP_X)
#define WINDOW  (2 * TAPS + STEP) // rows that STEP results need
#if OPAQUE
#define SAMPLES 3 // of a word
#else
#define SAMPLES 4
#endif
#if CH == 4
#define HALO  TAPS // extra words of a strip on either side
#define LINES SAMPLES // of one row
#define STRIP ((THREADS - 2 * HALO) / EACH * EACH) // words
#define PITCH THREADS                              // samples of a line
#define SEGMENTS (STRIP / EACH)
#else
#define HALO  ((TAPS + 3) / 4)
#define LINES 1
#define STRIP ((THREADS - 2 * HALO) / EACH * EACH)
#define PITCH (4 * THREADS)
#define SEGMENTS (4 * STRIP / EACH)
#endif
#define FIRST_WEIGHT 4
#define SHIFTED ((4 - TAPS % 4) % 4 * (CH == 1 ? 1 : 0)) // samples in front of the first window
#define VECTORS ((SHIFTED + EACH + 2 * TAPS + 3) / 4)    // of 4 samples that a thread reads

shared uvec4 columns[(STEP * LINES * PITCH + 2 * EACH) / 4 + VECTORS];

uint pixel_at(uvec2 row, int x)
{
    int column = lg_border_index(x, int(lg.width), BORDER);
    return column < 0 ? 0u : lg_words(row).at[column >> 2] >> (8 * (column & 3)) & 255u;
}

// Word x of a row, or the border's word outside the image.
uint word_at(int x, int y, uint z)
{
    int line = lg_border_index(y, int(lg.extra[1]), BORDER);
    if (line < 0)
        return 0u;
    uvec2 row = lg_row(lg.views[0], uint(line), z);
#if CH == 4
    return x < 0 ? 0u : lg_words(row).at[x];
#else
    if (x >= 0 && 4 * x + 4 <= int(lg.width))
        return lg_words(row).at[x];
    return pixel_at(row, 4 * x) | pixel_at(row, 4 * x + 1) << 8 | pixel_at(row, 4 * x + 2) << 16 |
           pixel_at(row, 4 * x + 3) << 24;
#endif
}

// STEP words from row y on, downwards.
void fetch(int x, int y, uint z, out uint words[STEP])
{
    // Always load from some address: loads behind a branch would be waited for.
    int height = int(lg.extra[1]), line = clamp(y, 0, max(height - STEP, 0));
    int pitch = height >= STEP ? int(lg.views[0].row_stride >> 2) : 0;
    lg_words from = lg_words(lg_row(lg.views[0], uint(line), z));
    [[unroll]] for (int k = 0; k < STEP; k++)
        words[k] = from.at[clamp(x, 0, int(lg.extra[3]) - 1) + k * pitch];
    bool inside = y >= 0 && y + STEP <= height;
#if CH == 1
    inside = inside && x >= 0 && 4 * x + 4 <= int(lg.width);
#elif BORDER == 3
    inside = inside && x >= 0;
#endif
    if (!inside)
        [[dont_unroll]] for (int k = 0; k < STEP; k++) {
            uint word = word_at(x, y + k, z);
            [[unroll]] for (int i = 0; i < STEP; i++)
                if (i == k)
                    words[i] = word;
        }
}

// Sample c of a word, less 128. A byte in the lowest bits of a float is added to 2^23, in the next ones to
// 2^15.
float sample_of(uint word, int c)
{
    if (c >= 2)
        word >>= 16;
    return (c & 1) == 0 ? uintBitsToFloat((word & 0xffu) | 0x4b000000u) - 8388736.0
                        : uintBitsToFloat((word & 0xff00u) | 0x47000000u) - 32896.0;
}

void sum_columns(uint words[WINDOW], float weight[TAPS + 1], int thread)
{
    [[unroll]] for (int c = 0; c < SAMPLES; c++) {
        // Slightly above 0: halves go up.
        float sum[STEP];
        [[unroll]] for (int k = 0; k < STEP; k++)
            sum[k] = 2.0;
        [[unroll]] for (int i = 0; i < WINDOW; i++) {
            float v = sample_of(words[i], c);
            [[unroll]] for (int k = 0; k < STEP; k++)
                if (abs(i - k - TAPS) <= TAPS)
                    sum[k] = fma(v, weight[abs(i - k - TAPS)], sum[k]);
        }
        [[unroll]] for (int k = 0; k < STEP; k++) {
            uint bits = floatBitsToUint(fma(sum[k], 1.0 / 4096.0, 8388608.0 + 8192.0));
#if CH == 4
            columns[(k * LINES + c) * (PITCH / 4) + (thread >> 2)][thread & 3] = bits;
#else
            columns[k * (PITCH / 4) + thread][c] = bits;
#endif
        }
    }
}

// EACH sums along a line from its vector `from` on: bytes in their highest 8 bits.
void sum_line(int from, out uint sum[EACH])
{
    uint v[4 * VECTORS];
    [[unroll]] for (int k = 0; k < VECTORS; k++) {
        uvec4 four = columns[from + k];
        [[unroll]] for (int c = 0; c < 4; c++)
            v[4 * k + c] = four[c];
    }
    [[unroll]] for (int o = 0; o < EACH; o++) {
        uint middle = v[SHIFTED + TAPS + o] * lg.extra[FIRST_WEIGHT];
        sum[o] = middle + (SCALE == 0 ? 1u << 23 : 0u);
        [[unroll]] for (int k = 1; k <= TAPS; k++)
            sum[o] += (v[SHIFTED + TAPS + o - k] + v[SHIFTED + TAPS + o + k]) * lg.extra[FIRST_WEIGHT + k];
    }
}

#if CH == 4
#define RESULTS EACH // words
#else
#define RESULTS (EACH / 4)
#endif

// Results k rows below y, from word `to` on, if they are wanted.
#if SCALE
#if AMOUNT >= 0
// lg_mix. A driver of NVIDIA fuses products into sums when the two meet behind a branch, but not across a bit
// operation that it cannot see through.
#define ROUNDED(x) uintBitsToFloat(floatBitsToUint(x) ^ lg.extra[FIRST_WEIGHT + TAPS + 1])

float mixed(float a, float b, float t)
{
    return ROUNDED(a * (1.0 - t)) + ROUNDED(b * t);
}
#endif

void write_row(int k, int segment, int y, int to, uint z, bool wanted)
{
    if (!wanted)
        return;
    uint sum[LINES][EACH];
    [[unroll]] for (int c = 0; c < LINES; c++)
        sum_line((k * LINES + c) * (PITCH / 4) + segment * (EACH / 4), sum[c]);
    int x = CH == 4 ? to : 4 * to;
    [[unroll]] for (int i = 0; i < EACH; i += LG_SPAN) {
        LG_WORDS_OUT(w);
#if AMOUNT >= 0
        uvec4 own[LG_VECTORS_0];
        float amount = lg_param_float(AMOUNT);
        lg_fetch_0(own, min(x + i, (int(lg.width) - 1) / LG_SPAN * LG_SPAN), y + k, z);
#endif
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            float v[4] = float[4](0.0, 0.0, 0.0, 1.0);
            [[unroll]] for (int c = 0; c < LINES; c++)
                v[c] = float_of(sum[c][i + j]) * uintBitsToFloat(uint(SCALE));
            color soft = CH == 4 ? rgba(v[0], v[1], v[2], v[3]) : rgba(v[0], v[0], v[0], 1.0);
#if AMOUNT >= 0
            color b = lg_unpack_0(own, j);
            soft = rgba(mixed(soft.r, b.r, amount), mixed(soft.g, b.g, amount),
                        mixed(soft.b, b.b, amount), b.a);
#endif
            lg_pack(w, j, soft);
        }
        if (x + i < int(lg.width))
            lg_flush(w, x + i, y + k, z);
    }
}
#else
void sum_row(int k, int segment, out uint result[RESULTS])
{
    uint sum[EACH];
#if CH == 4
    [[unroll]] for (int i = 0; i < RESULTS; i++)
        result[i] = OPAQUE != 0 ? 0xff000000u : 0u;
    [[unroll]] for (int c = 0; c < LINES; c++) {
        sum_line((k * LINES + c) * (PITCH / 4) + segment * (EACH / 4), sum);
        [[unroll]] for (int i = 0; i < EACH; i++)
            result[i] |= sum[i] >> 24 << 8 * c;
    }
#else
    sum_line(k * (PITCH / 4) + segment * (EACH / 4), sum);
    [[unroll]] for (int i = 0; i < RESULTS; i++)
        result[i] = sum[4 * i] >> 24 | sum[4 * i + 1] >> 24 << 8 | sum[4 * i + 2] >> 24 << 16 |
                    sum[4 * i + 3] >> 24 << 24;
#endif
}

void write_row(int k, int segment, int y, int to, uint z, bool wanted)
{
    uint result[RESULTS];
    sum_row(k, segment, result);
    uvec2 row = lg_row(lg.views[1], uint(y + k), z);
#if CH == 4
    [[unroll]] for (int i = 0; i < RESULTS; i += 4)
        if (wanted && to + i < int(lg.extra[3]))
            lg_vectors(row).at[(to + i) >> 2] =
                uvec4(result[i], result[i + 1], result[i + 2], result[i + 3]);
#else
    [[unroll]] for (int i = 0; i < RESULTS; i++)
        if (wanted && to + i < int(lg.extra[3]))
            lg_words(row).at[to + i] = result[i];
#endif
}
#endif

void go_down(int left, int first, int end, int thread, float weight[TAPS + 1], uint z)
{
    int x = left - HALO + thread;
#if CH == 4
    x = lg_border_index(x, int(lg.width), BORDER);
#endif
    uint words[WINDOW], rows_in[STEP];
    [[dont_unroll]] for (int k = 0; k < 2 * TAPS; k++) {
        uint word = word_at(x, first - TAPS + k, z);
        [[unroll]] for (int i = 0; i < 2 * TAPS; i++)
            if (i == k)
                words[i] = word;
    }
    fetch(x, first + TAPS, z, rows_in);
    for (int y = first; y < end; y += STEP) {
        [[unroll]] for (int i = 0; i < STEP; i++)
            words[2 * TAPS + i] = rows_in[i];
        sum_columns(words, weight, thread);
        barrier();
        [[unroll]] for (int i = 0; i < 2 * TAPS; i++)
            words[i] = words[i + STEP];
        fetch(x, y + STEP + TAPS, z, rows_in); // loads overlap with the computation
        for (int item = thread; item < STEP * SEGMENTS; item += THREADS) {
            int k = item / SEGMENTS, segment = item % SEGMENTS, to = left + segment * RESULTS;
            write_row(k, segment, y, to, z, y + k < end);
        }
        barrier();
    }
}

void main()
{
    int height = int(lg.extra[1]), band = int(lg.extra[2]);
    float weight[TAPS + 1];
    [[unroll]] for (int k = 0; k <= TAPS; k++)
        weight[k] = float(lg.extra[FIRST_WEIGHT + k]);
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * band; y < height; y += int(gl_NumWorkGroups.y) * band)
            for (int left = int(gl_WorkGroupID.x) * STRIP; left < int(lg.extra[3]);
                 left += int(gl_NumWorkGroups.x) * STRIP)
                go_down(left, y, min(y + band, height), int(gl_LocalInvocationID.x), weight, z);
}
