// Values of options that are more than a number or a flag.
#ifndef LG_TOOL_OPTION_VALUES_H
#define LG_TOOL_OPTION_VALUES_H

#include "options.h"

// Names of a choice by index, NULL behind the last.
typedef const char *(*lg_choice_fn)(int index);

// All of them, with commas between.
void lg_list_choices(lg_choice_fn choice, char *out, size_t size);
// The name that may be meant, NULL where none is near.
const char *lg_nearest_choice(lg_choice_fn choice, const char *text);

const char *lg_choice_cpu(int index);
const char *lg_choice_nan(int index);
const char *lg_choice_area_nan(int index);
const char *lg_choice_space(int index);
const char *lg_choice_resample(int index);
const char *lg_choice_luma(int index);
const char *lg_choice_variant(int index);
const char *lg_choice_method(int index);
const char *lg_choice_type(int index);
const char *lg_choice_channels(int index);
const char *lg_choice_plane(int index);
const char *lg_choice_audio(int index);

// Parse `text` into *out; on failure `why` says what is allowed.
typedef bool (*lg_parse_fn)(const char *text, lg_options *out, char *why, size_t size);

bool lg_parse_device(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_devices(const char *text, lg_options *out, char *why, size_t size); // or several
bool lg_parse_region(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_scale(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_size(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_range(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_percentiles(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_method(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_input(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_report(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_points(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_filters(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_run_figure(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_target(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_frames(const char *text, lg_options *out, char *why, size_t size);
bool lg_is_frames(const char *text); // may be the value of --frames, which can be left out
bool lg_parse_raw(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_video_colors(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_codec(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_crf(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_format(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_tile(const char *text, lg_options *out, char *why, size_t size);

bool lg_parse_integer(const char *text, int64_t *out);
bool lg_parse_real(const char *text, double *out); // finite

#endif
