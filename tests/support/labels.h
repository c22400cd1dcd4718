// Labels and figures of components in the harness of measurements; the reference is a flood fill, and loops
// over pixels for the figures.
#ifndef LG_TEST_LABELS_H
#define LG_TEST_LABELS_H

#include "measure/components/component_sums.h"
#include "measurement.h"

// Variants: labels and figures of one call, figures alone, and figures of labels that are there.
enum { LABELS_BOTH, LABELS_FIGURES, LABELS_MEASURED };

typedef struct label_params {
    lg_label_params of;
    const lg_image *intensity; // or NULL
    bool itself;               // the image is the intensity
} label_params;

// Parameters are label_params, NULL for the defaults; images have one channel.
extern const measure_case label_case;

// Every context of the harness, on an image where it lies.
void label_check(const char *title, const lg_image *image, const label_params *params);
// One context, in these variants; none: LABELS_BOTH.
void label_check_on(lg_context *context, const char *title, const lg_image *image,
                    const label_params *params, measure_variants variants);

#endif
