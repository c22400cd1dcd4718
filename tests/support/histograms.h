// Histograms in the harness of measurements: every counter must be the same.
#ifndef LG_TEST_HISTOGRAMS_H
#define LG_TEST_HISTOGRAMS_H

#include "measurement.h"

// Parameters are lg_histogram_params, NULL for the defaults; their selection, stack and variant do not count.
// The oracle counts the stored channels, linear light and the luma of integers pixel by pixel.
extern const measure_case histogram_case;

#endif
