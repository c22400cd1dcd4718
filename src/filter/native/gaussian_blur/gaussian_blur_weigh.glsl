// The weighted sum of 2 taps + 1 samples. Own words: address of the weights from the centre on (2),
// taps, shift of integer weights, and with LAST the factor of a sum. LAST: 1 the result as a colour,
// 2 integer sums as bytes.
#include "filter/native/gaussian_blur/gaussian_blur_float.h"

VEC sum_at(int x, int y, uint z)
{
    uvec2 weights = uvec2(lg.extra[OWN], lg.extra[OWN + 1]);
    int taps = int(lg.extra[OWN + 2]), i = AXIS == 1 ? y : x;
    VEC sum = VEC(COMPONENT(0));
    for (int k = 0; k < taps; k++) {
        VEC pair = along(i + k, x, y, z) + along(i + 2 * taps - k, x, y, z);
#if WHOLE
        sum += pair * lg_words(weights).at[taps - k];
#else
        VEC product = pair * lg_floats(weights).at[taps - k];
        sum = k > 0 ? sum + product : product;
#endif
    }
    VEC centre = along(i + taps, x, y, z);
#if WHOLE
    return sum + centre * lg_words(weights).at[0];
#else
    VEC product = centre * lg_floats(weights).at[0];
    return taps > 0 ? sum + product : product;
#endif
}

#if LAST
color result_at(int x, int y, uint z)
{
    VEC sum = sum_at(x, y, z);
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
#endif

void main()
{
#if LAST
    write_results();
#else
    int x = int(gl_GlobalInvocationID.x);
    if (x >= int(lg.extra[3]))
        return;
    EACH_ROW(y, z)
    {
        VEC sum = sum_at(x, y, z);
#if WHOLE
        uint shift = lg.extra[OWN + 3];
        sum = (sum + (1u << (shift - 1u))) >> shift;
#endif
        lg_planes(lg_row(lg.views[1], uint(y), z)).at[x] = sum;
    }
#endif
}
