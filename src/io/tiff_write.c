// Writing TIFF: strips with deflate, a page for each layer, and the metadata that is still true.
#include "io/io_internal.h"

#ifdef LG_HAVE_TIFF

#include "io/description.h"
#include "io/metadata.h"
#include "io/tiff.h"

#include <string.h>
#include <tiffio.h>

#define STRIP_BYTES   ((size_t)256 << 10)
#define CLASSIC_BYTES ((uint64_t)0xf0000000) // more needs BigTIFF

// What is written: images and labels alike.
typedef struct content {
    int32_t width, height, layers, channels;
    uint16_t bits, format;
    lg_alpha alpha;
    const lg_image *image;
    const lg_labels *labels; // instead of image
    const lg_metadata *metadata;
    char *description;
} content;

static size_t row_bytes(const content *c)
{
    return (size_t)c->width * (size_t)c->channels * (c->bits / 8);
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
    TIFFSetField(handle, TIFFTAG_IMAGEWIDTH, (uint32_t)c->width);
    TIFFSetField(handle, TIFFTAG_IMAGELENGTH, (uint32_t)c->height);
    TIFFSetField(handle, TIFFTAG_BITSPERSAMPLE, c->bits);
    TIFFSetField(handle, TIFFTAG_SAMPLESPERPIXEL, (uint16_t)c->channels);
    TIFFSetField(handle, TIFFTAG_SAMPLEFORMAT, c->format);
    TIFFSetField(handle, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(handle, TIFFTAG_PHOTOMETRIC, color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(handle, TIFFTAG_ROWSPERSTRIP, rows);
    TIFFSetField(handle, TIFFTAG_COMPRESSION,
                 TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE) ? COMPRESSION_ADOBE_DEFLATE
                                                                  : COMPRESSION_NONE);
    if (c->channels == 2 || c->channels == 4) {
        uint16_t kind = c->alpha == LG_ALPHA_STRAIGHT        ? EXTRASAMPLE_UNASSALPHA
                        : c->alpha == LG_ALPHA_PREMULTIPLIED ? EXTRASAMPLE_ASSOCALPHA
                                                             : EXTRASAMPLE_UNSPECIFIED;
        TIFFSetField(handle, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
}

static void set_page(TIFF *handle, const content *c, int32_t layer)
{
    const lg_metadata *m = c->metadata;
    if (c->layers > 1) {
        TIFFSetField(handle, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
        TIFFSetField(handle, TIFFTAG_PAGENUMBER, (uint16_t)layer,
                     (uint16_t)LG_MIN(c->layers, UINT16_MAX));
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
    if (m->profile.data && lg_metadata_profile_fits(m, &c->image->shape))
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

static bool write_page(TIFF *handle, const content *c, int32_t layer, uint32_t rows, uint8_t *strip)
{
    const size_t row = row_bytes(c);
    set_layout(handle, c, rows);
    set_page(handle, c, layer);
    if (layer == 0 && c->metadata)
        set_first(handle, c);
    for (uint32_t y = 0, i = 0; y < (uint32_t)c->height; y += rows, i++) {
        const uint32_t some = LG_MIN(rows, (uint32_t)c->height - y);
        for (uint32_t k = 0; k < some; k++)
            copy_row(c, layer, (int32_t)(y + k), strip + k * row);
        if (TIFFWriteEncodedStrip(handle, i, strip, (tmsize_t)(some * row)) < 0)
            return false;
    }
    return TIFFWriteDirectory(handle) == 1;
}

static lg_status write_pages(lg_tiff *tiff, const content *c, lg_error *error)
{
    const size_t row = row_bytes(c);
    const uint32_t rows = (uint32_t)LG_MIN(LG_MAX(STRIP_BYTES / row, 1), (size_t)c->height);
    uint8_t *strip = lg_alloc_array(rows, row);
    if (!strip)
        return lg_fail_memory(error, rows * row, "a strip to write");
    bool good = true;
    for (int32_t layer = 0; layer < c->layers && good; layer++)
        good = write_page(tiff->handle, c, layer, rows, strip);
    TIFFFlush(tiff->handle);
    lg_free(strip);
    if (good && !tiff->failed)
        return LG_OK;
    return lg_fail(error, LG_ERROR_IO, "cannot encode: %s",
                   tiff->message[0] ? tiff->message : "no memory");
}

static lg_status write_content(const content *c, FILE *stream, lg_error *error)
{
    lg_tiff *tiff = NULL;
    const double samples = (double)row_bytes(c) * c->height * c->layers;
    // Compression may make noise larger by a little; directories come on top.
    const bool big = samples * 1.01 + 1024.0 * c->layers > (double)CLASSIC_BYTES;
    lg_status status = lg_tiff_create(big, &tiff, error);
    if (status == LG_OK)
        status = write_pages(tiff, c, error);
    if (status == LG_OK) {
        const size_t size = (size_t)tiff->source.size;
        if (fwrite(tiff->source.copy, 1, size, stream) != size)
            status = lg_fail(error, LG_ERROR_IO, "cannot write: no space or a closed pipe");
    }
    lg_tiff_close(&tiff);
    return status;
}

bool lg_tiff_can_write(const char *extension)
{
    return strcasecmp(extension, "tif") == 0 || strcasecmp(extension, "tiff") == 0;
}

lg_status lg_tiff_write(const lg_image *image, const lg_metadata *metadata, FILE *stream,
                        lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    const bool floats = shape->type == LG_F16 || shape->type == LG_F32;
    content c = {.width = shape->width,
                 .height = shape->height,
                 .layers = shape->layers,
                 .channels = lg_file_channels(shape),
                 .bits = (uint16_t)(8 * lg_type_size(shape->type)),
                 .format = floats ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT,
                 .alpha = shape->alpha,
                 .image = image,
                 .metadata = metadata};
    lg_status status = LG_OK;
    if (metadata && metadata->description)
        status = lg_description_adapt(metadata->description, &metadata->shape, shape,
                                      &c.description, error);
    if (status == LG_OK)
        status = write_content(&c, stream, error);
    lg_free(c.description);
    return status;
}

lg_status lg_tiff_write_labels(const lg_labels *labels, FILE *stream, lg_error *error)
{
    const content c = {.width = labels->width,
                       .height = labels->height,
                       .layers = labels->layers,
                       .channels = 1,
                       .bits = 32,
                       .format = SAMPLEFORMAT_UINT,
                       .labels = labels};
    return write_content(&c, stream, error);
}

#else

bool lg_tiff_can_write(const char *extension)
{
    return false;
}

lg_status lg_tiff_write(const lg_image *image, const lg_metadata *metadata, FILE *stream,
                        lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build writes no TIFF; build with libtiff");
}

lg_status lg_tiff_write_labels(const lg_labels *labels, FILE *stream, lg_error *error)
{
    return lg_tiff_write(NULL, NULL, stream, error);
}

#endif
