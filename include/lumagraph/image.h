// lumagraph: images, regions.
#ifndef LUMAGRAPH_IMAGE_H
#define LUMAGRAPH_IMAGE_H

#include <lumagraph/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lg_type {
    LG_U8,             // 0 .. 255
    LG_U16,            // 0 .. 65535
    LG_F16,            // IEEE 754 binary16
    LG_F32,            // IEEE 754 binary32
    LG_TYPES,          // how many types images have
    LG_I32 = LG_TYPES, // -2^31 .. 2^31 - 1; of arrays only (areasum.h)
    LG_F64,            // IEEE 754 binary64; of arrays only
    LG_ARRAY_TYPES
} lg_type;

// What the last channel of a 2- or 4-channel image is. One or three channels have LG_ALPHA_NONE.
typedef enum lg_alpha {
    LG_ALPHA_NONE,          // no alpha: every channel is data
    LG_ALPHA_OPAQUE,        // padding of an RGB image: kept out of every figure
    LG_ALPHA_STRAIGHT,      // colour not multiplied by alpha
    LG_ALPHA_PREMULTIPLIED, // colour multiplied by alpha
} lg_alpha;

// Integer pixel rectangle, origin top left.
typedef struct lg_region {
    int64_t x, y, width, height;
} lg_region;

#define LG_MAX_SIDE     (1 << 24) // pixels
#define LG_MAX_LAYERS   65536
#define LG_MAX_CHANNELS 4

// Shape of an image. channels is 1, 2 or 4. RGB has 4 channels with LG_ALPHA_OPAQUE; packed RGB
// with 3 channels can only be read (lg_image_wrap). The samples of a pixel are adjacent; rows and
// layers may be padded.
typedef struct lg_image_params {
    int32_t width, height, layers;
    int32_t channels;
    lg_type type;
    lg_alpha alpha;
    size_t row_stride;   // bytes from row to row; lg_image_create chooses it
    size_t layer_stride; // bytes from layer to layer; lg_image_create chooses it
    int32_t planes; // 0 or 1: the samples of a pixel are adjacent. Others are LG_ERROR_UNSUPPORTED
} lg_image_params;

// An image: a shape to read and pixels to read and write. `data` is the host copy; NULL when the
// image is on the device only. Thread-safety: several threads may measure an image; one that writes
// to it must be alone.
typedef struct lg_image {
    lg_image_params shape;
    void *data;
} lg_image;

// Zeroed image with host memory, rows aligned to 64 bytes.
// Errors: LG_ERROR_ARGUMENT (shape), LG_ERROR_LIMIT (sides, bytes), LG_ERROR_MEMORY.
LG_API lg_status lg_image_create(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error);

// Image over the caller's memory, which must outlive it. Only pixels are read and written, no
// padding. Strides are bytes, at least one row (layer) even when there is only one, and multiples
// of the sample size; row_stride * height and layer_stride * layers must fit a ptrdiff_t.
// 3 channels with LG_ALPHA_NONE are packed RGB, as from cameras and NumPy. Measurements and plans
// treat such an image as RGB with 4 channels and LG_ALPHA_OPAQUE: the results are the same. Packed
// RGB is input only, so no other function creates it.
LG_API lg_status lg_image_wrap(lg_context *context, const lg_image_params *shape, void *data,
                               lg_image **out, lg_error *error);

// Image in device memory only, pixels undefined. On a CPU context, and where the device has no
// memory left or was lost, this is lg_image_create.
LG_API lg_status lg_image_create_device(lg_context *context, const lg_image_params *shape,
                                        lg_image **out, lg_error *error);

// Copies the host pixels to the device. Later calls read this device copy until the next upload or
// lg_image_changed; without it, every call streams the pixels through staging memory. `context` is
// the one that the image was made with. A CPU context does nothing. Where the device has no memory
// left or was lost, the image stays without a device copy and the log says so.
// After writing host pixels, call lg_image_changed or lg_image_upload: until then a Vulkan context
// reads the old pixels of the device copy. With lg_context_params.validation, each call that reads
// the device copy compares a digest of the host pixels with the digest at upload; LG_ERROR_ARGUMENT
// when they differ.
LG_API lg_status lg_image_upload(lg_context *context, lg_image *image, lg_error *error);

// Tells the library that the host pixels were written. A device copy is dropped, and later calls
// read the host pixels. Errors: LG_ERROR_ARGUMENT (an image without host pixels).
LG_API lg_status lg_image_changed(lg_image *image, lg_error *error);

// Copies the device pixels back to `data`, which is allocated when NULL. After an error `data` may
// be written in part. LG_ERROR_DEVICE when the device was lost.
LG_API lg_status lg_image_download(lg_context *context, lg_image *image, lg_error *error);

// For an image of f16 or f32 that is a table of `lookup`: the red, green and blue of its first and its
// last entries. Colours beyond take those entries. Without this call they are 0 and 1; lg_image_read
// calls it for .cube files over another range. Errors: LG_ERROR_ARGUMENT (integer samples, a `most`
// that is not above `least`, NaN, infinity).
LG_API lg_status lg_image_set_domain(lg_image *image, const float least[3], const float most[3],
                                     lg_error *error);
LG_API void lg_image_domain(const lg_image *image, float least[3], float most[3]);

// Releases what the library allocated and sets *image to NULL.
LG_API void lg_image_destroy(lg_image **image);

LG_API size_t lg_type_size(lg_type type);      // bytes of one sample
LG_API const char *lg_type_name(lg_type type); // "u8", "u16", "f16", "f32", "i32", "f64"

// Number of measured channels, without opaque alpha: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
LG_API int lg_image_measured_channels(const lg_image_params *shape);

// Name of a measured channel: "grey", "r", "g", "b", "a".
LG_API const char *lg_channel_name(const lg_image_params *shape, int channel);

// The whole image as a region.
LG_API lg_region lg_image_region(const lg_image_params *shape);

// Parses WxH+X+Y; X and Y may be left out and are 0 then. Errors: LG_ERROR_ARGUMENT.
LG_API lg_status lg_region_parse(const char *text, lg_region *out, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
