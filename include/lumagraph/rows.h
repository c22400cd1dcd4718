// lumagraph: image files by rows, so that an image may be larger than the memory. The library is
// liblumagraph-io.
//
// Thread-safety: one thread at a time uses a reader or writer. Several may be in use at the same time.
#ifndef LUMAGRAPH_ROWS_H
#define LUMAGRAPH_ROWS_H

#include <lumagraph/components.h>
#include <lumagraph/io.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- reading ------------------------------------------------------------------------------------

#define LG_ROWS_MAX_PIXELS ((int64_t)1 << 40) // of an image that is read by rows

// A file of which any part can be read. What is held in memory depends on the format:
//   PNM and PAM (P4 to P7), PFM, NPY in C order   nothing: every part is read where it lies
//   TIFF        tiles: those of one row of tiles; strips: one strip as it is stored, if it is compressed
//   Zarr        a row of chunks
//   PNG, JPEG   some rows; the file is decoded from its start on. Reading rows in front of the last
//               ones decodes it once more
//   all others  the whole image: pipes, NPY in Fortran order, PNM as text, tables and curves,
//               interlaced PNG, progressive JPEG, WebP, GIF, HEIF ...
typedef struct lg_row_reader lg_row_reader;

// Opens a file; "-" is standard input. Pixels of the same file are those of lg_image_read.
// params->max_pixels is a limit on images that have to be held whole; others have at most
// LG_ROWS_MAX_PIXELS. info may be NULL; it is filled as by lg_image_read, but for notes about samples,
// and the caller destroys its metadata. `context` is used until the reader is closed. Errors: those of
// lg_image_read.
LG_API lg_status lg_row_reader_open(lg_context *context, const char *path,
                                    const lg_read_params *params, lg_row_reader **out,
                                    lg_read_info *info, lg_error *error);
// The whole image; strides do not count.
LG_API const lg_image_params *lg_row_reader_shape(const lg_row_reader *reader);
// Bytes that the reader holds at most, besides a constant: of the whole image where the format is read so.
LG_API size_t lg_row_reader_memory(const lg_row_reader *reader);
// Whether the whole image is held, as of the list above.
LG_API bool lg_row_reader_holds_all(const lg_row_reader *reader);
// Reads the pixels of `region` in layer `layer` into `into`: an image of the region's size with one
// layer, and the channels, type and alpha of the file's. The order of calls is free; some formats are
// faster from top to bottom. Errors: LG_ERROR_ARGUMENT (a place outside the image, another shape),
// LG_ERROR_IO (also: the file was changed since it was opened), LG_ERROR_DATA (damaged, truncated),
// LG_ERROR_UNSUPPORTED (a value that f32 does not hold), LG_ERROR_MEMORY, LG_ERROR_CANCELLED. The
// pixels of `into` are then undefined.
LG_API lg_status lg_row_reader_read(lg_row_reader *reader, int32_t layer, const lg_region *region,
                                    lg_image *into, lg_error *error);
// Writes into info->note what lg_image_read would say, of the samples that were read so far.
LG_API void lg_row_reader_note(lg_row_reader *reader, lg_read_info *info);
// NULL and pointer to NULL are fine.
LG_API void lg_row_reader_close(lg_row_reader **reader);

// ---- writing ------------------------------------------------------------------------------------

// A file that is written layer by layer, each from top to bottom.
typedef struct lg_row_writer lg_row_writer;

// True when lg_row_writer_open can write an image of this shape to `path`, as far as the format decides:
// .pnm .pgm .ppm .pbm .pam .npy, .png .jpg where the build has libvips (interlaced and progressive files are
// held by its encoders), .tif (not to a pipe), and .zarr, a folder. Others are written whole.
LG_API bool lg_row_writer_can(const char *path, const lg_write_params *params);
// The same for images of several layers: .pnm .pgm .ppm .pbm .pam .npy .tif and .zarr.
LG_API bool lg_row_writer_can_layers(const char *path, const lg_write_params *params);
// Opens a file for an image of this shape. Formats and samples are those of lg_image_write. TIFF is
// written in strips, or in tiles with params->options "tile" or "pyramid", as BigTIFF where the image may
// need it. The file appears complete or not at all.
// Errors: those of lg_image_write; LG_ERROR_UNSUPPORTED (a format that is written whole).
LG_API lg_status lg_row_writer_open(const char *path, const lg_image_params *shape,
                                    const lg_write_params *params, lg_row_writer **out,
                                    lg_error *error);
