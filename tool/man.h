// Manual pages from the table of options.
#ifndef LG_TOOL_MAN_H
#define LG_TOOL_MAN_H

#include "options.h"

// The page of a command; NULL: of the tool. mdoc(7) is not used: man(7) reads everywhere.
void lg_man(FILE *out, const lg_command *command);

#endif
