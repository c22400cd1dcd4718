// The samples of a page of a TIFF file, as they are stored: strips row by row, tiles one by one.
#ifdef LG_HAVE_TIFF

#include "io/tiff.h"

#include <string.h>
#include <tiffio.h>

#define ROWS_BYTES ((size_t)64 << 10)   // of rows that are not compressed, at a time
#define TILE_ROOM  ((uint64_t)64 << 20) // a tile may be this large, however small the image is

typedef struct reading {
    lg_tiff *tiff;
    const lg_tiff_page *page;
    const lg_region *window;
    lg_tiff_take take;
    void *priv;
    uint8_t *buffer;  // the tiff's
    size_t bytes;     // of a row, or of a tile
    size_t row_bytes; // of a row of a tile
} reading;

// Bytes of a row of `pixels` stored pixels, of one channel when they are stored by themselves.
static uint64_t row_bytes(const lg_tiff_page *page, int64_t pixels)
{
    const uint64_t samples = page->planes ? 1 : (uint64_t)page->samples;
    return ((uint64_t)pixels * samples * (uint64_t)page->bits + 7) / 8;
}

static lg_status fail_decode(const reading *r, lg_error *error)
{
    return lg_tiff_fail(r->tiff, "truncated or damaged", error);
}

// ---- before anything is allocated ---------------------------------------------------------------

static lg_status expect_block(lg_tiff *tiff, uint32_t block, lg_error *error)
{
    uint64_t at, bytes;
    const uint64_t size = tiff->source.size;
    if (!lg_tiff_place(tiff, block, &at, &bytes))
        return tiff->failed ? lg_tiff_fail(tiff, "truncated or damaged", error)
                            : lg_fail(error, LG_ERROR_DATA,
                                      "truncated: the file ends inside the table of its tiles");
    tiff->largest = LG_MAX(tiff->largest, bytes);
    if (bytes == 0)
        return lg_fail(
            error, LG_ERROR_DATA,
            "block %u has no samples: the file is damaged, or sparse, and then has to be "
            "written in full first",
            block);
    if (at > size || bytes > size - at)
        return lg_fail(error, LG_ERROR_DATA,
                       "truncated: block %u ends at byte %llu and the file has %llu", block,
                       (unsigned long long)(at <= UINT64_MAX - bytes ? at + bytes : UINT64_MAX),
                       (unsigned long long)size);
    return LG_OK;
}

// Bytes of the page when every block is as large as it is declared.
static uint64_t decoded_bytes(const lg_tiff_page *page)
{
    const uint64_t planes = page->planes ? (uint64_t)page->samples : 1;
    return row_bytes(page, page->width) * (uint64_t)page->height * planes;
}

lg_status lg_tiff_check_blocks(lg_tiff *tiff, const lg_tiff_page *page, lg_error *error)
{
    TIFF *handle = tiff->handle;
    uint16_t scheme = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &scheme);
    if (scheme == COMPRESSION_NONE && decoded_bytes(page) > tiff->source.size)
        return lg_fail(error, LG_ERROR_DATA,
                       "truncated: %llu bytes of samples are declared, the file has %llu",
                       (unsigned long long)decoded_bytes(page),
                       (unsigned long long)tiff->source.size);
    if (page->tiles && row_bytes(page, page->block_width) >
                           (TILE_ROOM + 4 * decoded_bytes(page)) / (uint64_t)page->block_height)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "tiles of %lld x %lld pixels in an image of %lld x %lld; write it anew with "
                       "smaller tiles",
                       (long long)page->block_width, (long long)page->block_height,
                       (long long)page->width, (long long)page->height);
    const uint32_t blocks = page->tiles ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle);
    lg_status status = LG_OK;
    lg_tiff_forget_message(tiff);
    for (uint32_t i = 0; i < blocks && status == LG_OK; i++)
        status = expect_block(tiff, i, error);
    return status;
}

// ---- strips -------------------------------------------------------------------------------------

