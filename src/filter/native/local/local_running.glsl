// Thresholds of bytes from windows of one size, up to 255 pixels on a side, in one dispatch.
//
// A workgroup goes down a band of rows. Each thread has 8 pixels of a row, and for each of their columns the
// sums of the samples and of their squares over the rows of the window: it adds the row that enters, and
// takes away the one that leaves. Sums of these over the thread's columns up to each one go to shared memory.
// A window along the row is a difference of two of them, and the sums of the threads between. Samples are
// bytes less 128, whose squares are smaller.
//
// Whether a pixel is as bright as its threshold is first told by a device's own operations. Where that lies
// too close, the definition's operations follow.
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
#define EACH    4 // pixels whose sums are in registers at once

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer lg_octets {
    uvec2 at[];
};

shared float inverses[PIXELS * LG_GROUP_X]; // of clipped windows, [pixel of a thread][thread]
shared ivec2 running[2 * PIXELS * LG_GROUP_X]; // [row in turn][pixel of a thread][thread]

// ---- columns --------------------------------------------------------------------------------------

// Where a thread reads: a layer, in vectors of eight bytes.
struct source {
    lg_octets layer;
    uint column, pitch;
};

source source_at(int x, uint z)
{
    return source(lg_octets(lg_row(lg.views[0], 0u, z)), uint(clamp(x, 0, int(lg.width) - 1)) / PIXELS,
                  lg.views[0].row_stride / PIXELS);
}

// As they are stored. What is done to them waits for them, so that it comes when they are used, a row later.
uvec2 bytes_at(source s, int y)
{
    return s.layer.at[s.column + uint(clamp(y, 0, int(lg.extra[1]) - 1)) * s.pitch];
}

// Bits of the columns that lie in the image.
uvec2 inside_of(int x)
{
    int count = clamp(int(lg.width) - x, 0, PIXELS);
    uvec2 bits = uvec2(count >= 4 ? 0xffffffffu : (1u << 8 * count) - 1u,
                       count >= 8  ? 0xffffffffu
                       : count > 4 ? (1u << 8 * (count - 4)) - 1u
                                   : 0u);
    return x < 0 ? uvec2(0u) : bits;
}

