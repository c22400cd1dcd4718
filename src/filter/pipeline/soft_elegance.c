// A look: soft, warm in the lights, cool in the shadows.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(IMAGE, first, "amatorka:intensity=0.6", "a table to begin with, as lookup takes it")         \
    X(IMAGE, second, "miss_etikate:intensity=0.4", "a table to end with")

LG_ROWS(soft_elegance)

LG_PIPELINE(
    soft_elegance, 1,
    "{first} #look | gaussian_blur:sigma=10 #soft | #look | alpha_blend:over=#soft:mix=0.14 | "
    "{second}",
    .summary = "a look: soft, warm and faded",
    .formula =
        "first, by default amatorka (0.6), then 14 % of its Gaussian blur with sigma 10 over "
        "it, then second, by default miss_etikate (0.4)",
    .source = "ours, with the steps of GPUImageSoftEleganceFilter",
    .notes = "GPUImage's two tables are pictures under a licence of their own; these looks are "
             "ours. first=#NAME and second=#NAME take pictures or .cube files instead");
