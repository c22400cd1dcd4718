// A Gaussian along layers: a thread adds up the layers around its pixels. Defined before: BORDER; OPAQUE,
// whether there is no alpha. Words: height, layers, weights on a side, address of the weights (2).
#include "filter/native/layer_gaussian/layer_gaussian_rule.h"

color at_layer(int x, int y, int z, int layers)
{
    int from = lg_border_index(z, layers, BORDER);
    color c = lg_load_0(x, y, uint(max(from, 0)));
    if (from < 0)
        c = rgba(0.0, 0.0, 0.0, OPAQUE ? 1.0 : 0.0);
    if (OPAQUE)
        return c;
    return lg_premultiplied(c);
}

color blurred(int x, int y, int z, int layers)
{
    int taps = int(lg.extra[2]);
    lg_floats weights = lg_floats(uvec2(lg.extra[3], lg.extra[4]));
    color c = at_layer(x, y, z, layers), sum = rgba(0.0, 0.0, 0.0, 0.0);
    for (int i = taps; i > 0; i--) {
        color b = at_layer(x, y, z - i, layers), a = at_layer(x, y, z + i, layers);
        float w = weights.at[i];
        color pair = rgba(layer_gaussian_pair(b.r, a.r, w), layer_gaussian_pair(b.g, a.g, w),
                          layer_gaussian_pair(b.b, a.b, w), layer_gaussian_pair(b.a, a.a, w));
        color more = rgba(layer_gaussian_add(sum.r, b.r, a.r, w), layer_gaussian_add(sum.g, b.g, a.g, w),
                          layer_gaussian_add(sum.b, b.b, a.b, w), layer_gaussian_add(sum.a, b.a, a.a, w));
        sum = i == taps ? pair : more;
    }
    float w = weights.at[0];
    if (taps > 0)
        c = rgba(layer_gaussian_centre(sum.r, c.r, w), layer_gaussian_centre(sum.g, c.g, w),
                 layer_gaussian_centre(sum.b, c.b, w), layer_gaussian_centre(sum.a, c.a, w));
    if (OPAQUE)
        return rgba(c.r, c.g, c.b, 1.0);
    return lg_straight(c);
}

void main()
{
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, blurred(min(x0 + j, width - 1), y, int(z), layers));
        lg_flush(result, x0, y, z);
    }
}
