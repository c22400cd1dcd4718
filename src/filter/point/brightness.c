// Brightness: the same number added to every channel.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, brightness, "", 0, -1, 1, "added to red, green and blue")

LG_PARAMETERS(brightness)

LG_KERNEL(
    brightness, LG_FUNCTION color brightness_kernel(color c, place at, brightness_params p) {
        LG_COLOR y = c;
        y.r = c.r + p.brightness;
        y.g = c.g + p.brightness;
        y.b = c.b + p.brightness;
        return y;
    })

LG_POINT(brightness)

LG_EXAMPLES(brightness,
            {"brightness=0.25", .in = {0.25f, 0.5f, 0, 0.5f}, .out = {0.5f, 0.75f, 0.25f, 0.5f}},
            {"brightness=-0.5", .in = {0.75f, 0.5f, 0.25f, 1}, .out = {0.25f, 0, -0.25f, 1}})

LG_FILTER(brightness, POINT, 1, .flags = LG_FILTER_PER_CHANNEL | LG_FILTER_AFFINE,
          .summary = "adds the same to every channel", .formula = "c' = c + brightness",
          .source = "GPUImageBrightnessFilter",
          .notes = "colours are straight, so transparent pixels do not start to glow",
          .neutral = "brightness=0");
