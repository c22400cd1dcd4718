// Medians of 5 x 5 samples, where these are integers that are copied as they are: selection in place of
// histograms. Two rows of results share four rows of samples. Of these the columns are sorted once for the
// five windows that they belong to, and pairs of columns merged once for two. Of the 20 samples of five
// columns only the 8th to the 13th can be the 13th of 25, whatever the other five are: at least 13 are not
// below the first seven, and not above the last seven. Of six and five samples in order, m and v, the median
// is the least of m6, max(m5, v1) ... max(m1, v5): it is at most the k-th of one and the (6 - k)-th of the
// other together, since so many, six in all, are not above their maximum.
#ifndef LG_MEDIAN_FIVE_H
#define LG_MEDIAN_FIVE_H

#include "filter/native/wide_median/wide_median.h"

typedef struct lg_median_five_table {
    void (*u8)(const void *job, const lg_pixel_tile *tile, char *scratch);
    void (*u16)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*scratch)(const lg_image_params *in);
} lg_median_five_table;

#endif
