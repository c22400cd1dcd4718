// TIFF files byte by byte, with no library: what readers are compared with.
#ifndef TIFF_BYTES_H
#define TIFF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tiff_bytes {
    uint8_t *data;
    size_t size, room;
    bool big_endian;
    bool wide;   // BigTIFF
    size_t link; // where the offset of the next directory goes
} tiff_bytes;

// A tag beside those of the layout. text: ASCII instead of values.
typedef struct tiff_tag {
    uint16_t tag, type;
    uint32_t count;
    const uint64_t *values;
    const char *text;
} tiff_tag;

enum { TIFF_PLAIN = 1, TIFF_LZW = 5, TIFF_DEFLATE = 8, TIFF_PACKBITS = 32773 };
enum { TIFF_BYTE = 1, TIFF_ASCII, TIFF_SHORT, TIFF_LONG, TIFF_RATIONAL, TIFF_LONG8 = 16 };

typedef struct tiff_layout {
    int width, height, samples, bits;
    int format;           // 1 unsigned, 2 signed, 3 float
    int photometric;      // 0 white is zero, 1 black is zero, 2 RGB, 3 palette ...
    int compression;      // 0: none
    int declared;         // compression that the tag says instead; 0: the same
    int block_width;      // of tiles; 0: strips
    int block_height;     // 0: one strip
    bool planes;          // channels by themselves
    int extra;            // ExtraSamples of the last sample, -1: none
    const tiff_tag *tags; // further ones, in any order
    int tag_count;
} tiff_layout;

void tiff_start(tiff_bytes *file, bool big_endian, bool wide);
// Adds a page to the chain. raw: the bits of every sample, rows of pixels of samples.
void tiff_add(tiff_bytes *file, const tiff_layout *layout, const uint64_t *raw);
// The same without a place in the chain; returns its offset, for SubIFDs of a
// page that comes later.
uint64_t tiff_add_apart(tiff_bytes *file, const tiff_layout *layout, const uint64_t *raw);
void tiff_free(tiff_bytes *file);

// The text of an ASCII tag of the first directory of a classic little-endian file, or NULL; and the
// elements of others as numbers, two for a rational. Returns how many there are, 0 without the tag.
const char *tiff_find_text(const uint8_t *data, size_t size, int tag);
int tiff_find(const uint8_t *data, size_t size, int tag, uint64_t *out, int room);

#endif
