// The names of the inputs: those of the command line, with patterns and folders expanded.
#ifndef LG_TOOL_NAMES_H
#define LG_TOOL_NAMES_H

#include "session.h"

typedef struct lg_names {
    char **path;
    size_t
        *below; // where in a path the part below the folder that was given begins; 0: no folder was
    size_t used, capacity;
    int64_t *places; // of the inputs at work, among all; NULL: all are at work
} lg_names;

// Adds a name as it is. False without memory.
bool lg_names_put(lg_names *names, const char *path, size_t below);
// Adds an argument: a file, the files that a pattern matches, or the images in a folder or an archive.
// Errors: LG_ERROR_IO (no such files), LG_ERROR_MEMORY, those of lg_archive_list.
lg_status lg_names_add(lg_names *names, lg_session *session, const char *argument, lg_error *error);
void lg_names_free(lg_names *names);

// Whether the arguments may stand for several inputs.
bool lg_names_several(const lg_options *options);

#endif
