// The first lines of a list of peaks, the largest values first, then by index: a workgroup takes the next one
// again and again. Defined before: STEP: index of the parameter. Words: lines, layers, address of the lists,
// address of their lengths, most peaks of a layer, address of directions.
#include "filter/native/hough/hough_rule.h"

shared uvec2 best[LG_GROUP_X];
shared uvec2 lines[1024];

// Whether peak a comes before peak b.
bool is_first(uvec2 a, uvec2 b)
{
    return a.x > b.x || (a.x == b.x && a.y < b.y);
}

// The first peak behind `last`; (0, 0xffffffff) where there is none.
void find_next(uint z, uint length, uvec2 last, bool any)
{
    lg_words lists = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    uint thread = gl_LocalInvocationID.x;
    uvec2 found = uvec2(0u, 0xffffffffu);
    for (uint i = thread; i < length; i += LG_GROUP_X) {
        uint at = 2u * (z * lg.extra[6] + i);
        uvec2 p = uvec2(lists.at[at], lists.at[at + 1u]);
        if ((any || is_first(last, p)) && is_first(p, found))
            found = p;
    }
    best[thread] = found;
    barrier();
    for (uint half_size = LG_GROUP_X / 2; half_size > 0u; half_size >>= 1) {
        uvec2 other = thread < half_size ? best[thread + half_size] : best[thread];
        barrier();
        if (is_first(other, best[thread]))
            best[thread] = other;
        barrier();
    }
}

void write_lines(uint z, int count)
{
    lg_words directions = lg_words(uvec2(lg.extra[7], lg.extra[8]));
    int width = lg_param_int(5), height = lg_param_int(6);
    for (int x0 = int(gl_LocalInvocationID.x) * LG_SPAN; x0 < count; x0 += LG_GROUP_X * LG_SPAN) {
        uvec4 result[LG_VECTORS_OUT];
        [[unroll]] for (int i = 0; i < LG_VECTORS_OUT; i++)
            result[i] = uvec4(0u);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            uvec2 p = lines[min(x0 + j, count - 1)];
            uint column = p.y % uint(width);
            color c = rgba(0.0, 0.0, 0.0, 0.0);
            if (p.y != 0xffffffffu)
                c = rgba(lg_from_bits(directions.at[2u * column]),
                         lg_from_bits(directions.at[2u * column + 1u]),
                         hough_distance(int(p.y / uint(width)), height, lg_param_float(STEP)),
                         hough_of_key(p.x));
            lg_pack(result, j, c);
        }
        lg_flush(result, x0, 0, z);
    }
}

void main()
{
    int count = int(lg.extra[0]);
    for (uint z = gl_WorkGroupID.x; z < lg.extra[1]; z += gl_NumWorkGroups.x) {
        uint length = lg_words(uvec2(lg.extra[4], lg.extra[5])).at[z];
        uvec2 last = uvec2(0u, 0u);
        for (int n = 0; n < count; n++) {
            find_next(z, length, last, n == 0);
            last = best[0];
            barrier();
            if (last.y == 0xffffffffu)
                length = 0u;
            if (gl_LocalInvocationID.x == 0u)
                lines[n] = last;
        }
        barrier();
        write_lines(z, count);
        barrier();
    }
}
