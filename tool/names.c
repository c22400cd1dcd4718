#include "names.h"

#include "layer_spool.h"
#include "name_template.h"

#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 64 // of folders in each other

bool lg_names_put(lg_names *names, const char *path, size_t below)
{
    if (names->used == names->capacity) {
        const size_t capacity = names->capacity ? names->capacity * 2 : 64;
        char **paths = realloc(names->path, capacity * sizeof *paths);
        names->path = paths ? paths : names->path;
        size_t *belows = realloc(names->below, capacity * sizeof *belows);
        names->below = belows ? belows : names->below;
        if (!paths || !belows)
            return false;
        names->capacity = capacity;
    }
    names->path[names->used] = strdup(path);
    names->below[names->used] = below;
    return names->path[names->used] && ++names->used;
}

void lg_names_free(lg_names *names)
{
    for (size_t i = 0; i < names->used; i++)
        free(names->path[i]);
    free(names->path);
    free(names->below);
    free(names->places);
    *names = (lg_names){0};
}

static lg_status fail_memory(lg_error *error)
{
    return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the file names");
}

// ---- folders ------------------------------------------------------------------------------------

typedef struct walk {
    lg_names *names;
    lg_session *session;
    size_t below; // length of the folder that was given, with its slash
    int skipped, folders;
    char example[16]; // an extension that was left out
} walk;

// Of images: Zarr is one.
static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && !lg_image_is_folder(path);
}

// Images by their names. Films are none: what a folder becomes would depend on one that is among its
// photographs.
static bool is_image(const char *name, const lg_options *options)
{
    static const char *const trusted[] = {
        "pnm",  "pgm", "ppm", "pbm",  "pam",  "pfm", "npy",  "tif",  "tiff", "btf",  "tf8", "png",
        "apng", "jpg", "jpe", "jpeg", "jfif", "gif", "webp", "avif", "heic", "heif", "jxl"};
    static const char *const others[] = {"jxl", "bmp", "svg",  "pdf", "exr", "hdr", "jp2", "j2k",
                                         "jpx", "fit", "fits", "fts", "tga", "ico", "psd"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof trusted / sizeof trusted[0]; i++)
        if (strcasecmp(dot + 1, trusted[i]) == 0)
            return true;
    for (size_t i = 0; dot && options->allow_untrusted && i < sizeof others / sizeof others[0]; i++)
        if (strcasecmp(dot + 1, others[i]) == 0)
            return true;
    return false;
}

