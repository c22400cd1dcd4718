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

// Removes the components that the options do not want.
lg_status lg_label_select(lg_session *session, lg_label_run *run, lg_error *error);
// Refuses a table with other columns than the first of a CSV report.
lg_status lg_label_check_columns(const lg_session *session, const lg_label_table *first,
                                 const lg_label_table *table, lg_error *error);
// The foreground's level of an entry of `levels`.
double lg_label_level(const lg_threshold *levels);

// Adds the components to the report of the session.
void lg_label_report(lg_session *session, const lg_input_file *file, const lg_label_run *run);

#endif
