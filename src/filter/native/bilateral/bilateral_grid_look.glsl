// The bilateral grid looked up: four pixels of a row per thread.
//
// Defined before: what bilateral_pixels.glsl wants, GREY, BITS.
// Words: address of the cells, columns, levels, side of a cell, per_level and 1 / (2 side) as bits, layer,
// height.
#include "filter/native/bilateral/bilateral_grid_math.h"

#define VALUES (PLANES + 1)

// The cell before a pixel's, and how far it is towards the next one.
int cell_before(int at, int side, float inverse, out float part)
{
    int twice = 2 * at + 1 + side; // from the middle of the cell before the first one
    int cell = twice / (2 * side);
    precise float rest = float(twice - cell * 2 * side) * inverse;
    part = rest;
    return cell - 1 + LG_BILATERAL_GRID_BEYOND;
}

float part_of(vec4 v, float per_level, out int level)
{
#if BYTES
    int place = bilateral_grid_place_of_bytes(uint(v.x), uint(v.y), PLANES > 2 ? uint(v.z) : 0u,
                                              GREY != 0, per_level);
    level = place >> BITS;
    precise float part = float(place & ((1 << BITS) - 1)) * uintBitsToFloat(uint(127 - BITS) << 23);
#else
    precise float place =
        bilateral_grid_place(rgba(v.x, v.y, PLANES > 2 ? v.z : 0.0, 1.0), GREY != 0, per_level);
    level = int(place);
    precise float part = place - float(level);
#endif
    return part;
}

void main()
{
    lg_floats cells = lg_floats(uvec2(lg.extra[0], lg.extra[1]));
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
            vec4 v = bilateral_pixel(x + j, y, z);
            float part = part_of(v, per_level, level);
            int at = ((row * columns + column) * levels + level) * VALUES;
            int next = levels * VALUES, below = columns * next;
            sum[j] = vec4(0.0);
            [[unroll]] for (int k = 0; k < VALUES; k++) {
                float near[2];
                [[unroll]] for (int l = 0; l < 2; l++) {
                    int i = at + l * VALUES + k;
                    float a = bilateral_grid_mix(cells.at[i], cells.at[i + below], down);
                    float b = bilateral_grid_mix(cells.at[i + next], cells.at[i + next + below], down);
                    near[l] = bilateral_grid_mix(a, b, right);
                }
                float found = bilateral_grid_mix(near[0], near[1], part);
                if (k < PLANES)
                    sum[j][k] = found;
                else
                    weights[j] = found;
            }
        }
        bilateral_store(sum, weights, x, y, z);
    }
}