// What of row y counts.
uvec2 samples_of(uvec2 bytes, int y, uvec2 inside)
{
    return (bytes ^ 0x80808080u) & (y < 0 || y >= int(lg.extra[1]) ? uvec2(0u) : inside);
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

#define TOGETHER 4 // rows whose loads are waited for together

void begin(out ivec2 column[PIXELS], source s, int first, uvec2 inside)
{
    [[unroll]] for (int j = 0; j < PIXELS; j++)
        column[j] = ivec2(0);
    [[dont_unroll]] for (int y = first - RADIUS_Y - 1; y < first + RADIUS_Y; y += TOGETHER) {
        uvec2 rows[TOGETHER];
        [[unroll]] for (int k = 0; k < TOGETHER; k++)
            rows[k] = bytes_at(s, y + k);
        [[unroll]] for (int k = 0; k < TOGETHER; k++)
            move(column, samples_of(rows[k], y + k < first + RADIUS_Y ? y + k : -1, inside), uvec2(0u));
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

// `slope`: what a deviation in bytes counts. `near`, `off`: how far from 0 a difference is certain, and what
// it gains by what the deviation is off by. The variance is off by less than 0.012, from roundings of numbers
// up to 128^2, so that a deviation is off by less than 0.11, and by less than 0.012 / deviation; its own
// roundings come to 0.0001.
struct rule {
    float k, per_range, slope, near, off;
};

rule rule_of()
{
    rule r = rule(lg_param_float(K), inverse_range(), 0.0, 0.001, 0.0);
    r.off = abs(r.k);
#if FIGURE == 3
    r.slope = r.per_range * (1.0 / 255.0);
    r.near += abs(r.k) * (0.0005 + 0.02 * r.slope); // roundings of what k multiplies
    r.off *= r.slope * 1.001;
#endif
    return r;
}

// Sample j of stored bytes. A byte in the lowest bits of 2^23 is added to it: faster than to convert.
float real_of_byte(uvec2 bytes, int j)
{
    return uintBitsToFloat((bytes[j >> 2] >> 8 * (j & 3) & 255u) | 0x4b000000u) - float(8388608 + MIDDLE);
}

// How much brighter a pixel is than its threshold, about, and how far from 0 that is certain.
vec2 above_of(rule r, ivec2 sums, float own, float inverse)
{
    float mean = float(sums.x) * inverse;
    float variance = max(fma(-mean, mean, float(sums.y) * inverse), 1e-6);
    float root = inversesqrt(variance), deviation = variance * root;
    float off = min(0.11, fma(root, 0.0121, 0.0002));
#if FIGURE == 2
    return vec2(fma(r.k, deviation, own - mean), fma(r.off, off, r.near));
#else
    float level = mean + float(MIDDLE);
    float above = fma(r.k * level, fma(-deviation, r.slope, 1.0), own - mean);
    return vec2(above, fma(r.off * level, off, r.near));
#endif
}

// The definition's operations.
bool is_above(rule r, ivec2 sums, int own, uint n, float inverse)
{
    uint sum = uint(sums.x) + uint(MIDDLE) * n;
    uint square = uint(sums.y) + uint(2 * MIDDLE) * uint(sums.x) + uint(MIDDLE * MIDDLE) * n;
    spread s = spread_of(uvec2(sum, 0u), uvec2(square, 0u), n, inverse);
    return threshold_of(s, own + MIDDLE, uintBitsToFloat(lg.extra[3]), r.k, r.per_range) > 0.0;
}

int extent_of(int at, int radius, int size)
{
    return min(at + radius, size - 1) - max(at - radius, 0) + 1;
}

// The pixels of the thread's windows, 1 / that: for itself alone.
void count_pixels(int x, int rows, int thread)
{
    [[dont_unroll]] for (int j = 0; j < PIXELS; j++)
        inverses[j * THREADS + thread] = local_inverse(extent_of(x + j, RADIUS_X, int(lg.width)), rows);
}

// Whether all pixels of a window have its own pixel's value: they do if the sums are those of such a window.
// Then nothing is rounded, and the pixel is as bright as its threshold unless k lowers it.
bool is_flat(rule r, ivec2 sums, int own, int pixels)
{
    return sums == ivec2(own, own * own) * pixels && (FIGURE == 2 || r.k >= 0.0);
}

// Bit j: pixel j is as bright as its threshold. `own`: the row's stored bytes. `clipped`: some windows are.
uint white_of(rule r, uvec2 own, int x, int rows, bool clipped, int thread, int at)
{
    int width = int(lg.width);
    between t = between_at(at);
    uint white = 0u, open = 0u;
    [[dont_unroll]] for (int from = 0; from < PIXELS; from += EACH) {
        float inverse[EACH];
        [[unroll]] for (int i = 0; i < EACH; i++)
            inverse[i] = uintBitsToFloat(lg.extra[4]);
        if (clipped)
            [[unroll]] for (int i = 0; i < EACH; i++)
                inverse[i] = inverses[(from + i) * THREADS + thread];
        ivec2 sums[EACH];
        uint some = 0u;
        [[unroll]] for (int i = 0; i < EACH; i++) {
            sums[i] = window_of(from + i, t, at);
            vec2 above = above_of(r, sums[i], real_of_byte(own, from + i), inverse[i]);
            white |= above.x > 0.0 ? 1u << (from + i) : 0u;
            some |= abs(above.x) > above.y ? 0u : 1u << (from + i);
        }
        if (some != 0u)
            [[unroll]] for (int i = 0; i < EACH; i++) {
                int pixels = (clipped ? extent_of(x + from + i, RADIUS_X, width) : 2 * RADIUS_X + 1) * rows;
                if (is_flat(r, sums[i], sample_of(own ^ 0x80808080u, from + i), pixels)) {
                    white |= 1u << (from + i);
                    some &= ~(1u << (from + i));
                }
            }
        open |= some;
    }
    open &= (1u << clamp(width - x, 0, PIXELS)) - 1u;
    while (open != 0u) {
        int j = findLSB(open), columns = extent_of(x + j, RADIUS_X, width);
        float inverse = clipped ? inverses[j * THREADS + thread] : uintBitsToFloat(lg.extra[4]);
        open &= open - 1u;
        int value = sample_of(own ^ 0x80808080u, j);
        bool is = is_above(r, window_of(j, t, at), value, uint(columns * rows), inverse);
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
    source s = source_at(x, z);
    begin(column, s, first, inside);
    bool beside = x < RADIUS_X || x + PIXELS + RADIUS_X > int(lg.width);
    int counted = 0; // rows of the windows whose pixels were counted
    uvec2 row_in = bytes_at(s, first + RADIUS_Y), row_out = bytes_at(s, first - RADIUS_Y - 1);
    uvec2 own = bytes_at(s, first);
    for (int y = first; y < end; y++) {
        move(column, samples_of(row_in, y + RADIUS_Y, inside), samples_of(row_out, y - RADIUS_Y - 1, inside));
        uvec2 here = own;
        row_in = bytes_at(s, y + 1 + RADIUS_Y); // loads overlap with the computation
        row_out = bytes_at(s, y - RADIUS_Y);
        own = bytes_at(s, y + 1);
        turn = PIXELS * THREADS - turn;
        ivec2 sum = ivec2(0);
        [[unroll]] for (int j = 0; j < PIXELS; j++) {
            sum += column[j];
            running[turn + j * THREADS + thread] = sum;
        }
        barrier(); // rows take turns: the row before is still being read
        if (!inner)
            continue;
        int rows = extent_of(y, RADIUS_Y, int(lg.extra[1]));
        bool clipped = beside || rows != 2 * RADIUS_Y + 1;
        if (clipped && rows != counted)
            count_pixels(x, rows, thread);
        counted = rows;
        put_row(white_of(r, here, x, rows, clipped, thread, turn + thread), x, y, z);
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
