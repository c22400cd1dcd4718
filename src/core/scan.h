// A selection resolved for an image: which pixels a measurement reads, and where they are.
#ifndef LG_SCAN_H
#define LG_SCAN_H

#include "core/core.h"

typedef struct lg_scan {
    const lg_image *image;
    lg_type type;
    int channels;          // per pixel of a dense row
    int measured;          // lg_image_measured_channels()
    int alpha;             // index of the alpha channel to test; -1: none
    int64_t x, y;          // first pixel
    int64_t width, height; // of the selection: ceil(region / step)
    int32_t layers, step;
    const lg_image *mask; // NULL: none
    lg_nan nan;
    bool selective; // mask != NULL or alpha >= 0: some pixels may be left out
    const struct lg_planar
        *planar; // the pixels are colours of planes, all of them; NULL: they are stored
} lg_scan;

// Checks the selection (NULL: defaults) and fills *out.
lg_status lg_scan_init(lg_scan *out, const lg_image *image, const lg_select *select,
                       lg_error *error);

// Whether rows are read in place: step 1, and not packed RGB.
bool lg_scan_in_place(const lg_scan *scan);

size_t lg_scan_pixel_size(const lg_scan *scan); // bytes of a pixel of a dense row

// The first selected pixel of a row, as stored. In place, the row's `width` pixels are adjacent.
const void *lg_scan_row(const lg_scan *scan, int32_t layer, int64_t row);

// The first pixel that region and mask select, as stored; NULL: there is none.
const void *lg_scan_first(const lg_scan *scan);

// The row's `width` pixels, adjacent: lg_scan_row itself in place, else gathered and padded in
// `buffer` (width * lg_scan_pixel_size bytes).
const void *lg_scan_row_dense(const lg_scan *scan, int32_t layer, int64_t row, void *buffer);

// One byte per pixel of the row: 1 when it counts, 0 when it is left out. Only for selective scans.
void lg_scan_row_mask(const lg_scan *scan, int32_t layer, int64_t row, uint8_t *out);

#endif
