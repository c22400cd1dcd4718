// Counts the votes of a list of points for one angle, ROWS rows at a time, in shared memory.
// Defined before: ROWS. Words: layers, address of the lists, address of their lengths, pixels of a layer,
// address of cosines and sines, angles, reach, address of votes.
#include "filter/native/hough/hough_rule.h"

shared uint counts[ROWS];

void count_rows(uint angle, uint z, int first)
{
    lg_words lists = lg_words(uvec2(lg.extra[1], lg.extra[2]));
    lg_words table = lg_words(uvec2(lg.extra[6], lg.extra[7]));
    uint length = lg_words(uvec2(lg.extra[3], lg.extra[4])).at[z], list = z * lg.extra[5];
    int cosine = int(table.at[2u * angle]), sine = int(table.at[2u * angle + 1u]), reach = int(lg.extra[9]);
    for (uint i = gl_LocalInvocationID.x; i < length; i += LG_GROUP_X) {
        uint place = lists.at[list + i];
        int row = hough_row(int(place & 65535u), int(place >> 16), cosine, sine, reach) - first;
        if (row >= 0 && row < ROWS)
            atomicAdd(counts[row], 1u);
    }
}

void main()
{
    uint angles = lg.extra[8], rows = 2u * lg.extra[9] + 1u;
    lg_words votes = lg_words(uvec2(lg.extra[10], lg.extra[11]));
    int first = int(gl_WorkGroupID.x) * ROWS;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (uint angle = gl_WorkGroupID.y; angle < angles; angle += gl_NumWorkGroups.y) {
            for (uint i = gl_LocalInvocationID.x; i < ROWS; i += LG_GROUP_X)
                counts[i] = 0u;
            barrier();
            count_rows(angle, z, first);
            barrier();
            for (uint i = gl_LocalInvocationID.x; i < ROWS; i += LG_GROUP_X)
                if (uint(first) + i < rows)
                    votes.at[(z * angles + angle) * rows + uint(first) + i] = counts[i];
            barrier();
        }
}
