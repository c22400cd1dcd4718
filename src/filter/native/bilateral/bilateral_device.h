// The common parts of the bilateral filter's two methods on a Vulkan device.
#ifndef LG_BILATERAL_DEVICE_H
#define LG_BILATERAL_DEVICE_H

#include "filter/native/bilateral/bilateral.h"
#include "filter/native/native_vulkan.h"

// Kind and size of an image, without its samples.
lg_pixels lg_bilateral_device_pixels(const lg_device_image *image);

// The #define lines for bilateral_pixels.glsl.
#define LG_BILATERAL_LINES 240
void lg_bilateral_lines(const lg_device_call *call, const lg_bilateral *b,
                        char lines[LG_BILATERAL_LINES]);

extern const char lg_glsl_bilateral_pixels[];

#endif
