#include "io/tile_codec.h"

#include "io/tiff_content.h"

#include <string.h>

#ifdef LG_HAVE_TIFF

#include <tiffio.h>

// A file in memory of one tile, which is written again and again.
struct lg_tile_codec {
    lg_tiff *tiff;
    size_t tile;   // bytes of samples
    uint64_t head; // bytes in front of the tile
};

lg_status lg_tile_codec_scheme(const char *name, uint16_t *out, lg_error *error)
{
    *out = strcmp(name, "zlib") == 0   ? COMPRESSION_ADOBE_DEFLATE
           : strcmp(name, "zstd") == 0 ? COMPRESSION_ZSTD
                                       : COMPRESSION_NONE;
    return TIFFIsCODECConfigured(*out)
               ? LG_OK
               : lg_fail(error, LG_ERROR_UNSUPPORTED, "this libtiff does not encode %s", name);
}

static void set_shape(TIFF *handle, const lg_tile_shape *s)
{
    TIFFSetField(handle, TIFFTAG_IMAGEWIDTH, (uint32_t)s->width);
    TIFFSetField(handle, TIFFTAG_IMAGELENGTH, (uint32_t)s->height);
    TIFFSetField(handle, TIFFTAG_TILEWIDTH, (uint32_t)s->width);
    TIFFSetField(handle, TIFFTAG_TILELENGTH, (uint32_t)s->height);
    TIFFSetField(handle, TIFFTAG_BITSPERSAMPLE, s->bits);
    TIFFSetField(handle, TIFFTAG_SAMPLESPERPIXEL, (uint16_t)s->channels);
    TIFFSetField(handle, TIFFTAG_SAMPLEFORMAT, s->format);
    TIFFSetField(handle, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(handle, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(handle, TIFFTAG_COMPRESSION, s->scheme);
}

lg_status lg_tile_codec_open(const lg_tile_shape *shape, lg_tile_codec **out, lg_error *error)
{
    lg_tile_codec *codec = lg_alloc(sizeof *codec);
    if (!codec)
        return lg_fail_memory(error, sizeof *codec, "an encoder of tiles");
    lg_status status = lg_tiff_create(true, -1, &codec->tiff, error);
    if (status) {
        lg_tile_codec_close(&codec);
        return status;
    }
    set_shape(codec->tiff->handle, shape);
    codec->tile =
        (size_t)shape->width * (size_t)shape->height * (size_t)shape->channels * (shape->bits / 8);
    codec->head = codec->tiff->source.size;
    *out = codec;
    return LG_OK;
}

void lg_tile_codec_close(lg_tile_codec **codec)
{
    if (!*codec)
        return;
    lg_tiff_close(&(*codec)->tiff);
    lg_free(*codec);
    *codec = NULL;
}

lg_status lg_tile_codec_encode(lg_tile_codec *codec, void *samples, const uint8_t **out,
                               size_t *bytes, lg_error *error)
{
    lg_tiff *tiff = codec->tiff;
    tiff->source.size = tiff->source.position = codec->head;
    if (TIFFWriteEncodedTile(tiff->handle, 0, samples, (tmsize_t)codec->tile) < 0 || tiff->failed)
        return lg_tiff_fail_encode(tiff, error);
    const uint64_t offset = TIFFGetStrileOffset(tiff->handle, 0);
    *bytes = (size_t)TIFFGetStrileByteCount(tiff->handle, 0);
    if (offset < codec->head || offset + *bytes > tiff->source.size)
        return lg_tiff_fail_encode(tiff, error);
    *out = tiff->source.copy + offset;
    return LG_OK;
}

// ---- decoding -------------------------------------------------------------------------------------

typedef struct tag {
    uint16_t tag, type;
    uint32_t count, value;
} tag;

#define TAGS 9
#define DATA 128 // where the strip begins

// A file of one strip with one row of bytes, around what was stored.
static void put_head(uint8_t *file, uint16_t scheme, size_t bytes, size_t size)
{
    const bool little = lg_host_is_little();
    const uint16_t version = 42, count = TAGS;
    const uint32_t first = 8;
    const tag tags[TAGS] = {
        {TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, (uint32_t)size},
        {TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, 1},
        {TIFFTAG_BITSPERSAMPLE, TIFF_LONG, 1, 8},
        {TIFFTAG_COMPRESSION, TIFF_LONG, 1, scheme},
        {TIFFTAG_PHOTOMETRIC, TIFF_LONG, 1, PHOTOMETRIC_MINISBLACK},
        {TIFFTAG_STRIPOFFSETS, TIFF_LONG, 1, DATA},
        {TIFFTAG_SAMPLESPERPIXEL, TIFF_LONG, 1, 1},
        {TIFFTAG_ROWSPERSTRIP, TIFF_LONG, 1, 1},
        {TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG, 1, (uint32_t)bytes},
    };
    memset(file, 0, DATA);
    memcpy(file, little ? "II" : "MM", 2);
    memcpy(file + 2, &version, sizeof version);
    memcpy(file + 4, &first, sizeof first);
    memcpy(file + 8, &count, sizeof count);
    memcpy(file + 10, tags, sizeof tags);
}

lg_status lg_tile_decode(uint16_t scheme, const uint8_t *data, size_t bytes, void *out, size_t size,
                         lg_error *error)
{
    lg_tiff *tiff = NULL;
    uint8_t *file = lg_alloc_uninit(DATA + bytes);
    if (!file)
        return lg_fail_memory(error, DATA + bytes, "a chunk");
    put_head(file, scheme, bytes, size);
    memcpy(file + DATA, data, bytes);
    lg_status status = lg_tiff_open_memory(file, DATA + bytes, &tiff, error);
    if (!status && (TIFFReadEncodedStrip(tiff->handle, 0, out, (tmsize_t)size) != (tmsize_t)size ||
                    tiff->failed))
        status = lg_tiff_fail(tiff, "it cannot be decoded", error);
    lg_tiff_close(&tiff);
    lg_free(file);
    return status;
}

#else

lg_status lg_tile_decode(uint16_t scheme, const uint8_t *data, size_t bytes, void *out, size_t size,
                         lg_error *error)
{
    (void)scheme, (void)data, (void)bytes, (void)out, (void)size;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "chunks are decoded by libtiff, which is not there");
}

lg_status lg_tile_codec_scheme(const char *name, uint16_t *out, lg_error *error)
{
    *out = 1;
    return strcmp(name, "none") == 0 ? LG_OK
                                     : lg_fail(error, LG_ERROR_UNSUPPORTED,
                                               "%s needs libtiff, which this build lacks; say "
                                               "compression=none",
                                               name);
}

lg_status lg_tile_codec_open(const lg_tile_shape *shape, lg_tile_codec **out, lg_error *error)
{
    (void)shape, (void)out;
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "tiles are encoded by libtiff, which is not there");
}

void lg_tile_codec_close(lg_tile_codec **codec)
{
    (void)codec;
}

lg_status lg_tile_codec_encode(lg_tile_codec *codec, void *samples, const uint8_t **out,
                               size_t *bytes, lg_error *error)
{
    (void)codec, (void)samples, (void)out, (void)bytes;
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "tiles are encoded by libtiff, which is not there");
}

#endif
