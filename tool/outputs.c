#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// A folder that is not there yet: the slash, or several inputs and a name that is no image's.
static bool is_new_folder(const char *path, const lg_options *options)
{
    struct stat status;
    const size_t length = strlen(path);
    if (length < 2 || stat(path, &status) == 0)
        return false;
    return path[length - 1] == '/' || (options->file_count > 1 && !lg_image_can_write(path));
}

lg_outputs lg_outputs_at(const char *asked)
{
    return (lg_outputs){.option = "-o", .asked = asked, .folder = asked && is_folder(asked)};
}

void lg_outputs_free(lg_outputs *outputs)
{
    for (size_t i = 0; i < outputs->used; i++)
        free(outputs->written[i]);
    free(outputs->written);
    *outputs = (lg_outputs){0};
}

bool lg_outputs_check(lg_outputs *outputs, const lg_options *options)
{
    const char *asked = outputs->asked;
    bool pattern = options->file_count == 1 && strpbrk(options->files[0], "*?[");
    if (asked && is_new_folder(asked, options))
        outputs->folder = outputs->missing = true;
    if (!asked || outputs->folder)
        return true;
    if (strcmp(asked, "-") == 0 && isatty(STDOUT_FILENO)) {
        lg_complain("%s -: standard output is a terminal, which cannot show an image; redirect it, "
                    "or name a file",
                    outputs->option);
        return false;
    }
    if (options->file_count > 1) {
        lg_complain("%s %s: several inputs need a folder; %s/ makes one", outputs->option, asked,
                    asked);
        return false;
    }
    if (!pattern && !options->format && !lg_image_can_write(asked) &&
        strncmp(asked, "/dev/", 5) != 0) {
        lg_complain("%s %s: the extension names no image format; use .png, .tif, .pgm, .npy ...",
                    outputs->option, asked);
        return false;
    }
    return true;
}

// Notes a name in the folder; two inputs must not end in the same file.
static lg_status note_name(lg_outputs *outputs, const char *name, lg_error *error)
{
    for (size_t i = 0; i < outputs->used; i++)
        if (strcmp(outputs->written[i], name) == 0)
            return lg_set_error(
                error, LG_ERROR_IO,
                "another input was already written to %.300s; write them separately", name);
    char **larger = realloc(outputs->written, (outputs->used + 1) * sizeof *larger);
    if (larger)
        outputs->written = larger;
    char *copy = strdup(name);
    if (!larger || !copy) {
        free(copy);
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a file name");
    }
    outputs->written[outputs->used++] = copy;
    return LG_OK;
}

lg_status lg_outputs_name(lg_outputs *outputs, const lg_input_file *file, const char *extension,
                          char *out, size_t size, lg_error *error)
{
    if (!outputs->folder && file->count > 1)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            "the pattern matches several files: %s must be a folder; one that ends in / is "
            "made",
            outputs->option);
    if (!outputs->folder) {
        snprintf(out, size, "%s", outputs->asked);
        return LG_OK;
    }
    if (outputs->missing && mkdir(outputs->asked, 0777) != 0 && errno != EEXIST)
        return lg_set_error(error, LG_ERROR_IO, "the folder %.300s cannot be made: %s",
                            outputs->asked, strerror(errno));
    outputs->missing = false;
    const char *slash = strrchr(file->name, '/'), *name = slash ? slash + 1 : file->name;
    if (strcmp(name, "-") == 0) {
        name = "stdin";
        extension = extension ? extension : file->info.format;
    }
    const char *dot = strrchr(name, '.');
    int stem = dot && dot > name && extension ? (int)(dot - name) : (int)strlen(name);
    size_t folder = strlen(outputs->asked);
    while (folder > 1 && outputs->asked[folder - 1] == '/')
        folder--;
    if ((size_t)snprintf(out, size, "%.*s/%.*s%s%s", (int)folder, outputs->asked, stem, name,
                         extension ? "." : "", extension ? extension : "") >= size)
        return lg_set_error(error, LG_ERROR_IO, "the output's name is too long");
    return note_name(outputs, out, error);
}
