// How much of a corner each pixel is, in one dispatch.
//
// A workgroup goes down a strip, STEP rows at a time. A thread has a column: it computes products of
// derivatives, of which a window of 2 TAPS + STEP rows stays in registers, and their sums down the column.
// These go into shared memory, where a thread reads neighbours in a row, computes four sums along it, and
// their measures. Luminance goes to the neighbours by way of shared memory too, one step ahead. There are
// two of each shared array, so that a step has one barrier.
//
// Defined before: BORDER, TAPS, STEP. Words: layers, rows of a band, indices of method, k and sensitivity,
// weights from the centre on.
#include "filter/native/corner_measure/corner_measure_window.h"

#define THREADS  int(LG_GROUP_X)
#define WINDOW   (2 * TAPS + STEP)                // rows that STEP results need
#define SEGMENTS ((THREADS - 2 - 2 * TAPS) / 4)   // of a row of results
#define STRIP    (4 * SEGMENTS)
#define VECTORS  ((2 * TAPS + 7) / 4)             // of a line, that four results need
#define LINE     (THREADS / 4 + 1)                // vectors
#define FIRST_WEIGHT 5

shared vec4 columns[2 * STEP * 3 * LINE];
shared float luminances[2 * STEP * THREADS];

float weight(int k)
{
    return uintBitsToFloat(lg.extra[FIRST_WEIGHT + k]);
}

// The sum over v[at ..] as gaussian_blur has it: pairs from outside, then the centre.
#define WEIGH(sum, v, at)                                                                                  \
    LG_FLOAT sum = 0.0;                                                                                    \
    [[unroll]] for (int j = 0; j < TAPS; j++) {                                                            \
        LG_FLOAT pair = v[at + j] + v[at + 2 * TAPS - j];                                                  \
        LG_FLOAT product = pair * weight(TAPS - j);                                                        \
        sum = j == 0 ? product : sum + product;                                                            \
    }                                                                                                      \
    LG_FLOAT middle = v[at + TAPS] * weight(0);                                                            \
    sum = TAPS == 0 ? middle : sum + middle

void put_columns(float v[3][WINDOW], int side, int thread)
{
    // Results begin one column behind the first thread's.
    int slot = thread == 0 ? 4 * LINE - 1 : thread - 1;
    [[unroll]] for (int c = 0; c < 3; c++)
        [[unroll]] for (int k = 0; k < STEP; k++) {
            WEIGH(sum, v[c], k);
            columns[((side * STEP + k) * 3 + c) * LINE + (slot >> 2)][slot & 3] = sum;
        }
}

void write_row(int side, int k, int segment, int x, int y, uint z)
{
    float sums[3][4];
    [[unroll]] for (int c = 0; c < 3; c++) {
        float v[4 * VECTORS];
        [[unroll]] for (int i = 0; i < VECTORS; i++) {
            vec4 four = columns[((side * STEP + k) * 3 + c) * LINE + segment + i];
            [[unroll]] for (int j = 0; j < 4; j++)
                v[4 * i + j] = four[j];
        }
        [[unroll]] for (int o = 0; o < 4; o++) {
            WEIGH(sum, v, o);
            sums[c][o] = sum;
        }
    }
    float method = lg_param_float(int(lg.extra[2])), factor = lg_param_float(int(lg.extra[3])),
          sensitivity = lg_param_float(int(lg.extra[4]));
    LG_WORDS_OUT(w);
    [[unroll]] for (int o = 0; o < 4; o++) {
        color means = rgba(sums[0][o], sums[1][o], sums[2][o], 1.0);
        float m = lg_corner_measure(means, method, factor, sensitivity);
        lg_pack(w, o, rgba(m, m, m, 1.0));
    }
    lg_flush(w, x, y, z);
}

// Column `column` is inside, or -1 for the constant.
float luminance_in(int column, int y, int height, uint z)
{
    int row = lg_border_index(y, height, BORDER);
    float v = lg_luminance(lg_load_0(max(column, 0), max(row, 0), z));
    return BORDER == 3 && (column < 0 || row < 0) ? 0.0 : v;
}

// Rows of luminance from the one above the first product on, of three columns.
struct three_columns {
    float left[STEP + 2], own[STEP + 2], right[STEP + 2];
};

color products_of(three_columns l, int k)
{
    neighborhood n;
    n.tl = l.left[k];
    n.t = l.own[k];
    n.tr = l.right[k];
    n.l = l.left[k + 1];
    n.c = 0.0;
    n.r = l.right[k + 1];
    n.bl = l.left[k + 2];
    n.b = l.own[k + 2];
    n.br = l.right[k + 2];
    return lg_corner_products(lg_across(n, 1.0), lg_down(n, 1.0), 1.0);
}

