// Box blur of bytes in one dispatch, radius up to 64.
//
// From row to row the sum of a window changes by the sum of d over its columns, where d is the byte
// that enters minus the byte that leaves. This fits 16 bits with a sign, so a word holds two such
// sums, modulo 2^32: of two channels, or of two rows of a grey image. A workgroup goes down a band
// of rows. Each thread has 16 bytes of a row. The workgroup makes running sums of d along the row
// in shared memory. The difference of two of them is the change of a window, which the thread adds
// to its sums.
//
// Defined before: CH 1 or 4, BORDER, OPAQUE, RADIUS, so that addresses in shared memory are constants.
// Words: layers, height, rows of a band, 1 / size^2.
#define WIDE    (RADIUS == 64)
#define THREADS int(LG_GROUP_X)
#define EVEN    0x00ff00ffu

#if CH == 4
#define PIXELS 4 // of a thread
#define LOG    2
#define ROWS   2 // processed together
#define SLOT   uvec4
#else
#define PIXELS 16
#define LOG    4
#define ROWS   4
#define SLOT   uvec2
#endif

shared SLOT running[PIXELS * (LG_GROUP_X + 1)]; // [pixel of a thread][thread + 1]
shared SLOT totals[LG_GROUP_X];

uint pixel_at(uvec2 row, int x)
{
    int column = lg_border_index(x, int(lg.width), BORDER);
    if (column < 0)
        return 0u;
#if CH == 4
    return lg_words(row).at[column];
#else
    return lg_words(row).at[column >> 2] >> (8 * (column & 3)) & 255u;
#endif
}

// 16 bytes from pixel x on.
uvec4 bytes_at(int x, int y, uint z)
{
    int line = lg_border_index(y, int(lg.extra[1]), BORDER);
    if (line < 0)
        return uvec4(0u);
    uvec2 row = lg_row(lg.views[0], uint(line), z);
    if (x >= 0 && x + PIXELS <= int(lg.width))
        return lg_vectors(row).at[x >> LOG];
    // Short code rather than fast: edges only.
    uvec4 v = uvec4(0u);
    [[dont_unroll]] for (int k = 0; k < PIXELS; k++) {
#if CH == 4
        uvec4 here = uvec4(equal(ivec4(k), ivec4(0, 1, 2, 3)));
        v |= here * pixel_at(row, x + k);
#else
        uvec4 here = uvec4(equal(ivec4(k >> 2), ivec4(0, 1, 2, 3)));
        v |= here * (pixel_at(row, x + k) << 8 * (k & 3));
#endif
    }
    return v;
}

// The contribution of pixel j of these rows to the running sums.
SLOT slot_of(uvec4 v[ROWS], int j)
{
#if CH == 4
    return uvec4(v[0][j] & EVEN, v[0][j] >> 8 & EVEN, v[1][j] & EVEN, v[1][j] >> 8 & EVEN);
#else
    uint shift = 8u * (uint(j) & 3u);
    int k = j >> 2;
    return uvec2((v[0][k] >> shift & 255u) | (v[1][k] >> shift & 255u) << 16,
                 (v[2][k] >> shift & 255u) | (v[3][k] >> shift & 255u) << 16);
#endif
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
    for (uint k = 0u; k < gl_SubgroupID; k++)
        before += totals[k];
    [[unroll]] for (int j = 0; j < PIXELS; j++)
        running[j * (THREADS + 1) + thread + 1] = d[j] + before;
    barrier();
}

SLOT running_at(int j, int thread)
{
    return running[(j & (PIXELS - 1)) * (THREADS + 1) + thread + 1 + (j >> LOG)];
}

// The window of pixel j, both lanes plus 32768. 129 pixels do not fit 16 bits: WIDE windows begin a
// pixel later, and `rest` is the first pixel.
SLOT window_of(int j, int thread, out SLOT rest)
{
    SLOT before = running_at(j - RADIUS - 1, thread), from = before;
#if WIDE
    from = running_at(j - RADIUS, thread);
#endif
    rest = from - before + 0x80008000u;
    return running_at(j + RADIUS, thread) - from + 0x80008000u;
}

// The exact values of lanes: 2^23 + lane is a float.
float low_of(uint lanes)
{
    return uintBitsToFloat(0x4b000000u | (lanes & 0xffffu)) - 8421376.0;
}

float high_of(uint lanes)
{
    return uintBitsToFloat(0x4b000000u | lanes >> 16) - 8421376.0;
}

