// A selection resolved against an image: which pixels a measurement walks, in which geometry.
#ifndef LG_SCAN_H
#define LG_SCAN_H

#include "core/core.h"

typedef struct lg_scan {
    const lg_image *image;
    lg_type type;
    int channels;          // stored per pixel
    int measured;          // lg_image_measured_channels()
    int alpha;             // index of the alpha channel that is tested, -1: none
    int64_t x, y;          // first pixel
    int64_t width, height; // in taken pixels: ceil(region / step)
    int32_t layers, step;
    const lg_image *mask; // NULL: none
    lg_nan nan;
    bool selective; // mask != NULL or alpha >= 0: some pixels may be left out
} lg_scan;

// Checks the selection (NULL: defaults) and fills *out.
lg_status lg_scan_init(lg_scan *out, const lg_image *image, const lg_select *select,
                       lg_error *error);

// First taken pixel of a row. With step 1 the row's `width` pixels are adjacent there.
const void *lg_scan_row(const lg_scan *scan, int32_t layer, int64_t row);

// The row's `width` pixels side by side: lg_scan_row itself for step 1, else gathered into `buffer`
// (width * pixel size bytes).
const void *lg_scan_row_dense(const lg_scan *scan, int32_t layer, int64_t row, void *buffer);

// One byte per taken pixel: 1 when it counts, 0 when it is left out. Call only when selective.
void lg_scan_row_mask(const lg_scan *scan, int32_t layer, int64_t row, uint8_t *out);

#endif