// The same for labels of an image with `count` components, as lg_labels_write stores them: .npy with 32 bits,
// .tif with 32 where a label exceeds 65535, the others with 16. LG_ERROR_UNSUPPORTED: more labels than the
// format holds.
LG_API lg_status lg_row_writer_open_labels(const char *path, int32_t width, int32_t height,
                                           uint32_t count, const lg_write_params *params,
                                           lg_row_writer **out, lg_error *error);
// The same for labels of several layers, as of lg_row_writer_can_layers.
LG_API lg_status lg_row_writer_open_label_layers(const char *path, int32_t width, int32_t height,
                                                 int32_t layers, uint32_t count,
                                                 const lg_write_params *params, lg_row_writer **out,
                                                 lg_error *error);
// Writes the rows of labels, which are in host memory, behind those that were written. Errors: as of
// lg_row_writer_write; LG_ERROR_ARGUMENT: a label that does not fit.
LG_API lg_status lg_row_writer_write_labels(lg_row_writer *writer, const lg_labels *rows,
                                            lg_error *error);

// What other processes need to write rows of a file that one process opened. Bytes of it mean the same in all
// processes of one version on machines of one kind.
typedef struct lg_row_share {
    char path[4096];       // of the temporary file; all processes see it there
    int64_t offset;        // of row 0 in it
    int64_t row_bytes;     // stored
    lg_image_params shape; // of the whole image
    bool labels;           // of lg_row_writer_open_labels
    int kind;              // of PNM, or of tiles
    char extension[8];
} lg_row_share;

// Makes a file that was just opened one that several writers of lg_row_writer_join write, in any process
// and order; this one only closes it, behind them. Errors: LG_ERROR_UNSUPPORTED (several layers; a pipe;
// PNG, JPEG, Zarr and TIFF with compression, of which nobody knows where rows begin: compression=none),
// LG_ERROR_ARGUMENT (rows were written), those of lg_row_writer_write.
LG_API lg_status lg_row_writer_share(lg_row_writer *writer, lg_row_share *out, lg_error *error);
// A writer of the rows of such a file from row y on. lg_row_writer_close sees to it that they are on the
// disk, and asks for no further ones. Errors: LG_ERROR_ARGUMENT, LG_ERROR_IO, LG_ERROR_MEMORY.
LG_API lg_status lg_row_writer_join(const lg_row_share *share, int64_t y, lg_row_writer **out,
                                    lg_error *error);
// Copies rows `first` to `end` from a file that an earlier lg_row_writer_share of the same options and
// shape began; they are on the disk then. Errors: LG_ERROR_ARGUMENT, LG_ERROR_IO, LG_ERROR_MEMORY.
LG_API lg_status lg_row_share_copy(const lg_row_share *share, const char *from, int64_t first,
                                   int64_t end, lg_error *error);
// With all rows in the file, makes part 0 to parts - 1 of the smaller versions of a pyramid from them, in
// any process and order; the file has all when each part was made. It reads what it needs, and holds a
// row of tiles of each level. Without a pyramid there is nothing to do. Errors: as of lg_row_share_copy.
LG_API lg_status lg_row_share_levels(const lg_row_share *share, int part, int parts,
                                     lg_error *error);
// What was written by a writer of lg_row_writer_join is on the disk when this returns. Errors:
// LG_ERROR_ARGUMENT (another writer), LG_ERROR_IO.
LG_API lg_status lg_row_writer_flush(lg_row_writer *writer, lg_error *error);
// Writes all rows of an image of one layer behind those that were written; they are of one layer of the
// file. Errors: LG_ERROR_ARGUMENT (another shape, more rows than the layer has), LG_ERROR_IO (no space
// ...), LG_ERROR_UNSUPPORTED (.pbm: values between black and white), LG_ERROR_MEMORY. After an error
// only lg_row_writer_discard is allowed.
LG_API lg_status lg_row_writer_write(lg_row_writer *writer, const lg_image *rows, lg_error *error);
// Bytes that the writer holds beside the rows that it is given, besides a constant: a row of tiles of each
// level, where the file has tiles. 0 for NULL.
LG_API size_t lg_row_writer_memory(const lg_row_writer *writer);
// Completes the file and frees the writer, also when that fails. Errors: LG_ERROR_ARGUMENT (rows are
// missing), LG_ERROR_IO.
LG_API lg_status lg_row_writer_close(lg_row_writer **writer, lg_error *error);
// Drops the file. NULL and pointer to NULL are fine.
LG_API void lg_row_writer_discard(lg_row_writer **writer);

#ifdef __cplusplus
}
#endif

#endif
