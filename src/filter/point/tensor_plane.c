// One channel in each third of an image, in the unit that a network wants.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(RANGED_COLOR, mean, 0, 0, 0, 1, -65536, 65536, "taken from 255 r, 255 g, 255 b")             \
    X(RANGED_COLOR, scale, 0.00392156886f, 0.00392156886f, 0.00392156886f, 1, -65536, 65536,       \
      "factor of what is left; 1/255 makes 0..1")                                                  \
    X(CHOICE, order, 0, "rgb|bgr", "of the planes, from the top")

LG_PARAMETERS(tensor_plane)

LG_KERNEL(
    tensor_plane,
    LG_FUNCTION float tensor_plane_of(color c, float plane) {
        return lg_choose(plane < 0.5f, c.r, lg_choose(plane < 1.5f, c.g, c.b));
    } LG_FUNCTION color tensor_plane_kernel(color c, place at, tensor_plane_params p) {
        LG_FLOAT third = floorf(at.y * 3.0f);
        LG_FLOAT plane = lg_choose(p.order == 1.0f, 2.0f - third, third);
        LG_FLOAT level = tensor_plane_of(c, plane) * 255.0f;
        LG_FLOAT y = (level - tensor_plane_of(p.mean, plane)) * tensor_plane_of(p.scale, plane);
        return rgba(y, y, y, 1.0f);
    })

LG_POINT(tensor_plane)

static lg_status tensor_plane_shape(float *values, lg_image_params *shape, lg_error *error)
{
    shape->channels = 1;
    shape->alpha = LG_ALPHA_NONE;
    return LG_OK;
}

// 255 / 4 of red at the top; (127.5 - 27.5) / 4 of green in the middle; blue at the top.
LG_EXAMPLES(tensor_plane,
            {"scale=1", .in = {0.25f, 0.5f, 1, 1}, .out = {63.75f, 63.75f, 63.75f, 1}, .x = 0.5f,
             .y = 0.25f},
            {"mean=1,27.5,3:scale=8,0.25,5", .in = {0.25f, 0.5f, 1, 1}, .out = {25, 25, 25, 1},
             .x = 0.5f, .y = 0.5f},
            {"scale=1:order=bgr", .in = {0.25f, 0.5f, 1, 1}, .out = {255, 255, 255, 1}, .x = 0.5f,
             .y = 0.25f})

LG_FILTER_WITH(tensor_plane, POINT, 1, NULL, tensor_plane_shape,
               .summary = "one channel in each third of the image, as a network wants it",
               .formula = "(255 v - mean) scale; v = r in the upper third, g in the middle, b in "
                          "the lower one",
               .source = "VkNcnnInLayer of aoce",
               .notes = "one channel; write it as floats (run --type f32)");
