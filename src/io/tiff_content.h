// What is written to a TIFF file, in strips or tiles: its samples and its tags.
#ifndef LG_TIFF_CONTENT_H
#define LG_TIFF_CONTENT_H

#include "io/metadata.h"
#include "io/row_writer.h"
#include "io/tiff.h"
#include "io/tile_options.h"

// Images and labels alike.
typedef struct lg_tiff_content {
    lg_image_params shape; // height and layers of all that is written
    int32_t channels;
    uint16_t bits, format, scheme;
    lg_tile_options tiles;   // of width 0: strips
    bool labelled;           // the samples are numbers of components
    const lg_image *image;   // NULL: rows come from elsewhere
    const lg_labels *labels; // instead of image
    const lg_metadata *metadata;
    char *description;
} lg_tiff_content;

// `options`: those behind the name, as of lg_write_params. description is for lg_free.
lg_status lg_tiff_content_of(const lg_image_params *shape, const lg_metadata *metadata,
                             const char *options, lg_tiff_content *out, lg_error *error);
// The same for labels of 32 bits.
lg_status lg_tiff_content_of_labels(const lg_labels *labels, const lg_metadata *metadata,
                                    const char *options, lg_tiff_content *out, lg_error *error);
size_t lg_tiff_content_row(const lg_tiff_content *content); // bytes
// A row of image or labels, packed.
void lg_tiff_content_copy(const lg_tiff_content *content, int32_t layer, int32_t y, uint8_t *out);
// Whether a file of so many bytes of samples needs wide offsets.
bool lg_tiff_content_is_big(const lg_tiff_content *content, double bytes);

// Tags of a TIFF * that have to do with samples; not how they are cut.
void lg_tiff_set_layout(void *handle, const lg_tiff_content *content, int32_t width,
                        int32_t height);
// Those of a page; resolutions times x and y.
void lg_tiff_set_page(void *handle, const lg_tiff_content *content, double x, double y);
// Those of the first page.
void lg_tiff_set_first(void *handle, const lg_tiff_content *content);
void lg_tiff_set_number(void *handle, const lg_tiff_content *content, int32_t layer);

// The metadata that each page has, for when those of the file are gone.
lg_metadata lg_tiff_metadata_of_pages(const lg_metadata *metadata);
lg_status lg_tiff_fail_encode(const lg_tiff *tiff, lg_error *error);
// Compressed, and to be written by several.
lg_status lg_tiff_fail_shared(lg_error *error);

// All of an image in tiles, to a stream.
lg_status lg_tiff_write_tiles(const lg_tiff_content *content, FILE *stream, lg_error *error);
extern const lg_row_sink lg_row_sink_tiff_tiles;

#endif
