// Counts from which perimeters and the Euler number follow, for labels in host memory.
#ifndef LG_LABEL_SHAPE_H
#define LG_LABEL_SHAPE_H

#include "measure/components/component_sums.h"

// Adds to shape[label - 1], which is zeroed; labels are at most `count`.
lg_status lg_label_shape(lg_context *context, const lg_labels *labels, uint32_t count,
                         lg_component_shape *shape, lg_error *error);

#endif
