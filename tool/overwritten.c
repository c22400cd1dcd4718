#include "overwritten.h"

#include "names.h"

#include <lumagraph/lumagraph.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether one of the folders that a name goes through is this one. The name is cut.
static bool goes_through(char *name, const struct stat *folder)
{
    struct stat above;
    for (char *slash; (slash = strrchr(name, '/')) && slash > name;) {
        *slash = '\0';
        if (stat(name, &above) == 0 && is_same(&above, folder))
            return true;
    }
    return false;
}

// As it is called, and behind links.
static bool lies_below(const char *path, const struct stat *folder)
{
    char *given = strdup(path), *real = realpath(path, NULL);
    const bool below =
        (given && goes_through(given, folder)) || (real && goes_through(real, folder));
    free(given);
    free(real);
    return below;
}

static bool would_replace(const char *path, const struct stat *output, const char *input)
{
    struct stat found;
    if ((strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &found) : stat(input, &found)) != 0)
        return false;
    return is_same(&found, output) || (S_ISDIR(output->st_mode) && lies_below(input, output)) ||
           (S_ISDIR(output->st_mode) && S_ISDIR(found.st_mode) && lies_below(path, &found));
}

bool lg_would_replace(const char *path, const struct stat *output, const char *input)
{
    const size_t length = lg_archive_length(input);
    char *archive = length ? strndup(input, length) : NULL;
    const bool lost = would_replace(path, output, archive ? archive : input);
    free(archive);
    return lost;
}
