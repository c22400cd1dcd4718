#include "name_template.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static const char *const fields[] = {"name", "ext", "folder", "below", "index", "frame"};
enum { NAME, EXT, FOLDER, BELOW, INDEX, FRAME, FIELDS };

// The field that begins at a brace, and the byte behind it; -1: it is not known.
static int field_at(const char *text, const char **end)
{
    for (int i = 0; i < FIELDS; i++) {
        const size_t length = strlen(fields[i]);
        if (strncmp(text + 1, fields[i], length) == 0 && text[length + 1] == '}') {
            *end = text + length + 2;
            return i;
        }
    }
    return -1;
}

bool lg_template_is(const char *option, const char *text, bool *good)
{
    bool found = false;
    const char *end;
    *good = true;
    for (const char *at = text; at && (at = strchr(at, '{'));) {
        if (field_at(at, &end) < 0) {
            const int length = (int)strcspn(at, "}") + 1;
            lg_complain("%s %s: %.*s is no field; {name}, {ext}, {folder}, {below}, {index} and "
                        "{frame} are",
                        option, text, length, at);
            *good = false;
            return false;
        }
        found = true;
        at = end;
    }
    return found;
}

bool lg_template_has(const char *text, const char *field)
{
    const char *end;
    for (const char *at = text; (at = strchr(at, '{')); at++) {
        const int found = field_at(at, &end);
        if (found >= 0 && strcmp(fields[found], field) == 0)
            return true;
    }
    return false;
}

bool lg_template_folder(const char *text, char *out, size_t size)
{
    const char *field = strchr(text, '{');
    size_t length = strlen(text);
    if (field)
        for (length = (size_t)(field - text); length > 0 && text[length - 1] != '/';)
            length--;
    return length > 0 && (size_t)snprintf(out, size, "%.*s", (int)length, text) < size;
}

lg_name_parts lg_name_parts_of(const lg_input_file *file)
{
    const char *path = strcmp(file->name, "-") == 0 ? "stdin" : file->name;
    const char *slash = strrchr(path, '/');
    lg_name_parts p = {.name = slash ? slash + 1 : path};
    p.below = file->below ? path + file->below : p.name;
    const char *dot = strrchr(p.name, '.');
    p.extension = dot && dot > p.name ? dot + 1 : NULL;
    p.stem = p.extension ? (int)(dot - p.name) : (int)strlen(p.name);
    return p;
}

static int digits(int number)
{
    int count = 1;
    while ((number /= 10) > 0)
        count++;
    return count;
}

// The folder in front of `name`, without its slash; "." where there is none.
static void put_folder(const char *from, const char *name, char *out, size_t size)
{
    int length = (int)(name - from);
    while (length > 1 && from[length - 1] == '/')
        length--;
    snprintf(out, size, "%.*s", length ? length : 1, length ? from : ".");
}

static const char *folder_end(const lg_input_file *file, const lg_name_parts *p)
{
    size_t length = lg_archive_length(file->name);
    if (!length)
        return file->name + (strrchr(file->name, '/') ? p->name - file->name : 0);
    while (length > 0 && file->name[length - 1] != '/')
        length--;
    return file->name + length;
}

static void fill_field(int field, const lg_input_file *file, const char *extension, char *out,
                       size_t size)
{
    const lg_name_parts p = lg_name_parts_of(file);
    switch (field) {
    case NAME:
        snprintf(out, size, "%.*s", p.stem, p.name);
        break;
    case EXT:
        snprintf(out, size, "%s",
                 extension     ? extension
                 : p.extension ? p.extension
                               : file->info.format);
        break;
    case FOLDER: // of an archive for its members
        put_folder(file->name, folder_end(file, &p), out, size);
        break;
    case BELOW:
        put_folder(p.below, p.name, out, size);
        break;
    case INDEX:
        snprintf(out, size, "%0*d", digits(file->count - 1), file->index);
        break;
    default:
        snprintf(out, size, "%06lld", (long long)(file->frame < 0 ? 0 : file->frame));
        break;
    }
}

bool lg_template_fill(const char *text, const lg_input_file *file, const char *extension, char *out,
                      size_t size)
{
    char part[PATH_MAX];
    size_t used = 0;
    for (const char *at = text; *at;) {
        const char *end = at + strcspn(at, "{");
        const int field = end == at ? field_at(at, &end) : -1;
        if (field >= 0)
            fill_field(field, file, extension, part, sizeof part);
        else
            snprintf(part, sizeof part, "%.*s", (int)(end - at), at);
        const size_t length = strlen(part);
        if (used + length >= size)
            return false;
        memcpy(out + used, part, length + 1);
        used += length;
        at = end;
    }
    return true;
}

lg_status lg_make_folders(const char *path, lg_error *error)
{
    char folder[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        if ((size_t)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) >=
            sizeof folder)
            break;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return lg_set_error(error, LG_ERROR_IO, "the folder %.300s cannot be made: %s", folder,
                                strerror(errno));
    }
    return LG_OK;
}
