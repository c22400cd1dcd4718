// What the sources of this folder share: they call Windows by its own names.
#ifndef LG_WINDOWS_INTERNAL_H
#define LG_WINDOWS_INTERNAL_H

#include "windows/posix.h"

#include <stdbool.h>
#include <windows.h>

#define LG_WIN_PATH 4096 // characters

// UTF-8 to UTF-16, out: LG_WIN_PATH characters; false with errno when it is no UTF-8 or too long.
bool lg_win_wide(const char *text, wchar_t *out);
// And back; false with errno.
bool lg_win_narrow(const wchar_t *text, char *out, size_t size);
// Sets errno after a call of Windows that failed; -1.
int lg_win_failed(void);

#endif
