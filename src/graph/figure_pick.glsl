// A measured parameter that is a pixel: from the first pixel of an image to the numbers of a stage.
//
// Words: an lg_figure_output, and the component (-1: each number its own).
#include "graph/figure_output.glsl"

void main()
{
    color c = lg_load_0(0, 0, 0u);
    lg_figure_output to = lg_figure_output(
        uvec2(lg.extra[0], lg.extra[1]), uvec2(lg.extra[2], lg.extra[3]), lg.extra[4], lg.extra[5],
        lg.extra[6], lg.extra[7], uintBitsToFloat(lg.extra[8]), uintBitsToFloat(lg.extra[9]),
        uintBitsToFloat(lg.extra[10]), uintBitsToFloat(lg.extra[11]));
    int component = int(lg.extra[12]);
    uint i = gl_LocalInvocationIndex;
    if (i >= to.numbers)
        return;
    float x = lg_figure_picked(c.r, c.g, c.b, c.a, component >= 0 ? component : int(i));
    lg_figure_write_fitted(to, i, lg_figure_of_pixel(x, to.kind));
}
