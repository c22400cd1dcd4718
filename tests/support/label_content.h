// Images to label: noise of every density and grain, and shapes that are hard on joins.
#ifndef LG_TEST_LABEL_CONTENT_H
#define LG_TEST_LABEL_CONTENT_H

#include "core/core.h"

typedef enum label_content {
    LABEL_NOISE,     // a share of the cells, which are squares
    LABEL_SPIRAL,    // one long component
    LABEL_COMB,      // teeth that meet in the last row
    LABEL_COMB_DOWN, // teeth that meet in the first row
    LABEL_NESTED,    // rings inside of each other
    LABEL_CHECKER,   // all corners, no sides
    LABEL_DIAGONALS, // lines at 45 degrees both ways, through the corners of tiles
    LABEL_STEPS,     // chains of unions: V shapes side by side
    LABEL_ALL,
    LABEL_NONE,
    LABEL_ONE, // a pixel in the middle
    LABEL_CORNERS,
    LABEL_CONTENTS
} label_content;

const char *label_content_name(label_content kind);

// One channel, zeroed.
lg_image *label_content_image(lg_context *context, lg_type type, int32_t width, int32_t height,
                              int32_t layers);

// Rows y .. of a layer, as an image that shares them; without pixels where the image has none.
lg_image *label_content_rows(lg_context *context, const lg_image *image, int64_t y, int64_t layer,
                             int32_t rows);

// Fills an image of one channel. Noise: density 0 to 100 and the side of cells; foreground has a value that
// is above `level`, background one that is not. `values`: foreground of 1 to 3 instead, of cells each alone.
void label_content_fill(lg_image *image, label_content kind, int density, int granularity,
                        double level, bool values);

#endif
