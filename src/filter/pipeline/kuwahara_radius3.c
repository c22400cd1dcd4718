// Kuwahara's smoothing with the usual radius.
#include "filter/kernel.h"

#define PARAMETERS(X) LG_BORDER_PARAMETER(X)

LG_ROWS(kuwahara_radius3)

LG_PIPELINE(kuwahara_radius3, 1, "kuwahara:radius=3:border={border}",
            .summary = "smooth areas with sharp edges, as painted: radius 3",
            .formula = "kuwahara with radius = 3", .source = "GPUImageKuwaharaRadius3Filter");
