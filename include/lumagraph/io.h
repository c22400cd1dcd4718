// lumagraph: image files and graphs in JSON files. The library is liblumagraph-io (pkg-config:
// lumagraph-io).
//
// PNM, PAM, PFM, NPY, .cube tables and .acv curves are built in; libtiff handles TIFF. libvips
// handles all other formats, through the module liblumagraph-vips.so, which is loaded at the first
// such file. Video files and cameras go through FFmpeg's libraries, in the module liblumagraph-av.so,
// and members of archives through libarchive, in the module liblumagraph-archive.so.
//
// Messages do not contain the file name: callers print it in front.
//
// Thread-safety: threads may read and write files at the same time, each with its own context.
// Files that need libvips are opened one after another, and decoded and encoded side by side.
#ifndef LUMAGRAPH_IO_H
#define LUMAGRAPH_IO_H

#include <lumagraph/lumagraph.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- reading ------------------------------------------------------------------------------------

#define LG_READ_MAX_PIXELS ((int64_t)1 << 28)
// As lg_read_params.page: the full image of a raw photograph that is a TIFF file (DNG, NEF ...), as it is
// stored: samples of the sensor, and no picture.
#define LG_PAGE_RAW (-2)

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
// Whether a GeoTIFF says where on earth the pixels lie, which no output keeps. NULL is no such file.
LG_API bool lg_metadata_is_georeferenced(const lg_metadata *metadata);
// States that the pixels were turned so, and are upright now: the orientation becomes 1, and the
// resolutions of both axes change places if the axes did. NULL is fine.
LG_API void lg_metadata_set_upright(lg_metadata *metadata);

// An axis of a stack of layers: 'Z' depth, 'C' channel, 'T' time ...
typedef struct lg_layer_axis {
    char name;
    int32_t size;
} lg_layer_axis;

#define LG_LAYER_AXES 6

// Which layers of a stack are read, and what they are where the file does not say it.
typedef struct lg_layer_choice {
    // The slowest first, name 0 behind the last; of one axis the size may be 0, which is what the others
    // leave. Without any: what the file says.
    lg_layer_axis axes[LG_LAYER_AXES];
    int32_t channel, time; // only these along the axes 'C' and 'T', from 0; -1: all
} lg_layer_choice;

// Whether a description says how large the pixels are, as those of microscopes do.
LG_API bool lg_metadata_knows_pixels(const lg_metadata *metadata);
// States that pixels are so many times as large as those that were read, as behind `resize`: such sizes
// follow, and resolutions with them. With 0 it is not known how large they are, and what says it is dropped.
// Without such sizes a resolution is one for print, and stays. NULL is fine.
LG_API void lg_metadata_scale_pixels(lg_metadata *metadata, double x, double y);
// States that the axes have changed places, as behind `transpose`: sizes of pixels and resolutions do, too.
// NULL is fine.
LG_API void lg_metadata_turn_pixels(lg_metadata *metadata);

typedef struct lg_read_params {
    int64_t max_pixels; // limit on width * height * layers
    int64_t max_side;   // limit on width and on height
    // One page of a multi-page file, from 0; -1: all pages, as layers; LG_PAGE_RAW.
    int32_t page;
    bool allow_untrusted; // also use decoders that libvips does not consider hardened
    bool convert;         // round values that f32 cannot represent; false: LG_ERROR_UNSUPPORTED
    bool metadata;        // fill lg_read_info.metadata
    // Called while decoding; NULL: none. It must not call functions of this header. When it returns
    // false, lg_image_read() returns LG_ERROR_CANCELLED.
    lg_progress_fn progress;
    void *progress_priv;
    const lg_layer_choice *layers; // with `page` -1; NULL: all
    // Bytes that decoders may hold to be faster: several parts of a file are decoded at the same time, by
    // the threads of the context, and whole. 0: as few as the format needs.
    size_t spare_memory;
} lg_read_params;

// LG_READ_MAX_PIXELS, LG_MAX_SIDE, all pages, 64 MiB to spare; everything else off.
LG_API lg_read_params lg_read_params_default(void);

