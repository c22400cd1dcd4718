// Linear light to sRGB, for resizing.
#ifndef LG_RESIZE_LIGHT_H
#define LG_RESIZE_LIGHT_H

#include "kernel/space/linear.h"

LG_FUNCTION float lg_resize_encoded(float v)
{
    return lg_encoded(v);
}

#endif
