// lumagraph: connected components of images that are labelled in bands of rows, in order or not, on one
// machine or on several. Labels, figures and columns are those of the whole image.
#ifndef LUMAGRAPH_LABEL_ACCUMULATOR_H
#define LUMAGRAPH_LABEL_ACCUMULATOR_H

#include <lumagraph/components.h>

#ifdef __cplusplus
extern "C" {
#endif

// The components of the rows of an image that were added. Kept are the sums of each component, and the
// first and the last of rows that follow each other. Thread-safety: one thread at a time.
typedef struct lg_label_accumulator lg_label_accumulator;

// For an image of one channel. `type` is that of its samples, `intensity` points to that of the image that
// is measured, NULL: none. params NULL means defaults. Errors: LG_ERROR_ARGUMENT; LG_ERROR_UNSUPPORTED (holes
// that are to be filled); LG_ERROR_LIMIT (2^40 pixels or more); LG_ERROR_MEMORY.
// Of a volume (connectivity 6, 18 or 26 of several layers) rows are added from top to bottom, layer by layer,
// on the processor, and the runs of foreground of two layers are held; merge and save refuse it, and its
// shapes need lg_label_accumulator_scratch_labels.
LG_API lg_status lg_label_accumulator_create(const lg_label_params *params, lg_type type,
                                             const lg_type *intensity, int64_t width,
                                             int64_t height, int64_t layers,
                                             lg_label_accumulator **out, lg_error *error);
// NULL and pointer to NULL are fine.
LG_API void lg_label_accumulator_destroy(lg_label_accumulator **accumulator);

// The unit of float intensities is that of the largest magnitude of components: looks at rows before any
// are added. Accumulators that are merged later must have looked at the same rows, or have been merged behind
// it. Not needed for integers.
LG_API lg_status lg_label_accumulator_look(lg_context *context, lg_label_accumulator *accumulator,
                                           const lg_image *rows, const lg_image *intensity,
                                           lg_error *error);
// Adds rows: an image as wide as the whole and with one layer, whose first row is row y of `layer`. The
// order is free. Runs on the device of the context where rows have host pixels and intensities are integers,
// else on the processor. Errors: LG_ERROR_ARGUMENT (another shape or type, rows outside the image, rows that
// are there already), LG_ERROR_LIMIT (more than 2^32 - 1 components of all bands), those of lg_label_image.
// A failure adds nothing.
LG_API lg_status lg_label_accumulator_add(lg_context *context, lg_label_accumulator *accumulator,
                                          const lg_image *rows, const lg_image *intensity,
                                          int64_t y, int64_t layer, lg_error *error);
// Adds the rows of `from`, which is unchanged. Errors: LG_ERROR_ARGUMENT (other images, parameters or units,
// rows that are there already), LG_ERROR_LIMIT, LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_merge(lg_label_accumulator *into,
                                            const lg_label_accumulator *from, lg_error *error);
// As the accumulators of lumagraph/measure.h. What was loaded gives no labels, unless
// lg_label_accumulator_claim of lumagraph/label_parts.h says that it may.
LG_API lg_status lg_label_accumulator_save(const lg_label_accumulator *accumulator, void *data,
                                           size_t capacity, size_t *size, lg_error *error);
LG_API lg_status lg_label_accumulator_load(const void *data, size_t size,
                                           lg_label_accumulator **out, lg_error *error);

// For images with more components than memory holds, before any rows are added. Those that no row to come
// joins go to files without names in `folder`, of 64 to 272 bytes each, beside `memory` bytes that are held.
// Then rows are added from top to bottom, layer by layer, without shapes, and the accumulator has blocks
// only: merge, save, labels and finish refuse it. Where the files cannot be written add fails with
// LG_ERROR_IO, and only destroy is of use. Errors: LG_ERROR_ARGUMENT (shapes; rows are there already),
// LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_scratch(lg_label_accumulator *accumulator, const char *folder,
                                              size_t memory, lg_error *error);
// The same with labels and shapes. What becomes of the components of a band goes to files as well, 4 bytes
// for each and for each that is open above it, so that `labels` gives the labels of rows without all
// components in memory. Its first call writes labels over these, and nothing can be added any more. With
// shapes the counts of all components are held, of a volume also the labels of a layer: LG_ERROR_LIMIT where
// they exceed lg_label_params.memory_limit. blocks with shapes is behind the labels of all rows of the image.
LG_API lg_status lg_label_accumulator_scratch_labels(lg_label_accumulator *accumulator,
                                                     const char *folder, size_t memory,
                                                     lg_error *error);
// What blocks calls: `components` has the next labels, and is the accumulator's. It may be changed by
// lg_components_pixel_size and lg_components_keep. Another status than LG_OK ends the call.
typedef lg_status (*lg_components_fn)(void *priv, lg_components *components, lg_error *error);
// The figures of all rows that were added, in the order of their labels: all blocks but the last have `size`
// components. LG_COLUMN_LABEL goes on from block to block. May be repeated; nothing can be added any more.
// Errors: LG_ERROR_ARGUMENT (size 0; lg_label_accumulator_scratch was not called), LG_ERROR_IO,
// LG_ERROR_MEMORY, those of `fn`.
LG_API lg_status lg_label_accumulator_blocks(lg_label_accumulator *accumulator, uint32_t size,
                                             lg_components_fn fn, void *priv, lg_error *error);
// Components so far, as far as rows were joined.
LG_API uint64_t lg_label_accumulator_count(const lg_label_accumulator *accumulator);

// Labels of rows as they were added, all of one call of add. With lg_label_params.shape perimeters and Euler
// numbers are counted on the way: then all rows that were added have to be asked for, from top to bottom,
// and may be asked for again behind that. Nothing can be added any more. Errors: LG_ERROR_ARGUMENT (rows
// that were not added together, or are out of order), LG_ERROR_UNSUPPORTED (what was loaded), LG_ERROR_DATA
// (other pixels), LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_labels(lg_context *context, lg_label_accumulator *accumulator,
                                             const lg_image *rows, int64_t y, int64_t layer,
                                             lg_labels **out, lg_error *error);
// The figures of all rows that were added; with lg_label_params.shape behind the labels of all. Rows not
// added count as background. LG_ERROR_ARGUMENT: labels are missing for shapes.
LG_API lg_status lg_label_accumulator_finish(const lg_label_accumulator *accumulator,
                                             lg_components **out, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
