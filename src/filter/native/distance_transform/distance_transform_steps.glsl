// The distance transform: rows to the nearest site of each column (STEP 0), and the least squares along rows
// (STEP 1). Defined before: OF_SITES, SQUARED. Words: layers, first row, end of the rows, height, bits of the
// unit.
#include "filter/native/distance_transform/distance_transform_rule.h"

#if STEP == 0

// A thread goes down a column, and up again.
void main()
{
    int x = int(gl_GlobalInvocationID.x), height = int(lg.extra[3]);
    if (x >= int(lg.width))
        return;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z) {
        uint rows = 0xffffffffu;
        for (int y = 0; y < height; y++) {
            bool site = distance_foreground(lg_load_0(x, y, z)) == OF_SITES;
            rows = site ? 0u : distance_further(rows);
            lg_words(lg_row(lg.views[1], uint(y), z)).at[x] = rows;
        }
        for (int y = height - 2; y >= 0; y--) {
            lg_words row = lg_words(lg_row(lg.views[1], uint(y), z));
            rows = min(distance_further(rows), row.at[x]);
            row.at[x] = rows;
        }
    }
}

#else

uint square_of(uint rows, int across)
{
    return rows == 0xffffffffu ? rows : rows * rows + uint(across) * uint(across);
}

// Outwards from the pixel, until columns are further away than what was found.
uint least_square(int x, lg_words row, int width)
{
    uint least = square_of(row.at[x], 0);
    int most = max(x, width - 1 - x);
    for (int d = 1; d <= most && uint(d) * uint(d) < least; d++) {
        if (x - d >= 0)
            least = min(least, square_of(row.at[x - d], d));
        if (x + d < width)
            least = min(least, square_of(row.at[x + d], d));
    }
    return least;
}

void main()
{
    int width = int(lg.width), x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    float unit = lg_from_bits(lg.extra[4]);
    if (x0 >= width)
        return;
    LG_EACH_ROW(y, z, lg.extra[1], lg.extra[2], lg.extra[0]) {
        lg_words row = lg_words(lg_row(lg.views[0], uint(y), z));
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            uint square = least_square(min(x0 + j, width - 1), row, width);
            float value = distance_value(square, SQUARED, unit);
            lg_pack(result, j, rgba(value, value, value, 1.0));
        }
        lg_flush(result, x0, y, z);
    }
}

#endif
