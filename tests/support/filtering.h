// Running pipelines on float images in tests.
#ifndef LG_TEST_FILTERING_H
#define LG_TEST_FILTERING_H

#include "core/core.h"

// A float image with 4 channels and straight alpha; NULL is a failed check.
lg_image *filtering_image(lg_context *context, int width, int height, int layers);
float *filtering_pixel(const lg_image *image, int x, int y, int layer);
void filtering_fill(lg_image *image, const float color[4]);
// Colours and alphas in 0..1; one in eight components is 0 or 1.
void filtering_noise(lg_image *image);
// Noise in an image of any kind; among floats colours far outside 0..1.
void filtering_extremes(lg_image *image);

// Runs a pipeline on `count` images (1 or 2) and makes the output; errors are returned.
lg_status filtering_try(lg_context *context, const char *text, lg_image *const *in, int count,
                        lg_image **out, lg_error *error);
// The same; an error is a failed check and gives NULL.
lg_image *filtering_run(lg_context *context, const char *text, lg_image *const *in, int count);

// The greatest distance of a component; infinite when one is NaN and the other is
// not. *x and *y get its place.
double filtering_distance(const lg_image *a, const lg_image *b, int *x, int *y);

#endif
