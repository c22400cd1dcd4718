// Blurs the bilateral grid along y or x.
//
// Words: addresses of the cells and of the result, numbers per row of cells, rows, distance of
// neighbours in numbers, rows and numbers of a row to leave out at either end, the three weights as
// bits.
#include "filter/native/bilateral/bilateral_grid_math.h"

void main()
{
    lg_floats cells = lg_floats(uvec2(lg.extra[0], lg.extra[1]));
    lg_words to = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    uint size = lg.extra[4], rows = lg.extra[5], away = lg.extra[6], ends = lg.extra[8];
    float middle = uintBitsToFloat(lg.extra[9]), near = uintBitsToFloat(lg.extra[10]);
    float far = uintBitsToFloat(lg.extra[11]);
    for (uint row = gl_GlobalInvocationID.y + lg.extra[7]; row + lg.extra[7] < rows;
         row += gl_NumWorkGroups.y * LG_GROUP_Y)
        for (uint i = gl_GlobalInvocationID.x + ends; i + ends < size;
             i += gl_NumWorkGroups.x * LG_GROUP_X) {
            uint at = row * size + i;
            precise float x =
                bilateral_grid_blur(cells.at[at - 2 * away], cells.at[at - away], cells.at[at],
                                    cells.at[at + away], cells.at[at + 2 * away], middle, near, far);
            to.at[at] = floatBitsToUint(x);
        }
}
