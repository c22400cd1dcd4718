// An image as the tensor of a network: planes below each other.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(RANGED_COLOR, mean, 0, 0, 0, 1, -65536, 65536, "taken from 255 r, 255 g, 255 b")             \
    X(RANGED_COLOR, scale, 0.00392156886f, 0.00392156886f, 0.00392156886f, 1, -65536, 65536,       \
      "factor of what is left; 1/255 makes 0..1")                                                  \
    X(CHOICE, order, 0, "rgb|bgr", "of the planes")

LG_ROWS(nn_tensor_pack)

LG_PIPELINE(nn_tensor_pack, 1,
            "repeat_rows:times=3 | tensor_plane:mean={mean}:scale={scale}:order={order}",
            .summary = "an image as the tensor of a network: its planes below each other",
            .formula = "(255 v - mean) scale; v = r in the first H rows, then g, then b",
            .source = "VkNcnnInLayer of aoce",
            .notes = "one channel of 3 H rows, in memory 3 x H x W: write it as floats, run --type "
                     "f32 -o tensor.npy. crop and resize in front make its size");
