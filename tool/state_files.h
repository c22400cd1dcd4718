// Files of states: what `stats`, `histogram`, `areasum` and `label` write with --state, and `merge` reads.
#ifndef LG_TOOL_STATE_FILES_H
#define LG_TOOL_STATE_FILES_H

#include "session.h"

typedef struct lg_state_files lg_state_files;

// Makes the state of the session, whose inputs are known; with --resume what a killed run left is in it.
lg_status lg_states_begin(lg_session *session, lg_error *error);
// Whether an input needs not be measured any more. False without a state.
bool lg_states_has(const lg_session *session, const char *name);

typedef lg_status (*lg_save_fn)(const void *accumulator, void *data, size_t capacity, size_t *size,
                                lg_error *error);
// Adds the accumulators of a file, with its rows from first_row to end_row. `more`: lines of samples that all
// parts of the file have; NULL: none.
lg_status lg_states_add(lg_session *session, const lg_input_file *file, const char *more,
                        void *const *accumulators, size_t count, lg_save_fn save, lg_error *error);
// Adds that it failed.
void lg_states_fail(lg_session *session, const lg_input_file *file, const lg_error *error);
// Writes the file, if the inputs were gone through, and frees what begin made. Failures are printed.
void lg_states_end(lg_session *session, bool complete);

// ---- texts of states: state_texts.c ---------------------------------------------------------------

// What a command measures, as lines. free() it; NULL: no memory.
char *lg_state_definition_of(const lg_session *session);
char *lg_state_samples_of(const lg_input_file *file, const char *more);
char *lg_state_notes_of(const lg_session *session, const lg_input_file *file);

// Options as they were. False: the text is none of a state of ours. *command becomes the name.
bool lg_state_take_options(const char *definition, lg_options *out, const char **command);
// The shape, region and notes, into file->image->shape and the rest of *file.
bool lg_state_take_input(const lg_state_input *input, const lg_options *options,
                         lg_input_file *file);
// A further line of the samples or notes of an input, behind `after` unless that is NULL; it ends where the
// line does. NULL: there is none.
const char *lg_state_line(const char *lines, const char *after, const char *key);

// Reads a file that holds one state.
lg_status lg_state_read(const char *path, lg_state **out, lg_error *error);
lg_status lg_state_write(lg_state *state, const char *path, lg_error *error);

#endif
