// Colours times alpha.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_PARAMETERS(premultiply)

LG_KERNEL(
    premultiply, LG_FUNCTION color premultiply_kernel(color c, place at, premultiply_params p) {
        return rgba(c.r * c.a, c.g * c.a, c.b * c.a, c.a);
    })

LG_POINT(premultiply)

LG_EXAMPLES(premultiply, {"", .in = {0.25f, 0.5f, 1, 0.5f}, .out = {0.125f, 0.25f, 0.5f, 0.5f}},
            {"", .in = {0.25f, 0.5f, 1, 1}, .out = {0.25f, 0.5f, 1, 1}})

LG_FILTER(premultiply, POINT, 1, .summary = "colours times alpha", .formula = "c' = c a, a' = a",
          .source = "Porter and Duff, Compositing Digital Images",
          .notes = "for programs that expect such files. Filters take colours as straight, so this "
                   "comes last; unpremultiply is the way back");
