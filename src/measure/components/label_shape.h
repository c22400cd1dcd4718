// Counts from which perimeters, surfaces and the Euler number follow, for labels in host memory.
#ifndef LG_LABEL_SHAPE_H
#define LG_LABEL_SHAPE_H

#include "measure/components/component_sums.h"

// Adds to shape[label - 1], which is zeroed; labels are at most `count`. With the connectivity of a volume
// neighbours in the next layer are counted as well.
lg_status lg_label_shape(lg_context *context, const lg_labels *labels, uint32_t count,
                         int connectivity, lg_component_shape *shape, lg_error *error);

// The same of rows that come one by one. A window is of two rows, and the class of a pixel depends on two
// rows above and two below it: what reaches over an end of the rows that is none of the layer's is not
// counted.
#define LG_SHAPE_REACH 2

typedef struct lg_shape_rows {
    int32_t width;
    int64_t known;                    // rows before the next one, all where the layer begins
    uint32_t *labels[3], *borders[3]; // of the last rows, with a zero on either side
    uint32_t *memory;                 // NULL: nothing is to be destroyed
} lg_shape_rows;

lg_status lg_shape_rows_create(int32_t width, lg_shape_rows *out, lg_error *error);
void lg_shape_rows_destroy(lg_shape_rows *rows);
// Before the first of rows that follow each other; `top`: it is the first of its layer.
void lg_shape_rows_begin(lg_shape_rows *rows, bool top);
void lg_shape_rows_add(lg_shape_rows *rows, const uint32_t *labels, lg_component_shape *shape);
// Behind the last of them; `bottom`: it is the last of its layer.
void lg_shape_rows_end(lg_shape_rows *rows, bool bottom, lg_component_shape *shape);

// Neighbours of a row in the next layer: its rows y - 1, y and y + 1. Rows have a zero on either side.
void lg_shape_row_down(lg_component_shape *shape, const uint32_t *row, uint32_t *const next[3],
                       int32_t width);

// What such rows have not counted where others follow them: the windows between rows[3] and rows[4], and the
// pixels of rows [begin, end), 2 <= begin, end <= 6. Rows have a zero on either side.
void lg_shape_rows_seam(int32_t width, const uint32_t *const rows[8], int begin, int end,
                        lg_shape_rows *scratch, lg_component_shape *shape);

#endif
