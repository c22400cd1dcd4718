// Which options go together.
#ifndef LG_TOOL_OPTION_CHECKS_H
#define LG_TOOL_OPTION_CHECKS_H

#include "options.h"

// Complains and returns false where they do not, or an argument is missing. Takes the pipeline of `run` from
// the arguments.
bool lg_options_check(const lg_command *command, lg_options *options);

#endif