bool lg_tiff_goes_on(const lg_tiff *tiff, const lg_tiff_page *page, int64_t y, int32_t plane)
{
    TIFF *handle = tiff->handle;
    if (page->tiles)
        return false;
    const uint32_t strip = TIFFComputeStrip(handle, (uint32_t)y, (uint16_t)plane);
    const int64_t at = TIFFCurrentRow(handle);
    const int64_t first = y / page->block_height * page->block_height;
    return tiff->strip_index == (int64_t)strip + 1 ||
           (at > first && at <= y && TIFFCurrentStrip(handle) == strip);
}

// Decoders go through a strip from its first row on, or from behind the row that they decoded last.
static int64_t first_row(const reading *r, int64_t wanted, int32_t plane)
{
    return lg_tiff_goes_on(r->tiff, r->page, wanted, plane)
               ? (int64_t)TIFFCurrentRow(r->tiff->handle)
               : wanted / r->page->block_height * r->page->block_height;
}

static bool is_deflate(TIFF *handle, const lg_tiff_page *page)
{
    uint16_t scheme = COMPRESSION_NONE, predictor = PREDICTOR_NONE;
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &scheme);
    if (scheme != COMPRESSION_ADOBE_DEFLATE && scheme != COMPRESSION_DEFLATE)
        return false;
    TIFFGetFieldDefaulted(handle, TIFFTAG_PREDICTOR, &predictor);
    return predictor == PREDICTOR_NONE ||
           (predictor == PREDICTOR_HORIZONTAL && (page->bits == 8 || page->bits == 16) &&
            page->width > 1);
}

// Of a strip that libtiff decodes faster whole than row by row; 0: it does not.
size_t lg_tiff_strip_bytes(const lg_tiff *tiff, const lg_tiff_page *page)
{
    TIFF *handle = tiff->handle;
    const uint64_t bytes = row_bytes(page, page->width) * (uint64_t)page->block_height;
    return !page->tiles && is_deflate(handle, page) && TIFFNumberOfStrips(handle) > 1 &&
                   TIFFVStripSize64(handle, (uint32_t)page->block_height) == bytes &&
                   bytes < SIZE_MAX / 2
               ? (size_t)bytes
               : 0;
}

static bool takes_whole_strips(const reading *r)
{
    lg_tiff *tiff = r->tiff;
    const size_t bytes = tiff->strip_room ? lg_tiff_strip_bytes(tiff, r->page) : 0;
    if (bytes == 0 || bytes > tiff->strip_room)
        return false;
    if (bytes > tiff->strip.size) {
        tiff->strip_index = 0;
        tiff->mark = 0xa5;
    }
    return lg_tiff_grow(&tiff->strip, bytes);
}

// What libtiff keeps of a strip that was decoded whole, and could not be, is of no use for its rows: another
// strip makes it begin anew.
static void begin_anew(const reading *r, int64_t y, int32_t plane)
{
    const lg_tiff_page *page = r->page;
    const int64_t other = y < page->block_height ? page->block_height : 0;
    TIFFReadScanline(r->tiff->handle, r->buffer, (uint32_t)(other < page->height ? other : 0),
                     (uint16_t)(other < page->height || !page->planes ? plane : !plane));
    lg_tiff_forget_message(r->tiff);
}

// Whether the last stored byte of a strip is the mark still. Differences of samples were added up behind it.
static bool is_marked(const reading *r, const uint8_t *end, uint8_t mark)
{
    const lg_tiff_page *page = r->page;
    const size_t before = page->planes ? 1 : (size_t)page->samples;
    uint16_t predictor = PREDICTOR_NONE, last, other;
    TIFFGetFieldDefaulted(r->tiff->handle, TIFFTAG_PREDICTOR, &predictor);
    if (predictor == PREDICTOR_NONE)
        return end[-1] == mark;
    if (page->bits == 8)
        return (uint8_t)(end[-1] - end[-1 - (ptrdiff_t)before]) == mark;
    memcpy(&last, end - 2, sizeof last);
    memcpy(&other, end - 2 - 2 * before, sizeof other);
    const uint16_t difference = (uint16_t)(last - other);
    return difference >> 8 == mark || (difference & 255) == mark; // in either byte order
}

