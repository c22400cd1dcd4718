// Counts from which perimeters, surfaces and the Euler number follow, for labels in host memory.
#ifndef LG_LABEL_SHAPE_H
#define LG_LABEL_SHAPE_H

#include "measure/components/component_sums.h"

// Adds to shape[label - 1], which is zeroed; labels are at most `count`. With the connectivity of a volume
// neighbours in the next layer are counted as well.
lg_status lg_label_shape(lg_context *context, const lg_labels *labels, uint32_t count,
                         int connectivity, lg_component_shape *shape, lg_error *error);

// The same of rows that come one by one.
typedef struct lg_shape_rows {
    int32_t width;
    uint32_t *labels[3], *borders[3]; // of the last rows, with a zero on either side
    uint32_t *memory;                 // NULL: nothing is to be destroyed
} lg_shape_rows;

lg_status lg_shape_rows_create(int32_t width, lg_shape_rows *out, lg_error *error);
void lg_shape_rows_destroy(lg_shape_rows *rows);
// The next row of a layer.
void lg_shape_rows_add(lg_shape_rows *rows, const uint32_t *labels, lg_component_shape *shape);
// Behind the last row of a layer.
void lg_shape_rows_end(lg_shape_rows *rows, lg_component_shape *shape);

#endif
