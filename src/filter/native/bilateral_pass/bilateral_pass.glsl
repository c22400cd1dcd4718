// One of the two passes of GPUImage's bilateral filter. Defined before: BORDER, ALPHA, DOWN.
// Words: height and layers of the output, spacing, the index of the factor.
#include "filter/native/bilateral_pass/bilateral_pass_math.h"

color pass_pixel(int x, int y, uint z)
{
    color c = lg_get_0(x, y, z, BORDER);
#if ALPHA
    return lg_premultiplied(c);
#else
    return c;
#endif
}

color passed(int x, int y, uint z)
{
    float factor = lg_param_float(int(lg.extra[3]));
    int spacing = int(lg.extra[2]);
    color c = pass_pixel(x, y, z);
    precise color sum = rgba(0.0, 0.0, 0.0, 0.0);
    precise float weights = 0.0;
    for (int k = -4; k <= 4; k++) {
        color o = DOWN != 0 ? pass_pixel(x, y + k * spacing, z) : pass_pixel(x + k * spacing, y, z);
        precise float weight = bilateral_pass_weight(c, o, bilateral_pass_tap(k), factor);
        sum.r = sum.r + weight * o.r;
        sum.g = sum.g + weight * o.g;
        sum.b = sum.b + weight * o.b;
        sum.a = sum.a + weight * o.a;
        weights = weights + weight;
    }
    color y_ = bilateral_pass_mean(sum, weights);
#if ALPHA
    return lg_straight(y_);
#else
    return y_;
#endif
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    if (uint(x0) >= lg.width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, passed(min(x0 + j, int(lg.width) - 1), y, z));
        lg_flush(result, x0, y, z);
    }
}
