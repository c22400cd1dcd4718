// Four reds of a 2 x 2 block in one pixel.
#ifndef LG_COLOR_PACKING_H
#define LG_COLOR_PACKING_H

#include "filter/native.h"

struct lg_device_call;

void lg_color_packing_vulkan(struct lg_device_call *call);

#endif
