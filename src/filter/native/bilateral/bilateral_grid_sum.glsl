// The bilateral grid's sums of floats. A workgroup has the levels of a cell, and a thread one level
// at a time: it takes every pixel in the order of the definition. Then the levels are blurred.
//
// Defined before: the macros of bilateral_pixels.glsl, CAPACITY (at least the levels), GREY. Words:
// address of the cells, columns, rows, levels, side of a cell, per_level and 1 / (2 side) as bits,
// layer.
#include "filter/native/bilateral/bilateral_grid_math.h"

#define VALUES  (PLANES + 1)
#define THREADS LG_GROUP_X
#define PIXELS  (LG_BILATERAL_GRID_TILE * LG_BILATERAL_GRID_TILE)

shared float line[(CAPACITY + 4) * VALUES];
shared int level_of[PIXELS];
shared float part_of[PIXELS];
shared float value_of[PLANES * PIXELS];

// Pixels of a piece, row by row.
void load_piece(ivec2 from, ivec2 size, float per_level, uint z)
{
    for (int i = int(gl_LocalInvocationIndex); i < size.x * size.y; i += THREADS) {
        vec4 v = bilateral_pixel(from.x + i % size.x, from.y + i / size.x, z);
        [[unroll]] for (int p = 0; p < PLANES; p++)
            value_of[p * PIXELS + i] = v[p];
        precise float place =
            bilateral_grid_place(rgba(v.x, v.y, PLANES > 2 ? v.z : 0.0, 1.0), GREY != 0, per_level);
        int level = int(place);
        level_of[i] = level;
        part_of[i] = place - float(level);
    }
}

// The contribution of a piece to a level.
void sum_piece(int count, int level, out precise float sum[VALUES])
{
    [[unroll]] for (int k = 0; k < VALUES; k++)
        sum[k] = 0.0;
    for (int i = 0; i < count; i++) {
        int away = level - level_of[i];
        precise float part = part_of[i];
        precise float below = 1.0 - part;
        precise float weight = away == 0 ? below : part;
        bool taken = away == 0 || away == 1;
        [[unroll]] for (int p = 0; p < PLANES; p++) {
            precise float product = value_of[p * PIXELS + i] * weight;
            precise float more = sum[p] + product;
            sum[p] = taken ? more : sum[p];
        }
        precise float more = sum[PLANES] + weight;
        sum[PLANES] = taken ? more : sum[PLANES];
    }
}

// Stores the levels of a cell in `line`.
void sum_cell(int column, int row, int levels, int side, float per_level, uint z)
{
    ivec2 corner = (ivec2(column, row) - LG_BILATERAL_GRID_BEYOND) * side;
    for (int first = 0; first < levels; first += THREADS) {
        int level = first + int(gl_LocalInvocationIndex);
        precise float sum[VALUES];
        [[unroll]] for (int k = 0; k < VALUES; k++)
            sum[k] = 0.0;
        for (int top = 0; top < side; top += LG_BILATERAL_GRID_TILE)
            for (int left = 0; left < side; left += LG_BILATERAL_GRID_TILE) {
                ivec2 at = ivec2(left, top), size = min(ivec2(side) - at, ivec2(LG_BILATERAL_GRID_TILE));
                barrier();
                load_piece(corner + at, size, per_level, z);
                barrier();
                precise float piece[VALUES];
                sum_piece(size.x * size.y, level, piece);
                [[unroll]] for (int k = 0; k < VALUES; k++)
                    sum[k] = sum[k] + piece[k];
            }
        [[unroll]] for (int k = 0; k < VALUES; k++)
            if (level < levels)
                line[(level + 2) * VALUES + k] = sum[k];
    }
}

void main()
{
    lg_words cells = lg_words(uvec2(lg.extra[0], lg.extra[1]));
    int columns = int(lg.extra[2]), rows = int(lg.extra[3]), levels = int(lg.extra[4]);
    int side = int(lg.extra[5]), count = levels * VALUES;
    float per_level = uintBitsToFloat(lg.extra[6]);
    for (int i = int(gl_LocalInvocationIndex); i < 2 * VALUES; i += THREADS) {
        line[i] = 0.0;
        line[2 * VALUES + count + i] = 0.0;
    }
    for (int row = int(gl_WorkGroupID.y); row < rows; row += int(gl_NumWorkGroups.y))
        for (int column = int(gl_WorkGroupID.x); column < columns; column += int(gl_NumWorkGroups.x)) {
            sum_cell(column, row, levels, side, per_level, lg.extra[8]);
            barrier();
            for (int i = int(gl_LocalInvocationIndex); i < count; i += THREADS) {
                precise float x = bilateral_grid_blur(line[i], line[i + VALUES], line[i + 2 * VALUES],
                                                      line[i + 3 * VALUES], line[i + 4 * VALUES],
                                                      LG_BILATERAL_GRID_RANGE);
                cells.at[(row * columns + column) * count + i] = floatBitsToUint(x);
            }
            barrier();
        }
}
