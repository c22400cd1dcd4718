// lumagraph: image files and graphs in JSON files. The library is liblumagraph-io (pkg-config:
// lumagraph-io).
//
// PNM, PAM, PFM, NPY, .cube tables and .acv curves are built in; libtiff handles TIFF. libvips
// handles all other formats, through the module liblumagraph-vips.so, which is loaded at the first
// such file.
//
// Messages do not contain the file name: callers print it in front.
//
// Thread-safety: threads may read and write files at the same time, each with its own context.
// Files that need libvips are decoded one after another, while others are encoded.
#ifndef LUMAGRAPH_IO_H
#define LUMAGRAPH_IO_H

#include <lumagraph/lumagraph.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- reading ------------------------------------------------------------------------------------

#define LG_READ_MAX_PIXELS ((int64_t)1 << 28)

// The contents of an image file besides samples: colour profile, EXIF, XMP, IPTC, resolution,
// orientation, comments, frame delays.
typedef struct lg_metadata lg_metadata;

// NULL and pointer to NULL are fine.
LG_API void lg_metadata_destroy(lg_metadata **metadata);

// How the pixels are to be turned for display, as TIFF and EXIF number it: 1 not at all, 2 mirrored
// left to right, 3 by 180 degrees, 4 mirrored top to bottom, 5 transposed, 6 by 90 degrees
// clockwise, 7 transposed about the other diagonal, 8 by 270 degrees. 0: the file does not say;
// NULL is such a file.
LG_API int lg_metadata_orientation(const lg_metadata *metadata);
// States that the pixels were turned so, and are upright now: the orientation becomes 1, and the
// resolutions of both axes change places if the axes did. NULL is fine.
LG_API void lg_metadata_set_upright(lg_metadata *metadata);

typedef struct lg_read_params {
    int64_t max_pixels;   // limit on width * height * layers
    int64_t max_side;     // limit on width and on height
    int32_t page;         // one page of a multi-page file, from 0; -1: all pages, as layers
    bool allow_untrusted; // also use decoders that libvips does not consider hardened
    bool convert;         // round values that f32 cannot represent; false: LG_ERROR_UNSUPPORTED
    bool metadata;        // fill lg_read_info.metadata
    // Called while decoding; NULL: none. It must not call functions of this header. When it returns
    // false, lg_image_read() returns LG_ERROR_CANCELLED.
    lg_progress_fn progress;
    void *progress_priv;
} lg_read_params;

// LG_READ_MAX_PIXELS, LG_MAX_SIDE, all pages; everything else off.
LG_API lg_read_params lg_read_params_default(void);

// An axis of a stack of layers: 'Z' depth, 'C' channel, 'T' time ...
typedef struct lg_layer_axis {
    char name;
    int32_t size;
} lg_layer_axis;

#define LG_LAYER_AXES 6

typedef struct lg_read_info {
    char format[32]; // "pnm", "npy", "png" ...
    char note[512];  // conversions that were made, and other remarks
    bool cmyk;       // the four channels are ink, not colour and alpha
    bool lab;        // the channels are CIE L*a*b*
    // The axes of the layers if the file has them, the slowest first; name 0 behind the last.
    lg_layer_axis axes[LG_LAYER_AXES];
    bool mixed; // the layers include channels or times: they are not slices of one volume
    lg_metadata *metadata; // if requested; NULL when the file has none. The caller destroys it
} lg_read_info;

// Reads the image file `path`; "-" is standard input. The content decides the format, not the name.
// Samples keep their stored type and value: no colour management, no rotation by EXIF, no division
// by alpha. RGB becomes 4 channels with LG_ALPHA_OPAQUE; palettes are expanded; pages become
// layers. A .cube table of N^3 colours becomes N layers of N x N: x is red, y green, the layer
// blue; one of N colours becomes a row (lg_image_set_domain tells their range). .acv curves become
// a row of 1025. Types that the library lacks (i8 .. i64, u32, u64, f64) become f32 when every value
// survives exactly; params->convert allows rounding. params NULL: defaults. info may be NULL.
// Errors: LG_ERROR_ARGUMENT (no such page), LG_ERROR_IO, LG_ERROR_DATA (damaged, truncated, not an
// image), LG_ERROR_LIMIT (a limit of the parameters, a decoder that is not allowed),
// LG_ERROR_UNSUPPORTED (a format or type this build does not read, or libvips cannot be loaded),
// LG_ERROR_MEMORY, and those of lg_image_create.
LG_API lg_status lg_image_read(lg_context *context, const char *path, const lg_read_params *params,
                               lg_image **out, lg_read_info *info, lg_error *error);

// ---- arrays -------------------------------------------------------------------------------------

