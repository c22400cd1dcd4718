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

// ---- planes of Y'CbCr: docs/definitions.md, Video ------------------------------------------------

typedef enum lg_chroma {
    LG_CHROMA_NONE, // grey, or colours whose samples are adjacent
    LG_CHROMA_420,
    LG_CHROMA_411,
    LG_CHROMA_422,
    LG_CHROMA_444,
} lg_chroma;

// Where samples of smaller chroma planes lie, as columns and rows of luma. Of 4:2:2 and 4:1:1, whose
// chroma lies on each row, top left is the same as left.
typedef enum lg_siting {
    LG_SITING_LEFT,     // on a column, between rows: MPEG-2
    LG_SITING_CENTER,   // between columns, between rows: JPEG; not of 4:1:1
    LG_SITING_TOP_LEFT, // on a column, on a row: DV
} lg_siting;

typedef enum lg_matrix {
    LG_MATRIX_BT709,
    LG_MATRIX_BT601,
    LG_MATRIX_BT2020,
    LG_MATRIX_SMPTE240M,
} lg_matrix;

// An image that is stored as planes of codes.
typedef struct lg_planes {
    lg_chroma chroma; // LG_CHROMA_NONE: luma alone
    bool paired;      // Cb and Cr alternate in one plane: NV12, NV16, P010
    int32_t bits;     // of a code, 8 to 16
    int32_t shift;    // zero bits below them: P010 has 10 bits and a shift of 6
    lg_matrix matrix;
    bool full_range;
    lg_siting siting;
} lg_planes;

#define LG_PLANES_DEFAULTS .chroma = LG_CHROMA_420, .bits = 8

#define LG_MAX_PLANES 3

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
    // NULL: the samples of a pixel are adjacent. Otherwise the image is stored as planes of `type`, which
    // is u8 for 8 bits and u16 for more. It has 4 channels and LG_ALPHA_OPAQUE, or with LG_CHROMA_NONE
    // 1 channel, and 1 layer. Images copy what this points to.
    const lg_planes *planes;
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

// Image over planes in the caller's memory, which must outlive it. shape->planes says how the image is
// stored; the strides of the shape do not count. `data` and `row_stride` (bytes, as above) are of luma,
// then of Cb and Cr; with `paired` the second has both. Chroma has width and height divided by those
// of its grid and rounded up: 4:2:0 of 5 x 5 pixels has 3 x 3 samples. lg_image.data is NULL.
// An image of planes is what a plan reads and writes (lg_plan_create_planes), and what
// lg_image_upload, lg_image_changed and lg_image_download take. Everything else takes a plane of it,
// and says so by LG_ERROR_ARGUMENT. lg_image_create and lg_image_create_device make such images too.
// Errors: LG_ERROR_ARGUMENT.
LG_API lg_status lg_image_wrap_planes(lg_context *context, const lg_image_params *shape,
                                      void *const *data, const size_t *row_stride, lg_image **out,
                                      lg_error *error);

// A plane as an image of codes: 0 luma, 1 Cb, 2 Cr, of one channel; with `paired` 1 is both, of two
// channels. It shares the pixels on host and device. The caller destroys it, before or after `image`.
// Errors: LG_ERROR_ARGUMENT (there is no such plane).
LG_API lg_status lg_image_plane(lg_image *image, int plane, lg_image **out, lg_error *error);

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
