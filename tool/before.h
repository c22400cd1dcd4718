// --pipeline of the measurements: filters in front of one.
#ifndef LG_TOOL_BEFORE_H
#define LG_TOOL_BEFORE_H

#include "session.h"

// Filters work on red, green and blue: refuses other colours.
lg_status lg_check_colors(const lg_read_info *info, lg_error *error);

// The graph of --pipeline. Failures are printed; an exit status comes back.
int lg_before_build(lg_session *session);
// Puts the result of --pipeline in place of the file's image, if there is one.
lg_status lg_before_run(lg_session *session, lg_input_file *file, lg_error *error);
void lg_before_end(lg_session *session);

#endif
