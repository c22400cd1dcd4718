#include "color.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *lg_color_code(FILE *stream, lg_color color)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[1;31m", "\033[33m"};
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
    const int file = fileno(stream); // -1: memory
    const bool shown = !(off && *off) && term && strcmp(term, "dumb") != 0 && file >= 0;
    return shown && isatty(file) ? codes[color] : "";
}
