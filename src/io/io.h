// Image files for programs: PNM, PAM, PFM, NPY and .cube tables built in, TIFF through libtiff,
// everything else through libvips.
//
// Messages do not repeat the file name: the caller knows it and prints it in front.
#ifndef LG_IO_H
#define LG_IO_H

#include <lumagraph/lumagraph.h>
#include <stdio.h>

// ---- reading ------------------------------------------------------------------------------------

#define LG_READ_MAX_PIXELS ((int64_t)1 << 28)

// What a file says about its image beside the samples: colour profile, EXIF, XMP, IPTC, resolution,
// orientation, comments, the delays of frames.
typedef struct lg_metadata lg_metadata;

void lg_metadata_destroy(lg_metadata **metadata); // NULL and pointer to NULL are fine

typedef struct lg_read_params {
    int64_t max_pixels;   // limit on width * height * layers (--max-pixels)
    int64_t max_side;     // limit on width and on height (--max-side)
    int32_t page;         // of a multi-page file, from 0; -1: all pages, as layers
    bool allow_untrusted; // also decoders that libvips does not consider hardened
    bool convert;         // values that f32 does not hold are rounded to it (--convert)
    bool metadata;        // fill lg_read_info.metadata
    void (*progress)(void *priv, double fraction); // 0..1 while decoding; NULL: none
    void *progress_priv;
} lg_read_params;

// The limits above, all pages.
lg_read_params lg_read_params_default(void);

// One of the axes along which layers follow each other: 'Z' depth, 'C' channel, 'T' time ...
typedef struct lg_layer_axis {
    char name;
    int32_t size;
} lg_layer_axis;

#define LG_LAYER_AXES 6

typedef struct lg_read_info {
    char format[32]; // "pnm", "npy", "png" ...
    char note[512];  // conversions that took place, and what else is worth knowing
    bool cmyk;       // the four channels are ink, not colour and alpha
    bool lab;        // the channels are CIE L*a*b*
    // What the layers are when the file says it, the slowest axis first; name 0 behind the last.
    lg_layer_axis axes[LG_LAYER_AXES];
    bool mixed; // channels or moments are among the layers: they are not slices of one volume
    lg_metadata *metadata; // when asked for; NULL when the file has none; the caller destroys it
} lg_read_info;

// Reads the image file `path`; "-" is standard input. The content decides the format, not the name.
// Samples keep their stored type and value: no colour management, no orientation, no division by
// alpha. RGB becomes 4 channels with LG_ALPHA_OPAQUE; palettes are expanded; pages are layers.
// A .cube table of N^3 colours is an image of N x N with N layers: x red, y green, layer blue.
// Types the library lacks (i8 .. i64, u32, u64, f64) become f32 when every value survives exactly,
// or is rounded to the nearest with params->convert.
// params NULL: defaults. info may be NULL.
// Errors: LG_ERROR_IO, LG_ERROR_DATA (damaged, truncated, not an image), LG_ERROR_LIMIT,
// LG_ERROR_UNSUPPORTED (a format or type this build does not read), LG_ERROR_MEMORY.
lg_status lg_image_read(lg_context *context, const char *path, const lg_read_params *params,
                        lg_image **out, lg_read_info *info, lg_error *error);

// ---- writing ------------------------------------------------------------------------------------

typedef struct lg_write_params {
    const char *format; // instead of the extension of the path: "png", "tif" ...; NULL: none
    const lg_metadata *metadata; // written where the format has a place for it; NULL: none
    bool exact;                  // refuse formats that change samples (JPEG, AVIF, HEIC, GIF)
} lg_write_params;

// Writes the image; the extension decides the format (.pnm .pgm .ppm .pbm .pam .pfm .npy built in,
// .tif through libtiff, .png .jpg .webp .gif .jp2 .avif .heic through libvips), "-" is standard
// output (PNM, or PFM for floats, unless the parameters name a format). Samples are stored as they
// are: a format that cannot hold the type, channels or layers is refused. A colour profile that is
// not for the channels of the image is left out, and so is a description of another shape. The file
// appears complete or not at all. params NULL: neither metadata nor a format.
// Errors: LG_ERROR_IO, LG_ERROR_UNSUPPORTED, LG_ERROR_MEMORY.
lg_status lg_image_write(const lg_image *image, const char *path, const lg_write_params *params,
                         lg_error *error);

// Writes labels as samples of 16 bits, or of 32 where a label is above 65535: .tif holds both, .npy
// has 32 always, .png, .pgm and the other formats 16. Labels are downloaded first if need be.
// Errors: as above; LG_ERROR_UNSUPPORTED: more labels or layers than the format holds.
lg_status lg_labels_write(lg_context *context, lg_labels *labels, const char *path,
                          const lg_write_params *params, lg_error *error);

// True when lg_image_write knows the extension of `path` (or `path` is "-").
bool lg_image_can_write(const char *path);
// True when it knows the format, as lg_write_params names it.
bool lg_image_can_format(const char *format);
// True when writing this image so keeps the colour profile, or when there is none.
bool lg_image_keeps_profile(const lg_image *image, const char *path, const lg_write_params *params);
// True when it keeps the image's description, as far as the format has one, or when there is none.
// One that states another shape is dropped.
bool lg_image_keeps_description(const lg_image *image, const char *path,
                                const lg_write_params *params);

// ---- output files -------------------------------------------------------------------------------

// A file that replaces `path` when it is complete: written to a temporary file in the same folder,
// synced and renamed. Devices and pipes are written directly; "-" is standard output.
typedef struct lg_output lg_output;

lg_status lg_output_open(const char *path, lg_output **out, lg_error *error);
FILE *lg_output_stream(lg_output *output);
// Completes the file. On failure the old file is untouched. *output becomes NULL either way.
lg_status lg_output_commit(lg_output **output, lg_error *error);
// Drops what was written. NULL and pointer to NULL are fine.
void lg_output_discard(lg_output **output);
// Removes the temporary files of all open outputs. Async-signal-safe: for handlers that exit next.
void lg_output_unlink_all(void);

// Releases what the decoders hold; only at the end of the program.
void lg_io_shutdown(void);

#endif
