// Columns of the table of components: the library's, or those of another program under its names.
#ifndef LG_TOOL_LABEL_PRESETS_H
#define LG_TOOL_LABEL_PRESETS_H

#include <lumagraph/lumagraph.h>

// How the cells of a column come from the library's.
typedef enum lg_cell_rule {
    LG_CELL_PLAIN,
    LG_CELL_END,  // first pixel of the box and its side: behind the last pixel
    LG_CELL_LAST, // the last pixel
    LG_CELL_NEXT, // counted from 1
} lg_cell_rule;

typedef struct lg_label_column {
    const char *name;
    lg_column of; // of a box: its first pixel
    lg_cell_rule rule;
    int when; // bits of where it is left out otherwise
} lg_label_column;

enum {
    LG_WHEN_INTENSITY = 1, // with an intensity image
    LG_WHEN_LAYERS = 2,    // images with layers
    LG_WHEN_VOLUME = 4,    // components that go through layers
    LG_WHEN_PLANE = 8,     // components that do not
};

typedef struct lg_label_preset {
    const char *name;
    const lg_label_column *columns; // NULL name behind the last
    bool half;                      // centroids with the corner of the first pixel as origin
    bool background;                // a row for label 0
} lg_label_preset;

const lg_label_preset *lg_label_preset_at(int index); // NULL behind the last
const char *lg_choice_preset(int index);

// Half a pixel belongs to these when the centres of pixels are at .5.
bool lg_column_is_position(lg_column column);

#endif
