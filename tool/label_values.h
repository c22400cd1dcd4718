// Values of the options of label.
#ifndef LG_TOOL_LABEL_VALUES_H
#define LG_TOOL_LABEL_VALUES_H

#include "options.h"

const char *lg_choice_connectivity(int index);
const char *lg_choice_centers(int index);
const char *lg_choice_column(int index);
int lg_connectivity_of(const lg_options *options);
// How the foreground is found; one: a level for all layers.
lg_threshold_params lg_label_threshold(const lg_options *options, bool one);

bool lg_parse_level(const char *text, lg_options *out, char *why, size_t size); // --threshold
bool lg_parse_columns(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_outline(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_keep(const char *text, lg_options *out, char *why, size_t size);

// Complains and returns false when the options of label do not go together; fills in --columns all.
bool lg_check_label(lg_options *options);

#endif
