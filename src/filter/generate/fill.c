// One colour in the image's own channels.
#include "filter/kernel.h"

#define PARAMETERS(X) X(COLOR, color, 0, 0, 0, 1, "of every pixel; may be measured")

LG_PARAMETERS(fill)

LG_KERNEL(
    fill, LG_FUNCTION color fill_kernel(place at, fill_params p) { return p.color; })

LG_GENERATE(fill)

LG_EXAMPLES(fill, {"", .out = {0, 0, 0, 1}},
            {"color=0.25,0.5,1,0.5", .out = {0.25f, 0.5f, 1, 0.5f}})

LG_FILTER(fill, GENERATE, 1, .summary = "one colour in the image's own channels",
          .formula = "C' = color", .source = "ours",
          .notes = "solid_color makes a grey image coloured and gives it alpha; here a grey image "
                   "gets red and an opaque one stays opaque");
