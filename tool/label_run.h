// One image while its components are labelled.
#ifndef LG_TOOL_LABEL_RUN_H
#define LG_TOOL_LABEL_RUN_H

#include "label_table.h"
#include "outputs.h"

#include <limits.h>

enum { LG_LABEL_LABELS, LG_LABEL_COLORS, LG_LABEL_OVERLAY, LG_LABEL_OUTPUTS };

// What all inputs of the command share.
typedef struct lg_label_job {
    lg_image *intensity; // of --intensity FILE
    lg_outputs outputs[LG_LABEL_OUTPUTS];
    lg_label_table first; // columns of the first input that was done, which head a CSV report
} lg_label_job;

typedef struct lg_label_run {
    lg_label_table table;
    lg_threshold *levels; // of --threshold
    int level_count;      // one for each layer, or one
    uint32_t found;       // components before any were removed
    lg_labels *labels;    // NULL when nothing wants them
    lg_components *components;
    lg_image *overlay;                     // for --report; NULL: none
    char path[LG_LABEL_OUTPUTS][PATH_MAX]; // what was written; empty otherwise
} lg_label_run;

// Says how large pixels are, and removes the components that the options do not want. *map, unless NULL,
// becomes what the label of each component of before is now, 0 where it is removed, or NULL: all are as
// before; free() it.
lg_status lg_label_select(lg_session *session, const lg_input_file *file, lg_label_run *run,
                          uint32_t **map, lg_error *error);
// The extension of a file in a folder for labels or pictures of components.
const char *lg_label_extension(int which, bool layers, uint32_t count);
// Refuses a table with other columns than the first of a CSV report.
lg_status lg_label_check_columns(const lg_session *session, const lg_label_table *first,
                                 const lg_label_table *table, lg_error *error);
// The foreground's level of an entry of `levels`.
double lg_label_level(const lg_threshold *levels);

// Adds the components to the report of the session.
void lg_label_report(lg_session *session, const lg_input_file *file, const lg_label_run *run);

#endif
