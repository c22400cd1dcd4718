// Writing TIFF: strips with deflate, a page for each layer.
#include "io/tiff_content.h"

#ifdef LG_HAVE_TIFF

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>

#define STRIP_BYTES ((size_t)256 << 10)

// ---- strips -------------------------------------------------------------------------------------

typedef struct writing {
    lg_tiff *tiff;
    lg_tiff_content content;
    uint8_t *strip;
    uint32_t rows, used; // of a strip, and those that are in it
    uint32_t strips;     // that are written of the page
    int32_t page;
    lg_metadata of_pages; // what each page has, while the metadata of the file are gone
} writing;

static lg_status fail_encode(const writing *w, lg_error *error)
{
    return lg_tiff_fail_encode(w->tiff, error);
}

static void begin_page(writing *w, int32_t layer)
{
    TIFF *handle = w->tiff->handle;
    w->strips = w->used = 0;
    lg_tiff_set_layout(handle, &w->content, w->content.shape.width, w->content.shape.height);
    TIFFSetField(handle, TIFFTAG_ROWSPERSTRIP, w->rows);
    if (w->content.shape.layers > 1)
        lg_tiff_set_number(handle, &w->content, layer);
    lg_tiff_set_page(handle, &w->content, 1, 1);
    if (layer == 0)
        lg_tiff_set_first(handle, &w->content);
}

static bool flush_strip(writing *w)
{
    const tmsize_t bytes = (tmsize_t)(w->used * lg_tiff_content_row(&w->content));
    const uint32_t some = w->used;
    w->used = 0;
    return some == 0 || TIFFWriteEncodedStrip(w->tiff->handle, w->strips++, w->strip, bytes) >= 0;
}

// Where the next row of the page goes; NULL: a strip could not be written.
static uint8_t *next_row(writing *w)
{
    if (w->used == w->rows && !flush_strip(w))
        return NULL;
    return w->strip + w->used++ * lg_tiff_content_row(&w->content);
}

static bool end_page(writing *w)
{
    return flush_strip(w) && TIFFWriteDirectory(w->tiff->handle) == 1;
}

static lg_status begin_file(writing *w, int fd, lg_error *error)
{
    const lg_tiff_content *c = &w->content;
    const size_t row = lg_tiff_content_row(c);
    const double samples = (double)row * c->shape.height * c->shape.layers;
    const bool big = lg_tiff_content_is_big(c, samples);
    w->rows = (uint32_t)LG_MIN(LG_MAX(STRIP_BYTES / row, 1), (size_t)c->shape.height);
    w->strip = lg_alloc_array(w->rows, row);
    if (!w->strip)
        return lg_fail_memory(error, w->rows * row, "a strip to write");
    return lg_tiff_create(big, fd, &w->tiff, error);
}

static lg_status end_file(writing *w, lg_error *error)
{
    TIFFFlush(w->tiff->handle);
    return w->tiff->failed ? fail_encode(w, error) : LG_OK;
}

static void free_file(writing *w)
{
    lg_tiff_close(&w->tiff);
    lg_free(w->strip);
    lg_free(w->content.description);
}

static lg_status write_pages(writing *w, lg_error *error)
{
    const lg_tiff_content *c = &w->content;
    bool good = true;
    for (int32_t layer = 0; layer < c->shape.layers && good; layer++) {
        begin_page(w, layer);
        for (int32_t y = 0; y < c->shape.height && good; y++) {
            uint8_t *row = next_row(w);
            good = row != NULL;
            if (good)
                lg_tiff_content_copy(c, layer, y, row);
        }
        good = good && end_page(w);
    }
    return good ? end_file(w, error) : fail_encode(w, error);
}

// The file is made in memory: a pipe cannot go back to where its directories are linked.
static lg_status write_content(const lg_tiff_content *c, FILE *stream, lg_error *error)
{
    if (c->tiles.width)
        return lg_tiff_write_tiles(c, stream, error);
    writing w = {.content = *c};
    lg_status status = begin_file(&w, -1, error);
    if (status == LG_OK)
        status = write_pages(&w, error);
    if (status == LG_OK) {
        const size_t size = (size_t)w.tiff->source.size;
        if (fwrite(w.tiff->source.copy, 1, size, stream) != size)
            status = lg_fail(error, LG_ERROR_IO, "cannot write: no space or a closed pipe");
    }
    free_file(&w);
    return status;
}

bool lg_tiff_can_write(const char *extension)
{
    return strcasecmp(extension, "tif") == 0 || strcasecmp(extension, "tiff") == 0;
}

lg_status lg_tiff_write(const lg_image *image, bool labelled, const lg_metadata *metadata,
                        const char *options, FILE *stream, lg_error *error)
{
    lg_tiff_content c;
    const lg_status status = lg_tiff_content_of(&image->shape, metadata, options, &c, error);
    c.image = image;
    c.labelled = labelled;
    return status ? status : write_content(&c, stream, error);
}

