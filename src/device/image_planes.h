// Images of planes: an image without pixels of its own, and an image for each plane.
#ifndef LG_IMAGE_PLANES_H
#define LG_IMAGE_PLANES_H

#include "core/core.h"

typedef lg_status lg_image_maker(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error);

// An image of this shape, without pixels; device/image.c.
lg_status lg_image_new(lg_context *context, const lg_image_params *shape, lg_image_private **out,
                       lg_error *error);
// The image, with planes by `make`.
lg_status lg_planes_make(lg_context *context, const lg_image_params *shape, lg_image_maker *make,
                         lg_image **out, lg_error *error);
// What the functions of these names do, of an image of planes, or for the last one also of a plane.
lg_status lg_planes_upload(lg_context *context, lg_image_private *image, lg_error *error);
lg_status lg_planes_changed(lg_image_private *image, lg_error *error);
lg_status lg_planes_download(lg_context *context, lg_image_private *image, lg_error *error);
bool lg_planes_overlap(const lg_image *a, const lg_image *b);
void lg_planes_destroy(lg_image_private *image);

#endif
