// lumagraph: images that several devices compute or label together. Each takes bands of rows, and the result
// has the same bits for any number of devices.
#ifndef LUMAGRAPH_BATCH_IMAGES_H
#define LUMAGRAPH_BATCH_IMAGES_H

#include <lumagraph/bands.h>
#include <lumagraph/batch.h>
#include <lumagraph/components.h>

#ifdef __cplusplus
extern "C" {
#endif

// The batch of the functions below must have no jobs. A band whose context loses its device is computed by
// another one, once.

// The same as lg_label_image of an image with host pixels: each device labels strips, which are joined where
// they meet. Labels come with host pixels. The first context alone labels volumes (connectivity 6, 18 or 26
// of several layers), fills holes, and sums intensities of floats, whose unit is that of the whole image.
LG_API lg_status lg_batch_label(lg_batch *batch, const lg_image *image,
                                const lg_label_params *params, const lg_image *intensity,
                                lg_labels **labels, lg_components **components, lg_error *error);

// The same as lg_plan_run of images with host pixels. plans[i] is of context i of the batch
// (lg_plan_create_bands), all of one graph and of the same shapes. Each context gets the rows of an input
// that its band needs, or all of one of which lg_plan_needs_whole says so. lg_plan_profile of plans[0] has
// the sums of all contexts, whose progress functions hear of each band. Errors: those of lg_plan_run_bands;
// LG_ERROR_UNSUPPORTED for what cannot run in bands, for plans with figures, which one context measures, and
// for those that take images of the run before.
LG_API lg_status lg_batch_run(lg_batch *batch, lg_plan *const *plans, lg_image *const *inputs,
                              lg_image *const *outputs, lg_error *error);

// The same as lg_plan_run_bands: `read` and `write` are called on the caller's thread, in order, while
// contexts compute. `overlap` changes nothing; up to two bands of each context are in memory. Plans and
// errors as for lg_batch_run.
LG_API lg_status lg_batch_run_bands(lg_batch *batch, lg_plan *const *plans, lg_image *const *inputs,
                                    const lg_bands_params *params, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
