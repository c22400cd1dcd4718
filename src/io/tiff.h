// TIFF through libtiff: a file is opened, its directories are listed, one of them is selected and
// becomes a page, rows of it are read.
#ifndef LG_TIFF_H
#define LG_TIFF_H

#include "io/io_internal.h"

// ---- bytes of the file --------------------------------------------------------------------------

// The whole file for reads at any place: a regular file by its descriptor, a pipe by a copy.
typedef struct lg_tiff_source {
    int fd;
    int64_t start; // of the TIFF in the file of `fd`
    uint64_t size; // bytes from there on
    uint8_t *copy; // of a pipe, and what was written; NULL for files
    int failure;   // errno of a write that failed, 0
    size_t room;   // of the copy
    uint64_t position;
    bool skips;  // what is written is left out, as others write it; the place moves on
    bool little; // byte order of the file
    bool big;    // BigTIFF: wider fields in the same order
} lg_tiff_source;

lg_status lg_tiff_source_open(lg_input *input, lg_tiff_source *out, lg_error *error);
void lg_tiff_source_close(lg_tiff_source *source);
// Bytes at an offset; fewer behind the end.
uint64_t lg_tiff_number_in(const lg_tiff_source *source, const uint8_t *raw, int bytes);
size_t lg_tiff_bytes_at(const lg_tiff_source *source, uint64_t offset, void *out, size_t bytes);
// Writes at `position`, of a regular file or of one in memory; false when there is no room for it.
bool lg_tiff_put(lg_tiff_source *source, const void *data, size_t bytes);

// ---- directories: what the file says it has, read without libtiff -------------------------------

// An array of numbers without a sign, as it lies in the file.
typedef struct lg_tiff_numbers {
    uint64_t place, count;
    int32_t size; // bytes of a number; 0: there are none
} lg_tiff_numbers;

// What hangs below pages (SubIFDs) comes behind the pages, in the order of the file.
typedef struct lg_tiff_directory {
    uint64_t offset;
    bool below;   // it is a SubIFD
    bool reduced; // a smaller version of another image
    bool mask;    // which pixels of another image count
    bool georeferenced;
    bool sensor;      // samples of a camera's sensor, before a picture is made of them
    uint64_t text;    // offset of ImageDescription, 0: none
    uint64_t no_data; // offset of GDAL's no-data value, 0: none
    uint64_t iptc;    // offset of what the press says, 0: none
    uint32_t text_size, no_data_size, iptc_size; // bytes
    lg_tiff_numbers tile_offsets, tile_sizes;
} lg_tiff_directory;

typedef struct lg_tiff_list {
    lg_tiff_directory *directory;
    int32_t count, pages; // pages: those that are no SubIFDs
    bool raw;             // the file says that it is a raw photograph
    size_t room;
} lg_tiff_list;

// Lists the directories. What they declare is limited by the size of the file, so that no later
// step takes long. Errors: LG_ERROR_DATA, LG_ERROR_LIMIT, LG_ERROR_MEMORY.
lg_status lg_tiff_list_read(const lg_tiff_source *source, lg_tiff_list *out, lg_error *error);
void lg_tiff_list_free(lg_tiff_list *list);

// ---- pages --------------------------------------------------------------------------------------

typedef enum lg_tiff_number { LG_TIFF_UINT, LG_TIFF_INT, LG_TIFF_FLOAT } lg_tiff_number;

// One image of the file, as it is stored and as it is measured.
typedef struct lg_tiff_page {
    int64_t width, height;
    int32_t samples; // of a stored pixel
    int32_t bits;    // of a stored sample
    lg_tiff_number number;
    bool planes;   // each channel is stored by itself
    int32_t plane; // of these, the one that is read; -1: all
    bool apart;    // more channels than an image has: each becomes a layer
    bool tiles;
    int64_t block_width, block_height; // of tiles and strips
    bool white_is_zero, palette, cmyk, lab, signed_ab;
    // What becomes of it.
    lg_type type;
    lg_foreign foreign; // of the samples before they become f32
    int32_t channels;   // of the file: 1 to 4
    lg_alpha alpha;
    uint16_t *colors[3]; // of the palette; libtiff's, until another directory is selected
} lg_tiff_page;

// Memory that grows and is used again.
typedef struct lg_tiff_room {
    uint8_t *data;
    size_t size;
} lg_tiff_room;

#define LG_TIFF_PLACES 512

typedef struct lg_tiff {
    lg_tiff_source source;
    lg_tiff_list list;
    void *handle; // TIFF *
    // What libtiff said first since the last call of lg_tiff_forget_message.
    char message[200];
    bool failed; // it was an error, or a warning that samples are missing
    bool again;  // the bytes and the list are those of another one, which lives longer
    // Strips of at most `strip_room` bytes are decoded whole, where that is faster.
    size_t strip_room;
    lg_tiff_room strip;
    uint8_t mark;              // what its last byte is before it is decoded
    int64_t strip_index;       // of the one that is there, from 1; 0: none is
    lg_tiff_room stored, rows; // a tile as it is stored; a tile, or rows, of samples
    // Where blocks lie, some at a time: libtiff would hold the tables of all tiles.
    int32_t selected;      // directory
    bool defers;           // libtiff reads its own when it is asked for them
    uint32_t places_first; // block of the first one that is here
    uint32_t places_count;
    uint64_t offset[LG_TIFF_PLACES], size[LG_TIFF_PLACES];
    uint64_t largest; // block, as it is stored, of the pages that were checked
} lg_tiff;

