// lumagraph: labels and shapes of an image whose rows lie on several machines, each with an accumulator of
// lumagraph/label_accumulator.h.
#ifndef LUMAGRAPH_LABEL_PARTS_H
#define LUMAGRAPH_LABEL_PARTS_H

#include <lumagraph/label_accumulator.h>

#ifdef __cplusplus
extern "C" {
#endif

// Accumulators of parts of the rows are merged to one, which knows the components of all. The others keep
// their rows, learn what their components are called there, and then give labels and count shapes of the
// whole. Components that are merged become parts of the accumulator behind those that it has, in the order of
// lg_label_accumulator_save: how many there are is told by the number of parts before and after.
LG_API uint32_t lg_label_accumulator_parts(const lg_label_accumulator *accumulator);
// The labels of parts [first, first + count). Nothing can be added any more. Errors: LG_ERROR_ARGUMENT (no
// such parts), LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_part_labels(lg_label_accumulator *accumulator, uint32_t first,
                                                  uint32_t count, uint32_t *labels,
                                                  lg_error *error);
// Takes the labels of the `count` components that were saved, where there are `all` components. Errors:
// LG_ERROR_ARGUMENT (another number of components, labels above `all`, labels were given out already),
// LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_take_labels(lg_label_accumulator *accumulator,
                                                  const uint32_t *labels, uint32_t count,
                                                  uint32_t all, lg_error *error);

// What was loaded gives labels of its rows too, of all of them at once, if they follow each other in one
// layer. Before it is merged. Errors: LG_ERROR_ARGUMENT (rows of several places, or rows that were added
// here), LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_claim(lg_label_accumulator *accumulator, lg_error *error);

// What was counted of the shapes of components in some rows. Of rows that meet, merging counts what lies
// between them. Thread-safety: one thread at a time.
typedef struct lg_label_shapes lg_label_shapes;

// Those of the rows that were added, behind their labels. Errors: LG_ERROR_ARGUMENT (labels were not asked
// for, or lg_label_params.shape is false), LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_shapes(lg_label_accumulator *accumulator,
                                             lg_label_shapes **out, lg_error *error);
// The accumulator that knows all components takes the shapes of all rows, for lg_label_accumulator_finish.
// Errors: LG_ERROR_ARGUMENT (another image, other components, rows are missing), LG_ERROR_MEMORY.
LG_API lg_status lg_label_accumulator_take_shapes(lg_label_accumulator *accumulator,
                                                  const lg_label_shapes *shapes, lg_error *error);
// As the functions of accumulators. merge: LG_ERROR_ARGUMENT (another image, rows that are there already).
LG_API lg_status lg_label_shapes_merge(lg_label_shapes *into, const lg_label_shapes *from,
                                       lg_error *error);
LG_API lg_status lg_label_shapes_save(const lg_label_shapes *shapes, void *data, size_t capacity,
                                      size_t *size, lg_error *error);
LG_API lg_status lg_label_shapes_load(const void *data, size_t size, lg_label_shapes **out,
                                      lg_error *error);
LG_API void lg_label_shapes_destroy(lg_label_shapes **shapes);

#ifdef __cplusplus
}
#endif

#endif