// The strip with row y, whole; NULL: it is damaged, which may be so below the rows that are wanted, or it is
// not what it should be. Of a strip with more data than rows libtiff leaves the end out and says nothing: the
// last byte is a mark then. The last strip of a page often is so.
static const uint8_t *whole_strip(const reading *r, int64_t y, int32_t plane)
{
    lg_tiff *tiff = r->tiff;
    const lg_tiff_page *page = r->page;
    const uint32_t index = TIFFComputeStrip(tiff->handle, (uint32_t)y, (uint16_t)plane);
    const tmsize_t bytes = (tmsize_t)(row_bytes(page, page->width) * (uint64_t)page->block_height);
    const int64_t first = y / page->block_height * page->block_height;
    uint8_t *end = tiff->strip.data + bytes;
    if (tiff->strip_index == (int64_t)index + 1)
        return tiff->strip.data;
    if (first + page->block_height > page->height)
        return NULL;
    const size_t sample = (size_t)LG_MAX(page->bits / 8, 1);
    memset(end - sample, tiff->mark, sample);
    tiff->strip_index = 0;
    if (TIFFReadEncodedStrip(tiff->handle, index, tiff->strip.data, bytes) != bytes ||
        tiff->failed || is_marked(r, end, tiff->mark)) {
        tiff->mark ^= 0xff; // samples may be so
        begin_anew(r, y, plane);
        return NULL;
    }
    tiff->strip_index = (int64_t)index + 1;
    return tiff->strip.data;
}

static lg_status take_row(const reading *r, const uint8_t *stored, int64_t y, int32_t plane,
                          lg_error *error)
{
    const lg_tiff_span span = {.stored = stored,
                               .x = 0,
                               .y = y,
                               .count = r->page->width,
                               .channel = r->page->planes ? plane : -1};
    return r->take(r->priv, &span, error);
}

// Rows y .. end - 1 of the plane, one by one.
static lg_status read_rows(const reading *r, int64_t y, int64_t end, int32_t plane, lg_error *error)
{
    lg_status status = LG_OK;
    const int64_t wanted = y;
    for (y = first_row(r, y, plane); y < end && status == LG_OK; y++) {
        if (TIFFReadScanline(r->tiff->handle, r->buffer, (uint32_t)y, (uint16_t)plane) < 0 ||
            r->tiff->failed)
            return fail_decode(r, error);
        if (y >= wanted)
            status = take_row(r, r->buffer, y, plane, error);
    }
    return status;
}

static bool is_compressed(const reading *r)
{
    uint16_t scheme = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(r->tiff->handle, TIFFTAG_COMPRESSION, &scheme);
    return scheme != COMPRESSION_NONE;
}

// Samples that are not compressed are read where they lie.
static bool lies_open(const reading *r)
{
    const lg_tiff_page *page = r->page;
    uint16_t order = FILLORDER_MSB2LSB;
    TIFFGetFieldDefaulted(r->tiff->handle, TIFFTAG_FILLORDER, &order);
    return !is_compressed(r) && order == FILLORDER_MSB2LSB && lg_tiff_is_unpacked(page);
}

static bool read_open(const reading *r, uint64_t at, size_t bytes)
{
    const size_t sample = (size_t)r->page->bits / 8;
    if (lg_tiff_bytes_at(&r->tiff->source, at, r->buffer, bytes) != bytes)
        return false;
    if (r->tiff->source.little != lg_host_is_little())
        lg_swap_bytes(r->buffer, sample, bytes / sample);
    return true;
}

// Rows y .. end - 1 of a strip, some at a time.
static lg_status read_open_rows(const reading *r, uint64_t strip, int64_t y, int64_t end,
                                int32_t plane, lg_error *error)
{
    const lg_tiff_page *page = r->page;
    const size_t row = (size_t)row_bytes(page, page->width);
    const int64_t some = (int64_t)(r->tiff->rows.size / row);
    lg_status status = LG_OK;
    for (int64_t rows; y < end && status == LG_OK; y += rows) {
        rows = LG_MIN(some, end - y);
        if (!read_open(r, strip + (uint64_t)(y % page->block_height) * row, (size_t)rows * row))
            return fail_decode(r, error);
        for (int64_t i = 0; i < rows && status == LG_OK; i++)
            status = take_row(r, r->buffer + (size_t)i * row, y + i, plane, error);
    }
    return status;
}

