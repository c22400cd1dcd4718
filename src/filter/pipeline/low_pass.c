// A mean over time: what moves becomes blurred.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, filter_strength, "", 0.5f, 0, 1, "share of the image of the run before")             \
    X(ALIAS, strength, filter_strength)

LG_ROWS(low_pass)

LG_PIPELINE(low_pass, 1, "dissolve_blend:mix={filter_strength}:over=#out@-1 #out",
            .summary = "a running mean over images that follow each other",
            .formula = "c'(n) = dissolve_blend(c(n), c'(n - 1), filter_strength), c'(-1) = c(0)",
            .source = "GPUImageLowPassFilter",
            .notes =
                "the first image is itself, as in GPUImage 2; GPUImage 1 begins with black. What "
                "is kept is f32, so that it converges; GPUImage keeps bytes. Layers and files "
                "of one shape follow each other");
