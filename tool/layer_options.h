// Values of the options about stacks: what their layers are, which are read, how large a pixel is.
#ifndef LG_TOOL_LAYER_OPTIONS_H
#define LG_TOOL_LAYER_OPTIONS_H

#include "session.h"

bool lg_parse_page(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_axes(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_channel(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_time(const char *text, lg_options *out, char *why, size_t size);
bool lg_parse_spacing(const char *text, lg_options *out, char *why, size_t size);

// Complains and returns false where they do not go with others.
bool lg_check_layers_options(const lg_options *options);

// The size of an input's pixels in micrometres: of --spacing, else what the file says. 0: not known.
void lg_pixel_size_of(const lg_session *session, const lg_input_file *file, double out[3]);
// "0.2 x 0.2 x 1 um"; empty where it is not known.
const char *lg_pixel_size_text(const lg_session *session, const lg_input_file *file, char *out,
                               size_t size);

#endif