// libtiff takes a strip into memory as it is stored, and knows strips whose sizes are not those that writers
// state. The large ones, often the whole image, it does not get.
#define LARGE_STRIP ((uint64_t)4 << 20)

static lg_status read_open_strips(const reading *r, int32_t plane, lg_error *error)
{
    const lg_tiff_page *page = r->page;
    const int64_t height = page->block_height, end = r->window->y + r->window->height;
    const uint64_t row = row_bytes(page, page->width);
    lg_status status = LG_OK;
    for (int64_t y = r->window->y, next; y < end && status == LG_OK; y = next) {
        const int64_t first = y / height * height;
        const uint32_t strip = TIFFComputeStrip(r->tiff->handle, (uint32_t)y, (uint16_t)plane);
        uint64_t at, bytes;
        if (!lg_tiff_place(r->tiff, strip, &at, &bytes))
            return fail_decode(r, error);
        next = LG_MIN(first + height, end);
        if ((uint64_t)(next - first) * row <= bytes)
            status = read_open_rows(r, at, y, next, plane, error);
        else if ((uint64_t)height * row > LARGE_STRIP)
            return fail_decode(r, error);
        else
            status = read_rows(r, y, next, plane, error);
    }
    return status;
}

static lg_status read_plane_of_strips(const reading *r, int32_t plane, lg_error *error)
{
    const int64_t height = r->page->block_height, end = r->window->y + r->window->height;
    const size_t row = (size_t)row_bytes(r->page, r->page->width);
    lg_status status = LG_OK;
    if (lies_open(r))
        return read_open_strips(r, plane, error);
    if (!takes_whole_strips(r))
        return read_rows(r, r->window->y, end, plane, error);
    for (int64_t y = r->window->y, next; y < end && status == LG_OK; y = next) {
        next = LG_MIN((y / height + 1) * height, end);
        const uint8_t *strip = whole_strip(r, y, plane);
        if (!strip)
            status = read_rows(r, y, next, plane, error);
        for (int64_t at = y; at < next && strip && status == LG_OK; at++)
            status = take_row(r, strip + (size_t)(at % height) * row, at, plane, error);
    }
    return status;
}

// ---- tiles --------------------------------------------------------------------------------------

static lg_status take_tile(const reading *r, int64_t x, int64_t y, int32_t plane, lg_error *error)
{
    const lg_tiff_page *page = r->page;
    const lg_region *w = r->window;
    const int64_t top = LG_MAX(y, w->y);
    const int64_t bottom = LG_MIN(y + page->block_height, w->y + w->height);
    lg_status status = LG_OK;
    for (int64_t row = top; row < bottom && status == LG_OK; row++) {
        const lg_tiff_span span = {.stored = r->buffer + (size_t)(row - y) * r->row_bytes,
                                   .x = x,
                                   .y = row,
                                   .count = LG_MIN(page->block_width, page->width - x),
                                   .channel = page->planes ? plane : -1};
        status = r->take(r->priv, &span, error);
    }
    return status;
}

static lg_status fail_place(const reading *r, uint32_t tile, lg_error *error)
{
    return r->tiff->failed
               ? fail_decode(r, error)
               : lg_fail(error, LG_ERROR_DATA, "truncated: tile %u is not in the file", tile);
}

