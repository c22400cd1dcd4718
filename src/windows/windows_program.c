// In every program: arguments in UTF-8, binary standard streams, a console that shows UTF-8. `main` is what
// the linker calls so (--wrap=main in meson.build).
#include "windows/internal.h"

#include <shellapi.h>

int __real_main(int argc, char **argv, char **environment);
int __wrap_main(int argc, char **argv, char **environment);

// Folders are told apart by slashes everywhere else: a name of a file that is there, or with a
// drive, gets them.
static void use_slashes(const wchar_t *wide, char *text)
{
    const bool drive = text[0] && text[1] == ':' && text[2] == '\\';
    if (drive || GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES)
        for (char *at = text; *at; at++)
            *at = *at == '\\' ? '/' : *at;
}

static char *argument(const wchar_t *wide)
{
    const size_t size = wcslen(wide) * 3 + 1;
    char *text = malloc(size);
    if (!text || !lg_win_narrow(wide, text, size))
        abort();
    use_slashes(wide, text);
    return text;
}

int __wrap_main(int argc, char **argv, char **environment)
{
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    char **texts = calloc((size_t)count + 1, sizeof *texts);
    if (!wide || !texts)
        abort();
    for (int i = 0; i < count; i++)
        texts[i] = argument(wide[i]);
    LocalFree(wide);
    for (int fd = 0; fd < 3; fd++)
        _setmode(fd, _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    return __real_main(count, texts, environment); // the arguments live as long as the process
}
