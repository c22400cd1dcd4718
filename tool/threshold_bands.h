// Thresholds of images that are larger than --memory, band by band.
#ifndef LG_TOOL_THRESHOLD_BANDS_H
#define LG_TOOL_THRESHOLD_BANDS_H

#include "file_bands.h"
#include "outputs.h"

// Why an image of this shape is thresholded whole, as a clause; NULL: it need not be.
const char *lg_threshold_whole_because(const lg_session *session, const lg_image_params *shape);

// For lg_session.rereads.
bool lg_threshold_rereads(const lg_session *session, const lg_image_params *shape);

// The extension of a binary image in a folder.
const char *lg_threshold_extension(const lg_image_params *shape);

// Finds the levels of file->rows, one for each layer or one.
lg_status lg_threshold_levels(lg_session *session, lg_input_file *file,
                              const lg_threshold_params *params, lg_threshold *out, int count,
                              lg_error *error);
// Also counts what is above them, and writes the binary image if it is asked for; its
// name goes to `path`, which has PATH_MAX bytes.
lg_status lg_threshold_in_bands(lg_session *session, lg_input_file *file,
                                const lg_threshold_params *params, lg_outputs *all, char *path,
                                lg_threshold *out, int count, lg_error *error);

#endif
