// Tiles as bytes that libtiff's encoders make of them, and back: those of tiled TIFF, and chunks of Zarr,
// whose zlib and zstd are the same.
#ifndef LG_TILE_CODEC_H
#define LG_TILE_CODEC_H

#include "core/core.h"

typedef struct lg_tile_codec lg_tile_codec;

typedef struct lg_tile_shape {
    int32_t width, height, channels;
    uint16_t bits, format, scheme; // as TIFF numbers them
} lg_tile_shape;

// TIFF's number of "none", "zlib" or "zstd". Errors: LG_ERROR_UNSUPPORTED (this libtiff does not have it).
lg_status lg_tile_codec_scheme(const char *name, uint16_t *out, lg_error *error);
// Errors: LG_ERROR_UNSUPPORTED, LG_ERROR_MEMORY.
lg_status lg_tile_codec_open(const lg_tile_shape *shape, lg_tile_codec **out, lg_error *error);
void lg_tile_codec_close(lg_tile_codec **codec);
// Encodes the samples of a whole tile. *out stays until the next call. Errors: LG_ERROR_IO, LG_ERROR_MEMORY.
lg_status lg_tile_codec_encode(lg_tile_codec *codec, void *samples, const uint8_t **out,
                               size_t *bytes, lg_error *error);

// Decodes bytes of a scheme to a known number of bytes. Errors: LG_ERROR_DATA, LG_ERROR_MEMORY.
lg_status lg_tile_decode(uint16_t scheme, const uint8_t *data, size_t bytes, void *out, size_t size,
                         lg_error *error);

#endif
