// Image descriptions that programs read: OME-XML, ImageJ's lines, tifffile's JSON.
#ifndef LG_DESCRIPTION_H
#define LG_DESCRIPTION_H

#include "io/io_internal.h"

// Says what the layers are: fills info->axes and info->mixed. `samples`: channels of a layer.
// images: how many images the description states, 0 when it states none.
void lg_description_read(const char *text, int32_t samples, int32_t layers, lg_read_info *info,
                         int64_t *images);

// The description of an image of shape `to` that was made of one of shape `from`: what states a
// shape is rewritten. *out is NULL when it has to be dropped. Errors: LG_ERROR_MEMORY.
lg_status lg_description_adapt(const char *text, const lg_image_params *from,
                               const lg_image_params *to, char **out, lg_error *error);

#endif
