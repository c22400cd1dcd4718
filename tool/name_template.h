// Names of outputs with fields, such as `small/{name}-{index}.{ext}`.
#ifndef LG_TOOL_NAME_TEMPLATE_H
#define LG_TOOL_NAME_TEMPLATE_H

#include "session.h"

// Whether a name has fields. Complains, and returns false in *good, where one is not known.
bool lg_template_is(const char *option, const char *text, bool *good);
bool lg_template_has(const char *text, const char *field);
// The folder that all names of a template are in, or a name itself; false: the folder at work.
bool lg_template_folder(const char *text, char *out, size_t size);
// The name for one input. `extension` is that of the output, without a dot. False: it is too long.
bool lg_template_fill(const char *text, const lg_input_file *file, const char *extension, char *out,
                      size_t size);

// The folder and name of an input, without its extension; "stdin" for standard input.
typedef struct lg_name_parts {
    const char *below; // in `path`: what lies below the folder that was given, else the last part
    const char *name;  // in `path`: the last part
    int stem;          // its length without the extension
    const char *extension; // in `path`, NULL: there is none
} lg_name_parts;

lg_name_parts lg_name_parts_of(const lg_input_file *file);
// Makes the folders that a file will be in. Errors: LG_ERROR_IO.
lg_status lg_make_folders(const char *path, lg_error *error);

#endif
