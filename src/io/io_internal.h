// What the format files of src/io share.
#ifndef LG_IO_INTERNAL_H
#define LG_IO_INTERNAL_H

#include "core/core.h"

#include <lumagraph/io.h>

// ---- input: a file or pipe read once, front to back ---------------------------------------------

typedef struct lg_input {
    int fd;
    bool owned;       // close fd
    bool seekable;    // a regular file
    bool member;      // of an archive: its bytes are in memory
    bool folder;      // of Zarr: these are the bytes of its metadata
    int folder_fd;    // then
    int64_t size;     // bytes of a regular file, -1 otherwise
    int64_t start;    // of these in the file
    int64_t offset;   // bytes taken so far
    int64_t received; // bytes read from the file so far
    int failure; // errno of a failed read, 0; ECANCELED: the caller's progress function ended it
    const lg_read_params *watched; // whose progress function is told of each read; NULL: none
    size_t begin, end;             // unread part of buffer
    uint8_t buffer[1 << 16];
} lg_input;

lg_status lg_input_open(lg_input *input, const char *path, lg_error *error);
void lg_input_close(lg_input *input);
size_t lg_input_peek(lg_input *input,
                     size_t bytes); // makes up to `bytes` readable at buffer + begin
int lg_input_byte(lg_input *input); // -1 at the end
size_t lg_input_read(lg_input *input, void *out, size_t bytes); // fewer at the end
// Goes to a byte of a regular file.
lg_status lg_input_seek(lg_input *input, int64_t offset, lg_error *error);
// Puts what a pipe still has into a scratch file, where the context has a limit of memory: the input is a
// regular file then. Errors: LG_ERROR_IO, LG_ERROR_CANCELLED.
lg_status lg_input_settle(const lg_context *context, lg_input *input, lg_error *error);
// The error of a short read: the system's, or "truncated".
lg_status lg_input_short(const lg_input *input, const char *what, lg_error *error);

// The file that is written until commit; NULL: there is none, as of a pipe.
const char *lg_output_temporary(const lg_output *output);

// A folder that is complete or not there at all: what is written goes to lg_output_folder(), whose numbers
// begin at 0 and have no gaps. There is no stream of it. A folder of Zarr of that name is replaced.
lg_status lg_output_open_folder(const char *path, lg_output **out, lg_error *error);
const char *lg_output_folder(const lg_output *output);

// The errors of a read and of a write that failed with this errno.
lg_status lg_fail_read(lg_error *error, int code);
lg_status lg_fail_write(lg_error *error, int code);

// The error of options for a format that has none.
lg_status lg_fail_options(lg_error *error, const char *format);

const char *lg_extension_of(const char *path); // "" where there is none

// ---- checks and conversions ---------------------------------------------------------------------

// Checks declared sizes against the limits before anything is allocated.
lg_status lg_read_check(const lg_read_params *params, int64_t width, int64_t height, int64_t layers,
                        lg_error *error);

// Tells the caller how far the file is read. LG_ERROR_CANCELLED when it is to end.
lg_status lg_read_progress(const lg_read_params *params, double part,
                           lg_error *error) LG_MUST_CHECK;

// The error of a page that is not there.
lg_status lg_fail_page(lg_error *error, int page, int pages);

// Fails when a regular file cannot hold `bytes` more: a huge declared size costs nothing then.
lg_status lg_input_expect(const lg_input *input, uint64_t bytes, lg_error *error);

// Sample types of files that the library lacks.
typedef enum lg_foreign {
    LG_FOREIGN_NONE,
    LG_FOREIGN_I8,
    LG_FOREIGN_I16,
    LG_FOREIGN_I32,
    LG_FOREIGN_I64,
    LG_FOREIGN_U32,
    LG_FOREIGN_U64,
    LG_FOREIGN_F64,
} lg_foreign;

size_t lg_foreign_size(lg_foreign type);
const char *lg_foreign_name(lg_foreign type);

// How the samples of a file become f32.
typedef struct lg_rounding {
    lg_foreign type; // LG_FOREIGN_NONE: they need not
    bool allowed;    // values that f32 does not hold are rounded to the nearest
    bool happened;
} lg_rounding;

// Converts `count` samples in native byte order. Errors: LG_ERROR_UNSUPPORTED: a value is not exact
// and may not be rounded, or is beyond the range.
lg_status lg_foreign_to_f32(lg_rounding *rounding, const void *in, float *out, size_t count,
                            lg_error *error);
// Notes what became of the samples, if anything did.
void lg_rounding_note(const lg_rounding *rounding, lg_read_info *info);
// Adds to the note; several are joined by semicolons.
void lg_note(lg_read_info *info, const char *format, ...) LG_PRINTF(2, 3);

void lg_swap_bytes(void *data, size_t size, size_t count); // size: 2, 4 or 8
bool lg_host_is_little(void);

