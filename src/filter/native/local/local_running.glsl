// Thresholds of bytes from windows of one size, up to 255 pixels on a side, in one dispatch.
//
// A workgroup goes down a band of rows. Each thread has 8 pixels of a row, and for each of their columns the
// sums of the samples and of their squares over the rows of the window: it adds the row that enters, and
// takes away the one that leaves. Sums of these over the thread's columns up to each one go to shared memory.
// A window along the row is a difference of two of them, and the sums of the threads between. Samples are
// bytes less 128, whose squares are smaller.
//
// Whether a pixel is as bright as its threshold is first told by a device's own operations. Where that lies
// too close, and for windows that the image's edges clip, the definition's operations follow.
//
// Defined before, beside what local_spread.glsl takes: RADIUS_X, RADIUS_Y, OUT 1 or 4 channels, KEEPS: alpha
// comes from view 1. View 0: bytes of luminance. Words: layers, height, rows of a band, unit, 1 / pixels of a
// window.
#include "filter/native/local/local_spread.glsl"

#define THREADS int(LG_GROUP_X)
#define PIXELS  8
#define REACH   ((RADIUS_X + PIXELS) / PIXELS) // threads to either side that windows need
#define STRIP   ((THREADS - 2 * REACH) * PIXELS)
#define COUNT   ((2 * RADIUS_X + 1) * (2 * RADIUS_Y + 1))
#define MIDDLE  128

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer lg_octets {
    uvec2 at[];
};

shared ivec2 running[2 * PIXELS * LG_GROUP_X]; // [row in turn][pixel of a thread][thread]

// ---- columns --------------------------------------------------------------------------------------

uvec2 bytes_at(int x, int y, uint z)
{
    uvec2 row = lg_row(lg.views[0], uint(clamp(y, 0, int(lg.extra[1]) - 1)), z);
    return lg_octets(row).at[clamp(x, 0, int(lg.width) - 1) / PIXELS] ^ 0x80808080u;
}

// `inside`: bits of the columns that lie in the image.
uvec2 row_at(int x, int y, uint z, uvec2 inside)
{
    return y < 0 || y >= int(lg.extra[1]) ? uvec2(0u) : bytes_at(x, y, z) & inside;
}

uvec2 inside_of(int x)
{
    int count = clamp(int(lg.width) - x, 0, PIXELS);
    uvec2 bits = uvec2(count >= 4 ? 0xffffffffu : (1u << 8 * count) - 1u,
                       count >= 8  ? 0xffffffffu
                       : count > 4 ? (1u << 8 * (count - 4)) - 1u
                                   : 0u);
    return x < 0 ? uvec2(0u) : bits;
}

int sample_of(uvec2 row, int j)
{
    return bitfieldExtract(int(row[j >> 2]), 8 * (j & 3), 8);
}

void move(inout ivec2 column[PIXELS], uvec2 row_in, uvec2 row_out)
{
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
        int a = sample_of(row_in, j), b = sample_of(row_out, j);
        column[j] += ivec2(a - b, a * a - b * b);
    }
}

// ---- windows --------------------------------------------------------------------------------------

#define FIRST ((-RADIUS_X - 1) >> 3) // the thread, from here, with the column before a window, or the next
#define LAST  (RADIUS_X >> 3)        // with its last column, or the next

// What threads between contribute.
struct between {
    ivec2 low[2], high[2]; // the sums of threads from FIRST on, up to FIRST, FIRST + 1, LAST and LAST + 1
};

ivec2 running_at(int j, int at)
{
    return running[at + (j & (PIXELS - 1)) * THREADS + (j >> 3)];
}

between between_at(int at)
{
    between t;
    t.low[0] = ivec2(0);
    t.low[1] = running_at(FIRST * PIXELS + PIXELS - 1, at);
    t.high[0] = t.low[1];
    [[unroll]] for (int k = FIRST + 1; k < LAST; k++)
        t.high[0] += running_at(k * PIXELS + PIXELS - 1, at);
    t.high[1] = t.high[0] + running_at(LAST * PIXELS + PIXELS - 1, at);
    return t;
}

// The sums of the window of pixel j.
ivec2 window_of(int j, between t, int at)
{
    int low = j - RADIUS_X - 1, high = j + RADIUS_X;
    ivec2 ends = running_at(high, at) - running_at(low, at);
    return ends + (high >> 3 == LAST ? t.high[0] : t.high[1]) -
           (low >> 3 == FIRST ? t.low[0] : t.low[1]);
}

// ---- thresholds -----------------------------------------------------------------------------------

// In bytes: what a deviation counts, and how far from 0 a difference is certain. The variance is off by less
// than 0.012, from roundings of numbers up to 128^2, so that a deviation is off by less than 0.11.
struct rule {
    float k, slope, near;
};

rule rule_of()
{
    float k = lg_param_float(K);
#if FIGURE == 2
    return rule(k, 0.0, 0.001 + 0.11 * abs(k));
#else
    float slope = 1.0 / (255.0 * lg_param_float(RANGE));
    return rule(k, slope, 0.001 + abs(k) * (0.01 + 40.0 * slope));
#endif
}

