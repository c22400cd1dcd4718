// Folders and patterns of names.
#include "windows/internal.h"

struct lg_win_folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool has_found;
    int fd; // -1: not asked for
    char path[LG_WIN_PATH];
    struct dirent entry;
};

DIR *opendir(const char *path)
{
    char all[LG_WIN_PATH];
    wchar_t pattern[LG_WIN_PATH];
    DIR *folder = calloc(1, sizeof *folder);
    if (!folder)
        return NULL;
    folder->fd = -1;
    snprintf(folder->path, sizeof folder->path, "%s", path);
    snprintf(all, sizeof all, "%s/*", path);
    folder->search =
        lg_win_wide(all, pattern) ? FindFirstFileW(pattern, &folder->found) : INVALID_HANDLE_VALUE;
    if (folder->search == INVALID_HANDLE_VALUE) {
        lg_win_failed();
        free(folder);
        return NULL;
    }
    folder->has_found = true;
    return folder;
}

struct dirent *readdir(DIR *folder)
{
    while (folder->has_found) {
        const bool good = lg_win_narrow(folder->found.cFileName, folder->entry.d_name,
                                        sizeof folder->entry.d_name);
        folder->has_found = FindNextFileW(folder->search, &folder->found);
        if (good)
            return &folder->entry;
    }
    return NULL;
}

int dirfd(DIR *folder)
{
    if (folder->fd < 0)
        folder->fd = lg_win_open(folder->path, O_RDONLY | O_DIRECTORY);
    return folder->fd;
}

int closedir(DIR *folder)
{
    FindClose(folder->search);
    if (folder->fd >= 0)
        _close(folder->fd);
    free(folder);
    return 0;
}

// ---- lists --------------------------------------------------------------------------------------

static int add(struct dirent ***list, int count, const struct dirent *entry)
{
    struct dirent **longer = realloc(*list, ((size_t)count + 1) * sizeof *longer);
    struct dirent *copy = longer ? malloc(sizeof *copy) : NULL;
    *list = longer ? longer : *list;
    if (!copy)
        return -1;
    *copy = *entry;
    longer[count] = copy;
    return count + 1;
}

static void free_list(struct dirent **list, int count)
{
    while (count > 0)
        free(list[--count]);
    free(list);
}

int scandir(const char *path, struct dirent ***out, int (*takes)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **))
{
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    struct dirent **list = NULL;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (takes && !takes(entry))
            continue;
        const int more = add(&list, count, entry);
        if (more < 0) {
            free_list(list, count);
            closedir(folder);
            errno = ENOMEM;
            return -1;
        }
        count = more;
    }
    closedir(folder);
    if (count && order)
        qsort(list, (size_t)count, sizeof *list, (int (*)(const void *, const void *))order);
    *out = list;
    return count;
}

// ---- patterns -----------------------------------------------------------------------------------

// The character behind one of UTF-8.
static const char *behind(const char *text)
{
    do
        text++;
    while ((*text & 0xc0) == 0x80);
    return text;
}

// Whether a pattern's [...] has the byte; *end: behind it, or NULL where it is not closed.
static bool has_byte(const char *set, unsigned char byte, const char **end)
{
    const bool others = set[1] == '!' || set[1] == '^';
    const char *at = set + 1 + others;
    bool found = false;
    *end = NULL;
    do {
        const unsigned char low = (unsigned char)*at;
        if (!low)
            return false;
        const bool range = at[1] == '-' && at[2] && at[2] != ']';
        const unsigned char high = range ? (unsigned char)at[2] : low;
        found = found || (byte >= low && byte <= high);
        at += range ? 3 : 1;
    } while (*at != ']');
    *end = at + 1;
    return found != others;
}

// * stands for any bytes but slashes, ? for a character, [a-c] for one byte of these and [!a-c] for
// another; none for the point in front of a hidden name. Capital letters are others than small ones.
static bool matches(const char *pattern, const char *text, bool begins)
{
    const char *end;
    for (; *pattern; begins = text[-1] == '/') {
        const bool hidden = begins && *text == '.';
        if (*pattern == '*') {
            if (hidden)
                return false;
            for (; !matches(pattern + 1, text, begins); text++, begins = false)
                if (!*text || *text == '/')
                    return false;
            return true;
        }
        if (*pattern == '[' && *text && *text != '/' && !hidden) {
            const bool has = has_byte(pattern, (unsigned char)*text, &end);
            if (end && !has)
                return false;
            if (end) {
                pattern = end;
                text++;
                continue;
            }
        }
        if (!*text || (*pattern == '?' ? *text == '/' || hidden : *pattern != *text))
            return false;
        text = *pattern == '?' ? behind(text) : text + 1;
        pattern++;
    }
    return !*text;
}

int fnmatch(const char *pattern, const char *text, int flags)
{
    return matches(pattern, text, true) ? 0 : FNM_NOMATCH;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int glob(const char *pattern, int flags, void *unused, glob_t *out)
{
    char folder[LG_WIN_PATH] = ".";
    const char *slash = strrchr(pattern, '/'), *name = slash ? slash + 1 : pattern;
    struct dirent **entries = NULL;
    *out = (glob_t){0};
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - pattern + 1), pattern);
    const int count = scandir(folder, &entries, NULL, by_name);
    out->gl_pathv = count > 0 ? calloc((size_t)count, sizeof *out->gl_pathv) : NULL;
    for (int i = 0; i < count && out->gl_pathv; i++) {
        const char *found = entries[i]->d_name;
        if (!matches(name, found, true))
            continue;
        const size_t size = (size_t)(name - pattern) + strlen(found) + 1;
        char *path = malloc(size);
        if (path)
            snprintf(path, size, "%.*s%s", (int)(name - pattern), pattern, found);
        if (path)
            out->gl_pathv[out->gl_pathc++] = path;
    }
    free_list(entries, count > 0 ? count : 0);
    return out->gl_pathc ? 0 : GLOB_NOMATCH;
}

void globfree(glob_t *found)
{
    for (size_t i = 0; i < found->gl_pathc; i++)
        free(found->gl_pathv[i]);
    free(found->gl_pathv);
    *found = (glob_t){0};
}
