// Inputs that are read frame by frame: --frames, --raw, and y4m without them.
#ifndef LG_TOOL_FILMS_H
#define LG_TOOL_FILMS_H

#include "session.h"

// Whether an input is read frame by frame. Standard input is: what it is shows when it is opened, and an
// image is then one frame with all of its layers.
bool lg_is_film(const lg_session *session, const char *name);

// Frames are read by a thread while earlier ones are at work, unless session->film_at_hand.
lg_status lg_open_film(lg_session *session, lg_input_file *file, lg_error *error);
void lg_close_film(lg_input_file *file);
// The next frame that --frames or --page asks for, as the image of `file`; *more is false behind the last.
lg_status lg_film_next(lg_session *session, lg_input_file *file, bool *more, lg_error *error);
// Drops the image. A frame that was measured is in the report, which goes on at once.
void lg_film_done(lg_session *session, lg_input_file *file, bool measured);
// Frames that --live has left out before they were read by anybody.
int64_t lg_film_dropped(const lg_input_file *file);

#endif
