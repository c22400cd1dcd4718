// A measured parameter that is a pixel: from the image's first one to the numbers of a stage.
//
// Words: where the numbers go (2), numbers that are kept from run to run (2; 0: none), how many, whether
// nothing is kept yet, whether they are whole, the component (-1: each number its own), then factor, offset,
// least, most.
#include "graph/figure_rule.h"

void main()
{
    color c = lg_load_0(0, 0, 0u);
    uvec2 to = uvec2(lg.extra[0], lg.extra[1]), kept = uvec2(lg.extra[2], lg.extra[3]);
    int component = int(lg.extra[7]), i = int(gl_LocalInvocationIndex);
    if (i >= int(lg.extra[4]))
        return;
    float x = lg_figure_picked(c.r, c.g, c.b, c.a, component >= 0 ? component : i);
    uint now = floatBitsToUint(lg_figure_fit(
        x, uintBitsToFloat(lg.extra[8]), uintBitsToFloat(lg.extra[9]), uintBitsToFloat(lg.extra[10]),
        uintBitsToFloat(lg.extra[11]), lg.extra[6]));
    uint before = now;
    if ((kept.x | kept.y) != 0u) {
        before = lg.extra[5] != 0u ? now : lg_words(kept).at[i];
        lg_words(kept).at[i] = now;
    }
    lg_words(to).at[i] = before;
}
