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
// The error of an image that is not stored as planes, where --planes or --plane asks for these.
lg_status lg_need_planes(const lg_session *session, const lg_input_file *file, lg_error *error);
// The plane of --plane takes the place of the image.
lg_status lg_take_plane(const lg_session *session, lg_input_file *file, lg_error *error);
// How many bits the codes of the planes have that are measured; 0: colours are measured, or a result.
int lg_code_bits(const lg_session *session, const lg_input_file *file);
// Drops the image. A frame that was measured is in the report, which goes on at once.
void lg_film_done(lg_session *session, lg_input_file *file, bool measured);
// Frames that --live has left out before they were read by anybody.
int64_t lg_film_dropped(const lg_input_file *file);

// Of a film that is written a signal that asks the command to end makes an end first: its number, 0: there
// was none. The second one ends the command at once.
int lg_film_interrupted(void);
void lg_film_take_signals(bool take); // while a film is written
bool lg_film_signal(int number);      // in a handler; false: nobody takes it

// Adds to the error of a film what is there of it, and says how many frames a camera lost.
void lg_film_explain_end(lg_session *session, const lg_input_file *file, bool kept,
                         lg_error *error);
void lg_film_note_dropped(lg_session *session, const lg_input_file *file);
// Frame, frames a second, and of a film that states its length speed and time left.
void lg_film_print_progress(const lg_session *session, const lg_input_file *file, const char *name,
                            double now);

#endif
