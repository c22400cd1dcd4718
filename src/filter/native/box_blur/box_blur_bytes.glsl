// Box blur of bytes in one dispatch, radius up to 64.
//
// From row to row the sum of a window changes by the sum of d over its columns, where d is the byte
// that enters minus the byte that leaves. This fits 16 bits with a sign, so a word holds two such
// sums, modulo 2^32: of two channels, or of two rows of a grey image. So that no sum is negative,
// 256 is added to d for each pixel. A workgroup goes down a band of rows. Each thread has 4 pixels
// of a row, or 8 of grey. The workgroup makes running sums of d along the row in shared memory. The
// difference of two of them is the change of a window, which the thread adds to its sums.
//
// Defined before: CH 1 or 4, BORDER, OPAQUE, RADIUS, so that addresses in shared memory are constants.
// Words: layers, height, rows of a band, 1 / size^2.
#include "filter/native/byte_row_glsl.h"

#define WIDE    (RADIUS == 64)
#define THREADS int(LG_GROUP_X)
#define NEAREST (BORDER == 0 || BORDER == 3) // what lies outside has the edge's pixel, or is 0
#define EVEN    0x00ff00ffu
#define BIAS    0x01000100u

#if CH == 4
#define PIXELS 4 // of a thread
#define LOG    2
#define ROWS   2 // processed together
#define SLOT   uvec4
#define VECTOR uvec4 // the bytes of a thread
#define VECTOR_BYTES 16
#define AT(row) lg_vectors(row).at
#else
#define PIXELS 8
#define LOG    3
#define ROWS   4
#define SLOT   uvec2
#define VECTOR uvec2
#define VECTOR_BYTES 8
#define AT(row) lg_halves(row).at

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer lg_halves {
    uvec2 at[];
};
#endif

shared SLOT running[PIXELS * (LG_GROUP_X + 1)]; // [pixel of a thread][thread + 1]
shared SLOT totals[LG_GROUP_X];

#define TOTALS uint(LG_GROUP_X / 32 - 1) // of subgroups of 32, before the last one

uint pixel_at(uvec2 row, int x)
{
    return stored_at(row, lg_border_index(x, int(lg.width), BORDER));
}

// The pixels from x on, which begins a vector, where a border needs no other pixels than those of the
// nearest vector in the image, which `v` is.
VECTOR beside(VECTOR v, int x)
{
    int width = int(lg.width);
    if (x >= 0 && x + PIXELS <= width)
        return v;
    VECTOR fill = VECTOR(0u);
    int last = (width - 1) & (PIXELS - 1), inside = x < 0 ? 0 : clamp(width - x, 0, PIXELS);
#if CH == 4
    if (BORDER == 0)
        fill = VECTOR(x < 0 ? v.x : last == 0 ? v.x : last == 1 ? v.y : last == 2 ? v.z : v.w);
    [[unroll]] for (int k = 0; k < PIXELS; k++)
        v[k] = k < inside ? v[k] : fill[k];
    return v;
#else
    if (BORDER == 0)
        fill = VECTOR(((x < 0 || last < 4 ? v.x : v.y) >> (x < 0 ? 0 : 8 * (last & 3)) & 255u) * 0x01010101u);
    uvec2 own = uvec2(inside >= 4 ? ~0u : (1u << 8 * inside) - 1u,
                      inside < 5 ? 0u : (1u << 8 * (inside - 4)) - 1u);
    return (v & own) | (fill & ~own);
#endif
}

// The bytes from pixel x on.
VECTOR bytes_at(int x, int y, uint z)
{
    int line = lg_border_index(y, int(lg.extra[1]), BORDER);
    if (line < 0)
        return VECTOR(0u);
    uvec2 row = lg_row(lg.views[0], uint(line), z);
#if NEAREST
    return beside(AT(row)[clamp(x, 0, int(lg.width) - 1) >> LOG], x);
#else
    if (x >= 0 && x + PIXELS <= int(lg.width))
        return AT(row)[x >> LOG];
    // Short code rather than fast.
    VECTOR v = VECTOR(0u);
    [[dont_unroll]] for (int k = 0; k < PIXELS; k++) {
#if CH == 4
        uvec4 here = uvec4(equal(ivec4(k), ivec4(0, 1, 2, 3)));
        v |= here * pixel_at(row, x + k);
#else
        uvec2 here = uvec2(equal(ivec2(k >> 2), ivec2(0, 1)));
        v |= here * (pixel_at(row, x + k) << 8 * (k & 3));
#endif
    }
    return v;
#endif
}

