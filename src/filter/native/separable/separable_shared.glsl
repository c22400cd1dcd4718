// Passes along one axis over planes of floats or integers, CH of them interleaved.
//
// Defined before: CH 1, 2 or 4; WHOLE; AXIS 0 along rows, 1 down columns; FIRST: view 0 has the
// size of the image, and the border defines `radius` pixels beyond its ends; else view 0 has these
// pixels already; PLANES and ALPHA of the filter's input. Words: layers, rows begin .. end - 1 of
// the result, its width, the image's size along the axis, radius, border; then the kernel's own,
// from lg.extra[OWN] on.
#define OWN 7

#include "filter/native/planes_glsl.h"

// Position `i` along the axis of view 0, counted from `radius` before the image.
VEC along(int i, int x, int y, uint z)
{
#if FIRST
    i = lg_border_index(i - int(lg.extra[5]), int(lg.extra[4]), int(lg.extra[6]));
    if (i < 0)
        return VEC(COMPONENT(0));
#endif
    return AXIS == 1 ? plane_at(lg.views[0], x, i, z) : plane_at(lg.views[0], i, y, z);
}

#define EACH_ROW(y, z) LG_EACH_ROW(y, z, lg.extra[1], lg.extra[2], lg.extra[0])

#if LAST
// A pixel of the result; the kernel defines it.
color result_at(int x, int y, uint z);

// Four pixels of a row at once, which make whole words.
void write_results()
{
    int x0 = 4 * int(gl_GlobalInvocationID.x), width = int(lg.extra[3]);
    if (x0 >= width)
        return;
    EACH_ROW(y, z)
    {
        LG_WORDS_OUT(w);
        [[unroll]] for (int j = 0; j < 4; j++)
            lg_pack(w, j, result_at(min(x0 + j, width - 1), y, z));
        lg_flush(w, x0, y, z);
    }
}
#endif
