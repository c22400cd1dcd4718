// How many frames a GIF file has: libvips stops at 4097 and says nothing.
#include "io/io_internal.h"

#include <unistd.h>

typedef struct gif {
    int fd;
    off_t at;
    off_t begin; // of what is in the buffer
    size_t held;
    uint8_t buffer[1 << 14];
} gif;

// The next byte, -1 at the end.
static int next(gif *g)
{
    if (g->at < g->begin || g->at >= g->begin + (off_t)g->held) {
        const ssize_t got = pread(g->fd, g->buffer, sizeof g->buffer, g->at);
        g->begin = g->at;
        g->held = got > 0 ? (size_t)got : 0;
    }
    if (g->held == 0)
        return -1;
    return g->buffer[g->at++ - g->begin];
}

// Passes a colour table when the flags say that one follows.
static void skip_colors(gif *g, int flags)
{
    if (flags >= 0 && flags & 0x80)
        g->at += (off_t)3 << ((flags & 7) + 1);
}

// Blocks of up to 255 bytes behind their length, until one of none.
static void skip_blocks(gif *g)
{
    for (int length = next(g); length > 0; length = next(g))
        g->at += length;
}

int64_t lg_gif_frames(const lg_input *input, int64_t start)
{
    gif *g = lg_alloc(sizeof *g);
    int64_t frames = 0;
    if (!g)
        return 0;
    g->fd = input->fd;
    g->at = start + 10;
    const int flags = next(g);
    g->at = start + 13;
    skip_colors(g, flags);
    for (int kind = next(g); kind == 0x21 || kind == 0x2c; kind = next(g)) {
        if (kind == 0x21) {
            g->at++; // what it extends
        } else {
            frames++;
            g->at += 8;
            skip_colors(g, next(g));
            g->at++; // the size of codes
        }
        skip_blocks(g);
    }
    lg_free(g);
    return frames;
}