// How much brighter a pixel is than its threshold, about.
float above_of(rule r, ivec2 sums, int own, float inverse)
{
    float mean = float(sums.x) * inverse;
    float variance = max(fma(-mean, mean, float(sums.y) * inverse), 1e-6);
    float deviation = variance * inversesqrt(variance);
#if FIGURE == 2
    return fma(r.k, deviation, float(own) - mean);
#else
    return fma(fma(r.k, mean, r.k * float(MIDDLE)), fma(-deviation, r.slope, 1.0), float(own) - mean);
#endif
}

// The definition's operations.
bool is_above(ivec2 sums, int own, int columns, int rows)
{
    uint n = uint(columns) * uint(rows);
    uint sum = uint(sums.x) + uint(MIDDLE) * n;
    uint square = uint(sums.y) + uint(2 * MIDDLE) * uint(sums.x) + uint(MIDDLE * MIDDLE) * n;
    spread s = spread_of(uvec2(sum, 0u), uvec2(square, 0u), n, local_inverse(columns, rows));
    return threshold_of(s, own + MIDDLE, uintBitsToFloat(lg.extra[3])) > 0.0;
}

int extent_of(int at, int radius, int size)
{
    return min(at + radius, size - 1) - max(at - radius, 0) + 1;
}

// Bit j: pixel j is as bright as its threshold.
uint white_of(rule r, uvec2 own, int x, int y, int at)
{
    int width = int(lg.width), rows = extent_of(y, RADIUS_Y, int(lg.extra[1]));
    between t = between_at(at);
    uint white = 0u, open = 0u;
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
        float above = above_of(r, window_of(j, t, at), sample_of(own, j), uintBitsToFloat(lg.extra[4]));
        white |= above > 0.0 ? 1u << j : 0u;
        open |= abs(above) > r.near ? 0u : 1u << j;
    }
    bool clipped = rows != 2 * RADIUS_Y + 1 || x < RADIUS_X || x + PIXELS + RADIUS_X > width;
    open = clipped ? (1u << clamp(width - x, 0, PIXELS)) - 1u : open;
    while (open != 0u) {
        int j = findLSB(open);
        open &= open - 1u;
        bool is = is_above(window_of(j, t, at), sample_of(own, j), extent_of(x + j, RADIUS_X, width), rows);
        white = (white & ~(1u << j)) | (is ? 1u << j : 0u);
    }
    return white;
}

// ---- rows -----------------------------------------------------------------------------------------

#if OUT == 1
// Four bits to four bytes.
uint bytes_of(uint bits)
{
    return (bits * 0x00204081u & 0x01010101u) * 255u;
}
#endif

void put_row(uint white, int x, int y, uint z)
{
    uvec2 row = lg_row(lg.views[LG_VIEWS - 1], uint(y), z);
#if OUT == 1
    lg_octets(row).at[x / PIXELS] = uvec2(bytes_of(white & 15u), bytes_of(white >> 4));
#else
    [[unroll]] for (int k = 0; k < PIXELS; k += 4) {
        uvec4 alpha = uvec4(0xff000000u), v;
        if (x + k >= int(lg.width))
            return;
#if KEEPS
        alpha &= lg_vectors(lg_row(lg.views[1], uint(y), z)).at[(x + k) / 4];
#endif
        [[unroll]] for (int i = 0; i < 4; i++)
            v[i] = (white >> (k + i) & 1u) * 0x00ffffffu | alpha[i];
        lg_vectors(row).at[(x + k) / 4] = v;
    }
#endif
}

void go_down(int x, int first, int end, int thread, bool inner, uint z, inout int turn)
{
    rule r = rule_of();
    uvec2 inside = inside_of(x);
    ivec2 column[PIXELS];
    [[unroll]] for (int j = 0; j < PIXELS; j++)
        column[j] = ivec2(0);
    [[dont_unroll]] for (int y = first - RADIUS_Y - 1; y < first + RADIUS_Y; y++)
        move(column, row_at(x, y, z, inside), uvec2(0u));
    uvec2 row_in = row_at(x, first + RADIUS_Y, z, inside);
    uvec2 row_out = row_at(x, first - RADIUS_Y - 1, z, inside), own = bytes_at(x, first, z);
    for (int y = first; y < end; y++) {
        move(column, row_in, row_out);
        uvec2 here = own;
        row_in = row_at(x, y + 1 + RADIUS_Y, z, inside); // loads overlap with the computation
        row_out = row_at(x, y - RADIUS_Y, z, inside);
        own = bytes_at(x, y + 1, z);
        turn = PIXELS * THREADS - turn;
        ivec2 sum = ivec2(0);
        [[unroll]] for (int j = 0; j < PIXELS; j++) {
            sum += column[j];
            running[turn + j * THREADS + thread] = sum;
        }
        barrier(); // rows take turns: the row before is still being read
        if (inner)
            put_row(white_of(r, here, x, y, turn + thread), x, y, z);
    }
}

void main()
{
    int height = int(lg.extra[1]), band = int(lg.extra[2]), thread = int(gl_LocalInvocationID.x), turn = 0;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * band; y < height; y += int(gl_NumWorkGroups.y) * band)
            for (int left = int(gl_WorkGroupID.x) * STRIP; left < int(lg.width);
                 left += int(gl_NumWorkGroups.x) * STRIP) {
                int x = left + (thread - REACH) * PIXELS;
                bool inner = x >= left && x < min(left + STRIP, int(lg.width));
                go_down(x, y, min(y + band, height), thread, inner, z, turn);
            }
}
