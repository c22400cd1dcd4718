// The mean place of marked pixels, from their mean colour.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_PARAMETERS(motion_center)

LG_KERNEL(
    motion_center,
    LG_FUNCTION color motion_center_kernel(color c, place at, motion_center_params p) {
        LG_FLOAT share = c.b > 0.0f ? c.b : 1.0f;
        LG_FLOAT x = lg_div(c.r, share);
        LG_FLOAT y = lg_div(c.g, share);
        LG_COLOR made = c;
        made.r = c.b > 0.0f ? x : 0.0f;
        made.g = c.b > 0.0f ? y : 0.0f;
        return made;
    })

LG_POINT(motion_center)

LG_EXAMPLES(motion_center, {"", .in = {0.125f, 0.25f, 0.5f, 1}, .out = {0.25f, 0.5f, 0.5f, 1}},
            {"", .in = {0.125f, 0.25f, 0, 1}, .out = {0, 0, 0, 1}})

LG_FILTER(motion_center, POINT, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "red and green divided by blue: the centre of what motion_mask marks",
          .formula = "(r / b, g / b, b) where b > 0, else (0, 0, b)",
          .source = "GPUImageMotionDetector", .notes = "the last step of motion_detector");
