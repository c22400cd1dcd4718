// Metadata between two images of libvips.
#ifndef LG_VIPS_METADATA_H
#define LG_VIPS_METADATA_H

#include "io/metadata.h"

#include <vips/vips.h>

// Takes a copy of what `in`, an image of this shape, says.
lg_status lg_metadata_from_vips(VipsImage *in, const lg_image_params *shape, lg_metadata **out,
                                lg_error *error);
// Puts it on `out`, an image of this shape that nobody else has.
void lg_metadata_to_vips(const lg_metadata *metadata, const lg_image_params *shape, VipsImage *out);

// Of an image whose source states no resolution (metadata may be NULL) a file states none either. Where the
// format needs a number it is the one that means unknown; PNG needs none.
bool lg_metadata_has_resolution(const lg_metadata *metadata);
void lg_metadata_hide_resolution(VipsImage *out);
// The bytes that a PNG begins with, without its resolution. Their new size; 0: the first pixels are not among
// them, so that more are needed.
size_t lg_png_drop_resolution(uint8_t *head, size_t size);

#endif
