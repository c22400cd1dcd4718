// Files that are read by rows: what a format has to do for it.
#ifndef LG_ROW_READER_H
#define LG_ROW_READER_H

#include "io/io_internal.h"

#include <lumagraph/rows.h>

typedef struct lg_row_format {
    // Fills shape, memory and info, and keeps what it needs in `state`.
    lg_status (*open)(lg_row_reader *reader, lg_error *error);
    lg_status (*read)(lg_row_reader *reader, int32_t layer, const lg_region *region, lg_image *into,
                      lg_error *error);
    // Adds notes about samples; NULL: there are none.
    void (*note)(const lg_row_reader *reader, lg_read_info *info);
    void (*close)(lg_row_reader *reader); // also behind an `open` that failed
} lg_row_format;

struct lg_row_reader {
    lg_context *context;
    char *path;
    lg_read_params params; // max_pixels: of images that are held whole
    lg_input input;
    int64_t size, seconds, nanoseconds; // of the file when it was opened, and its time stamp
    lg_image_params shape;
    size_t memory;
    bool whole; // the image is held
    const lg_row_format *format;
    void *state;
    lg_read_info info; // without metadata, which is the caller's
};

// The parameters with the limit of an image that is not held whole.
static inline lg_read_params lg_row_reader_limits(const lg_row_reader *reader)
{
    lg_read_params params = reader->params;
    params.max_pixels = LG_ROWS_MAX_PIXELS;
    return params;
}

// ---- samples that lie in the file as they are -----------------------------------------------------

typedef struct lg_stored_rows {
    lg_image_params shape;
    int64_t *first;  // bytes in front of each layer's first row in the file; for lg_free
    int64_t row;     // bytes from row to row
    size_t sample;   // bytes of a stored sample
    bool swap, bits; // bits: eight pixels a byte, 1 is black
    bool upwards;    // the last row comes first
    lg_foreign foreign;
} lg_stored_rows;

// Parse headers. row is 0 where the samples are not stored so, and the file is read whole.
lg_status lg_pnm_find_rows(lg_input *input, const lg_read_params *params, lg_stored_rows *out,
                           lg_read_info *info, lg_error *error);
lg_status lg_pfm_find_rows(lg_input *input, const lg_read_params *params, lg_stored_rows *out,
                           lg_read_info *info, lg_error *error);
lg_status lg_npy_find_rows(lg_input *input, const lg_read_params *params, lg_stored_rows *out,
                           lg_read_info *info, lg_error *error);

extern const lg_row_format lg_row_format_stored, lg_row_format_tiff, lg_row_format_vips,
    lg_row_format_whole, lg_row_format_zarr;

// NULL: the file is read whole.
typedef lg_status (*lg_find_rows_fn)(lg_input *, const lg_read_params *, lg_stored_rows *,
                                     lg_read_info *, lg_error *);
lg_find_rows_fn lg_find_rows_of(lg_input *input);

#endif
