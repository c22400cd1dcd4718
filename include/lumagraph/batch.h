// lumagraph: several devices. A batch shares jobs among contexts, each of which has a thread of its own; one
// image is measured in strips of rows, whose exact states are merged, so that the result has the same bits
// for any number of devices. Jobs are any calls: one may run a plan of the context that it is given, the
// next one label. lumagraph/batch_images.h shares plans and labels of one image.
#ifndef LUMAGRAPH_BATCH_H
#define LUMAGRAPH_BATCH_H

#include <lumagraph/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

// Thread-safety: one thread at a time uses a batch. From lg_batch_add until lg_batch_wait returns nobody else
// uses its contexts, but to make and destroy images without a device copy.
typedef struct lg_batch lg_batch;

#define LG_MAX_BATCH_CONTEXTS 64

// A job computes with the context that it is given, on a thread of the batch: with images that it makes or
// wraps for that context, and a plan that was made for it. It may be called twice, with another context,
// when the first one has lost its device. One context of each device is enough: a GPU that two contexts
// share changes between them, which took three times as long as one. Where there is a GPU, threads without a
// job look for one for a millisecond before they sleep.
typedef lg_status (*lg_batch_job)(lg_context *context, void *priv, lg_error *error);

// Contexts of different devices, or several of one device. They outlive the batch. Make them with `strict`:
// without it a job whose device is lost is computed by the CPU of its context, not by another device. Errors:
// LG_ERROR_ARGUMENT (none, more than LG_MAX_BATCH_CONTEXTS, one twice), LG_ERROR_MEMORY (threads too).
LG_API lg_status lg_batch_create(lg_context *const *contexts, int count, lg_batch **out,
                                 lg_error *error);
// Waits for jobs that run, drops the others.
LG_API void lg_batch_destroy(lg_batch **batch);

// Adds a job to the queue; the next free context takes it. A job that failed because its device was lost is
// handed to another context, once; the context gets no further jobs while another one has its device.
LG_API lg_status lg_batch_add(lg_batch *batch, lg_batch_job job, void *priv, lg_error *error);
// The same for one context, such as that whose device has the images of the job. Where that one has lost its
// device, or loses it, another one takes the job. LG_ERROR_ARGUMENT: the batch has no such context.
LG_API lg_status lg_batch_add_to(lg_batch *batch, int context, lg_batch_job job, void *priv,
                                 lg_error *error);

// Waits for all jobs. Returns the failure of the job that was added first among those that failed since the
// last lg_batch_wait.
LG_API lg_status lg_batch_wait(lg_batch *batch, lg_error *error);

typedef struct lg_batch_result {
    void *priv;     // of the job
    int context;    // index of the context that computed it last
    bool handed_on; // from a context that lost its device
    lg_status status;
    lg_error error;
} lg_batch_result;

// Waits for the oldest job whose result was not taken yet, and takes it: results come in the order of
// lg_batch_add. LG_ERROR_ARGUMENT when there is none.
LG_API lg_status lg_batch_next(lg_batch *batch, lg_batch_result *out, lg_error *error);

// How many contexts have their device (CPU contexts always have).
LG_API int lg_batch_usable(const lg_batch *batch);

// ---- one image --------------------------------------------------------------------------------------

// The same as lg_measure_moments, lg_measure_histogram and lg_threshold_image of an image with host
// pixels, which each device reads strip by strip. The processor then compares with the level. The batch
// must have no jobs. Parameters, results and errors are those of the functions for one context. What their
// accumulators cannot do (a `step`; an automatic range of other samples than theirs; levels of floats, or
// of each layer) is measured by the first context alone.
LG_API lg_status lg_batch_moments(lg_batch *batch, const lg_image *image,
                                  const lg_moments_params *params, lg_moments *out, size_t capacity,
                                  lg_error *error);
LG_API lg_status lg_batch_histogram(lg_batch *batch, const lg_image *image,
                                    const lg_histogram_params *params, lg_histogram **out,
                                    lg_error *error);
LG_API lg_status lg_batch_threshold(lg_batch *batch, const lg_image *image,
                                    const lg_threshold_params *params, lg_threshold *out,
                                    size_t capacity, lg_image **binary, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
