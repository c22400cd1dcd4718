// a and b of the guided filter's cells, one cell per thread. Words: addresses of the sums and of the
// results, cells, 1 / cells of a window and eps as bits.
#include "filter/native/guided_filter/guided_filter_math.h"

void main()
{
    lg_floats sums = lg_floats(uvec2(lg.extra[0], lg.extra[1]));
    lg_words to = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    float inverse = uintBitsToFloat(lg.extra[5]), eps = uintBitsToFloat(lg.extra[6]);
    for (uint i = gl_GlobalInvocationID.x; i < lg.extra[4]; i += gl_NumWorkGroups.x * LG_GROUP_X) {
        uint at = i * LG_GUIDED_NUMBERS;
        guided_cell c = guided_cell(sums.at[at], sums.at[at + 1], sums.at[at + 2], sums.at[at + 3],
                                    sums.at[at + 4], sums.at[at + 5], sums.at[at + 6], sums.at[at + 7],
                                    sums.at[at + 8], sums.at[at + 9], sums.at[at + 10], sums.at[at + 11],
                                    sums.at[at + 12]);
        color line = guided_solve(c, inverse, eps);
        to.at[4 * i] = floatBitsToUint(line.r);
        to.at[4 * i + 1] = floatBitsToUint(line.g);
        to.at[4 * i + 2] = floatBitsToUint(line.b);
        to.at[4 * i + 3] = floatBitsToUint(line.a);
    }
}
