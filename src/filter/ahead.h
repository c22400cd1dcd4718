// Memory that loops over rows of bytes ask for before they come to it.
#ifndef LG_AHEAD_H
#define LG_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

// Bytes from where a loop is. It may lie behind the image: asking reads and writes nothing.
enum { LG_AHEAD = 2048, LG_AHEAD_WRITTEN = 1024 };

static inline void lg_ask_read(const uint8_t *from)
{
    __builtin_prefetch(from + LG_AHEAD);
}

// An ordinary store waits for its line to be read first, and processors ask for few of these lines ahead.
// `stream`: stores go past the caches and want no lines.
static inline void lg_ask_written(const uint8_t *to, bool stream)
{
    if (!stream)
        __builtin_prefetch(to + LG_AHEAD_WRITTEN, 1);
}

#endif