// Errors: LG_ERROR_DATA, LG_ERROR_LIMIT, LG_ERROR_MEMORY, LG_ERROR_IO.
lg_status lg_tiff_open(lg_input *input, lg_tiff **out, lg_error *error);
// The same file once more, for another thread.
lg_status lg_tiff_open_again(const lg_tiff *tiff, lg_tiff **out, lg_error *error);
// A file in memory, which is the caller's and stays as long.
lg_status lg_tiff_open_memory(uint8_t *bytes, size_t size, lg_tiff **out, lg_error *error);
// A new file: in the regular file `fd`, or with -1 in memory, at source.copy. big: BigTIFF. Errors:
// LG_ERROR_MEMORY, LG_ERROR_IO.
lg_status lg_tiff_create(bool big, int fd, lg_tiff **out, lg_error *error);
void lg_tiff_close(lg_tiff **tiff);
void lg_tiff_forget_message(lg_tiff *tiff);
// The error of what libtiff said: "WHAT: message".
lg_status lg_tiff_fail(const lg_tiff *tiff, const char *what, lg_error *error);

// Selects directory `index` of the list and says what it holds. Errors: LG_ERROR_DATA,
// LG_ERROR_UNSUPPORTED: what is stored so cannot be measured, with what to do.
lg_status lg_tiff_select(lg_tiff *tiff, int32_t index, lg_tiff_page *out, lg_error *error);
// Where a block of the selected page lies. false: it is not known, or nowhere.
bool lg_tiff_place(lg_tiff *tiff, uint32_t block, uint64_t *offset, uint64_t *size);
bool lg_tiff_grow(lg_tiff_room *room, size_t bytes);
// Whether libtiff need not read the tables of these pages.
bool lg_tiff_may_defer(const lg_tiff_list *list);
// Fails when the file cannot hold the blocks of the selected page.
lg_status lg_tiff_check_blocks(lg_tiff *tiff, const lg_tiff_page *page, lg_error *error);

// The text at a place of the file, for lg_free; NULL: there is none. Errors: LG_ERROR_MEMORY.
lg_status lg_tiff_text(const lg_tiff *tiff, uint64_t place, uint32_t size, char **out,
                       lg_error *error);
// The metadata of directory `index`, from which an image of this shape was read; selects it.
lg_status lg_tiff_metadata(lg_tiff *tiff, int32_t index, const lg_image_params *shape,
                           lg_metadata **out, lg_error *error);

// ---- samples ------------------------------------------------------------------------------------

// One span of a row as it is stored: `count` pixels from column x on. `channel` is -1 when the
// samples of a pixel are adjacent, otherwise the one that the samples are of.
typedef struct lg_tiff_span {
    const uint8_t *stored;
    int64_t x, y, count;
    int32_t channel;
} lg_tiff_span;

typedef lg_status (*lg_tiff_take)(void *priv, const lg_tiff_span *span, lg_error *error);

// Decodes the blocks of the selected page that touch `window` and hands their rows inside it to
// `take`, each from the left edge of its block to the right one or that of the page. Each pixel (of
// each channel, when they are stored by themselves) comes once, in no set order.
lg_status lg_tiff_read_window(lg_tiff *tiff, const lg_tiff_page *page, const lg_region *window,
                              lg_tiff_take take, void *priv, lg_error *error);

// Bytes of a tile of the selected page, decoded, or of the rows of strips that are read at a time.
size_t lg_tiff_rows_bytes(const lg_tiff *tiff, const lg_tiff_page *page);
// Bytes of a strip of the selected page, decoded, where it is decoded faster whole; 0: it is not.
size_t lg_tiff_strip_bytes(const lg_tiff *tiff, const lg_tiff_page *page);
// Whether the decoder of a strip has stopped above row y of it, and goes on from there, or the strip is
// there.
bool lg_tiff_goes_on(const lg_tiff *tiff, const lg_tiff_page *page, int64_t y, int32_t plane);

// Bytes of a sample as lg_tiff_unpack leaves it.
size_t lg_tiff_unpacked_size(const lg_tiff_page *page);
// Whether stored samples are so already.
bool lg_tiff_is_unpacked(const lg_tiff_page *page);
// `count` other ones become integers of 8, 16, 32 or 64 bits (sign-extended), halves, floats or
// doubles. Samples of one bit become 0 and 255.
void lg_tiff_unpack(const lg_tiff_page *page, const uint8_t *stored, size_t count, void *out);

#endif
