// Image descriptions that programs read: OME-XML, ImageJ's lines, tifffile's JSON.
#ifndef LG_DESCRIPTION_H
#define LG_DESCRIPTION_H

#include "io/metadata.h"

// Says what the layers are: fills info->axes and info->mixed. `samples`: channels of a layer.
// images: how many images the description states, 0 when it states none.
void lg_description_read(const char *text, int32_t samples, int32_t layers, lg_read_info *info,
                         int64_t *images);

// The size of pixels in micrometres, 0 where it is not stated. `x` and `y`: pixels per unit, as the file has
// them beside the description, 0: it does not.
void lg_description_pixel_size(const char *text, double x, double y, double out[3]);

// The description of an image of shape `to` that was made of the one that the metadata are of: what states
// a shape is rewritten. *out is NULL when it has to be dropped. Errors: LG_ERROR_MEMORY.
lg_status lg_description_adapt(const lg_metadata *metadata, const lg_image_params *to, char **out,
                               lg_error *error);
// OME-XML for an image of shape `to`: its axes, and the size of its pixels. *out is NULL where they do not
// fit the image, or no size is known.
lg_status lg_ome_make(const lg_metadata *metadata, const lg_image_params *to, char **out,
                      lg_error *error);

#endif