// The bytes of a tile are ours, libtiff decodes them: where they lie it need not know.
static lg_status read_tile(const reading *r, uint32_t tile, bool open, lg_error *error)
{
    lg_tiff *tiff = r->tiff;
    uint64_t at, stored;
    if (!lg_tiff_place(tiff, tile, &at, &stored))
        return fail_place(r, tile, error);
    if (open)
        return read_open(r, at, r->bytes) ? LG_OK : fail_place(r, tile, error);
    if (!is_compressed(r)) // some writers state another size
        stored = r->bytes;
    if (stored > tiff->source.size || !lg_tiff_grow(&tiff->stored, (size_t)stored))
        return lg_fail_memory(error, (size_t)stored, "a tile of a TIFF file");
    if (lg_tiff_bytes_at(&tiff->source, at, tiff->stored.data, (size_t)stored) != stored)
        return fail_place(r, tile, error);
    memset(r->buffer, 0, r->bytes); // whatever a decoder leaves out
    return TIFFReadFromUserBuffer(tiff->handle, tile, tiff->stored.data, (tmsize_t)stored,
                                  r->buffer, (tmsize_t)r->bytes) &&
                   !tiff->failed
               ? LG_OK
               : fail_decode(r, error);
}

static lg_status read_plane_of_tiles(const reading *r, int32_t plane, lg_error *error)
{
    const lg_tiff_page *page = r->page;
    const lg_region *w = r->window;
    const bool open = lies_open(r);
    lg_status status = LG_OK;
    for (int64_t y = w->y / page->block_height * page->block_height; y < w->y + w->height;
         y += page->block_height)
        for (int64_t x = w->x / page->block_width * page->block_width;
             x < w->x + w->width && status == LG_OK; x += page->block_width) {
            const uint32_t tile =
                TIFFComputeTile(r->tiff->handle, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane);
            status = read_tile(r, tile, open, error);
            if (status == LG_OK)
                status = take_tile(r, x, y, plane, error);
        }
    return status;
}

// ---- both ---------------------------------------------------------------------------------------

size_t lg_tiff_rows_bytes(const lg_tiff *tiff, const lg_tiff_page *page)
{
    TIFF *handle = tiff->handle;
    return page->tiles ? (size_t)TIFFTileSize64(handle)
                       : LG_MAX((size_t)TIFFScanlineSize64(handle), ROWS_BYTES);
}

static lg_status make_buffer(reading *r, lg_error *error)
{
    TIFF *handle = r->tiff->handle;
    const lg_tiff_page *page = r->page;
    const uint64_t bytes = page->tiles ? TIFFTileSize64(handle) : TIFFScanlineSize64(handle);
    const uint64_t wanted = row_bytes(page, page->tiles ? page->block_width : page->width);
    r->bytes = (size_t)bytes;
    r->row_bytes = page->tiles ? (size_t)TIFFTileRowSize64(handle) : (size_t)bytes;
    // libtiff counts in its own way, and the samples are taken apart in ours.
    if (bytes == 0 || bytes > SIZE_MAX / 2 || r->row_bytes < wanted ||
        (page->tiles && r->row_bytes * (uint64_t)page->block_height > bytes))
        return lg_fail(error, LG_ERROR_DATA, "damaged: its rows are not as long as it declares");
    if (!lg_tiff_grow(&r->tiff->rows, lg_tiff_rows_bytes(r->tiff, page)))
        return lg_fail_memory(error, r->bytes, "a row or tile of a TIFF file");
    r->buffer = r->tiff->rows.data;
    if (!page->tiles)
        memset(r->buffer, 0, r->bytes); // as of a tile
    return LG_OK;
}

lg_status lg_tiff_read_window(lg_tiff *tiff, const lg_tiff_page *page, const lg_region *window,
                              lg_tiff_take take, void *priv, lg_error *error)
{
    reading r = {.tiff = tiff, .page = page, .window = window, .take = take, .priv = priv};
    lg_tiff_forget_message(tiff);
    lg_status status = make_buffer(&r, error);
    const bool one = !page->planes || page->plane >= 0;
    const int32_t first = page->planes && one ? page->plane : 0;
    const int32_t end = one ? first + 1 : page->samples;
    for (int32_t plane = first; plane < end && status == LG_OK; plane++)
        status = page->tiles ? read_plane_of_tiles(&r, plane, error)
                             : read_plane_of_strips(&r, plane, error);
    return status;
}

#endif
