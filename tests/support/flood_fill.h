// Labels the plain way: a stack of pixels for each component, and sums by loops over pixels.
#ifndef LG_TEST_FLOOD_FILL_H
#define LG_TEST_FLOOD_FILL_H

#include "measure/components/component_sums.h"

typedef struct flood {
    int32_t width, height, layers;
    uint32_t count;
    uint32_t *label; // [layers][height][width]
    lg_component_basic *basic;
} flood;

// What a pixel joins with: 0 for background, 1 for foreground, its value for label images.
double flood_class(const lg_image *image, lg_foreground foreground, double level, int32_t x,
                   int32_t y, int32_t z);

// Whether a step to a neighbour is one of the connectivity.
bool flood_step(int connectivity, int dx, int dy, int dz);

// NULL when memory is used up: a failed check.
flood *flood_fill(const lg_image *image, lg_foreground foreground, double level, int connectivity);
// Foreground with its holes filled, 0 and 255, of the shape of `image` in bytes.
lg_image *flood_fill_holes(lg_context *context, const lg_image *image, lg_foreground foreground,
                           double level, int connectivity);
// Whether labels in host memory are those of the flood fill.
bool flood_same_labels(const flood *f, const lg_labels *labels);
void flood_free(flood **f);

#endif
