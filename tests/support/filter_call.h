// Calls of native filters with images of any shape, without a graph around them.
#ifndef LG_TEST_FILTER_CALL_H
#define LG_TEST_FILTER_CALL_H

#include "filter/native.h"

// Runs the filter on the CPU. `params` as in a pipeline: "radius=3:border=wrap", NULL: defaults. A
// wrong name or a failed call is a failed check. `over` is the second image or NULL.
void filter_run(lg_context *context, const char *filter, const char *params, const lg_image *in,
                const lg_image *over, lg_image *out);

// The same call, not yet made: for references. `job` must stay where it is.
typedef struct filter_job {
    lg_native_call call;
    float values[64];
    lg_error error;
} filter_job;

bool filter_prepare(filter_job *job, lg_context *context, const char *filter, const char *params,
                    const lg_image *in, const lg_image *over, lg_image *out);

// A context on the CPU with this level and number of threads; NULL, a skipped check, where the
// processor lacks the level.
lg_context *filter_context(lg_cpu_level level, int threads);

// Contexts of every level that there is, with one thread and with three; returns how many.
#define FILTER_CONTEXTS 16
int filter_contexts(lg_context *contexts[FILTER_CONTEXTS]);

// A fresh image, zeroed; NULL after a failed check.
lg_image *filter_image(lg_context *context, lg_image_params shape);

// Any number of channels, with an alpha that goes with it, in one or two layers.
lg_image_params filter_any_shape(const int size[2], lg_type type);

// Whether two images have the same pixels, any NaN being equal to any NaN; padding does not count.
bool filter_equal(const lg_image *a, const lg_image *b);

// One sample, in 0..1 for integers.
float filter_sample(const lg_image *image, int64_t x, int64_t y, int64_t layer, int channel);

// Stores such a value, of integers the part before the point.
void filter_put(lg_image *image, int64_t x, int64_t y, int64_t layer, int channel, double value);

// Pixels whose first sample is above 0.
int64_t filter_count_marks(const lg_image *image);

// Runs a filter that marks pixels and its reference, and checks that they mark the same ones alike.
// Returns how many pixels are marked.
int64_t filter_compare_marks(lg_context *context, const char *filter, const char *params,
                             lg_status (*reference)(const lg_native_call *call), const lg_image *in,
                             lg_type out_type);

#endif
