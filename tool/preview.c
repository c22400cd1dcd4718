// Results on the terminal: two pixels a character as a half block, or the protocol of kitty.
#include "preview.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PAUSE 0.04 // seconds between frames: terminals draw no faster

bool lg_preview_check(const lg_options *options)
{
    if (!options->preview || isatty(STDOUT_FILENO))
        return true;
    lg_complain("--preview draws on a terminal, and standard output is none; -o writes a file");
    return false;
}

// ---- pixels -------------------------------------------------------------------------------------

static int sample_at(const lg_image_params *shape, const uint8_t *row, size_t index)
{
    uint16_t wide;
    float real;
    switch (shape->type) {
    case LG_U8:
        return row[index];
    case LG_U16:
        memcpy(&wide, row + 2 * index, sizeof wide);
        return wide >> 8;
    default:
        memcpy(&real, row + 4 * index, sizeof real);
        return real > 0 ? (int)(real < 1 ? real * 255 + 0.5f : 255) : 0; // NaN is black
    }
}

// The mean of the pixels that one of the picture stands for.
static void mean_of(const lg_image *image, const int32_t x[2], const int32_t y[2], uint8_t out[3])
{
    const lg_image_params *s = &image->shape;
    int64_t sum[3] = {0};
    const int64_t count = (int64_t)(x[1] - x[0]) * (y[1] - y[0]);
    for (int32_t j = y[0]; j < y[1]; j++) {
        const uint8_t *row = (const uint8_t *)image->data + (size_t)j * s->row_stride;
        for (int32_t i = x[0]; i < x[1]; i++)
            for (int c = 0; c < 3; c++)
                sum[c] += sample_at(
                    s, row, (size_t)i * (size_t)s->channels + (size_t)(s->channels < 3 ? 0 : c));
    }
    for (int c = 0; c < 3; c++)
        out[c] = (uint8_t)(sum[c] / count);
}

// A smaller picture, RGB of 8 bits; NULL: no memory.
static uint8_t *shrink(const lg_image *image, int32_t width, int32_t height)
{
    const lg_image_params *s = &image->shape;
    uint8_t *out = malloc((size_t)width * (size_t)height * 3);
    for (int32_t y = 0; out && y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            const int32_t left = (int32_t)((int64_t)x * s->width / width);
            const int32_t right = (int32_t)((int64_t)(x + 1) * s->width / width);
            const int32_t top = (int32_t)((int64_t)y * s->height / height);
            const int32_t bottom = (int32_t)((int64_t)(y + 1) * s->height / height);
            mean_of(image, (const int32_t[]){left, right > left ? right : left + 1},
                    (const int32_t[]){top, bottom > top ? bottom : top + 1},
                    out + 3 * ((size_t)y * (size_t)width + (size_t)x));
        }
    return out;
}

// The largest size within the limits with the sides of the image, and never a larger one than it has.
static void fit(const lg_image_params *s, int32_t most_width, int32_t most_height, int32_t *width,
                int32_t *height)
{
    double scale = 1;
    if (s->width * scale > most_width)
        scale = (double)most_width / s->width;
    if (s->height * scale > most_height)
        scale = (double)most_height / s->height;
    *width = (int32_t)(s->width * scale + 0.5);
    *height = (int32_t)(s->height * scale + 0.5);
    *width = *width < 1 ? 1 : *width;
    *height = *height < 1 ? 1 : *height;
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
    if (image->shape.type == LG_F16) {
        if (!preview->rows)
            lg_session_note(session, "note: --preview shows no f16; use --type u8");
        preview->rows = 0;
        return;
    }
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    const int columns = size.ws_col ? size.ws_col : 80, lines = size.ws_row > 2 ? size.ws_row : 24;
    const bool kitty = is_kitty();
    const int pixels = kitty ? 10 : 1; // of a column; a line has twice as many
    fit(&image->shape, columns * pixels, 2 * (lines - 2) * pixels, &width, &height);
    uint8_t *rgb = shrink(image, width, height);
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
