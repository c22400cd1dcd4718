// Objects that touch, each with a label of its own.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 5, 1, 1024,                                                           \
      "centres of two objects are further apart than this, along a row or a column")               \
    X(NUMBER, tolerance, "px", 0.5f, 0, 1,                                                         \
      "how much less than the largest distance around it still is a centre")                       \
    X(CHOICE, connectivity, 1, "4|8", "neighbours to which water flows")                           \
    X(FLAG, lines, 0, "pixels where two objects meet become 0")                                    \
    X(CHOICE, type, 0, "u16|f32", "of the labels, as in `label`")

LG_ROWS(split_touching)

LG_PIPELINE(
    split_touching, 1,
    "distance_transform #far | dilation:radius={radius} #top | #far | "
    "luminance_threshold:threshold=0.5 #objects | #far | "
    "local_threshold:over=#top:offset={tolerance} | multiply_blend:over=#objects | "
    "label:type={type} #markers | #far | "
    "watershed:over=#markers:order=falling:nonzero=yes:connectivity={connectivity}:"
    "lines={lines}:type={type}",
    .summary = "labels of objects, of which those that touch are split at their necks",
    .formula =
        "watershed of the distance D to the background, falling from markers: the components "
        "of pixels with D >= max of D over 2 radius + 1 pixels a side - tolerance",
    .source = "S. Beucher and C. Lantuejoul, Use of watersheds in contour detection, 1979; "
              "ImageJ's Process > Binary > Watershed",
    .notes = "the image is binary: what is not black is object. `lumagraph label --values` "
             "measures the result");
