// Alpha of pixels from the sums of a and b around them, LG_SPAN pixels of a row per thread. Words: address
// of the sums, columns, rows, side of a cell, 1 / side and 1 / cells of a window as bits, layer, height.
#include "filter/native/guided_filter/guided_filter_math.h"

color line_at(lg_floats sums, int cell)
{
    return rgba(sums.at[4 * cell], sums.at[4 * cell + 1], sums.at[4 * cell + 2], sums.at[4 * cell + 3]);
}

color mixed(color a, color b, float part)
{
    return rgba(lg_mix(a.r, b.r, part), lg_mix(a.g, b.g, part), lg_mix(a.b, b.b, part),
                lg_mix(a.a, b.a, part));
}

void main()
{
    lg_floats sums = lg_floats(uvec2(lg.extra[0], lg.extra[1]));
    int columns = int(lg.extra[2]), rows = int(lg.extra[3]), side = int(lg.extra[4]);
    float inverse_side = uintBitsToFloat(lg.extra[5]), inverse = uintBitsToFloat(lg.extra[6]);
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN, height = int(lg.extra[8]);
    uint z = lg.extra[7];
    if (uint(x0) >= lg.width)
        return;
    for (int y = int(gl_GlobalInvocationID.y); y < height; y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
        int row = guided_cell_before(y, side, rows), below = min(row + 1, rows - 1);
        float down = guided_fraction(y, row, side, inverse_side);
        uvec4 result[LG_VECTORS_OUT];
        [[unroll]] for (int i = 0; i < LG_VECTORS_OUT; i++)
            result[i] = uvec4(0u);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            int x = min(x0 + j, int(lg.width) - 1);
            int left = guided_cell_before(x, side, columns), right = min(left + 1, columns - 1);
            color near = mixed(line_at(sums, row * columns + left),
                               line_at(sums, below * columns + left), down);
            color far = mixed(line_at(sums, row * columns + right),
                              line_at(sums, below * columns + right), down);
            color c = lg_load_0(x, y, z);
            color line = mixed(near, far, guided_fraction(x, left, side, inverse_side));
            c.a = guided_alpha(c, line, inverse);
            lg_pack(result, j, c);
        }
        lg_flush(result, x0, y, z);
    }
}
