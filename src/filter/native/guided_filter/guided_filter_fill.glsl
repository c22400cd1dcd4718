// The cells of the guided filter, one per thread. Words: address of the cells, columns, rows, side of a
// cell, layer.
#include "filter/native/guided_filter/guided_filter_math.h"

void main()
{
    lg_words cells = lg_words(uvec2(lg.extra[0], lg.extra[1]));
    int columns = int(lg.extra[2]), rows = int(lg.extra[3]), side = int(lg.extra[4]);
    int last_column = lg_param_int(5) - 1, last_row = lg_param_int(6) - 1;
    for (int row = int(gl_GlobalInvocationID.y); row < rows; row += int(gl_NumWorkGroups.y) * LG_GROUP_Y)
        for (int column = int(gl_GlobalInvocationID.x); column < columns;
             column += int(gl_NumWorkGroups.x) * LG_GROUP_X) {
            guided_cell c = guided_products(lg_load_0(min(column * side + side / 2, last_column),
                                                      min(row * side + side / 2, last_row), lg.extra[5]));
            float v[LG_GUIDED_NUMBERS] = float[](c.r, c.g, c.b, c.a, c.ra, c.ga, c.ba, c.rr, c.rg, c.rb, c.gg,
                                                 c.gb, c.bb);
            uint at = uint(row * columns + column) * LG_GUIDED_NUMBERS;
            [[unroll]] for (uint k = 0u; k < LG_GUIDED_NUMBERS; k++)
                cells.at[at + k] = floatBitsToUint(v[k]);
        }
}
