// Thresholds in the harness of measurements: levels, counts and pixels must be the same.
#ifndef LG_TEST_THRESHOLDS_H
#define LG_TEST_THRESHOLDS_H

#include "measurement.h"

enum { THRESHOLD_PIXELS, THRESHOLD_LEVELS }; // variants: with the image, and without one

// Parameters are lg_threshold_params, NULL for the defaults; their selection and stack do not count. That a
// threshold has no level is a figure too. The reference compares pixel by pixel; the oracle finds levels of
// integers by Otsu and means from counts of its own.
extern const measure_case threshold_case;

// One try: the selection and the stack are those of the parameters.
measured threshold_try(const char *title, const lg_image *image, const lg_threshold_params *params);

#endif
