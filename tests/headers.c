// Every public header compiles alone and twice, as C11 and as C++11, without a warning.
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct compiler {
    const char *variable, *compiler, *flags;
} compiler;

static const compiler languages[] = {
    {"CC", "cc", "-x c -std=c11 -pedantic"},
    {"CXX", "c++", "-x c++ -std=c++11"},
};

// The include folder of the sources this program was built from: the build system names the source
// relative to the build folder, the parent of the folder of this program.
static bool find_include(char *out, size_t size)
{
    char program[2048], file[] = __FILE__;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = 0;
    char *slash = strrchr(program, '/'), *name = strrchr(file, '/');
    if (!slash || !name)
        return false;
    *slash = *name = 0;
    if (file[0] == '/')
        snprintf(out, size, "%s/../include", file);
    else
        snprintf(out, size, "%s/../%s/../include", program, file);
    return access(out, R_OK) == 0;
}

static const char *compiler_of(const compiler *language)
{
    const char *wish = getenv(language->variable);
    return wish && *wish ? wish : language->compiler;
}

static bool has_compiler(const compiler *language)
{
    char command[512];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", compiler_of(language));
    return system(command) == 0;
}

static void check_header(const char *include, const char *header, const compiler *language)
{
    char command[6144];
    snprintf(command, sizeof command,
             "printf '#include <lumagraph/%s>\\n#include <lumagraph/%s>\\n' | "
             "%s %s -Wall -Wextra -Werror -fsyntax-only -I'%s' -",
             header, header, compiler_of(language), language->flags, include);
    CHECK(system(command) == 0, "%s with %s", header, compiler_of(language));
}

int main(void)
{
    char include[4096], folder[4200];
    if (!find_include(include, sizeof include)) {
        check_skip("the public headers are not where this program was built");
        return check_finish("headers");
    }
    snprintf(folder, sizeof folder, "%s/lumagraph", include);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (!has_compiler(&languages[i])) {
            check_skip(i == 0 ? "no C compiler" : "no C++ compiler");
            continue;
        }
        DIR *list = opendir(folder);
        CHECK(list != NULL, "%s: %s", folder, strerror(errno));
        for (struct dirent *entry; list && (entry = readdir(list));) {
            size_t length = strlen(entry->d_name);
            if (length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0)
                check_header(include, entry->d_name, &languages[i]);
        }
        if (list)
            closedir(list);
    }
    return check_finish("headers");
}
