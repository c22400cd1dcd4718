// Colour on terminals, where it helps: headings, and what is wrong.
#ifndef LG_TOOL_COLOR_H
#define LG_TOOL_COLOR_H

#include <stdio.h>

typedef enum lg_color { LG_PLAIN, LG_STRONG, LG_WRONG, LG_REMARK } lg_color;

// What switches to a colour; "" where the stream is no terminal, TERM is dumb or NO_COLOR is set.
const char *lg_color_code(FILE *stream, lg_color color);

#endif
