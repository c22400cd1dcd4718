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

// Whether two images have the same pixels, any NaN being equal to any NaN; padding does not count.
bool filter_equal(const lg_image *a, const lg_image *b);

// One sample, in 0..1 for integers.
float filter_sample(const lg_image *image, int64_t x, int64_t y, int64_t layer, int channel);

#endif
