// One image while its components are labelled.
#ifndef LG_TOOL_LABEL_RUN_H
#define LG_TOOL_LABEL_RUN_H

#include "label_table.h"
#include "outputs.h"

#include <limits.h>
#include <lumagraph/label_accumulator.h>

enum { LG_LABEL_BLOCK = 10000 }; // components that are asked for at a time
enum { LG_LABEL_LABELS, LG_LABEL_COLORS, LG_LABEL_OVERLAY, LG_LABEL_OUTPUTS };

// What all inputs of the command share.
typedef struct lg_label_job {
    lg_image *intensity; // of --intensity FILE
    lg_outputs outputs[LG_LABEL_OUTPUTS];
    lg_label_table first; // columns of the first input that was done, which head a CSV report
} lg_label_job;

typedef struct lg_label_run {
    lg_label_table table;
    lg_threshold *levels;        // of --threshold
    int level_count;             // one for each layer, or one
    uint32_t found, kept;        // components before any were removed, and behind that
    double unit;                 // of intensities
    lg_labels *labels;           // NULL when nothing wants them
    lg_components *components;   // NULL: the table comes from `parts`
    lg_label_accumulator *parts; // with scratch files, or NULL
    double least;                // of blocks of `parts`, with --largest: larger areas stay,
    uint32_t ties;               // and so many of this one
    lg_image *overlay;           // for --report; NULL: none
    char path[LG_LABEL_OUTPUTS][PATH_MAX]; // what was written; empty otherwise
} lg_label_run;

// Says how large pixels are, and removes the components that the options do not want. *map, unless NULL,
// becomes what the label of each component of before is now, 0 where it is removed, or NULL: all are as
// before; free() it.
lg_status lg_label_select(lg_session *session, const lg_input_file *file, lg_label_run *run,
                          uint32_t **map, lg_error *error);
// The same without a map for run->parts: sets found, kept and unit.
lg_status lg_label_count(lg_session *session, const lg_input_file *file, lg_label_run *run,
                         lg_error *error);
// Behind it, *map as of lg_label_select.
lg_status lg_label_map(lg_session *session, const lg_input_file *file, lg_label_run *run,
                       uint32_t **map, lg_error *error);
// The rows of the table in their order, some at a time.
typedef void (*lg_label_rows_fn)(void *priv, const lg_label_table *rows);
lg_status lg_label_each_rows(lg_session *session, const lg_input_file *file, lg_label_run *run,
                             lg_label_rows_fn fn, void *priv, lg_error *error);
// The extension of a file in a folder for labels or pictures of components.
const char *lg_label_extension(int which, bool layers, uint32_t count);
// Refuses a table with other columns than the first of a CSV report.
lg_status lg_label_check_columns(const lg_session *session, const lg_label_table *first,
                                 const lg_label_table *table, lg_error *error);
// The foreground's level of an entry of `levels`.
double lg_label_level(const lg_threshold *levels);

// Adds the components to the report of the session. It is complete but for rows where scratch files fail.
lg_status lg_label_report(lg_session *session, const lg_input_file *file, lg_label_run *run,
                          lg_error *error);

#endif
