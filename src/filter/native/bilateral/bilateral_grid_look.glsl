// Looks pixels up in the bilateral grid: four pixels of a row per thread.
//
// Defined before: the macros of bilateral_pixels.glsl, GREY, BITS. Words: address of the cells,
// columns, levels, side of a cell, per_level and 1 / (2 side) as bits, layer, height.
#include "filter/native/bilateral/bilateral_grid_math.h"

#define VALUES (PLANES + 1)

#if VALUES == 2 || VALUES == 4
#if VALUES == 2
#define CELL vec2
#else
#define CELL vec4
#endif
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer cell_numbers {
    CELL at[];
};

void load_cell(uvec2 cells, int index, out float v[VALUES])
{
    CELL c = cell_numbers(cells).at[index];
    [[unroll]] for (int k = 0; k < VALUES; k++)
        v[k] = c[k];
}
#else
void load_cell(uvec2 cells, int index, out float v[VALUES])
{
    [[unroll]] for (int k = 0; k < VALUES; k++)
        v[k] = lg_floats(cells).at[index * VALUES + k];
}
#endif

// The cell in front of a pixel's centre, and the fraction towards the next cell.
int cell_before(int at, int side, float inverse, out float part)
{
    int twice = 2 * at + 1 + side; // from the middle of the cell before the first one
    int cell = int(float(twice) * inverse);
    int rest = twice - cell * 2 * side;
    cell += rest < 0 ? -1 : rest >= 2 * side ? 1 : 0; // the product is rounded
    precise float p = float(twice - cell * 2 * side) * inverse;
    part = p;
    return cell - 1 + LG_BILATERAL_GRID_BEYOND;
}

// The position of pixel x among the levels.
float level_of(int x, int y, uint z, float per_level, out int level)
{
#if BYTES
    // There are readable bytes past the end of a row as well.
    uint v = bilateral_bytes(lg_words(lg_row(lg.views[0], uint(y), z)), x);
    uint green = PLANES > 1 ? v >> 8 & 255u : 0u, blue = PLANES > 2 ? v >> 16 & 255u : 0u;
    int place = bilateral_grid_place_of_bytes(v & 255u, green, blue, GREY != 0, per_level);
    level = place >> BITS;
    precise float part = float(place & ((1 << BITS) - 1)) * uintBitsToFloat(uint(127 - BITS) << 23);
#else
    vec4 v = bilateral_pixel(x, y, z);
    precise float place =
        bilateral_grid_place(rgba(v.x, v.y, PLANES > 2 ? v.z : 0.0, 1.0), GREY != 0, per_level);
    level = int(place);
    precise float part = place - float(level);
#endif
    return part;
}

void main()
{
    uvec2 cells = uvec2(lg.extra[0], lg.extra[1]);
    int columns = int(lg.extra[2]), levels = int(lg.extra[3]), side = int(lg.extra[4]);
    float per_level = uintBitsToFloat(lg.extra[5]), inverse = uintBitsToFloat(lg.extra[6]);
    uint z = lg.extra[7];
    int x = 4 * int(gl_GlobalInvocationID.x), height = int(lg.extra[8]);
    if (uint(x) >= lg.width)
        return;
    for (int y = int(gl_GlobalInvocationID.y); y < height; y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
        vec4 sum[4];
        float weights[4], down, right;
        int row = cell_before(y, side, inverse, down);
        [[unroll]] for (int j = 0; j < 4; j++) {
            int level, column = cell_before(x + j, side, inverse, right);
            float part = level_of(x + j, y, z, per_level, level), near[2][VALUES];
            int first = (row * columns + column) * levels + level;
            [[unroll]] for (int l = 0; l < 2; l++) {
                float a[VALUES], b[VALUES], c[VALUES], d[VALUES];
                load_cell(cells, first + l, a);
                load_cell(cells, first + l + levels, b);
                load_cell(cells, first + l + columns * levels, c);
                load_cell(cells, first + l + columns * levels + levels, d);
                [[unroll]] for (int k = 0; k < VALUES; k++)
                    near[l][k] = bilateral_grid_mix(bilateral_grid_mix(a[k], c[k], down),
                                                    bilateral_grid_mix(b[k], d[k], down), right);
            }
            sum[j] = vec4(0.0);
            [[unroll]] for (int k = 0; k < PLANES; k++)
                sum[j][k] = bilateral_grid_mix(near[0][k], near[1][k], part);
            weights[j] = bilateral_grid_mix(near[0][PLANES], near[1][PLANES], part);
        }
        bilateral_store(sum, weights, x, y, z);
    }
}
