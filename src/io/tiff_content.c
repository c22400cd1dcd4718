// What is written to a TIFF file: how its samples are stored, and the metadata that is still true.
#include "io/tiff_content.h"

#ifdef LG_HAVE_TIFF

#include "io/description.h"

#include <string.h>
#include <tiffio.h>

#define CLASSIC_BYTES ((uint64_t)0xf0000000) // more needs BigTIFF

// ---- samples ------------------------------------------------------------------------------------

size_t lg_tiff_content_row(const lg_tiff_content *c)
{
    return (size_t)c->shape.width * (size_t)c->channels * (c->bits / 8);
}

void lg_tiff_content_copy(const lg_tiff_content *c, int32_t layer, int32_t y, uint8_t *out)
{
    if (c->labels)
        memcpy(out, lg_labels_row(c->labels, layer, y), lg_tiff_content_row(c));
    else
        lg_pack_row(&c->image->shape, lg_image_row(c->image, layer, y), out);
}

bool lg_tiff_content_is_big(const lg_tiff_content *c, double bytes)
{
    // Compression may make noise larger by a little; directories come on top.
    return bytes * 1.01 + 1024.0 * c->shape.layers > (double)CLASSIC_BYTES;
}

lg_status lg_tiff_fail_encode(const lg_tiff *tiff, lg_error *error)
{
    if (tiff->source.failure)
        return lg_fail_write(error, tiff->source.failure);
    return lg_fail(error, LG_ERROR_IO, "cannot encode: %s",
                   tiff->message[0] ? tiff->message : "no memory");
}

lg_status lg_tiff_fail_shared(lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "several processes write TIFF without compression alone, as otherwise nobody "
                   "knows where rows begin; say .tif[compression=none]");
}

// ---- tags ---------------------------------------------------------------------------------------

void lg_tiff_set_layout(void *handle, const lg_tiff_content *c, int32_t width, int32_t height)
{
    const bool color = c->channels >= 3;
    TIFFSetField(handle, TIFFTAG_IMAGEWIDTH, (uint32_t)width);
    TIFFSetField(handle, TIFFTAG_IMAGELENGTH, (uint32_t)height);
    TIFFSetField(handle, TIFFTAG_BITSPERSAMPLE, c->bits);
    TIFFSetField(handle, TIFFTAG_SAMPLESPERPIXEL, (uint16_t)c->channels);
    TIFFSetField(handle, TIFFTAG_SAMPLEFORMAT, c->format);
    TIFFSetField(handle, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(handle, TIFFTAG_PHOTOMETRIC, color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(handle, TIFFTAG_COMPRESSION, c->scheme);
    if (c->channels == 2 || c->channels == 4) {
        uint16_t kind = c->shape.alpha == LG_ALPHA_STRAIGHT        ? EXTRASAMPLE_UNASSALPHA
                        : c->shape.alpha == LG_ALPHA_PREMULTIPLIED ? EXTRASAMPLE_ASSOCALPHA
                                                                   : EXTRASAMPLE_UNSPECIFIED;
        TIFFSetField(handle, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
}

void lg_tiff_set_number(void *handle, const lg_tiff_content *c, int32_t layer)
{
    TIFFSetField(handle, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
    TIFFSetField(handle, TIFFTAG_PAGENUMBER, (uint16_t)layer,
                 (uint16_t)LG_MIN(c->shape.layers, UINT16_MAX));
}

void lg_tiff_set_page(void *handle, const lg_tiff_content *c, double x, double y)
{
    const lg_metadata *m = c->metadata;
    if (m && m->orientation > 0)
        TIFFSetField(handle, TIFFTAG_ORIENTATION, (uint16_t)m->orientation);
    if (m && m->unit != LG_RESOLUTION_UNKNOWN) {
        TIFFSetField(handle, TIFFTAG_XRESOLUTION, m->x_resolution * x);
        TIFFSetField(handle, TIFFTAG_YRESOLUTION, m->y_resolution * y);
        TIFFSetField(handle, TIFFTAG_RESOLUTIONUNIT, (uint16_t)m->unit);
    }
}

void lg_tiff_set_first(void *handle, const lg_tiff_content *c)
{
    const lg_metadata *m = c->metadata;
    if (!m)
        return;
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

// ---- options ------------------------------------------------------------------------------------

static uint16_t usual_scheme(void)
{
    return TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE) ? COMPRESSION_ADOBE_DEFLATE
                                                            : COMPRESSION_NONE;
}

// By its name; "": the usual one.
static lg_status find_scheme(const char *name, uint16_t *out, lg_error *error)
{
    static const struct {
        const char *name;
        uint16_t scheme;
    } schemes[] = {{"none", COMPRESSION_NONE},
                   {"deflate", COMPRESSION_ADOBE_DEFLATE},
                   {"lzw", COMPRESSION_LZW},
                   {"packbits", COMPRESSION_PACKBITS},
                   {"zstd", COMPRESSION_ZSTD}};
    *out = usual_scheme();
    for (size_t i = 0; i < LG_COUNT(schemes); i++)
        if (strcmp(name, schemes[i].name) == 0) {
            *out = schemes[i].scheme;
            return TIFFIsCODECConfigured(*out)
                       ? LG_OK
                       : lg_fail(error, LG_ERROR_UNSUPPORTED, "this libtiff does not encode %s",
                                 schemes[i].name);
        }
    return !*name ? LG_OK
                  : lg_fail(error, LG_ERROR_ARGUMENT,
                            "'%.20s' is no compression of TIFF; none, deflate, lzw, packbits and "
                            "zstd are",
                            name);
}

static lg_status read_options(const char *options, lg_tiff_content *c, lg_error *error)
{
    const lg_status status = lg_tile_options_read(options, "tif", &c->tiles, error);
    return status ? status : find_scheme(c->tiles.compression, &c->scheme, error);
}

// The options, and the description as far as it is still true.
static lg_status finish(const char *options, lg_tiff_content *c, lg_error *error)
{
    lg_status status = read_options(options, c, error);
    if (status == LG_OK && c->metadata && c->metadata->description)
        status = lg_description_adapt(c->metadata, &c->shape, &c->description, error);
    return status;
}

lg_status lg_tiff_content_of(const lg_image_params *shape, const lg_metadata *metadata,
                             const char *options, lg_tiff_content *out, lg_error *error)
{
    const bool floats = shape->type == LG_F16 || shape->type == LG_F32;
    *out = (lg_tiff_content){.shape = *shape,
                             .channels = lg_file_channels(shape),
                             .bits = (uint16_t)(8 * lg_type_size(shape->type)),
                             .format = floats ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT,
                             .metadata = metadata};
    return finish(options, out, error);
}

lg_status lg_tiff_content_of_labels(const lg_labels *labels, const lg_metadata *metadata,
                                    const char *options, lg_tiff_content *out, lg_error *error)
{
    *out = (lg_tiff_content){
        .shape = {.width = labels->width, .height = labels->height, .layers = labels->layers},
        .channels = 1,
        .bits = 32,
        .format = SAMPLEFORMAT_UINT,
        .labelled = true,
        .labels = labels,
        .metadata = metadata};
    return finish(options, out, error);
}

lg_metadata lg_tiff_metadata_of_pages(const lg_metadata *m)
{
    return (lg_metadata){.orientation = m->orientation,
                         .unit = m->unit,
                         .x_resolution = m->x_resolution,
                         .y_resolution = m->y_resolution};
}

#endif