typedef struct lg_read_info {
    char format[32]; // "pnm", "npy", "png" ...
    char note[512];  // conversions that were made, and other remarks
    bool cmyk;       // the four channels are ink, not colour and alpha
    bool lab;        // the channels are CIE L*a*b*
    // The axes of the layers if the file has them, the slowest first; name 0 behind the last.
    lg_layer_axis axes[LG_LAYER_AXES];
    bool mixed; // the layers include channels or times: they are not slices of one volume
    lg_metadata *metadata; // if requested; NULL when the file has none. The caller destroys it
    // Micrometres from one pixel to the next along x, y and the layers; 0: the file does not say it.
    // Resolutions for print are none.
    double pixel_size[3];
} lg_read_info;

// Reads the image file `path`; "-" is standard input. The content decides the format, not the name.
// Samples keep their stored type and value: no colour management, no rotation by EXIF, no division
// by alpha. RGB becomes 4 channels with LG_ALPHA_OPAQUE; palettes are expanded; pages become
// layers. A .cube table of N^3 colours becomes N layers of N x N: x is red, y green, the layer
// blue; one of N colours becomes a row (lg_image_set_domain tells their range). .acv curves become
// a row of 1025. Images of more than 4 channels become a layer for each of them. Types that the library
// lacks (i8 .. i64, u32, u64, f64) become f32 when every value survives exactly; params->convert allows
// rounding. params NULL: defaults. info may be NULL.
// Errors: LG_ERROR_ARGUMENT (no such page), LG_ERROR_IO, LG_ERROR_DATA (damaged, truncated, not an
// image), LG_ERROR_LIMIT (a limit of the parameters, a decoder that is not allowed),
// LG_ERROR_UNSUPPORTED (a format or type this build does not read, or libvips cannot be loaded),
// LG_ERROR_MEMORY, and those of lg_image_create.
LG_API lg_status lg_image_read(lg_context *context, const char *path, const lg_read_params *params,
                               lg_image **out, lg_read_info *info, lg_error *error);

// True for a folder that is one image, Zarr 2, which the functions of this header and rows.h read by its
// name; false for NULL. NAME.zarr/1 is the second level of one with a pyramid.
LG_API bool lg_image_is_folder(const char *path);

// ---- archives -----------------------------------------------------------------------------------

// Wherever this header and rows.h read a file by name, ARCHIVE/MEMBER is a member of a tar or zip file, as in
// "photos.zip/2019/a.png", unless the folder of that name exists. tar files may be packed by gzip, bzip2,
// xz or zstd. Archives are read through libarchive, in the module liblumagraph-archive.so. Names are those of
// the archive, without "./" in front; of members with one name the first counts. Nothing is written
// but by lg_archive_list_keep(): the bytes of a member are held in memory, 2^32 at most, and those
// read last for a while, 16 MiB of them or one
// member. Members that are read in their order are found without reading the archive anew. Errors besides
// those of the file: LG_ERROR_IO (no such member, the archive changed), LG_ERROR_DATA (no archive, damaged,
// truncated), LG_ERROR_UNSUPPORTED (an encrypted member, the module is missing), LG_ERROR_LIMIT (more bytes),
// LG_ERROR_MEMORY.

// The length of ARCHIVE in a name of the form ARCHIVE/MEMBER: of its first part that is a regular file.
// 0: none is; also for NULL.
LG_API size_t lg_archive_length(const char *path);

// It must not call functions of this header. When it returns false, lg_archive_list() returns
// LG_ERROR_CANCELLED. `name` is valid until it returns.
typedef bool (*lg_archive_member_fn)(void *priv, const char *name);

// Calls `member` for each file in an archive, in the order in which they lie there: no folders, no links, and
// no second member of the same name. After an error the members in front of the damage were listed.
LG_API lg_status lg_archive_list(const char *path, lg_archive_member_fn member, void *priv,
                                 lg_error *error);

typedef enum lg_archive_choice {
    LG_ARCHIVE_END,   // lg_archive_list_keep() returns LG_ERROR_CANCELLED
    LG_ARCHIVE_LEAVE, // the member will not be read
    LG_ARCHIVE_KEEP   // it will be
} lg_archive_choice;
// It must not call functions of this header. `name` is valid until it returns.
typedef lg_archive_choice (*lg_archive_choose_fn)(void *priv, const char *name);

