// The header of an OpenEXR file: which channels it has, as the file layout of OpenEXR 2 has them.
#ifndef LG_EXR_HEADER_H
#define LG_EXR_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lg_exr_header {
    bool red, green, blue, luma, chroma, alpha;
    bool wide;       // one of these is of u32 or f32
    bool parts;      // the file has, or may have, several images
    char others[80]; // channels that are not read, as many as there is room for
    int left_out;    // so many
} lg_exr_header;

// Of the first bytes of a file. False: they hold no list of channels; *out is undefined then.
bool lg_exr_read_header(const uint8_t *data, size_t size, lg_exr_header *out);

#endif
