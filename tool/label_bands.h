// Components of images that are larger than --memory, band by band.
#ifndef LG_TOOL_LABEL_BANDS_H
#define LG_TOOL_LABEL_BANDS_H

#include "file_bands.h"
#include "label_run.h"

#include <lumagraph/label_accumulator.h>

// Why an image of this shape is labelled whole, as a clause; NULL: it need not be.
const char *lg_label_whole_because(const lg_session *session, const lg_image_params *shape);

// For lg_session.rereads: levels, shapes and intensities of floats take passes of their own.
bool lg_label_rereads(const lg_session *session, const lg_image_params *shape);

// Finds the levels and components of file->rows; run->table is planned.
lg_status lg_label_in_bands(lg_session *session, lg_input_file *file, const lg_label_job *job,
                            lg_label_run *run, lg_error *error);

// Adds the components of the rows of --part to the state of the session.
lg_status lg_label_state(lg_session *session, lg_input_file *file, const lg_label_job *job,
                         lg_label_run *run, lg_error *error);

#endif
