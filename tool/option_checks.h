// What options go together, once all are parsed.
#ifndef LG_TOOL_OPTION_CHECKS_H
#define LG_TOOL_OPTION_CHECKS_H

#include "options.h"

// False after a line on standard error. Takes the pipeline of `run` from the arguments.
bool lg_options_check(const lg_command *command, lg_options *options);

// Puts the names of --files-from behind the arguments; lg_options_free frees them. file_list.c.
bool lg_files_from(lg_options *options);

bool lg_parse_shard(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_part(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_mpi(const char *text, lg_options *out, char *why, size_t size);

// The option that chooses rows or columns of a table of components; NULL: none was given.
const char *lg_rows_option(const lg_options *options);

#endif
