// Sums of windows along rows (COLUMNS 0) or of these down columns (COLUMNS 1), in the order of
// kuwahara_rule.h. A thread makes the windows that begin in one block. Plane k of view 1 lies at column k
// times `windows`. Defined before: BORDER, PLANES, ALPHA, WHOLE, COLUMNS.
// Words: layers, first row of the image (less than 0: above it), rows, windows of a row, radius.
#include "filter/native/kuwahara/kuwahara_rule.h"

#define SUMS (PLANES + 1)

float square_of(float v[4])
{
#if PLANES == 2 && ALPHA
    return kuwahara_square(v[0], v[0], v[0], v[1]);
#else
    return kuwahara_square(v[0], v[1], v[2], v[3]);
#endif
}

#if COLUMNS
void read_planes(out float v[SUMS], int x, int y, uint z)
{
    lg_floats row = lg_floats(lg_row(lg.views[0], uint(y), z));
    [[unroll]] for (int k = 0; k < SUMS; k++)
        v[k] = row.at[x + k * int(lg.extra[3])];
}
#else
void read_planes(out float v[SUMS], int x, int y, uint z)
{
    color c = lg_get_0(x - int(lg.extra[4]), y + int(lg.extra[1]), z, BORDER);
#if ALPHA
    c = rgba(c.r * c.a, c.g * c.a, c.b * c.a, c.a);
#endif
    float four[4] = float[4](c.r, PLANES == 2 && ALPHA != 0 ? c.a : c.g, c.b, c.a);
    [[unroll]] for (int k = PLANES; k < 4; k++)
        four[k] = 0.0;
    [[unroll]] for (int k = 0; k < PLANES; k++) {
#if WHOLE
        four[k] = kuwahara_whole(four[k]);
#endif
        v[k] = four[k];
    }
    v[PLANES] = square_of(four);
}
#endif

// A window of the row or column `line`.
void write_planes(float v[SUMS], int i, int line, uint z)
{
    lg_words row = lg_words(lg_row(lg.views[1], uint(COLUMNS != 0 ? i : line), z));
    int x = COLUMNS != 0 ? line : i;
    [[unroll]] for (int k = 0; k < SUMS; k++)
        row.at[x + k * int(lg.extra[3])] = floatBitsToUint(v[k]);
}

void add_to_planes(float v[SUMS], int i, int line, uint z)
{
    lg_words row = lg_words(lg_row(lg.views[1], uint(COLUMNS != 0 ? i : line), z));
    int x = COLUMNS != 0 ? line : i;
    float sums[SUMS];
    [[unroll]] for (int k = 0; k < SUMS; k++) {
        LG_FLOAT sum = uintBitsToFloat(row.at[x + k * int(lg.extra[3])]) + v[k];
        sums[k] = sum;
    }
    write_planes(sums, i, line, z);
}

#if COLUMNS
// Means and variance of a window.
void finish(int i, int line, uint z)
{
    lg_words row = lg_words(lg_row(lg.views[1], uint(i), z));
    float inverse = kuwahara_inverse(int(lg.extra[4])), four[4] = float[4](0.0, 0.0, 0.0, 0.0), v[SUMS];
    [[unroll]] for (int k = 0; k < PLANES; k++) {
        LG_FLOAT mean = uintBitsToFloat(row.at[line + k * int(lg.extra[3])]) * inverse;
        v[k] = mean;
        four[k] = mean;
    }
    v[PLANES] = kuwahara_variance(uintBitsToFloat(row.at[line + PLANES * int(lg.extra[3])]), inverse,
                                  square_of(four));
#if WHOLE
    [[unroll]] for (int k = 0; k < PLANES; k++)
        v[k] = kuwahara_unit(v[k]);
#endif
    write_planes(v, i, line, z);
}
#endif

void add_block(int first, int count, int line, uint z)
{
    int size = int(lg.extra[4]) + 1;
    float sums[SUMS], v[SUMS];
    [[unroll]] for (int k = 0; k < SUMS; k++)
        sums[k] = 0.0;
    for (int j = size - 1; j >= 0; j--) {
        read_planes(v, COLUMNS != 0 ? line : first + j, COLUMNS != 0 ? first + j : line, z);
        [[unroll]] for (int k = 0; k < SUMS; k++) {
            LG_FLOAT sum = sums[k] + v[k];
            sums[k] = sum;
        }
        if (j < count)
            write_planes(sums, first + j, line, z);
    }
    [[unroll]] for (int k = 0; k < SUMS; k++)
        sums[k] = 0.0;
    for (int j = 0; j < count; j++) {
        if (j > 0) {
            int at = first + size + j - 1;
            read_planes(v, COLUMNS != 0 ? line : at, COLUMNS != 0 ? at : line, z);
            [[unroll]] for (int k = 0; k < SUMS; k++) {
                LG_FLOAT sum = sums[k] + v[k];
                sums[k] = sum;
            }
            add_to_planes(sums, first + j, line, z);
        }
#if COLUMNS
        finish(first + j, line, z);
#endif
    }
}

void main()
{
    int size = int(lg.extra[4]) + 1, rows = int(lg.extra[2]), windows = int(lg.extra[3]);
    int across = int(gl_GlobalInvocationID.x);
    int down = int(gl_GlobalInvocationID.y), step = int(gl_NumWorkGroups.y) * LG_GROUP_Y;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = down; y < (COLUMNS != 0 ? (rows + size - 1) / size : rows); y += step)
            if (COLUMNS != 0 && across < windows)
                add_block(y * size, min(size, rows - y * size), across, z);
            else if (COLUMNS == 0 && across < (windows + size - 1) / size)
                add_block(across * size, min(size, windows - across * size), y, z);
}
