// OME-Zarr 0.4 in Zarr 2: what its metadata say.
#ifndef LG_ZARR_H
#define LG_ZARR_H

#include "io/metadata.h"
#include "io/row_writer.h"
#include "io/tile_levels.h"

#define LG_ZARR_AXES 5

// The axes of an array, as NGFF orders them: t, c, z, y, x; those that an image does not have are left out.
typedef struct lg_zarr_axes {
    char name[LG_ZARR_AXES];
    int32_t size[LG_ZARR_AXES]; // of y and x at level 0
    int count;
    double step[LG_ZARR_AXES]; // in micrometres, 0: not known
    int color;        // along which the channels of a pixel follow each other, -1: there is one
    int32_t channels; // of a layer
    // How many layers one is behind the former along an axis, 0: layers do not tell it.
    int32_t stride[LG_ZARR_AXES];
} lg_zarr_axes;

// Axes of an image; metadata NULL: layers are slices.
void lg_zarr_axes_of(const lg_image_params *shape, const lg_metadata *metadata, lg_zarr_axes *out);
// The place of a channel of a layer along an axis other than y and x.
int32_t lg_zarr_place(const lg_zarr_axes *axes, int axis, int32_t layer, int channel);

// What is the same in all levels.
typedef struct lg_zarr_array {
    lg_zarr_axes axes;
    lg_tile_sample sample;
    int32_t tile_width, tile_height;
    const char *compressor; // "none", "zlib", "zstd"
} lg_zarr_array;

// .zarray of a level; .zattrs of the image, whose name is `name`.
void lg_zarr_write_array(FILE *out, const lg_zarr_array *array, const lg_tile_level *level);
void lg_zarr_write_attributes(FILE *out, const lg_zarr_array *array, const char *name, int levels);

#endif