// The same of an archive whose members are read next. Names of a packed tar file are found by unpacking it,
// so members that are kept go to a scratch file without a name in `folder`, and are read from there: the
// archive is unpacked once, in whatever order they are read. At most half of the room in the folder is
// taken; what has none, and where no file can be made, is unpacked again. The file goes with the archive,
// of which 64 are open at a time. Other archives are listed alone.
LG_API lg_status lg_archive_list_keep(const char *path, const char *folder,
                                      lg_archive_choose_fn choose, void *priv, lg_error *error);

// The bytes of the member `path`, unpacked, as the archive states them; -1: it does not.
LG_API lg_status lg_archive_member_size(const char *path, int64_t *bytes, lg_error *error);

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
    // Of the format, in place of its usual ones: "Q=80,interlace" as libvips has them; of TIFF
    // "compression=lzw" (none, deflate, lzw, packbits, zstd), "tile=256x256" (tiles instead of strips),
    // "pyramid" (with smaller versions), "subifd" (below the page); of Zarr "compression=zlib" (none, zlib,
    // zstd), "tile=256x256" (chunks) and "pyramid". NULL: the usual ones.
    const char *options;
} lg_write_params;

// Writes the host pixels of an image; call lg_image_download first for pixels on a device. The extension
// decides the format: .pnm .pgm .ppm .pbm .pam .pfm .npy are built in, as is .zarr, a folder (OME-Zarr
// 0.4), whose compression and .tif need libtiff, and .png .jpg .webp .gif .jp2 .avif .heic need libvips.
// "-" is standard output, as PNM, or PFM for floats, unless params->format says otherwise. Samples are
// stored as they are: a format that cannot hold the type, channels or layers is refused. A colour
// profile for other channels, or a description of another shape, is left out. The file appears complete
// or not at all. params NULL: no metadata, no format. Errors: LG_ERROR_ARGUMENT (no host pixels),
// LG_ERROR_IO, LG_ERROR_UNSUPPORTED, LG_ERROR_MEMORY.
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
// True when it keeps how the pixels are to be turned, or when they are upright. In AVIF and HEIC the
// orientation of EXIF counts for nothing.
LG_API bool lg_image_keeps_orientation(const lg_image *image, const char *path,
                                       const lg_write_params *params);
// True when it keeps the image's description, as far as the format has one, or when there is none.
// A description of another shape is dropped.
LG_API bool lg_image_keeps_description(const lg_image *image, const char *path,
                                       const lg_write_params *params);

// ---- frames -------------------------------------------------------------------------------------

// A film: frames of one file or pipe, read one after another and never held together. Formats are
// YUV4MPEG2 (y4m), raw frames without a header, and images of PNM and PAM behind each other; video
// files (mp4, mkv, webm, mov, avi ...) and cameras where liblumagraph-av is; the pages of other files are
// read by their number.
typedef struct lg_frames lg_frames;

// How the fields of a frame, its even and its odd rows, follow each other in time.
typedef enum lg_field_order {
    LG_FIELDS_UNKNOWN,
    LG_FIELDS_PROGRESSIVE,
    LG_FIELDS_TOP_FIRST, // interlaced
    LG_FIELDS_BOTTOM_FIRST,
    LG_FIELDS_MIXED,
} lg_field_order;

// How the frames of a film are stored.
typedef struct lg_film {
    char format[8]; // "y4m", "raw", "pnm", "pages"; of video files "mp4", "mkv" ...
    int32_t width, height;
    int32_t planes; // 1 grey, 3 Y'CbCr, 4 with alpha; 0: the samples of a pixel are adjacent
    int32_t bits;   // of a sample: 8 to 16
    lg_chroma chroma;
    lg_siting siting;
    lg_matrix matrix;
    bool full_range; // of Y'CbCr, and of grey planes
    lg_field_order fields;
    int32_t rate, rate_per;     // rate / rate_per frames a second; 0: not stated
    int32_t aspect, aspect_per; // of a pixel, width to height; 0: not stated
} lg_film;

