// OME-Zarr 0.4 in Zarr 2: what its metadata say.
#ifndef LG_ZARR_H
#define LG_ZARR_H

#include "io/metadata.h"
#include "io/row_writer.h"
#include "io/tile_levels.h"
#include "io/zarr_folder.h"

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
    lg_alpha alpha;
    lg_tile_sample sample;
    int32_t tile_width, tile_height;
    const char *compressor; // "none", "zlib", "zstd"
} lg_zarr_array;

// .zarray of a level; .zattrs of the image, whose name is `name`.
void lg_zarr_write_array(FILE *out, const lg_zarr_array *array, const lg_tile_level *level);
void lg_zarr_write_attributes(FILE *out, const lg_zarr_array *array, const char *name, int levels);

// ---- reading --------------------------------------------------------------------------------------

#define LG_ZARR_DIMS 8

// An axis of an array in a file.
typedef struct lg_zarr_dim {
    int64_t size, chunk, inner; // inner: samples from one to the next in a chunk
    int64_t stride;             // layers from one to the next; 0: layers do not tell it
    char name;                  // as of lg_layer_axis; 0: not known
    double step;                // in micrometres, 0: not known
} lg_zarr_dim;

// An array that is read as an image.
typedef struct lg_zarr_source {
    lg_zarr_folder folder;
    char separator;
    int count, y, x, color; // axes; color -1: a pixel has one channel
    lg_zarr_dim dim[LG_ZARR_DIMS];
    lg_image_params shape;
    int32_t channels; // of a pixel in the file
    lg_foreign foreign;
    size_t sample, chunk_bytes;
    bool swap;
    uint8_t fill[8]; // a sample of what is not there, in the order of the host
    uint16_t scheme; // of TIFF
    bool packed;     // by that
} lg_zarr_source;

// Reads what the metadata say, which `input` begins with, and fills info; out->folder is the caller's to
// close, also behind an error. Errors: LG_ERROR_DATA, LG_ERROR_UNSUPPORTED, LG_ERROR_LIMIT, LG_ERROR_IO,
// LG_ERROR_MEMORY.
lg_status lg_zarr_find(lg_input *input, const char *path, const lg_read_params *params,
                       lg_zarr_source *out, lg_read_info *info, lg_error *error);

#endif
