// Public enumerations for kernels; static assertions on the host compare them.
#ifndef LG_TYPES_H
#define LG_TYPES_H

#include "kernel/subset.h"

#ifndef VULKAN
#include <lumagraph/lumagraph.h>
#endif

LG_PUBLIC(LG_U8, 0)
LG_PUBLIC(LG_U16, 1)
LG_PUBLIC(LG_F16, 2)
LG_PUBLIC(LG_F32, 3)
LG_PUBLIC(LG_I32, 4)

LG_PUBLIC(LG_SPACE_LUMA, 1)
LG_PUBLIC(LG_SPACE_RGBL, 2)
LG_PUBLIC(LG_SPACE_LINEAR, 3)
LG_PUBLIC(LG_SPACE_HSV, 4)
LG_PUBLIC(LG_SPACE_HSL, 5)
LG_PUBLIC(LG_SPACE_LAB, 6)

#endif
