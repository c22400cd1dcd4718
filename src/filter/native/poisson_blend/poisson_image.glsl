// A Poisson blend on the image itself. Defined before: PASS 0 .. 2, BORDER, SOLVES, MIX: index of the
// parameter. Words: height, layers; of a step its length, of the result 1 / pixels of the image.
#include "filter/native/poisson_blend/poisson_rule.h"

vec4 four(color c)
{
    return vec4(c.r, c.g, c.b, c.a);
}

#if PASS == 0 // base - over, and in place of alpha how far a step goes
color made(int x, int y, uint z)
{
    color b = lg_load_0(x, y, z), o = lg_load_1(x, y, z);
    LG_FLOAT weight = o.a * lg_param_float(MIX);
    LG_COLOR w = rgba(b.r - o.r, b.g - o.g, b.b - o.b, SOLVES ? poisson_inside(o.a) : weight);
    return w;
}
#elif PASS == 1 // a step
color made(int x, int y, uint z)
{
    vec4 c = four(lg_load_0(x, y, z));
    vec4 l = four(lg_get_0(x - 1, y, z, BORDER)), r = four(lg_get_0(x + 1, y, z, BORDER));
    vec4 t = four(lg_get_0(x, y - 1, z, BORDER)), b = four(lg_get_0(x, y + 1, z, BORDER));
    LG_FLOAT part = c.a * uintBitsToFloat(lg.extra[2]);
    vec4 w = poisson_step(c, poisson_flux(c, l, r, t, b), part);
    return rgba(w.x, w.y, w.z, c.a);
}
#else // the result, from base, over, w; and the equation of the last grid and the sum of w
color made(int x, int y, uint z)
{
    color b = lg_load_0(x, y, z), o = lg_load_1(x, y, z), w = lg_load_2(x, y, z);
    vec4 difference = four(w);
#if SOLVES
    precise vec4 mean = four(lg_load_4(0, 0, z)) * uintBitsToFloat(lg.extra[2]);
    difference = lg_load_3(1, 0, z).b == 0.0 ? mean : difference;
#endif
    precise vec4 sum = four(o) + difference;
    return w.a > 0.0 ? rgba(sum.x, sum.y, sum.z, b.a) : b;
}
#endif

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = int(lg.width);
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    if (x0 >= width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, made(min(x0 + j, width - 1), y, z));
        lg_flush(result, x0, y, z);
    }
}
