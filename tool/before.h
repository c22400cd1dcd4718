// What is done to an input before it is measured: the filters of --pipeline, or the colours of planes.
#ifndef LG_TOOL_BEFORE_H
#define LG_TOOL_BEFORE_H

#include "session.h"

// Filters work on red, green and blue: refuses other colours.
lg_status lg_check_colors(const lg_read_info *info, lg_error *error);

// The graph of --pipeline. Failures are printed; an exit status comes back.
int lg_before_build(lg_session *session);
// Puts the result of --pipeline in place of the file's image; without one, colours in place of planes, unless
// `measure` takes these.
lg_status lg_before_run(lg_session *session, lg_input_file *file, lg_error *error);
void lg_before_end(lg_session *session);
// Whether a plan for one shape is one for the other.
bool lg_same_shape(const lg_image_params *a, const lg_image_params *b);

#endif