// What pixels contribute to the running sums of these rows, those that enter less those that leave.
void differences(VECTOR rows_in[ROWS], VECTOR rows_out[ROWS], out SLOT d[PIXELS])
{
    VECTOR even[ROWS], odd[ROWS];
    [[unroll]] for (int k = 0; k < ROWS; k++) {
        even[k] = (rows_in[k] & EVEN) + BIAS - (rows_out[k] & EVEN);
        odd[k] = (rows_in[k] >> 8 & EVEN) + BIAS - (rows_out[k] >> 8 & EVEN);
    }
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
#if CH == 4
        d[j] = uvec4(even[0][j], odd[0][j], even[1][j], odd[1][j]);
#else
        // Byte j of each row; of two rows in a word.
        uvec4 v;
        [[unroll]] for (int k = 0; k < ROWS; k++)
            v[k] = (j & 1) == 0 ? even[k][j >> 2] : odd[k][j >> 2];
        d[j] = (j & 2) == 0 ? v.xz & 0xffffu | v.yw << 16 : v.xz >> 16 | v.yw & 0xffff0000u;
#endif
    }
}

// Running sums over the row, for all threads to see.
void share(SLOT d[PIXELS], int thread)
{
    [[unroll]] for (int j = 1; j < PIXELS; j++)
        d[j] += d[j - 1];
    SLOT through = subgroupInclusiveAdd(d[PIXELS - 1]), before = through - d[PIXELS - 1];
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
        totals[gl_SubgroupID] = through;
    barrier(); // the running sums of the rows before have been read as well
    // The first ones all at once: loads of a loop would wait for each other.
    [[unroll]] for (uint k = 0u; k < TOTALS; k++)
        before += k < gl_SubgroupID ? totals[k] : SLOT(0u);
    for (uint k = TOTALS; k < gl_SubgroupID; k++)
        before += totals[k];
    [[unroll]] for (int j = 0; j < PIXELS; j++)
        running[j * (THREADS + 1) + thread + 1] = d[j] + before;
    barrier();
}

SLOT running_at(int j, int thread)
{
    return running[(j & (PIXELS - 1)) * (THREADS + 1) + thread + 1 + (j >> LOG)];
}

// The window of pixel j, both lanes with 256 for each pixel. 129 pixels do not fit 16 bits: WIDE windows
// begin a pixel later, and `rest` is the first pixel.
SLOT window_of(int j, int thread, out SLOT rest)
{
    SLOT before = running_at(j - RADIUS - 1, thread), from = before;
#if WIDE
    from = running_at(j - RADIUS, thread);
#endif
    rest = from - before;
    return running_at(j + RADIUS, thread) - from;
}

// The exact values of lanes of so many pixels: 2^23 + lane is a float.
#define WINDOW (2 * RADIUS + 1 - (WIDE ? 1 : 0))

float low_of(uint lanes, int pixels)
{
    return uintBitsToFloat(0x4b000000u | (lanes & 0xffffu)) - (8388608.0 + 256.0 * float(pixels));
}

float high_of(uint lanes, int pixels)
{
    return uintBitsToFloat(0x4b000000u | lanes >> 16) - (8388608.0 + 256.0 * float(pixels));
}

#if CH == 4
#define SUM vec4
SUM sums_of(uint even, uint odd, int pixels)
{
    return vec4(low_of(even, pixels), low_of(odd, pixels), high_of(even, pixels),
                high_of(odd, pixels));
}
#else
#define SUM float
#endif

