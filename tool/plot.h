// A histogram as an SVG drawing.
#ifndef LG_TOOL_PLOT_H
#define LG_TOOL_PLOT_H

#include "session.h"

// Draws all channels, layers summed, into --plot; the marks are those of --percentile. One input
// only: `suffix` (or NULL) goes between name and extension when there are several.
lg_status lg_plot_histogram(const lg_options *options, const lg_input_file *file,
                            const lg_histogram *histogram, const char *path, lg_error *error);

// Whether the options that are about plots go together; says what does not.
bool lg_check_plot(const lg_options *options);

#endif