typedef struct lg_frames_params {
    const lg_read_params *read; // limits of a frame; NULL: defaults
    // A file of raw frames: "WxH:FORMAT[:MATRIX][:RANGE][@RATE]", as in "1920x1080:p010:bt2020@50".
    // NULL: the content decides.
    const char *raw;
    // "[MATRIX][:RANGE]" in place of what the file says or leaves open: bt601, bt709, bt2020,
    // smpte240m; limited, full. NULL: bt709, and the range of the file, which is limited where it states
    // none.
    const char *colors;
    bool whole; // a file that is neither y4m nor video is one frame with all of its layers
    // Frames come as time passes, as those of cameras: while more than a few wait for lg_frames_next, the
    // oldest is dropped. Only of video.
    bool live;
    int threads; // that decode video; 0: as many as processors
    // Sound and subtitles of a video file from a pipe wait for a film with this `source`, which copies them
    // (lg_film_create_with). Those of a file are read by that film itself.
    bool keeps_sound;
} lg_frames_params;

// When a frame is shown: `ticks` times unit / unit_per seconds behind the start, for `duration` of these.
typedef struct lg_film_time {
    int64_t ticks, duration;
    int32_t unit, unit_per; // 0: not known
} lg_film_time;

// Opens a film; "-" is standard input. Errors: those of lg_image_read; LG_ERROR_ARGUMENT (`raw` or
// `colors`).
LG_API lg_status lg_frames_open(lg_context *context, const char *path,
                                const lg_frames_params *params, lg_frames **out, lg_error *error);
// Checks `raw` and `colors` of parameters without a file. Errors: LG_ERROR_ARGUMENT.
LG_API lg_status lg_frames_check(const lg_frames_params *params, lg_error *error);
// Whether a file begins as a film of y4m or a video file does, or is a camera; false for "-", and for
// files that cannot be read.
LG_API bool lg_frames_is(const char *path);
// How it is stored. Of PNM and pages it is known once a frame was read, and follows that frame.
LG_API const lg_film *lg_frames_film(const lg_frames *frames);
// Whether the film is one frame with layers, as of lg_frames_params.whole.
LG_API bool lg_frames_is_whole(const lg_frames *frames);

// Reads the next frame. *more is false behind the last one. After an error there is no next frame;
// its message names the frame and the byte, and earlier frames stay valid. Errors: LG_ERROR_DATA (a
// damaged header, a frame that ends too early), and those of lg_image_read.
LG_API lg_status lg_frames_next(lg_frames *frames, bool *more, lg_error *error);
// Before the first frame is read: lets the film begin later, so that frames in front of the one that is
// wanted need not be decoded. That is the first frame from number `frame` on that is shown at `second` or
// later; `second` 0: at any time. Afterwards lg_frames_index is one less than its number, so that
// lg_frames_next reads it, with the same samples and time as without this call. Where it is not sure
// which frame that is, and in films other than video files, the film begins with its first frame, and
// lg_frames_index stays -1. Errors: LG_ERROR_ARGUMENT (a frame was read, or a negative number), and those of
// lg_frames_open.
LG_API lg_status lg_frames_seek(lg_frames *frames, int64_t frame, double second, lg_error *error);
// The frame that was read last, counted from 0; -1 before the first.
LG_API int64_t lg_frames_index(const lg_frames *frames);
// When that frame is shown: its time stamp in a video file, otherwise by the rate of the film.
LG_API lg_film_time lg_frames_time(const lg_frames *frames);
// Seconds of the whole film as a video file states them; 0: not known.
LG_API double lg_frames_seconds(const lg_frames *frames);
// Frames that lg_frames_params.live dropped so far.
LG_API int64_t lg_frames_dropped(const lg_frames *frames);
// That frame as an image, which the caller destroys: grey, RGB or RGBA; u8 for 8 bits, u16 of full
// scale for more. docs/definitions.md (Video) has the conversion of Y'CbCr. info may be NULL.
LG_API lg_status lg_frames_image(lg_frames *frames, lg_image **out, lg_read_info *info,
                                 lg_error *error);
