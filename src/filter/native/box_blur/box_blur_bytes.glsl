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

#define TOTALS 7u // of subgroups of 32, before the last one

uint pixel_at(uvec2 row, int x)
{
    return stored_at(row, lg_border_index(x, int(lg.width), BORDER));
}

// The bytes from pixel x on.
VECTOR bytes_at(int x, int y, uint z)
{
    int line = lg_border_index(y, int(lg.extra[1]), BORDER);
    if (line < 0)
        return VECTOR(0u);
    uvec2 row = lg_row(lg.views[0], uint(line), z);
    if (x >= 0 && x + PIXELS <= int(lg.width))
        return AT(row)[x >> LOG];
    // Short code rather than fast: edges only.
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
    SLOT before = subgroupExclusiveAdd(d[PIXELS - 1]);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
        totals[gl_SubgroupID] = before + d[PIXELS - 1];
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
    for (int i = y - 1 - RADIUS; i < y + RADIUS; i++) {
        VECTOR v = bytes_at(x, i, z);
        even += v & EVEN;
        odd += v >> 8 & EVEN;
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

// Means rounded to the nearest integer, which adding 2^23 leaves in the low bits.
#if CH == 4
uint rounded(vec4 sum, float scale)
{
    vec4 mean = sum * scale;
    uvec4 b = floatBitsToUint(mean + 8388608.0) & 255u;
    return b.x | b.y << 8 | b.z << 16 | (OPAQUE != 0 ? 255u : b.w) << 24;
}
#else
// With the high bits of 2^23, which add up to those of pixel 0.
uint rounded(float sum, float scale)
{
    float mean = sum * scale;
    return floatBitsToUint(mean + 8388608.0);
}
#endif

// ROWS rows from y on, of the image as far as it reaches.
void load_rows(out VECTOR rows[ROWS], int x, int y, uint z)
{
    int height = int(lg.extra[1]), line = clamp(y, 0, max(height - ROWS, 0));
    uint column = uint(clamp(x, 0, int(lg.width) - 1)) / PIXELS * VECTOR_BYTES;
    uint pitch = height >= ROWS ? lg.views[0].row_stride : 0u;
    uvec2 at = lg_add64(lg_row(lg.views[0], uint(line), z), uvec2(column, 0u));
    [[unroll]] for (int k = 0; k < ROWS; k++) {
        rows[k] = AT(at)[0];
        at = lg_add64(at, uvec2(pitch, 0u));
    }
}

// Always loads from some address: loads behind a branch would be waited for.
void fetch_rows(out VECTOR rows_in[ROWS], out VECTOR rows_out[ROWS], int x, int y, uint z)
{
    load_rows(rows_in, x, y + RADIUS, z);
    load_rows(rows_out, x, y - RADIUS - 1, z);
    if (y > RADIUS && y + RADIUS + ROWS <= int(lg.extra[1]) && x >= 0 && x + PIXELS <= int(lg.width))
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
}

void go_down(int x, int first, int end, int thread, bool inner, uint z)
{
    float scale = uintBitsToFloat(lg.extra[3]);
    SUM sum[PIXELS];
    VECTOR rows_in[ROWS], rows_out[ROWS];
    begin(sum, x, first, thread, inner, z);
    fetch_rows(rows_in, rows_out, x, first, z);
    for (int y = first; y < end; y += ROWS) {
        SLOT d[PIXELS];
        differences(rows_in, rows_out, d);
        fetch_rows(rows_in, rows_out, x, y + ROWS, z); // loads overlap with the computation
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
                AT(lg_row(lg.views[1], uint(y + k), z))[x >> LOG] = result[k];
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