#if CH == 4
#define SUM vec4
SUM sums_of(uint even, uint odd)
{
    return vec4(low_of(even), low_of(odd), high_of(even), high_of(odd));
}
#else
#define SUM float
#endif

// The sums of windows around row y - 1: of the low bytes and of the high bytes of column sums.
void begin(out SUM sum[PIXELS], int x, int y, int thread, bool inner, uint z)
{
    uvec4 even = uvec4(0u), odd = uvec4(0u);
    for (int i = y - 1 - RADIUS; i < y + RADIUS; i++) {
        uvec4 v = bytes_at(x, i, z);
        even += v & EVEN;
        odd += v >> 8 & EVEN;
    }
    SLOT d[PIXELS];
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
#if CH == 4
        d[j] = uvec4(even[j] & EVEN, odd[j] & EVEN, even[j] >> 8 & EVEN, odd[j] >> 8 & EVEN);
#else
        uint v = ((j & 1) != 0 ? odd[j >> 2] : even[j >> 2]) >> (8 * (j & 2)) & 0xffffu;
        d[j] = uvec2((v & 255u) | v >> 8 << 16, 0u);
#endif
    }
    share(d, thread);
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
        SLOT w = SLOT(0x80008000u), rest = w;
        if (inner)
            w = window_of(j, thread, rest);
#if CH == 4
        sum[j] = sums_of(w.x, w.y) + sums_of(w.z, w.w) * 256.0;
        if (WIDE)
            sum[j] += sums_of(rest.x, rest.y) + sums_of(rest.z, rest.w) * 256.0;
#else
        sum[j] = low_of(w.x) + high_of(w.x) * 256.0;
        if (WIDE)
            sum[j] += low_of(rest.x) + high_of(rest.x) * 256.0;
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
uint rounded(float sum, float scale)
{
    float mean = sum * scale;
    return floatBitsToUint(mean + 8388608.0) & 255u;
}
#endif

void fetch_rows(out uvec4 rows_in[ROWS], out uvec4 rows_out[ROWS], int x, int y, uint z)
{
    [[unroll]] for (int k = 0; k < ROWS; k++)
        rows_in[k] = bytes_at(x, y + k + RADIUS, z);
    [[unroll]] for (int k = 0; k < ROWS; k++)
        rows_out[k] = bytes_at(x, y + k - RADIUS - 1, z);
}

void go_down(int x, int first, int end, int thread, bool inner, uint z)
{
    float scale = uintBitsToFloat(lg.extra[3]);
    SUM sum[PIXELS];
    uvec4 rows_in[ROWS], rows_out[ROWS];
    begin(sum, x, first, thread, inner, z);
    fetch_rows(rows_in, rows_out, x, first, z);
    for (int y = first; y < end; y += ROWS) {
        SLOT d[PIXELS];
        [[unroll]] for (int j = 0; j < PIXELS; j++)
            d[j] = slot_of(rows_in, j) - slot_of(rows_out, j);
        fetch_rows(rows_in, rows_out, x, y + ROWS, z); // loads overlap with the computation
        share(d, thread);
        if (!inner)
            continue;
        uvec4 result[ROWS];
        [[unroll]] for (int k = 0; k < ROWS; k++)
            result[k] = uvec4(0u);
        [[unroll]] for (int j = 0; j < PIXELS; j++) {
            SLOT rest, w = window_of(j, thread, rest);
#if CH == 4
            sum[j] += sums_of(w.x, w.y);
            if (WIDE)
                sum[j] += sums_of(rest.x, rest.y);
            result[0][j] = rounded(sum[j], scale);
            sum[j] += sums_of(w.z, w.w);
            if (WIDE)
                sum[j] += sums_of(rest.z, rest.w);
            result[1][j] = rounded(sum[j], scale);
#else
            [[unroll]] for (int k = 0; k < ROWS; k++) {
                sum[j] += (k & 1) != 0 ? high_of(w[k >> 1]) : low_of(w[k >> 1]);
                if (WIDE)
                    sum[j] += (k & 1) != 0 ? high_of(rest[k >> 1]) : low_of(rest[k >> 1]);
                result[k][j >> 2] |= rounded(sum[j], scale) << (8 * (j & 3));
            }
#endif
        }
        [[unroll]] for (int k = 0; k < ROWS; k++)
            if (y + k < end)
                lg_vectors(lg_row(lg.views[1], uint(y + k), z)).at[x >> LOG] = result[k];
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