// Reads an .npy file as an array for area sums: 1 to LG_AREA_DIMS axes of any meaning, one channel, C
// or Fortran order; "-" is standard input. Axis 0 of *out is the last axis of NumPy's shape, whatever
// the order in the file: the strides say where the elements lie. Samples keep their value: u8, bool,
// u16, f16, f32 and f64 their type as well; i8, i16 and i32 become i32. u32, i64 and u64 become i32 when
// all of them fit, else f64 when none is beyond 2^53.
// Free it with lg_area_array_free. Errors: LG_ERROR_IO, LG_ERROR_DATA (no .npy file, damaged,
// truncated), LG_ERROR_ARGUMENT (more axes, or none; an axis without elements), LG_ERROR_LIMIT (more than
// max_elements or 2^32 - 1), LG_ERROR_UNSUPPORTED (another type; integers beyond 2^53, by their
// value), LG_ERROR_MEMORY.
LG_API lg_status lg_area_array_read(const char *path, int64_t max_elements, lg_area_array *out,
                                    lg_error *error);
// Frees what lg_area_array_read allocated; data becomes NULL. NULL is fine.
LG_API void lg_area_array_free(lg_area_array *array);

// ---- writing ------------------------------------------------------------------------------------

typedef struct lg_write_params {
    const char *format;          // "png", "tif" ...; NULL: the extension of the path decides
    const lg_metadata *metadata; // written as far as the format can hold it; NULL: none
    bool exact;                  // refuse formats that change samples (JPEG, AVIF, HEIC, GIF)
} lg_write_params;

// Writes the host pixels of an image; call lg_image_download first for pixels on a device. The
// extension decides the format: .pnm .pgm .ppm .pbm .pam .pfm .npy are built in, .tif needs
// libtiff, .png .jpg .webp .gif .jp2 .avif .heic need libvips. "-" is standard output, as PNM, or
// PFM for floats, unless params->format says otherwise. Samples are stored as they are: a format
// that cannot hold the type, channels or layers is refused. A colour profile for other channels, or
// a description of another shape, is left out. The file appears complete or not at all. params
// NULL: no metadata, no format. Errors: LG_ERROR_ARGUMENT (no host pixels), LG_ERROR_IO,
// LG_ERROR_UNSUPPORTED, LG_ERROR_MEMORY.
LG_API lg_status lg_image_write(const lg_image *image, const char *path,
                                const lg_write_params *params, lg_error *error);

// Writes labels as samples. .npy always has 32 bits; .tif has 16, or 32 when a label exceeds 65535;
// .png, .pgm and the others have 16. Labels are downloaded first if need be. Errors: as above, and
// those of lg_labels_download; LG_ERROR_UNSUPPORTED: more labels or layers than the format holds.
LG_API lg_status lg_labels_write(lg_context *context, lg_labels *labels, const char *path,
                                 const lg_write_params *params, lg_error *error);

// True when lg_image_write knows the extension of `path` (or `path` is "-"); false for NULL.
LG_API bool lg_image_can_write(const char *path);
// True when it knows the format, as lg_write_params names it; false for NULL.
LG_API bool lg_image_can_format(const char *format);
// True when lg_image_write with these arguments keeps the colour profile, or when there is none.
LG_API bool lg_image_keeps_profile(const lg_image *image, const char *path,
                                   const lg_write_params *params);
// True when it keeps the image's description, as far as the format has one, or when there is none.
// A description of another shape is dropped.
LG_API bool lg_image_keeps_description(const lg_image *image, const char *path,
                                       const lg_write_params *params);

// ---- graphs -------------------------------------------------------------------------------------

#define LG_GRAPH_FILE_SIZE (4 << 20) // bytes of a file at most

// Reads a graph with its inputs, nodes and outputs from a JSON file; "-" is standard input.
// docs/cli.md describes the format. Nodes may stand in any order.
// Errors: LG_ERROR_IO, LG_ERROR_ARGUMENT (no JSON: line and column; unknown keys, filters,
// parameters and names, with the nearest known one; values out of range; cycles, with their nodes),
// LG_ERROR_LIMIT (LG_MAX_NODES, LG_MAX_INPUTS, LG_GRAPH_FILE_SIZE), LG_ERROR_MEMORY,
// LG_ERROR_UNSUPPORTED (a build without libjansson).
LG_API lg_status lg_graph_read(const char *path, lg_graph **out, lg_error *error);

// ---- output files -------------------------------------------------------------------------------

// A file that replaces `path` once it is complete: written to a temporary file in the same folder,
// synced and renamed. Devices and pipes are written directly; "-" is standard output.
typedef struct lg_output lg_output;

// Errors: LG_ERROR_IO (a folder, no permission, no such folder), LG_ERROR_MEMORY.
LG_API lg_status lg_output_open(const char *path, lg_output **out, lg_error *error);
// The stream to write to; the output owns it. NULL for NULL.
LG_API FILE *lg_output_stream(lg_output *output);
// Completes the file. On failure the old file stays unchanged. *output becomes NULL either way.
LG_API lg_status lg_output_commit(lg_output **output, lg_error *error);
// Deletes the temporary file. NULL and pointer to NULL are fine.
LG_API void lg_output_discard(lg_output **output);
// Removes the temporary files of all open outputs; a thread that opens another one then waits for ever.
// Async-signal-safe: for handlers that end the process next.
LG_API void lg_output_unlink_all(void);

// ---- the end ------------------------------------------------------------------------------------

// Frees the resources of libvips, if it was loaded. Call it only at the end of the program.
LG_API void lg_io_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