// Three threads of the workgroup that have the luminance around a column. Outside the image these are the
// ones around the column that the border takes.
ivec3 threads_around(int x, int left)
{
    int width = int(lg.width);
    ivec3 around = ivec3(x - 1, x, x + 1);
    if (BORDER < 2) {
        int inside = lg_border_index(x, width, BORDER);
        around = ivec3(lg_border_index(inside - 1, width, BORDER), inside,
                        lg_border_index(inside + 1, width, BORDER));
    }
    return clamp(around - left, 0, THREADS - 1);
}

void go_down(int left, int first, int end, int height, int thread, uint z)
{
    int x = left - TAPS - 1 + thread, column = lg_border_index(x, int(lg.width), BORDER);
    // With these borders the products of another column do not lie in this strip, or are 0.
    bool apart = BORDER >= 2 && uint(x) >= lg.width;
    ivec3 from = threads_around(x, x - thread);
    three_columns l;
    float v[3][WINDOW], own[STEP];
    [[unroll]] for (int i = 0; i < WINDOW; i++)
        v[0][i] = v[1][i] = v[2][i] = 0.0;
    // The first steps only fill the window.
    int y = first - (2 * TAPS + STEP - 1) / STEP * STEP, side = 0;
    int around = BORDER < 2 ? column : x;
    [[unroll]] for (int k = 0; k < 2; k++) {
        l.left[k] = luminance_at(around - 1, y + TAPS - 1 + k, z);
        l.own[k] = luminance_at(around, y + TAPS - 1 + k, z);
        l.right[k] = luminance_at(around + 1, y + TAPS - 1 + k, z);
    }
    [[unroll]] for (int k = 0; k < STEP; k++)
        luminances[k * THREADS + thread] = luminance_in(column, y + TAPS + 1 + k, height, z);
    barrier();
    for (; y < end; y += STEP) {
        // Products of rows y + TAPS and on.
        [[unroll]] for (int k = 0; k < STEP; k++) {
            int row = (side * STEP + k) * THREADS;
            l.left[k + 2] = luminances[row + from.x];
            l.own[k + 2] = luminances[row + from.y];
            l.right[k + 2] = luminances[row + from.z];
        }
        [[unroll]] for (int k = 0; k < STEP; k++) {
            color p = products_of(l, k);
            v[0][2 * TAPS + k] = p.r;
            v[1][2 * TAPS + k] = p.g;
            v[2][2 * TAPS + k] = p.b;
        }
        if (apart || y + TAPS < 0 || y + TAPS + STEP > height)
            [[dont_unroll]] for (int k = 0; k < STEP; k++)
                if (apart || uint(y + TAPS + k) >= uint(height)) {
                    color p = products_at(x, y + TAPS + k, z);
                    [[unroll]] for (int i = 0; i < STEP; i++)
                        if (i == k) {
                            v[0][2 * TAPS + i] = p.r;
                            v[1][2 * TAPS + i] = p.g;
                            v[2][2 * TAPS + i] = p.b;
                        }
                }
        // Loads overlap with the sums.
        [[unroll]] for (int k = 0; k < STEP; k++)
            own[k] = luminance_in(column, y + TAPS + STEP + 1 + k, height, z);
        put_columns(v, side, thread);
        [[unroll]] for (int i = 0; i < 2 * TAPS; i++)
            [[unroll]] for (int c = 0; c < 3; c++)
                v[c][i] = v[c][i + STEP];
        [[unroll]] for (int k = 0; k < 2; k++) {
            l.left[k] = l.left[STEP + k];
            l.own[k] = l.own[STEP + k];
            l.right[k] = l.right[STEP + k];
        }
        [[unroll]] for (int k = 0; k < STEP; k++)
            luminances[((side ^ 1) * STEP + k) * THREADS + thread] = own[k];
        barrier();
        if (y >= first)
            for (int item = thread; item < STEP * SEGMENTS; item += THREADS) {
                int k = item / SEGMENTS, segment = item % SEGMENTS, to = left + 4 * segment;
                if (y + k < end && to < int(lg.width))
                    write_row(side, k, segment, to, y + k, z);
            }
        side ^= 1;
    }
}

void main()
{
    int height = lg_param_int(6), band = int(lg.extra[1]);
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * band; y < height; y += int(gl_NumWorkGroups.y) * band)
            for (int left = int(gl_WorkGroupID.x) * STRIP; left < int(lg.width);
                 left += int(gl_NumWorkGroups.x) * STRIP)
                go_down(left, y, min(y + band, height), height, int(gl_LocalInvocationID.x), z);
}
