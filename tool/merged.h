// Reports that `merge` prints as the commands do that measured.
#ifndef LG_TOOL_MERGED_H
#define LG_TOOL_MERGED_H

#include "label_run.h"
#include "session.h"

#include <lumagraph/state.h>

// `moments` has an entry for each channel of each layer, or of the stack.
void lg_stats_report(lg_session *session, const lg_input_file *file, const lg_moments *moments);
lg_status lg_histogram_report(lg_session *session, const lg_input_file *file,
                              const lg_histogram *histogram, lg_error *error);
// The components of an input; *first becomes the table of the first one, whose columns head a CSV report.
lg_status lg_label_report_state(lg_session *session, lg_input_file *file, const lg_state_input *in,
                                lg_label_table *first, lg_error *error);

#endif
