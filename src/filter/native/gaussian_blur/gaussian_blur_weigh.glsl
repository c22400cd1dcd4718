// The weighted sum of 2 taps + 1 samples. With TAPS, which is their number then, a thread computes BLOCK
// results along the axis, with all their samples in registers. Own words: address of the weights from the
// centre on (2), taps, shift of integer weights, and with LAST the factor of a sum. LAST: 1 the result as a
// colour, 2 integer sums as bytes.
#include "filter/native/gaussian_blur/gaussian_blur_float.h"

#if WHOLE
#define WEIGHT(k) lg_words(uvec2(lg.extra[OWN], lg.extra[OWN + 1])).at[k]
#else
#define WEIGHT(k) lg_floats(uvec2(lg.extra[OWN], lg.extra[OWN + 1])).at[k]
#endif

// A sum with the product of a pair, the k-th from outside.
VEC with_pair(VEC sum, VEC pair, COMPONENT weight, bool first)
{
#if WHOLE
    return sum + pair * weight;
#else
    VEC product = pair * weight;
    return first ? product : sum + product;
#endif
}

#ifdef TAPS
// From column x, row y on, of `size` results along the axis.
void sums_at(int x, int y, uint z, int size, out VEC sums[BLOCK])
{
    int first = AXIS == 1 ? y : x;
    VEC v[2 * TAPS + BLOCK];
    COMPONENT weight[TAPS + 1];
    [[unroll]] for (int k = 0; k <= TAPS; k++)
        weight[k] = WEIGHT(k);
    [[unroll]] for (int k = 0; k < 2 * TAPS + BLOCK; k++)
        v[k] = along(min(first + k, size + 2 * TAPS - 1), x, y, z);
    [[unroll]] for (int o = 0; o < BLOCK; o++) {
        VEC sum = VEC(COMPONENT(0));
        [[unroll]] for (int k = 0; k < TAPS; k++)
            sum = with_pair(sum, v[o + k] + v[o + 2 * TAPS - k], weight[TAPS - k], k == 0);
        sums[o] = with_pair(sum, v[o + TAPS], weight[0], TAPS == 0);
    }
}
#else
VEC sum_at(int x, int y, uint z)
{
    int taps = int(lg.extra[OWN + 2]), i = AXIS == 1 ? y : x;
    VEC sum = VEC(COMPONENT(0));
    for (int k = 0; k < taps; k++)
        sum = with_pair(sum, along(i + k, x, y, z) + along(i + 2 * taps - k, x, y, z), WEIGHT(taps - k),
                        k == 0);
    return with_pair(sum, along(i + taps, x, y, z), WEIGHT(0), taps == 0);
}
#endif

#if LAST
color color_of_sum(VEC sum)
{
#if WHOLE
    uvec4 v = wide(sum);
#if LAST == 2
    // Bytes converted to colours and back stay the same.
    uint shift = lg.extra[OWN + 3] + 6u;
    return color_of(vec4((v + (1u << (shift - 1u))) >> shift) * LG_UNIT_U8);
#else
    return color_of(vec4(float_of(v.x), float_of(v.y), float_of(v.z), float_of(v.w)) *
                    uintBitsToFloat(lg.extra[OWN + 4]));
#endif
#else
    return color_of(wide(sum));
#endif
}

#ifndef TAPS
color result_at(int x, int y, uint z)
{
    return color_of_sum(sum_at(x, y, z));
}
#endif
#else
void store(int x, int y, uint z, VEC sum)
{
#if WHOLE
    uint shift = lg.extra[OWN + 3];
    sum = (sum + (1u << (shift - 1u))) >> shift;
#endif
    lg_planes(lg_row(lg.views[1], uint(y), z)).at[x] = sum;
}
#endif

#if !defined(TAPS)
void main()
{
#if LAST
    write_results();
#else
    int x = int(gl_GlobalInvocationID.x);
    if (x >= int(lg.extra[3]))
        return;
    EACH_ROW(y, z)
    store(x, y, z, sum_at(x, y, z));
#endif
}
#elif AXIS == 1
void main()
{
    int x = int(gl_GlobalInvocationID.x), end = int(lg.extra[2]);
    VEC sums[BLOCK];
    if (x >= int(lg.extra[3]))
        return;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = int(lg.extra[1]) + BLOCK * int(gl_GlobalInvocationID.y); y < end;
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y * BLOCK) {
            sums_at(x, y, z, end, sums);
            [[unroll]] for (int o = 0; o < BLOCK; o++)
                if (y + o < end)
                    store(x, y + o, z, sums[o]);
        }
}
#else
void main()
{
    int width = int(lg.extra[3]), x0 = (LAST != 0 ? 4 : BLOCK) * int(gl_GlobalInvocationID.x);
    VEC sums[BLOCK];
    if (x0 >= width)
        return;
    EACH_ROW(y, z)
    {
#if LAST
        LG_WORDS_OUT(w);
        sums_at(x0, y, z, width, sums);
        [[unroll]] for (int j = 0; j < 4; j++)
            lg_pack(w, j, color_of_sum(sums[j]));
        lg_flush(w, x0, y, z);
#else
        sums_at(x0, y, z, width, sums);
        [[unroll]] for (int o = 0; o < BLOCK; o++)
            if (x0 + o < width)
                store(x0 + o, y, z, sums[o]);
#endif
    }
}
#endif
