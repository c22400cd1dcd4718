// Writes labels, dense rows of 32-bit numbers, as an image. Words: their address (2), height,
// layers, 1 in units of colours, the largest label that the image holds, the address of the number
// of components (2), and that of a word of host memory that gets this number when it is larger (2).
#include "filter/native/label/label_rule.h"

void main()
{
    int height = int(lg.extra[2]), layers = int(lg.extra[3]), x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    float unit = uintBitsToFloat(lg.extra[4]);
    uint most = lg.extra[5];
    if (gl_GlobalInvocationID == uvec3(0u)) {
        uint components = lg_words(uvec2(lg.extra[6], lg.extra[7])).at[0];
        if (components > most)
            lg_words(uvec2(lg.extra[8], lg.extra[9])).at[0] = components;
    }
    if (uint(x0) >= lg.width)
        return;
    int count = min(LG_SPAN, int(lg.width) - x0);
    LG_EACH_ROW(y, z, 0, height, layers) {
        lg_words row = lg_words(lg_add64(uvec2(lg.extra[0], lg.extra[1]),
                                         lg_mul32(z * uint(height) + uint(y), 4u * lg.width)));
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            uint label = j < count ? min(row.at[x0 + j], most) : 0u;
            float v = lg_label_component(label, unit);
            lg_pack(result, j, rgba(v, v, v, 1.0));
        }
        lg_flush(result, x0, y, z);
    }
}