lg_status lg_tiff_write_labels(const lg_labels *labels, const lg_metadata *metadata,
                               const char *options, FILE *stream, lg_error *error)
{
    lg_tiff_content c;
    const lg_status status = lg_tiff_content_of_labels(labels, metadata, options, &c, error);
    return status ? status : write_content(&c, stream, error);
}

// ---- by rows --------------------------------------------------------------------------------------

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    struct stat file;
    const int fd = fileno(writer->stream);
    if (fd < 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "TIFF goes to a regular file, as its parts point to each other");
    lg_tile_options tiles;
    const lg_status read = lg_tile_options_read(writer->options, "tif", &tiles, error);
    if (read)
        return read;
    if (tiles.width) {
        writer->sink = &lg_row_sink_tiff_tiles;
        return writer->sink->begin(writer, error);
    }
    writing *w = writer->state = lg_alloc(sizeof *w);
    if (!w)
        return lg_fail_memory(error, sizeof *w, "a TIFF file");
    lg_status status =
        lg_tiff_content_of(&writer->shape, writer->metadata, writer->options, &w->content, error);
    if (writer->labels)
        w->content.format = SAMPLEFORMAT_UINT;
    if (!status)
        status = begin_file(w, fd, error);
    if (!status)
        begin_page(w, 0);
    const lg_metadata *m = writer->metadata;
    if (m)
        w->of_pages = lg_tiff_metadata_of_pages(m);
    w->content.metadata = m ? &w->of_pages : NULL;
    return status;
}

static lg_status next_layer(lg_row_writer *writer, lg_error *error)
{
    writing *w = writer->state;
    if (!end_page(w))
        return fail_encode(w, error);
    begin_page(w, ++w->page);
    return LG_OK;
}

static lg_status add_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    writing *w = writer->state;
    for (int32_t y = 0; y < rows->shape.height; y++) {
        uint8_t *row = next_row(w);
        if (!row)
            return fail_encode(w, error);
        lg_pack_row(&rows->shape, lg_image_row(rows, 0, y), row);
    }
    return LG_OK;
}

static lg_status end_rows(lg_row_writer *writer, lg_error *error)
{
    writing *w = writer->state;
    return end_page(w) ? end_file(w, error) : fail_encode(w, error);
}

// The strips lie one behind the other, as they would if they came in order: room is left for them.
static lg_status share_rows(lg_row_writer *writer, lg_error *error)
{
    writing *w = writer->state;
    const int64_t height = writer->shape.height;
    if (w->content.scheme != COMPRESSION_NONE)
        return lg_tiff_fail_shared(error);
    bool good = true;
    writer->offset = (int64_t)w->tiff->source.size;
    w->tiff->source.skips = true;
    for (int64_t y = 0; y < height && good; y += w->rows) {
        const size_t bytes = (size_t)LG_MIN(height - y, w->rows) * lg_tiff_content_row(&w->content);
        good = TIFFWriteRawStrip(w->tiff->handle, w->strips++, w->strip, (tmsize_t)bytes) >= 0;
    }
    w->tiff->source.skips = false;
    good = good && TIFFWriteDirectory(w->tiff->handle) == 1;
    return good ? end_file(w, error) : fail_encode(w, error);
}

static lg_status add_shared(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    const size_t bytes = (size_t)rows->shape.width * (size_t)lg_file_channels(&rows->shape) *
                         lg_type_size(rows->shape.type);
    for (int32_t y = 0; y < rows->shape.height; y++) {
        lg_pack_row(&rows->shape, lg_image_row(rows, 0, y), writer->row);
        if (fwrite(writer->row, 1, bytes, writer->stream) != bytes)
            return lg_fail_write(error, errno);
    }
    return LG_OK;
}

static void drop_rows(lg_row_writer *writer)
{
    if (writer->state)
        free_file(writer->state);
    lg_free(writer->state);
    writer->state = NULL;
}

const lg_row_sink lg_row_sink_tiff = {.begin = begin_rows,
                                      .add = add_rows,
                                      .end = end_rows,
                                      .drop = drop_rows,
                                      .share = share_rows,
                                      .add_shared = add_shared,
                                      .layers = true,
                                      .next_layer = next_layer};

#else

bool lg_tiff_can_write(const char *extension)
{
    return false;
}

lg_status lg_tiff_write(const lg_image *image, bool labelled, const lg_metadata *metadata,
                        const char *options, FILE *stream, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build writes no TIFF; build with libtiff");
}

lg_status lg_tiff_write_labels(const lg_labels *labels, const lg_metadata *metadata,
                               const char *options, FILE *stream, lg_error *error)
{
    return lg_tiff_write(NULL, false, NULL, NULL, stream, error);
}

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    return lg_tiff_write(NULL, false, NULL, NULL, writer->stream, error);
}

const lg_row_sink lg_row_sink_tiff = {.begin = begin_rows};

#endif
