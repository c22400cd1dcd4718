// Formats that only decoders read which libvips does not consider hardened, by their first bytes:
// so that the message names the format, and no such decoder has to look at the file for that.
#include "io/io_internal.h"

#include <string.h>

// Targa has no signature: a type, and fields that fit it.
static bool is_targa(const uint8_t *h, size_t size)
{
    if (size < 18)
        return false;
    const bool mapped = h[2] == 1 || h[2] == 9;
    const bool plain = h[2] == 2 || h[2] == 3 || h[2] == 10 || h[2] == 11;
    const bool depth = h[16] == 8 || h[16] == 15 || h[16] == 16 || h[16] == 24 || h[16] == 32;
    const bool sides = (h[12] || h[13]) && (h[14] || h[15]);
    return h[1] == mapped && (mapped || plain) && depth && sides && (h[17] & 0xc0) == 0;
}

// Two letters are not much of a signature: the size of the header behind them
// has to be one of BMP's.
static bool is_bmp(const uint8_t *h, size_t size)
{
    static const uint8_t sizes[] = {12, 40, 52, 56, 64, 108, 124};
    return size >= 18 && memcmp(h, "BM", 2) == 0 && memchr(sizes, h[14], sizeof sizes) &&
           memcmp(h + 15, "\0\0", 3) == 0;
}

const char *lg_format_hint(lg_input *input)
{
    static const struct {
        const char *name, *text;
        size_t at, size;
    } signs[] = {
        {"fits", "SIMPLE  =", 0, 9},   {"psd", "8BPS", 0, 4},
        {"ico", "\0\0\1\0", 0, 4},     {"dicom", "DICM", 128, 4},
        {"jpeg-xr", "II\xbc\1", 0, 4}, {"djvu", "AT&TFORM", 0, 8},
        {"pcx", "\x0a\5\1", 0, 3},     {"sgi", "\1\xda", 0, 2},
        {"xcf", "gimp xcf", 0, 8},     {"dds", "DDS ", 0, 4},
        {"eps or ps", "%!PS", 0, 4},   {"mvg", "push graphic-context", 0, 20},
        {"openexr", "v/1\1", 0, 4},    {"matlab", "MATLAB 5.0", 0, 10},
    };
    const size_t size = lg_input_peek(input, 256);
    const uint8_t *head = input->buffer + input->begin;
    for (size_t i = 0; i < LG_COUNT(signs); i++)
        if (size >= signs[i].at + signs[i].size &&
            memcmp(head + signs[i].at, signs[i].text, signs[i].size) == 0)
            return signs[i].name;
    return is_bmp(head, size) ? "bmp" : is_targa(head, size) ? "tga" : NULL;
}

bool lg_is_raw_photograph(lg_input *input)
{
    static const struct {
        const char *text;
        size_t at, size;
    } signs[] = {{"FUJIFILMCCD-RAW", 0, 15},
                 {"ftypcrx", 4, 7},
                 {"IIRO", 0, 4},
                 {"IIRS", 0, 4},
                 {"IIU\0", 0, 4},
                 {"HEAPCCDR", 6, 8}};
    const size_t size = lg_input_peek(input, 16);
    const uint8_t *head = input->buffer + input->begin;
    for (size_t i = 0; i < LG_COUNT(signs); i++)
        if (size >= signs[i].at + signs[i].size &&
            memcmp(head + signs[i].at, signs[i].text, signs[i].size) == 0)
            return true;
    return false;
}
