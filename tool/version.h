// lumagraph --version
#ifndef LG_TOOL_VERSION_H
#define LG_TOOL_VERSION_H

#include <stdio.h>

// The version, and what this build has: devices, instruction sets, libraries for files.
void lg_print_version(FILE *out);

#endif
