// Native filters in tests: run on every CPU level and several numbers of threads, compared with their
// ref bit for bit.
#ifndef LG_TEST_NATIVE_H
#define LG_TEST_NATIVE_H

#include "content.h"
#include "filter/native.h"

#define NATIVE_VALUES 64

typedef lg_status (*native_fn)(const lg_native_call *call);

// Fills values from the defaults and `params`, "radius=3:border=wrap".
const lg_filter *native_filter(const char *name, const char *params, float values[NATIVE_VALUES]);

// The image that stands between two stages for an image of this shape.
lg_image_params native_inner(lg_image_params shape);

// One call on a context. A failed status is a failed check.
void native_run(lg_context *context, const char *name, const char *params, lg_image *in,
                lg_image *out);

// Runs `ref` and the filter on all levels and thread counts; every output must have ref's bits (any NaN
// is any other). Returns ref's output, to be destroyed by the caller; NULL after a failure.
lg_image *native_compare(const char *name, const char *params, native_fn ref, lg_image *in,
                         lg_image_params out);

// The sample in units of colours: integers over their largest value.
double native_sample(const lg_image *image, int32_t x, int32_t y, int32_t layer, int channel);

// Stores such a value, of integers the part before the point.
void native_put(lg_image *image, int32_t x, int32_t y, int32_t layer, int channel, double value);

// Multiplies a pixel's channels by the last one.
void native_premultiply(lg_image *image, int32_t x, int32_t y, int32_t layer);

// The values of the parameter border.
extern const char *const native_borders[4];

// Index of the sample that stands at i for one of these borders, -1 for none; by walking.
int native_walk(int i, int size, int border);

// An image with content; alpha of one third of the pixels is zero, of premultiplied ones the colour as well.
lg_image *native_image(lg_image_params shape, content kind);

// The context that images of tests belong to, and the one of the highest level with several threads;
// NULL after a failed check. native_close closes all contexts.
lg_context *native_context(void);
lg_context *native_last_context(void);
void native_close(void);

#endif
