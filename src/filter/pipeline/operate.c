// Channels in another order, a mirror image and a gamma in one, by aoce's name.
#include "filter/kernel.h"

#define CHANNELS "red|green|blue|alpha|luminance|zero|one"
#define PARAMETERS(X)                                                                              \
    X(CHOICE, red, 0, CHANNELS, "what red becomes")                                                \
    X(CHOICE, green, 1, CHANNELS, "what green becomes")                                            \
    X(CHOICE, blue, 2, CHANNELS, "what blue becomes")                                              \
    X(CHOICE, alpha, 3, CHANNELS, "what alpha becomes")                                            \
    X(CHOICE, flip, 3, "horizontal|vertical|both|none", "which sides change places")               \
    X(NUMBER, gamma, "", 1, 0, 10, "exponent of each channel")

LG_ROWS(operate)

LG_PIPELINE(operate, 1,
            "map_channel:red={red}:green={green}:blue={blue}:alpha={alpha} | "
            "flip:direction={flip} | gamma:gamma={gamma}",
            .summary = "channels in another order, the mirror image and a gamma in one",
            .formula = "gamma(flip(map_channel(c)))", .source = "VkOperateLayer of aoce",
            .notes = "aoce disabled its own",
            .neutral = "red=red:green=green:blue=blue:alpha=alpha:flip=none:gamma=1");
