// Windows whose sides are given one by one: how far they reach beside their pixel.
#ifndef LG_WINDOW_SIDE_H
#define LG_WINDOW_SIDE_H

#include "filter/native.h"

#define LG_WINDOW_MOST 8193 // 2 radius + 1 of the largest radius

#define LG_WIDTH_PARAMETER(X)                                                                      \
    X(INTEGER, width, "px", 0, 0, LG_WINDOW_MOST,                                                  \
      "columns of the window, an even number too; 0: 2 radius + 1")
#define LG_HEIGHT_PARAMETER(X)                                                                     \
    X(INTEGER, height, "px", 0, 0, LG_WINDOW_MOST, "rows of the window; 0: 2 radius + 1")

// Of what is made of morphology.
#define LG_WINDOW_PARAMETERS(X)                                                                    \
    X(INTEGER, radius, "px", 1, 0, 4096,                                                           \
      "a window without width and height has 2 radius + 1 pixels a side")                          \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_WIDTH_PARAMETER(X)                                                                          \
    LG_HEIGHT_PARAMETER(X)

// The samples of a window before and after its pixel, along one axis.
typedef struct lg_window_side {
    int32_t before, after;
} lg_window_side;

static inline lg_window_side lg_window_side_of(int32_t radius)
{
    return (lg_window_side){radius, radius};
}

static inline int32_t lg_window_size(lg_window_side side)
{
    return side.before + side.after + 1;
}

static inline lg_window_side lg_window_side_mirrored(lg_window_side side)
{
    return (lg_window_side){side.after, side.before};
}

// The side that the parameter `size_name`, width or height, and the parameter radius give. Of an even
// number of samples one more lies before the pixel than after it.
lg_window_side lg_window_side_get(const lg_filter *filter, const float *values,
                                  const char *size_name);

#endif
