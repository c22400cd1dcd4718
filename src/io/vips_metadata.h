// Metadata between two images of libvips.
#ifndef LG_VIPS_METADATA_H
#define LG_VIPS_METADATA_H

#include "io/io_internal.h"

#include <vips/vips.h>

// Takes a copy of what `in` says; *out stays NULL when it says nothing.
lg_status lg_metadata_take(VipsImage *in, lg_metadata **out, lg_error *error);
// Puts it on `out`, an image of this shape that nobody else has.
void lg_metadata_give(const lg_metadata *metadata, const lg_image_params *shape, VipsImage *out);

bool lg_metadata_profile(const lg_metadata *metadata); // is there a colour profile
// Is it for images of as many colours.
bool lg_metadata_profile_fits(const lg_metadata *metadata, const lg_image_params *shape);

#endif
