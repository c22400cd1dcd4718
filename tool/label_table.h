// The table of components of one image: which columns, and their cells.
#ifndef LG_TOOL_LABEL_TABLE_H
#define LG_TOOL_LABEL_TABLE_H

#include "label_presets.h"
#include "options.h"

enum { LG_TABLE_COLUMNS = LG_COLUMNS };

typedef struct lg_label_table {
    int columns;
    lg_label_column column[LG_TABLE_COLUMNS];
    bool half, background; // as lg_label_preset
    unsigned needs;        // bits of all columns, and of --keep
    double pixel_size[3];  // in micrometres, 0: not known
    size_t rows;
    double *cells; // [column * rows + row]
} lg_label_table;

// Chooses the columns for an image of so many layers, with pixels of this size. `without`: what there is not,
// as LG_NEEDS; a column that needs it is an error.
lg_status lg_label_table_plan(const lg_options *options, int32_t layers, const double pixel_size[3],
                              unsigned without, lg_label_table *out, lg_error *error);
// Fills the cells. `labels` in host memory, for the background; else NULL.
lg_status lg_label_table_fill(lg_label_table *table, const lg_components *components,
                              const lg_labels *labels, lg_error *error);
void lg_label_table_free(lg_label_table *table);

#endif
