// What goes from an input to the image that is made of it: everything that is still true of the new
// pixels. Sizes, codings and thumbnails are not, so fields are taken by name.
#ifndef LG_METADATA_H
#define LG_METADATA_H

#include "io/io_internal.h"

typedef struct lg_blob {
    uint8_t *data;
    size_t size;
} lg_blob;

// As in TIFF.
typedef enum lg_resolution_unit {
    LG_RESOLUTION_UNKNOWN, // the file states no resolution
    LG_RESOLUTION_NONE,    // pixels per a unit that is said elsewhere, or nowhere
    LG_RESOLUTION_INCH,
    LG_RESOLUTION_CM,
} lg_resolution_unit;

struct lg_metadata {
    lg_blob profile, xmp, iptc;
    char *description;
    lg_image_params shape;             // of the image that the description is about
    lg_layer_axis axes[LG_LAYER_AXES]; // as lg_read_info has them, of what was read
    double pixel_size[3];
    double scaled[2]; // pixels are so many times as large as the description says; 0: once
    bool turned;      // pixel_size is not that of the description, whose axes have changed places
    bool georeferenced;
    int orientation; // 1 to 8, 0: not stated
    lg_resolution_unit unit;
    double x_resolution, y_resolution; // pixels per unit
    void *fields; // VipsImage of one pixel that carries what only libvips' formats have; or NULL
    void (*fields_free)(void *fields);
};

lg_status lg_metadata_create(lg_metadata **out, lg_error *error);
// A copy of so many bytes; nothing for none.
lg_status lg_blob_copy(lg_blob *blob, const void *data, size_t size, lg_error *error);
// Is the colour profile for images of as many colours.
bool lg_metadata_profile_fits(const lg_metadata *metadata, const lg_image_params *shape);

#endif
