// Boxes of areasum whose figures are added up band by band, for images larger than the memory and for states.
#ifndef LG_TOOL_AREA_BANDS_H
#define LG_TOOL_AREA_BANDS_H

#include "area_answers.h"

#include <lumagraph/state.h>

// As lg_session.whole_because, of session->shapes.
const char *lg_area_whole_because(const lg_session *session, const lg_image_params *shape);

// Figures of file->rows.
lg_status lg_area_in_bands(lg_session *session, lg_input_file *file, const lg_area_shapes *shapes,
                           lg_area_answers *out, lg_error *error);
// Adds the accumulators of file->rows to the state of the session instead.
lg_status lg_area_state(lg_session *session, lg_input_file *file, const lg_area_shapes *shapes,
                        lg_error *error);

// The boxes as lines of a definition, and back. LG_ERROR_DATA: they are none.
void lg_area_put_boxes(FILE *out, const lg_area_shapes *shapes);
lg_status lg_area_take_boxes(const char *definition, lg_area_shapes *out, lg_error *error);
// Figures of an input of a state. LG_ERROR_DATA: it does not go together.
lg_status lg_area_of_state(lg_session *session, const lg_input_file *file, const lg_state_input *in,
                           const lg_area_shapes *shapes, lg_area_answers *out, lg_error *error);

#endif
