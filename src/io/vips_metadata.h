// Metadata between two images of libvips.
#ifndef LG_VIPS_METADATA_H
#define LG_VIPS_METADATA_H

#include "io/metadata.h"

#include <vips/vips.h>

// Takes a copy of what `in`, an image of this shape, says.
lg_status lg_metadata_take(VipsImage *in, const lg_image_params *shape, lg_metadata **out,
                           lg_error *error);
// Puts it on `out`, an image of this shape that nobody else has.
void lg_metadata_give(const lg_metadata *metadata, const lg_image_params *shape, VipsImage *out);

#endif