// The sums of windows around row y - 1: of the low bytes and of the high bytes of column sums.
void begin(out SUM sum[PIXELS], int x, int y, int thread, bool inner, uint z)
{
    VECTOR even = VECTOR(0u), odd = even;
    [[dont_unroll]] for (int i = y - 1 - RADIUS; i < y + RADIUS; i += 4) {
        VECTOR v[4];
        [[unroll]] for (int k = 0; k < 4; k++) // loads of four rows are waited for together
            v[k] = bytes_at(x, min(i + k, y + RADIUS - 1), z);
        [[unroll]] for (int k = 0; k < 4; k++) {
            uint wanted = i + k < y + RADIUS ? EVEN : 0u;
            even += v[k] & wanted;
            odd += v[k] >> 8 & wanted;
        }
    }
    SLOT d[PIXELS];
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
#if CH == 4
        d[j] = uvec4(even[j] & EVEN, odd[j] & EVEN, even[j] >> 8 & EVEN, odd[j] >> 8 & EVEN) + BIAS;
#else
        uint v = ((j & 1) != 0 ? odd[j >> 2] : even[j >> 2]) >> (8 * (j & 2)) & 0xffffu;
        d[j] = uvec2((v & 255u) | v >> 8 << 16, 0u) + BIAS;
#endif
    }
    share(d, thread);
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
        SLOT rest = SLOT(BIAS), w = rest;
        if (inner)
            w = window_of(j, thread, rest);
#if CH == 4
        sum[j] = sums_of(w.x, w.y, WINDOW) + sums_of(w.z, w.w, WINDOW) * 256.0;
        if (WIDE)
            sum[j] += sums_of(rest.x, rest.y, 1) + sums_of(rest.z, rest.w, 1) * 256.0;
#else
        sum[j] = low_of(w.x, WINDOW) + high_of(w.x, WINDOW) * 256.0;
        if (WIDE)
            sum[j] += low_of(rest.x, 1) + high_of(rest.x, 1) * 256.0;
#endif
    }
}

// Means rounded to the nearest integer, which adding 2^23 leaves in the low bits. No mean is as near to the
// middle of two integers as roundings come, since windows have an odd number of pixels, 129^2 at most.
#if CH == 4
uint rounded(vec4 sum, float scale)
{
    uvec4 b = floatBitsToUint(fma(sum, vec4(scale), vec4(8388608.0))) & 255u;
    return b.x | b.y << 8 | b.z << 16 | (OPAQUE != 0 ? 255u : b.w) << 24;
}
#else
// With the high bits of 2^23, which add up to those of pixel 0.
uint rounded(float sum, float scale)
{
    return floatBitsToUint(fma(sum, scale, 8388608.0));
}
#endif

// ROWS rows from y on, or those next to them in the image.
void load_rows(out VECTOR rows[ROWS], uvec2 layer, int x, int y)
{
    uint column = uint(clamp(x, 0, int(lg.width) - 1)) / PIXELS;
    [[unroll]] for (int k = 0; k < ROWS; k++) {
        uint line = uint(clamp(y + k, 0, int(lg.extra[1]) - 1));
        rows[k] = AT(layer)[column + line * (lg.views[0].row_stride / VECTOR_BYTES)];
    }
}

// Always loads from some address: loads behind a branch would be waited for.
void fetch_rows(out VECTOR rows_in[ROWS], out VECTOR rows_out[ROWS], uvec2 layer, int x, int y, uint z)
{
    load_rows(rows_in, layer, x, y + RADIUS);
    load_rows(rows_out, layer, x, y - RADIUS - 1);
#if !NEAREST
    // What lies beyond the last window is asked for by nobody.
    bool whole = (x >= 0 && x + PIXELS <= int(lg.width)) || x >= int(lg.width) + RADIUS;
    if (whole && y > RADIUS && y + RADIUS + ROWS <= int(lg.extra[1]))
        return;
    [[dont_unroll]] for (int k = 0; k < 2 * ROWS; k++) {
        VECTOR v = bytes_at(x, k < ROWS ? y + k + RADIUS : y + k - ROWS - RADIUS - 1, z);
        [[unroll]] for (int i = 0; i < ROWS; i++) {
            if (i == k)
                rows_in[i] = v;
            if (i + ROWS == k)
                rows_out[i] = v;
        }
    }
#endif
}

