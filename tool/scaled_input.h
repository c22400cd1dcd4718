// --scale: the region of an input at a smaller size, before it is measured.
#ifndef LG_TOOL_SCALED_INPUT_H
#define LG_TOOL_SCALED_INPUT_H

#include "option_values.h"
#include "session.h"

// Replaces the image of `file` by its region, scaled; the region is then all of that image.
lg_status lg_scale_input(lg_session *session, lg_input_file *file, lg_error *error);

#endif
