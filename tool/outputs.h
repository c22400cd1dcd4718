// Where images go: a file, or files in a folder under the names of the inputs.
#ifndef LG_TOOL_OUTPUTS_H
#define LG_TOOL_OUTPUTS_H

#include "session.h"

#define LG_OPTIONS_ROOM 350 // bytes of options of a format

typedef struct lg_outputs {
    const char *option; // "-o", for messages
    const char *asked;  // as the option has it
    char *name;         // what `asked` points to where options stood behind it, else NULL
    char options[200];  // of the format, "" where there are none
    bool folder;        // it is one
    bool missing;       // which is made when the first image goes there
    bool fields;        // it is a name with fields: name_template.h
    char **written; // names of several outputs, so that inputs of the same name do not overwrite
    size_t used;
    bool takes_films; // frames behind each other in one file
    bool still;       // of one frame: an image is one, too
    lg_film_output *film;
    char *film_path;     // of the last film; NULL: there was none
    int64_t film_frames; // that were written
    bool noted;          // what the film does not keep
} lg_outputs;

// Whether an output of this name is a folder by its format, Zarr.
bool lg_is_folder_format(const char *path);
lg_outputs lg_outputs_at(const char *asked);
void lg_outputs_free(lg_outputs *outputs);

// Decides whether a name that is not there is a folder to be made. Complains and returns false when
// the option cannot take the images of these inputs, or they would go to a terminal.
bool lg_outputs_check(lg_outputs *outputs, const lg_options *options);

// How an image is written to `path`. `room` keeps the options. Errors: LG_ERROR_ARGUMENT.
lg_status lg_outputs_params(const lg_outputs *outputs, const lg_options *options,
                            const lg_metadata *metadata, const char *path,
                            char room[LG_OPTIONS_ROOM], lg_write_params *out, lg_error *error);

// The name of the image that is made of `file`: in a folder the input's, with `extension` instead
// of its own, or with its own when that is NULL.
// Of a frame, its number stands behind the input's name.
lg_status lg_outputs_name(lg_outputs *outputs, const lg_input_file *file, const char *extension,
                          char *out, size_t size, lg_error *error);

// Writes the image that is made of `file` to `path`, as lg_outputs_name gave it. Frames, and images that go
// to y4m, become one film, which lg_outputs_end completes.
lg_status lg_outputs_write(lg_outputs *outputs, lg_session *session, const lg_input_file *file,
                           const lg_image *image, const char *path, const lg_write_params *params,
                           lg_error *error);
// Whether a film is written that has sound.
bool lg_outputs_take_sound(const lg_outputs *outputs, const lg_options *options);
// Whether the frames of `file` go to one film that can have its planes as they are.
bool lg_outputs_takes_planes(const lg_outputs *outputs, const lg_input_file *file,
                             const char *extension);
// Whether frames become a film of this format.
bool lg_outputs_film_format(const lg_outputs *outputs, const lg_input_file *file,
                            const char *extension, const char *format);
// Completes the film of an input, as far as it was written, or drops it; nothing where there is none.
// `file`: the input, which says whether its film ends early.
lg_status lg_outputs_end(lg_outputs *outputs, const lg_input_file *file, bool keep,
                         lg_error *error);

#endif