// That frame as an image of planes, which the caller destroys. It shares the memory of the frame, which
// stays for as long as the image, also behind lg_frames_close. Its pixels are only read: the decoder may go
// on reading them for later frames. Errors: LG_ERROR_ARGUMENT (samples of a pixel are adjacent, or there is
// alpha). info may be NULL.
LG_API lg_status lg_frames_planes(lg_frames *frames, lg_image **out, lg_read_info *info,
                                  lg_error *error);
// A plane of that frame as it is stored: 0 luma or grey, 1 Cb, 2 Cr, 3 alpha; u8, or u16 with values of
// `bits` bits. The image shares the memory, and is valid until the next frame is read. Errors:
// LG_ERROR_ARGUMENT (there is no such plane).
LG_API lg_status lg_frames_plane(lg_frames *frames, int plane, lg_image **out, lg_error *error);
// NULL and pointer to NULL are fine.
LG_API void lg_frames_close(lg_frames **frames);

// A film that is written.
typedef struct lg_film_output lg_film_output;

// Of films in video files, which have more to choose.
typedef struct lg_film_params {
    // The film that the frames come from: time stamps, colours, rotation, aspect, chapters and words are
    // taken from it, and of a file its sound and subtitles. It stays open until the output is closed. NULL:
    // none.
    const lg_frames *source;
    // "NAME[:key=value...]", an encoder of FFmpeg or a codec, with its options; NULL: by the format.
    const char *codec;
    double crf;  // quality, as encoders have it; below 0: their own, or one that is hard to see
    bool silent; // sound and subtitles are left out
    bool
        cut_start; // the film begins with the first frame that is written: sound before it is left out
} lg_film_params;

// crf -1; everything else off.
LG_API lg_film_params lg_film_params_default(void);

// Whether lg_film_create_with knows the format, y4m or that of a video file (by its extension).
LG_API bool lg_film_can_format(const char *format);
// As lg_film_create, and formats of video files through liblumagraph-av. params NULL: defaults. Errors
// besides: LG_ERROR_ARGUMENT (codec, crf), LG_ERROR_UNSUPPORTED (the module is missing); some of them come
// with the first frame.
LG_API lg_status lg_film_create_with(const char *path, const char *format, const lg_film *film,
                                     const lg_film_params *params, lg_film_output **out,
                                     lg_error *error);
// As lg_film_write, at that time; only video files keep it. NULL: by the rate.
LG_API lg_status lg_film_write_at(lg_film_output *output, const lg_image *image,
                                  const lg_film_time *time, lg_error *error);
// The film ends behind the frames that were written: so does its sound, whatever the source has.
LG_API void lg_film_cut(lg_film_output *output);
// What of the source is not kept; "" for nothing. Complete once a frame was written.
LG_API const char *lg_film_note(const lg_film_output *output);

// Begins a film in `format`, "y4m" or an extension of PNM ("pnm", "ppm", "pgm", "pam"); "-" is
// standard output. `film` says how frames of y4m are stored: chroma, siting, bits, matrix, range and
// rate are taken from it, sizes from the first image; NULL: 4:4:4 in limited range. A file appears
// complete or not at all. Errors: LG_ERROR_ARGUMENT (the format), and those of lg_output_open.
LG_API lg_status lg_film_create(const char *path, const char *format, const lg_film *film,
                                lg_film_output **out, lg_error *error);
// Writes the host pixels of an image of one layer as a frame. A grey image of the first frame makes
// a grey film. Errors: LG_ERROR_UNSUPPORTED (other sizes or channels than the frames before, floats,
// alpha that the format has no place for), LG_ERROR_IO, LG_ERROR_MEMORY.
// An image of planes is written as it is, to y4m and video files; the film is stored as the first one.
LG_API lg_status lg_film_write(lg_film_output *output, const lg_image *image, lg_error *error);
// Writes the frame that `frames` read last, its planes bit for bit. The film is stored as that one is,
// with the rate of lg_film_create if it stated one. Errors: LG_ERROR_ARGUMENT (it has no planes), and
// as above.
LG_API lg_status lg_film_copy(lg_film_output *output, const lg_frames *frames, lg_error *error);
// Completes the file. *output becomes NULL either way.
LG_API lg_status lg_film_close(lg_film_output **output, lg_error *error);
// Drops the file. NULL and pointer to NULL are fine.
LG_API void lg_film_discard(lg_film_output **output);

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