#if NEAREST
// Puts what the border has in place of what fetch_rows loaded outside the image: later, as this waits for it.
void border_rows(inout VECTOR rows_in[ROWS], inout VECTOR rows_out[ROWS], int x, int y)
{
    if (x < 0 || x + PIXELS > int(lg.width))
        [[unroll]] for (int k = 0; k < ROWS; k++) {
            rows_in[k] = beside(rows_in[k], x);
            rows_out[k] = beside(rows_out[k], x);
        }
    if (BORDER == 3 && (y <= RADIUS || y + RADIUS + ROWS > int(lg.extra[1])))
        [[unroll]] for (int k = 0; k < ROWS; k++) {
            rows_in[k] = y + k + RADIUS < int(lg.extra[1]) ? rows_in[k] : VECTOR(0u);
            rows_out[k] = y + k > RADIUS ? rows_out[k] : VECTOR(0u);
        }
}
#endif

void go_down(int x, int first, int end, int thread, bool inner, uint z)
{
    float scale = uintBitsToFloat(lg.extra[3]);
    SUM sum[PIXELS];
    VECTOR rows_in[ROWS], rows_out[ROWS];
    uvec2 from = lg_row(lg.views[0], 0u, z), to = lg_row(lg.views[1], 0u, z);
    begin(sum, x, first, thread, inner, z);
    fetch_rows(rows_in, rows_out, from, x, first, z);
    for (int y = first; y < end; y += ROWS) {
        SLOT d[PIXELS];
#if NEAREST
        border_rows(rows_in, rows_out, x, y);
#endif
        differences(rows_in, rows_out, d);
        fetch_rows(rows_in, rows_out, from, x, y + ROWS, z); // loads overlap with the computation
        share(d, thread);
        if (!inner)
            continue;
        VECTOR result[ROWS];
        [[unroll]] for (int k = 0; k < ROWS; k++)
            result[k] = VECTOR(0u);
        [[unroll]] for (int j = 0; j < PIXELS; j++) {
            SLOT rest, w = window_of(j, thread, rest);
#if CH == 4
            sum[j] += sums_of(w.x, w.y, WINDOW);
            if (WIDE)
                sum[j] += sums_of(rest.x, rest.y, 1);
            result[0][j] = rounded(sum[j], scale);
            sum[j] += sums_of(w.z, w.w, WINDOW);
            if (WIDE)
                sum[j] += sums_of(rest.z, rest.w, 1);
            result[1][j] = rounded(sum[j], scale);
#else
            [[unroll]] for (int k = 0; k < ROWS; k++) {
                sum[j] += (k & 1) != 0 ? high_of(w[k >> 1], WINDOW) : low_of(w[k >> 1], WINDOW);
                if (WIDE)
                    sum[j] += (k & 1) != 0 ? high_of(rest[k >> 1], 1) : low_of(rest[k >> 1], 1);
                result[k][j >> 2] += (rounded(sum[j], scale) << (8 * (j & 3))) -
                                     ((j & 3) == 0 ? 0x4b000000u : 0u);
            }
#endif
        }
        [[unroll]] for (int k = 0; k < ROWS; k++)
            if (y + k < end)
                AT(to)[uint(x >> LOG) + uint(y + k) * (lg.views[1].row_stride / VECTOR_BYTES)] = result[k];
    }
}

void main()
{
    int height = int(lg.extra[1]), band = int(lg.extra[2]);
    int thread = int(gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID);
    int halo = (RADIUS + PIXELS - 1) / PIXELS * PIXELS, strip = THREADS * PIXELS - 2 * halo;
    if (thread < PIXELS)
        running[thread * (THREADS + 1)] = SLOT(0u);
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * band; y < height; y += int(gl_NumWorkGroups.y) * band)
            for (int left = int(gl_WorkGroupID.x) * strip; left < int(lg.width);
                 left += int(gl_NumWorkGroups.x) * strip) {
                int x = left - halo + thread * PIXELS;
                bool inner = x >= left && x < min(left + strip, int(lg.width));
                go_down(x, y, min(y + band, height), thread, inner, z);
            }
}
