// Counts of the shapes of components whose rows are counted in strips, on one machine or on several.
#ifndef LG_LABEL_SHAPES_H
#define LG_LABEL_SHAPES_H

#include "measure/accumulator.h"
#include "measure/components/label_shape.h"

#include <lumagraph/label_parts.h>

#define LG_STRIP_ROWS ((int64_t)2 * LG_SHAPE_REACH) // at its ends, on which further counts depend

// Rows of one layer that follow each other, counted through all layers. Kept are the labels of the first and
// last LG_STRIP_ROWS of them, with a zero on either side; of fewer rows all, at the start of the memory.
typedef struct lg_shape_strip {
    int64_t first, end;
    uint32_t *top, *bottom; // NULL where the layer begins or ends
} lg_shape_strip;

struct lg_label_shapes {
    lg_covered_region region;
    uint32_t count;
    uint32_t *label; // ascending
    lg_component_shape *shape;
    lg_shape_strip *strips; // ascending, apart
    size_t strip_count, strip_capacity;
    lg_shape_rows rows; // while a strip grows
    uint32_t *own;      // a row of places in `label`, from 1
};

// Without strips. `count` labels, which the caller fills in.
lg_status lg_label_shapes_create(const lg_covered_region *region, uint32_t count,
                                 lg_label_shapes **out, lg_error *error);
// A strip behind all others, whose rows come next. Its place is taken at once, so that rows cannot fail.
lg_status lg_label_shapes_strip(lg_label_shapes *shapes, int64_t first, int64_t end,
                                lg_error *error);
// Row `row` of the last strip: its labels, and in shapes->own the place of each in shapes->label, from 1.
void lg_label_shapes_row(lg_label_shapes *shapes, int64_t row, const uint32_t *labels);
// The place, from 0, of the first label that is not below `label`.
uint32_t lg_label_shapes_first(const lg_label_shapes *shapes, uint32_t label);
bool lg_label_shapes_complete(const lg_label_shapes *shapes);
lg_status lg_label_shapes_copy(const lg_label_shapes *shapes, lg_label_shapes **out,
                               lg_error *error);
// Room for the end of a strip; false: no memory.
bool lg_label_shapes_edges(const lg_label_shapes *shapes, lg_shape_strip *strip);
lg_status lg_label_shapes_reserve(lg_label_shapes *shapes, size_t strips, lg_error *error);

#endif
