// Values of the options of areasum.
#ifndef LG_TOOL_AREA_VALUES_H
#define LG_TOOL_AREA_VALUES_H

#include "options.h"

const char *lg_choice_figure(int index); // those that --figure takes
const char *lg_choice_area_kind(int index);
const char *lg_choice_winding(int index);

bool lg_parse_box(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_figures(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_layers(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_above(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_angle(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_memory(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_ceiling(const char *text, lg_options *out, char *why, size_t size);

// Sides and coordinates of boxes: sums of two fit 32 bits, and no image is larger.
#define LG_MAX_BOX_NUMBER 1000000000

// Name of a figure, also of the tool's own.
const char *lg_figure_name(int figure);
bool lg_has_figure(const lg_options *options, int figure);
int lg_box_parts(const lg_options *options);
int lg_smooth_order(const lg_options *options);
bool lg_needs_bins(const lg_options *options); // whether a figure comes from histograms

// Complains and returns false when the options of areasum do not go together; fills in the figures
// that were not asked for.
bool lg_check_area(lg_options *options);

#endif
