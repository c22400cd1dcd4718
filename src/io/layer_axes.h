// Which layers of a file are read, where they are slices, channels and moments.
#ifndef LG_LAYER_AXES_H
#define LG_LAYER_AXES_H

#include "io/io_internal.h"

// Adds the fastest axis. Nothing where `size` is 1.
void lg_axes_add(lg_read_info *info, char name, int32_t size);

// The layers that are read of `layers` ones, in order: *count of them in taken[layers]. choice NULL: all.
// info->axes and mixed become those of what is read. Errors: LG_ERROR_ARGUMENT.
lg_status lg_layers_choose(const lg_layer_choice *choice, int32_t layers, lg_read_info *info,
                           int32_t *taken, int32_t *count, lg_error *error);

// The same for an image that was read with all of its layers.
lg_status lg_layers_keep(lg_context *context, const lg_layer_choice *choice, lg_image **image,
                         lg_read_info *info, lg_error *error);

#endif
