// Bytes that came in another order than r, g, b, a.
#include "filter/kernel.h"

#define CHANNELS "red|green|blue|alpha|luminance|zero|one"
#define PARAMETERS(X)                                                                              \
    X(CHOICE, red, 2, CHANNELS, "where red stands")                                                \
    X(CHOICE, green, 1, CHANNELS, "where green stands")                                            \
    X(CHOICE, blue, 0, CHANNELS, "where blue stands")                                              \
    X(CHOICE, alpha, 3, CHANNELS, "where alpha stands; one: the image becomes opaque")

LG_ROWS(input_unpack)

LG_PIPELINE(input_unpack, 1, "map_channel:red={red}:green={green}:blue={blue}:alpha={alpha}",
            .summary = "pixels whose bytes came in another order, BGR and BGRA by default",
            .formula = "map_channel", .source = "VkInputLayer of aoce",
            .notes = "ARGB: red=green:green=blue:blue=alpha:alpha=red. Of raw frames --raw knows "
                     "the order",
            .neutral = "red=red:green=green:blue=blue:alpha=alpha");
