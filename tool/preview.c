// Results on the terminal: two pixels a character as a half block, or the protocol of kitty.
#include "preview.h"

#include "picture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PAUSE 0.04 // seconds between frames: terminals draw no faster

bool lg_preview_check(const lg_options *options)
{
    const char *term = getenv("TERM");
    const bool terminal = isatty(STDOUT_FILENO), dumb = term && strcmp(term, "dumb") == 0;
    if (!options->preview || (terminal && !dumb))
        return true;
    lg_complain(terminal ? "--preview draws in colours, and this terminal has none (TERM is dumb); "
                           "-o writes a file"
                         : "--preview draws on a terminal, and standard output is none; -o writes "
                           "a file");
    return false;
}

// ---- terminals ----------------------------------------------------------------------------------

// Upper half blocks: the letter has the colour of the upper pixel, its ground that of the lower one.
static void draw_blocks(FILE *out, const uint8_t *rgb, int32_t width, int32_t height)
{
    for (int32_t y = 0; y < height; y += 2) {
        for (int32_t x = 0; x < width; x++) {
            const uint8_t *up = rgb + 3 * ((size_t)y * (size_t)width + (size_t)x);
            const uint8_t *down = up + 3 * (size_t)width;
            fprintf(out, "\033[38;2;%d;%d;%dm", up[0], up[1], up[2]);
            if (y + 1 < height)
                fprintf(out, "\033[48;2;%d;%d;%dm", down[0], down[1], down[2]);
            fputs("\u2580", out);
        }
        fputs("\033[0m\n", out);
    }
}

static void put_base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) { // sizes of RGB are multiples of 3
        const uint32_t word = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6)
            fputc(digits[word >> shift & 63], out);
    }
}

// In pieces of at most 4096 digits. The picture has the number 1, so that it replaces the one before.
static void draw_kitty(FILE *out, const uint8_t *rgb, int32_t width, int32_t height, int rows)
{
    const size_t size = (size_t)width * (size_t)height * 3, piece = 3072;
    for (size_t at = 0; at < size; at += piece) {
        const size_t length = size - at < piece ? size - at : piece;
        fputs("\033_G", out);
        if (at == 0)
            fprintf(out, "a=T,f=24,s=%d,v=%d,r=%d,i=1,p=1,q=2,C=1,", width, height, rows);
        fprintf(out, "m=%d;", at + length < size);
        put_base64(out, rgb + at, length);
        fputs("\033\\", out);
    }
    for (int row = 0; row < rows; row++)
        fputc('\n', out);
}

static bool is_kitty(void)
{
    const char *term = getenv("TERM");
    return (term && strstr(term, "kitty")) || getenv("KITTY_WINDOW_ID");
}

void lg_preview_draw(lg_preview *preview, lg_session *session, const lg_image *image)
{
    struct winsize size = {0};
    const double now = lg_clock();
    int32_t width, height;
    if (preview->rows && now - preview->drawn < PAUSE)
        return;
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    const int columns = size.ws_col ? size.ws_col : 80, lines = size.ws_row > 2 ? size.ws_row : 24;
    const bool kitty = is_kitty();
    const int pixels = kitty ? 10 : 1; // of a column; a line has twice as many
    lg_picture_fit(&image->shape, columns * pixels, 2 * (lines - 2) * pixels, &width, &height);
    uint8_t *rgb = lg_picture_shrink(image, width, height, lg_shown_of_type(image->shape.type));
    if (!rgb)
        return;
    lg_session_progress_clear(session);
    if (preview->rows)
        fprintf(stdout, "\033[%dA", preview->rows);
    preview->rows = (height + 2 * pixels - 1) / (2 * pixels);
    if (kitty)
        draw_kitty(stdout, rgb, width, height, preview->rows);
    else
        draw_blocks(stdout, rgb, width, height);
    fflush(stdout);
    free(rgb);
    preview->drawn = lg_clock();
}
