// Medians of 5 x 5 samples, where these are integers that are copied as they are: selection in place of
// histograms. The columns of a line are sorted once for the five windows that they belong to. When the rows
// of a window are sorted then, its columns stay so, and place (i, j), counted from 0, has at least
// (i + 1) (j + 1) samples up to it and (5 - i) (5 - j) from it on. So of the 25 samples only the 13 on three
// diagonals can be the 13th, and it is the 7th of these. A sample of the middle diagonal is not below those
// above it and to the left of it, which lie on the upper one, where i + j = 3, and likewise from the middle
// diagonal to the lower one. Below the least but two of the upper diagonal are therefore two of its own, two
// of the middle and one of the lower at most, fewer than six: of the upper diagonal only the largest can be
// the 7th, of the lower one, in the same way, only the least. Three samples go on either side, and the median
// of the seven that stay is that of all.
#ifndef LG_MEDIAN_FIVE_H
#define LG_MEDIAN_FIVE_H

#include "filter/native/wide_median/wide_median.h"

typedef struct lg_median_five_table {
    void (*u8)(const void *job, const lg_pixel_tile *tile, char *scratch);
    void (*u16)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*scratch)(const lg_median_job *job, const lg_image_params *in);
} lg_median_five_table;

#endif