// Spreads `pixels` RGB pixels at the front of `row` to four channels, the fourth zero, in place.
void lg_expand_rgb(void *row, size_t pixels, size_t sample);
// Copies a row of an image to `out`, leaving the padding channel of LG_ALPHA_OPAQUE out.
void lg_pack_row(const lg_image_params *shape, const void *row, void *out);

const uint32_t *lg_labels_row(const lg_labels *labels, int32_t layer, int32_t y);
void *lg_image_row(const lg_image *image, int32_t layer, int64_t y);
int lg_file_channels(const lg_image_params *shape); // 1..4: without the padding channel

// The name of a format that only decoders read which are not hardened, NULL: it is none of those
// that are known. And whether the file is a raw photograph (that is no TIFF).
const char *lg_format_hint(lg_input *input);
bool lg_is_raw_photograph(lg_input *input);
#define LG_RAW_PHOTOGRAPH                                                                          \
    "a raw photograph: a raw converter (LibRaw, darktable, RawTherapee) makes a picture of its "   \
    "samples, as `dcraw_emu -4 -Z - FILE | lumagraph stats -`"
// Frames of the GIF at byte `start` of a file that can be read at any place.
int64_t lg_gif_frames(const lg_input *input, int64_t start);

// Whether a reader of this library other than those of TIFF and films knows the file.
bool lg_is_built_in(lg_input *input, const char *path);
// Reads an open file, whose name may be needed, with all of its layers.
lg_status lg_read_input(lg_context *context, const char *path, lg_input *input,
                        const lg_read_params *params, lg_image **out, lg_read_info *info,
                        lg_error *error);

// ---- formats ------------------------------------------------------------------------------------

bool lg_pnm_is(const uint8_t *head, size_t size);
lg_status lg_pnm_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error);
// The next of images behind each other, as an image of one layer; *out is NULL at the end.
lg_status lg_pnm_next(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error);
lg_status lg_pnm_write(const lg_image *image, const char *extension, FILE *stream, lg_error *error);

bool lg_pfm_is(const uint8_t *head, size_t size);
lg_status lg_pfm_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error);
lg_status lg_pfm_write(const lg_image *image, const char *extension, FILE *stream, lg_error *error);

bool lg_npy_is(const uint8_t *head, size_t size);
lg_status lg_npy_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error);
lg_status lg_npy_write(const lg_image *image, const char *extension, FILE *stream, lg_error *error);
lg_status lg_npy_write_labels(const lg_labels *labels, FILE *stream, lg_error *error);

bool lg_cube_is(lg_input *input);
lg_status lg_cube_read(lg_context *context, lg_input *input, const lg_read_params *params,
                       lg_image **out, lg_read_info *info, lg_error *error);

bool lg_acv_is(lg_input *input);
lg_status lg_acv_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error);

// Through libtiff; without LG_HAVE_TIFF reading and writing fail with LG_ERROR_UNSUPPORTED.
bool lg_tiff_is(const uint8_t *head, size_t size);
lg_status lg_tiff_read(lg_context *context, lg_input *input, const lg_read_params *params,
                       lg_image **out, lg_read_info *info, lg_error *error);

bool lg_tiff_can_write(const char *extension);
// labelled: samples are numbers of components, of which there is no mean.
lg_status lg_tiff_write(const lg_image *image, bool labelled, const lg_metadata *metadata,
                        const char *options, FILE *stream, lg_error *error);
lg_status lg_tiff_write_labels(const lg_labels *labels, const lg_metadata *metadata,
                               const char *options, FILE *stream, lg_error *error);

// Zarr, which is a folder: written by rows alone (row_writer.h).
bool lg_zarr_is(const char *extension);
lg_status lg_zarr_read(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, lg_image **out, lg_read_info *info,
                       lg_error *error);
lg_status lg_zarr_write(const lg_image *image, bool labelled, const char *path,
                        const lg_write_params *params, lg_error *error);
lg_status lg_zarr_write_labels(const lg_labels *labels, const char *path,
                               const lg_write_params *params, lg_error *error);

// libvips; where it is missing both fail with LG_ERROR_UNSUPPORTED.
lg_status lg_vips_read(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, lg_image **out, lg_read_info *info,
                       lg_error *error);
lg_status lg_vips_write(const lg_image *image, const char *extension, const lg_write_params *params,
                        FILE *stream, lg_error *error);
// Whether a format can be written, with these options, and as exactly as they want it.
lg_status lg_check_format(const char *format, const lg_write_params *params, lg_error *error);
bool lg_vips_can_write(const char *extension);
bool lg_vips_can_write_rows(
    const char *extension); // from top to bottom, without holding all of them
bool lg_vips_holds_profile(const char *extension);
bool lg_vips_holds_orientation(const char *extension);
// Whether every sample comes back as it was, with these options.
bool lg_vips_is_exact(const char *extension, const char *options);
void lg_vips_shutdown(void);

#endif
