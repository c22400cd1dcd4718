// Writing TIFF: strips with deflate, a page for each layer, and the metadata that is still true.
#include "io/row_writer.h"

#ifdef LG_HAVE_TIFF

#include "io/description.h"
#include "io/metadata.h"
#include "io/tiff.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>

#define STRIP_BYTES   ((size_t)256 << 10)
#define CLASSIC_BYTES ((uint64_t)0xf0000000) // more needs BigTIFF

// What is written: images and labels alike.
typedef struct content {
    lg_image_params shape; // height and layers of all that is written
    int32_t channels;
    uint16_t bits, format, scheme;
    const lg_image *image;   // NULL: rows come from elsewhere
    const lg_labels *labels; // instead of image
    const lg_metadata *metadata;
    char *description;
} content;

static size_t row_bytes(const content *c)
{
    return (size_t)c->shape.width * (size_t)c->channels * (c->bits / 8);
}

static void copy_row(const content *c, int32_t layer, int32_t y, uint8_t *out)
{
    if (c->labels)
        memcpy(out, lg_labels_row(c->labels, layer, y), row_bytes(c));
    else
        lg_pack_row(&c->image->shape, lg_image_row(c->image, layer, y), out);
}

// ---- tags ---------------------------------------------------------------------------------------

static void set_layout(TIFF *handle, const content *c, uint32_t rows)
{
    const bool color = c->channels >= 3;
    TIFFSetField(handle, TIFFTAG_IMAGEWIDTH, (uint32_t)c->shape.width);
    TIFFSetField(handle, TIFFTAG_IMAGELENGTH, (uint32_t)c->shape.height);
    TIFFSetField(handle, TIFFTAG_BITSPERSAMPLE, c->bits);
    TIFFSetField(handle, TIFFTAG_SAMPLESPERPIXEL, (uint16_t)c->channels);
    TIFFSetField(handle, TIFFTAG_SAMPLEFORMAT, c->format);
    TIFFSetField(handle, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(handle, TIFFTAG_PHOTOMETRIC, color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(handle, TIFFTAG_ROWSPERSTRIP, rows);
    TIFFSetField(handle, TIFFTAG_COMPRESSION, c->scheme);
    if (c->channels == 2 || c->channels == 4) {
        uint16_t kind = c->shape.alpha == LG_ALPHA_STRAIGHT        ? EXTRASAMPLE_UNASSALPHA
                        : c->shape.alpha == LG_ALPHA_PREMULTIPLIED ? EXTRASAMPLE_ASSOCALPHA
                                                                   : EXTRASAMPLE_UNSPECIFIED;
        TIFFSetField(handle, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
}

static void set_page(TIFF *handle, const content *c, int32_t layer)
{
    const lg_metadata *m = c->metadata;
    if (c->shape.layers > 1) {
        TIFFSetField(handle, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
        TIFFSetField(handle, TIFFTAG_PAGENUMBER, (uint16_t)layer,
                     (uint16_t)LG_MIN(c->shape.layers, UINT16_MAX));
    }
    if (m && m->orientation > 0)
        TIFFSetField(handle, TIFFTAG_ORIENTATION, (uint16_t)m->orientation);
    if (m && m->unit != LG_RESOLUTION_UNKNOWN) {
        TIFFSetField(handle, TIFFTAG_XRESOLUTION, m->x_resolution);
        TIFFSetField(handle, TIFFTAG_YRESOLUTION, m->y_resolution);
        TIFFSetField(handle, TIFFTAG_RESOLUTIONUNIT, (uint16_t)m->unit);
    }
}

static void set_first(TIFF *handle, const content *c)
{
    const lg_metadata *m = c->metadata;
    if (c->description)
        TIFFSetField(handle, TIFFTAG_IMAGEDESCRIPTION, c->description);
    if (m->profile.data && lg_metadata_profile_fits(m, &c->shape))
        TIFFSetField(handle, TIFFTAG_ICCPROFILE, (uint32_t)m->profile.size, m->profile.data);
    if (m->xmp.data)
        TIFFSetField(handle, TIFFTAG_XMLPACKET, (uint32_t)m->xmp.size, m->xmp.data);
    // Old versions of libtiff take them for numbers of 32 bits.
    const TIFFField *iptc = TIFFFieldWithTag(handle, TIFFTAG_RICHTIFFIPTC);
    const size_t unit = iptc && TIFFFieldDataType(iptc) == TIFF_LONG ? 4 : 1;
    if (m->iptc.size >= unit)
        TIFFSetField(handle, TIFFTAG_RICHTIFFIPTC, (uint32_t)(m->iptc.size / unit), m->iptc.data);
}

// ---- samples ------------------------------------------------------------------------------------

typedef struct writing {
    lg_tiff *tiff;
    content content;
    uint8_t *strip;
    uint32_t rows, used; // of a strip, and those that are in it
    uint32_t strips;     // that are written of the page
    int32_t page;
    lg_metadata of_pages; // what each page has, while the metadata of the file are gone
} writing;

static lg_status fail_encode(const writing *w, lg_error *error)
{
    const lg_tiff *tiff = w->tiff;
    if (tiff->source.failure)
        return lg_fail_write(error, tiff->source.failure);
    return lg_fail(error, LG_ERROR_IO, "cannot encode: %s",
                   tiff->message[0] ? tiff->message : "no memory");
}

static void begin_page(writing *w, int32_t layer)
{
    TIFF *handle = w->tiff->handle;
    w->strips = w->used = 0;
    set_layout(handle, &w->content, w->rows);
    set_page(handle, &w->content, layer);
    if (layer == 0 && w->content.metadata)
        set_first(handle, &w->content);
}

static bool flush_strip(writing *w)
{
    const tmsize_t bytes = (tmsize_t)(w->used * row_bytes(&w->content));
    const uint32_t some = w->used;
    w->used = 0;
    return some == 0 || TIFFWriteEncodedStrip(w->tiff->handle, w->strips++, w->strip, bytes) >= 0;
}

// Where the next row of the page goes; NULL: a strip could not be written.
static uint8_t *next_row(writing *w)
{
    if (w->used == w->rows && !flush_strip(w))
        return NULL;
    return w->strip + w->used++ * row_bytes(&w->content);
}

static bool end_page(writing *w)
{
    return flush_strip(w) && TIFFWriteDirectory(w->tiff->handle) == 1;
}

static lg_status begin_file(writing *w, int fd, lg_error *error)
{
    const content *c = &w->content;
    const size_t row = row_bytes(c);
    const double samples = (double)row * c->shape.height * c->shape.layers;
    // Compression may make noise larger by a little; directories come on top.
    const bool big = samples * 1.01 + 1024.0 * c->shape.layers > (double)CLASSIC_BYTES;
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
    const content *c = &w->content;
    bool good = true;
    for (int32_t layer = 0; layer < c->shape.layers && good; layer++) {
        begin_page(w, layer);
        for (int32_t y = 0; y < c->shape.height && good; y++) {
            uint8_t *row = next_row(w);
            good = row != NULL;
            if (good)
                copy_row(c, layer, y, row);
        }
        good = good && end_page(w);
    }
    return good ? end_file(w, error) : fail_encode(w, error);
}

// The file is made in memory: a pipe cannot go back to where its directories are linked.
static lg_status write_content(const content *c, FILE *stream, lg_error *error)
{
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

static uint16_t usual_scheme(void)
{
    return TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE) ? COMPRESSION_ADOBE_DEFLATE
                                                            : COMPRESSION_NONE;
}

// "compression=NAME"; nothing: the usual one.
static lg_status find_scheme(const char *options, uint16_t *out, lg_error *error)
{
    static const struct {
        const char *name;
        uint16_t scheme;
    } schemes[] = {{"none", COMPRESSION_NONE},
                   {"deflate", COMPRESSION_ADOBE_DEFLATE},
                   {"lzw", COMPRESSION_LZW},
                   {"packbits", COMPRESSION_PACKBITS},
                   {"zstd", COMPRESSION_ZSTD}};
    static const char key[] = "compression=";
    *out = usual_scheme();
    if (!options || !*options)
        return LG_OK;
    for (size_t i = 0; i < LG_COUNT(schemes); i++)
        if (strncmp(options, key, sizeof key - 1) == 0 &&
            strcmp(options + sizeof key - 1, schemes[i].name) == 0) {
            *out = schemes[i].scheme;
            return TIFFIsCODECConfigured(*out)
                       ? LG_OK
                       : lg_fail(error, LG_ERROR_UNSUPPORTED, "this libtiff does not encode %s",
                                 schemes[i].name);
        }
    return lg_fail(
        error, LG_ERROR_ARGUMENT,
        "'%.60s' is no option of TIFF; compression=none, deflate, lzw, packbits and zstd "
        "are",
        options);
}

static lg_status content_of(const lg_image_params *shape, const lg_metadata *metadata,
                            const char *options, content *out, lg_error *error)
{
    const bool floats = shape->type == LG_F16 || shape->type == LG_F32;
    *out = (content){.shape = *shape,
                     .channels = lg_file_channels(shape),
                     .bits = (uint16_t)(8 * lg_type_size(shape->type)),
                     .format = floats ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT,
                     .metadata = metadata};
    lg_status status = find_scheme(options, &out->scheme, error);
    if (status == LG_OK && metadata && metadata->description)
        status = lg_description_adapt(metadata, shape, &out->description, error);
    return status;
}

lg_status lg_tiff_write(const lg_image *image, const lg_metadata *metadata, const char *options,
                        FILE *stream, lg_error *error)
{
    content c;
    const lg_status status = content_of(&image->shape, metadata, options, &c, error);
    c.image = image;
    return status ? status : write_content(&c, stream, error);
}

lg_status lg_tiff_write_labels(const lg_labels *labels, const char *options, FILE *stream,
                               lg_error *error)
{
    content c = {
        .shape = {.width = labels->width, .height = labels->height, .layers = labels->layers},
        .channels = 1,
        .bits = 32,
        .format = SAMPLEFORMAT_UINT,
        .labels = labels};
    const lg_status status = find_scheme(options, &c.scheme, error);
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
    writing *w = writer->state = lg_alloc(sizeof *w);
    if (!w)
        return lg_fail_memory(error, sizeof *w, "a TIFF file");
    lg_status status =
        content_of(&writer->shape, writer->metadata, writer->options, &w->content, error);
    if (writer->labels)
        w->content.format = SAMPLEFORMAT_UINT;
    if (!status)
        status = begin_file(w, fd, error);
    if (!status)
        begin_page(w, 0);
    const lg_metadata *m = writer->metadata;
    if (m)
        w->of_pages = (lg_metadata){.orientation = m->orientation,
                                    .unit = m->unit,
                                    .x_resolution = m->x_resolution,
                                    .y_resolution = m->y_resolution};
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
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "several processes write TIFF without compression alone, as otherwise nobody "
            "knows where rows begin; say .tif[compression=none]");
    bool good = true;
    writer->offset = (int64_t)w->tiff->source.size;
    w->tiff->source.skips = true;
    for (int64_t y = 0; y < height && good; y += w->rows) {
        const size_t bytes = (size_t)LG_MIN(height - y, w->rows) * row_bytes(&w->content);
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

lg_status lg_tiff_write(const lg_image *image, const lg_metadata *metadata, const char *options,
                        FILE *stream, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build writes no TIFF; build with libtiff");
}

lg_status lg_tiff_write_labels(const lg_labels *labels, const char *options, FILE *stream,
                               lg_error *error)
{
    return lg_tiff_write(NULL, NULL, NULL, stream, error);
}

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    return lg_tiff_write(NULL, NULL, NULL, writer->stream, error);
}

const lg_row_sink lg_row_sink_tiff = {.begin = begin_rows};

#endif
