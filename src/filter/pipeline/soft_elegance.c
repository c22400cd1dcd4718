// A look: soft, warm in the lights, cool in the shadows.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(soft_elegance)

LG_PIPELINE(
    soft_elegance, 1,
    "amatorka:intensity=0.6 #look | gaussian_blur:sigma=10 #soft | #look | "
    "alpha_blend:over=#soft:mix=0.14 | miss_etikate:intensity=0.4",
    .summary = "a look: soft, warm and faded",
    .formula = "amatorka (0.6), then 14 % of its Gaussian blur with sigma 10 over it, then "
               "miss_etikate (0.4)",
    .source = "ours, with the steps of GPUImageSoftEleganceFilter",
    .notes =
        "GPUImage's two tables are pictures under a licence of their own; these looks are ours");
