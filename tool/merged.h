// Reports that `merge` prints as the commands do that measured.
#ifndef LG_TOOL_MERGED_H
#define LG_TOOL_MERGED_H

#include "session.h"

// `moments` has an entry for each channel of each layer, or of the stack.
void lg_stats_report(lg_session *session, const lg_input_file *file, const lg_moments *moments);
lg_status lg_histogram_report(lg_session *session, const lg_input_file *file,
                              const lg_histogram *histogram, lg_error *error);

#endif