static bool same_folder(const char *folder, const char *output)
{
    char path[4096];
    struct stat a, b;
    if (!output || !lg_template_folder(output, path, sizeof path))
        return false;
    return stat(folder, &a) == 0 && stat(path, &b) == 0 && S_ISDIR(b.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// What an earlier run wrote is no input of the next one.
static bool is_output(const walk *w, const char *folder)
{
    const lg_options *options = w->session->options;
    bool found = same_folder(folder, options->output) || same_folder(folder, options->colors) ||
                 same_folder(folder, options->overlay);
    for (int i = 0; i < options->target_count && !found; i++) {
        const char *equals = strchr(options->targets[i], '=');
        found =
            same_folder(folder, options->targets[i]) || (equals && same_folder(folder, equals + 1));
    }
    return found;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static lg_status take_folder(walk *w, const char *folder, int depth, lg_error *error);

static lg_status take_entry(walk *w, const char *path, const char *name, int depth, lg_error *error)
{
    struct stat status;
    const lg_options *options = w->session->options;
    if (lstat(path, &status) != 0)
        return LG_OK; // it has just gone
    if (S_ISDIR(status.st_mode) && lg_image_is_folder(path))
        return is_output(w, path) || lg_names_put(w->names, path, w->below) ? LG_OK
                                                                            : fail_memory(error);
    if (S_ISDIR(status.st_mode)) {
        w->folders++;
        if (!options->recursive || depth == MAX_DEPTH || is_output(w, path))
            return LG_OK;
        return take_folder(w, path, depth + 1, error);
    }
    if (is_folder(path)) // through a link, perhaps to a folder above
        return LG_OK;
    if (is_image(name, options))
        return lg_names_put(w->names, path, w->below) ? LG_OK : fail_memory(error);
    const char *dot = strrchr(name, '.');
    if (!w->skipped++)
        snprintf(w->example, sizeof w->example, "%.15s", dot ? dot : name);
    return LG_OK;
}

static lg_status take_folder(walk *w, const char *folder, int depth, lg_error *error)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_shown, by_name);
    const size_t length = strlen(folder);
    lg_status status = LG_OK;
    if (count < 0)
        return lg_set_error(error, LG_ERROR_IO, "the folder %.300s cannot be read", folder);
    for (int i = 0; i < count; i++) {
        const size_t bytes = length + strlen(entries[i]->d_name) + 2;
        char *path = status ? NULL : malloc(bytes);
        if (path) {
            snprintf(path, bytes, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/",
                     entries[i]->d_name);
            status = take_entry(w, path, entries[i]->d_name, depth, error);
        } else if (!status) {
            status = fail_memory(error);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static lg_status add_folder(lg_names *names, lg_session *session, const char *folder,
                            lg_error *error)
{
    const size_t length = strlen(folder), before = names->used;
    walk w = {names, session, .below = length + (folder[length - 1] != '/')};
    const lg_status status = take_folder(&w, folder, 0, error);
    if (status)
        return status;
    if (names->used == before)
        return lg_set_error(error, LG_ERROR_IO, "no images are in this folder%s%s",
                            w.skipped ? ", by the names of its files" : "",
                            w.folders && !session->options->recursive
                                ? "; -r takes those of the folders in it"
                                : "");
    if (w.skipped)
        lg_session_note(session, "%s: note: %d other file%s left out, such as %s", folder,
                        w.skipped, w.skipped == 1 ? " is" : "s are", w.example);
    return LG_OK;
}

// ---- archives -----------------------------------------------------------------------------------

// By its name, as images in folders are.
static bool is_archive(const char *path)
{
    static const char *const ends[] = {".tar",     ".zip",  ".tar.gz", ".tgz", ".tar.bz2", ".tbz2",
                                       ".tar.zst", ".tzst", ".tar.xz", ".txz", ".cbz",     ".npz"};
    struct stat status;
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t end = strlen(ends[i]);
        if (length > end && strcasecmp(path + length - end, ends[i]) == 0)
            return stat(path, &status) == 0 && S_ISREG(status.st_mode);
    }
    return false;
}

// "photos.zip/2019/": its files are in an archive.
static bool is_archive_folder(const char *path)
{
    const size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/' && lg_archive_length(path) > 0;
}

// What is taken of an archive.
typedef struct members {
    walk walk;
    const char *archive;
    size_t length;      // of its name, up to the slash
    const char *folder; // names begin with it
    const char *pattern;
    lg_error *error;
} members;

// Where the part of a member's name begins that may become the name of an output: behind all that leads
// out of the folder of outputs.
static size_t harmless_part(const char *name)
{
    size_t from = 0;
    for (const char *part = name; *part;) {
        const size_t length = strcspn(part, "/");
        const char *next = part + length + (part[length] == '/');
        if (length == 0 || (length == 2 && part[0] == '.' && part[1] == '.'))
            from = (size_t)(next - name);
        part = next;
    }
    return from;
}

static bool is_hidden(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (part[0] == '.' && strncmp(part, "../", 3) != 0)
            return true;
    return false;
}

static bool is_wanted(members *m, const char *name)
{
    walk *w = &m->walk;
    if (m->pattern)
        return fnmatch(m->pattern, name, FNM_PATHNAME | FNM_PERIOD) == 0;
    if (strncmp(name, m->folder, strlen(m->folder)) != 0)
        return false;
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    if (is_hidden(name + strlen(m->folder)))
        return false;
    if (is_image(base, w->session->options))
        return true;
    const char *dot = strrchr(base, '.');
    if (!w->skipped++)
        snprintf(w->example, sizeof w->example, "%s", dot ? dot : base);
    return false;
}

// Whether the input that is listed next is of this command's shard.
static bool is_mine(const lg_names *names, const lg_options *options)
{
    return !options->shard_count ||
           (int64_t)names->used % options->shard_count == options->shard - 1;
}

static lg_archive_choice take_member(void *priv, const char *name)
{
    members *m = priv;
    if (!is_wanted(m, name))
        return LG_ARCHIVE_LEAVE;
    const bool mine = is_mine(m->walk.names, m->walk.session->options);
    const size_t below = m->length + 1 + harmless_part(name), bytes = m->length + strlen(name) + 2;
    char *path = malloc(bytes);
    bool good = path != NULL;
    if (good) {
        snprintf(path, bytes, "%.*s/%s", (int)m->length, m->archive, name);
        good = lg_names_put(m->walk.names, path, below);
    }
    free(path);
    if (!good)
        fail_memory(m->error);
    return !good ? LG_ARCHIVE_END : mine ? LG_ARCHIVE_KEEP : LG_ARCHIVE_LEAVE;
}

// The members in front of damage are inputs.
static lg_status add_members(lg_names *names, lg_session *session, const char *argument,
                             lg_error *error)
{
    const size_t before = names->used, part = lg_archive_length(argument);
    members m = {.walk = {names, session},
                 .archive = argument,
                 .length = part ? part : strlen(argument),
                 .folder = part ? argument + part + 1 : "",
                 .error = error};
    if (strpbrk(m.folder, "*?["))
        m.pattern = m.folder;
    char *archive = strndup(argument, m.length);
    if (!archive)
        return fail_memory(error);
    lg_error local = {LG_OK, ""};
    const lg_status status =
        lg_archive_list_keep(archive, lg_scratch_folder(session->options), take_member, &m, &local);
    free(archive);
    if (status == LG_ERROR_CANCELLED)
        return LG_ERROR_MEMORY;
    if (status)
        return lg_set_error(error, status, "%s", local.message);
    if (names->used == before)
        return lg_set_error(error, LG_ERROR_IO,
                            m.pattern ? "no file in the archive matches this pattern"
                                      : "no images are in this archive%s",
                            m.walk.skipped ? ", by the names of its files" : "");
    if (m.walk.skipped)
        lg_session_note(session, "%s: note: %d other file%s left out, such as %s", argument,
                        m.walk.skipped, m.walk.skipped == 1 ? " is" : "s are", m.walk.example);
    return LG_OK;
}

// ---- arguments ----------------------------------------------------------------------------------

bool lg_names_several(const lg_options *options)
{
    return options->file_count > 1 ||
           (options->file_count == 1 &&
            (is_folder(options->files[0]) || is_archive(options->files[0]) ||
             is_archive_folder(options->files[0])));
}

// Without the slash that a shell puts behind it.
static lg_status put_store(lg_names *names, const char *argument, lg_error *error)
{
    size_t length = strlen(argument);
    while (length > 1 && argument[length - 1] == '/')
        length--;
    char *name = strndup(argument, length);
    const bool good = name && lg_names_put(names, name, 0);
    free(name);
    return good ? LG_OK : fail_memory(error);
}

// A pattern that the shell left alone (quoted, or without a match there) is expanded here; a file
// that really has such a name is that file.
lg_status lg_names_add(lg_names *names, lg_session *session, const char *argument, lg_error *error)
{
    if (is_folder(argument) && !session->options->raw)
        return add_folder(names, session, argument, error);
    if ((is_archive(argument) || is_archive_folder(argument)) && !session->options->raw)
        return add_members(names, session, argument, error);
    if (lg_image_is_folder(argument))
        return put_store(names, argument, error);
    if (!strpbrk(argument, "*?[") || access(argument, F_OK) == 0)
        return lg_names_put(names, argument, 0) ? LG_OK : fail_memory(error);
    glob_t found = {0};
    const int result = glob(argument, 0, NULL, &found);
    bool good = result == 0 || result == GLOB_NOMATCH;
    for (size_t i = 0; i < found.gl_pathc && good; i++)
        good = lg_names_put(names, found.gl_pathv[i], 0);
    globfree(&found);
    if (!good)
        return fail_memory(error);
    if (result == GLOB_NOMATCH && lg_archive_length(argument))
        return add_members(names, session, argument, error);
    return result == GLOB_NOMATCH ? lg_set_error(error, LG_ERROR_IO, "no file matches this pattern")
                                  : LG_OK;
}
