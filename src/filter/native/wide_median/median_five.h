// Medians of 5 x 5 samples, where these are integers that are copied as they are: selection in place of
// histograms. The columns of a line are sorted once for the five windows that they belong to. When the rows
// of a window are sorted then, its columns stay so, and place (i, j), counted from 0, has at least
// (i + 1) (j + 1) samples up to it and (5 - i) (5 - j) from it on. So of the 25 samples only those on three
// diagonals can be the 13th; and of them the median is that of seven: the largest of the diagonal
// i + j = 3, those of i + j = 4, and the least of i + j = 5.
#ifndef LG_MEDIAN_FIVE_H
#define LG_MEDIAN_FIVE_H

#include "filter/native/wide_median/wide_median.h"

typedef struct lg_median_five_table {
    void (*u8)(const void *job, const lg_pixel_tile *tile, char *scratch);
    void (*u16)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*scratch)(const lg_median_job *job, const lg_image_params *in);
} lg_median_five_table;

#endif
