// Medians of 5 x 5 samples, where these are integers that are copied as they are: selection in place of
// histograms. Two rows of results share four rows of samples. Of these each column is sorted once for the
// five windows that it belongs to, and merged once with the next one for two of them. Of the 20 samples of
// five columns the first seven in order have 13 behind them, and the last seven 13 in front: none of these
// can be the 13th of all 25. So that is the 6th of the other six, m, and of the row of five that one result
// alone has, v. Both are in order: it is the least of m6, max(m5, v1), max(m4, v2) ... max(m1, v5). Each of
// these maxima has six samples up to it, and the 6th is the maximum of the last ones of m and v among the
// first six.
#ifndef LG_MEDIAN_FIVE_H
#define LG_MEDIAN_FIVE_H

#include "filter/native/wide_median/wide_median.h"

typedef struct lg_median_five_table {
    void (*u8)(const void *job, const lg_pixel_tile *tile, char *scratch);
    void (*u16)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*scratch)(const lg_image_params *in);
} lg_median_five_table;

#endif
