// Pixels that differ, by their places.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, threshold, "", 0.2f, 0, 2, "least distance of both colours")                         \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(motion_mask)

LG_KERNEL(
    motion_mask,
    LG_FUNCTION color motion_mask_kernel(color b, color o, place at, motion_mask_params p) {
        LG_FLOAT x = b.r - o.r;
        LG_FLOAT y = b.g - o.g;
        LG_FLOAT z = b.b - o.b;
        LG_FLOAT square = (x * x + y * y) + z * z;
        LG_FLOAT far = p.threshold * p.threshold;
        LG_FLOAT moves = square >= far ? 1.0f : 0.0f;
        return rgba(moves * at.x, moves * at.y, moves, 1.0f);
    })

LG_BLEND(motion_mask)

// Distances 0.5, 0.25 and 0.
LG_EXAMPLES(motion_mask,
            {"", .in = {0.25f, 1, 0.5f, 1}, .over = {0.75f, 1, 0.5f, 1}, .out = {0.5f, 0.25f, 1, 1},
             .x = 0.5f, .y = 0.25f},
            {"threshold=0.5", .in = {0.25f, 1, 0.5f, 1}, .over = {0.5f, 1, 0.5f, 1},
             .out = {0, 0, 0, 1}, .x = 0.5f, .y = 0.25f},
            {"", .in = {0.25f, 1, 0.5f, 0}, .over = {0.25f, 1, 0.5f, 1}, .out = {0, 0, 0, 1},
             .x = 0.5f, .y = 0.25f})

LG_FILTER(motion_mask, BLEND, 2, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "pixels whose colours are apart, with their places as red and green",
          .formula =
              "(x, y, 1, 1) where |rgb - rgb of the second image| >= threshold, else (0, 0, 0, "
              "1); x and y are fractions of width and height",
          .source = "GPUImageMotionDetector", .notes = "the first step of motion_detector");
