// The second image in a rectangle of the first.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, x, "widths", 0.55f, -1, 1, "left edge of the rectangle")                             \
    X(NUMBER, y, "heights", 0.55f, -1, 1, "top edge")                                              \
    X(NUMBER, width, "widths", 0.4f, 0.001f, 2, "of the rectangle")                                \
    X(NUMBER, height, "heights", 0.4f, 0.001f, 2, "of the rectangle")                              \
    LG_OPACITY_PARAMETER(X)

LG_ROWS(picture_in_picture)

LG_PIPELINE(picture_in_picture, 2,
            "#over | inset:x={x}:y={y}:width={width}:height={height} #small | #in | "
            "source_over_blend:over=#small:opacity={opacity}",
            .summary = "the second image small, in a rectangle of the first",
            .formula = "source_over_blend with inset of the second image",
            .source = "VkBlendLayer of aoce",
            .notes = "aoce's opacity is that of the first image, its center that of the rectangle");
