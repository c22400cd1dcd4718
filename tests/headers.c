// Every public header compiles alone and twice, as C11, C++11 and C++20, without a warning, and so
// do the defaults of every structure of parameters.
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
    {"CXX", "c++", "-x c++ -std=c++20"},
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

// lumagraph/vulkan.h includes the headers of Vulkan, which not every machine has.
static bool has_vulkan(const compiler *language)
{
    char command[512];
    snprintf(command, sizeof command,
             "echo '#include <vulkan/vulkan.h>' | %s %s -fsyntax-only - >/dev/null 2>&1",
             compiler_of(language), language->flags);
    return system(command) == 0;
}

static void check_header(const char *include, const char *header, const compiler *language)
{
    char command[6144];
    if (strcmp(header, "vulkan.h") == 0 && !has_vulkan(language)) {
        check_skip("no headers of Vulkan");
        return;
    }
    snprintf(command, sizeof command,
             "printf '#include <lumagraph/%s>\\n#include <lumagraph/%s>\\n' | "
             "%s %s -Wall -Wextra -Werror -fsyntax-only -I'%s' -",
             header, header, compiler_of(language), language->flags, include);
    CHECK(system(command) == 0, "%s with %s", header, compiler_of(language));
}

// Adds a use of every function of defaults that the header declares. Macros of initializers would
// need members that are initialized twice, which C++ refuses and C warns of.
static int use_defaults(const char *path, FILE *program)
{
    char line[1024], type[64], function[80];
    int count = 0;
    FILE *header = fopen(path, "r");
    CHECK(header != NULL, "%s: %s", path, strerror(errno));
    while (header && fgets(line, sizeof line, header)) {
        CHECK(strncmp(line, "#define lg_", 11) != 0 && !strstr(line, "_DEFAULTS"),
              "%s: parameters have functions, not macros: %s", path, line);
        if ((sscanf(line, "LG_API lg_%63[a-z_] lg_%79[a-z_](void);", type, function) != 2 &&
             sscanf(line, "static inline lg_%63[a-z_] lg_%79[a-z_](void)", type, function) != 2) ||
            strncmp(function, type, strlen(type)) != 0 ||
            strcmp(function + strlen(type), "_default") != 0)
            continue;
        fprintf(program, "    lg_%s p%d = lg_%s();\n    (void)p%d;\n", type, count, function,
                count);
        count++;
    }
    if (header)
        fclose(header);
    return count;
}

static void check_defaults(const char *include, const char *folder)
{
    static const char *const headers[] = {"context.h", "measure.h", "areasum.h", "components.h",
                                          "io.h",      "bands.h",   "rows.h"};
    char *text = NULL, path[4300], command[8192];
    size_t size;
    int count = 0;
    FILE *program = open_memstream(&text, &size);
    fputs("#include <lumagraph/rows.h>\nint main(void)\n{\n", program);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, headers[i]);
        fputs("    {\n", program);
        count += use_defaults(path, program);
        fputs("    }\n", program);
    }
    fputs("    return 0;\n}\n", program);
    fclose(program);
    CHECK(count == 11, "%d functions of defaults", count);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (!has_compiler(&languages[i]))
            continue;
        snprintf(command, sizeof command, "%s %s -Wall -Wextra -Werror -fsyntax-only -I'%s' -",
                 compiler_of(&languages[i]), languages[i].flags, include);
        FILE *input = popen(command, "w");
        fputs(text, input);
        CHECK(pclose(input) == 0, "all defaults with %s", command);
    }
    free(text);
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
    check_defaults(include, folder);
    return check_finish("headers");
}
