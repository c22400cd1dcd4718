// Files that are written by rows: what a format has to do for it.
#ifndef LG_ROW_WRITER_H
#define LG_ROW_WRITER_H

#include "io/io_internal.h"

#include <lumagraph/rows.h>

typedef struct lg_row_sink {
    // What stands in front of the first row; checks that the format holds such images.
    lg_status (*begin)(lg_row_writer *writer, lg_error *error);
    lg_status (*add)(lg_row_writer *writer, const lg_image *rows, lg_error *error);
    lg_status (*end)(lg_row_writer *writer, lg_error *error); // behind the last row; NULL: nothing
    void (*drop)(lg_row_writer *writer); // frees `state`, in the end always; NULL: there is none
    // Writes what stands around rows that other writers write; `offset` becomes that of row 0. NULL: all of
    // it is in front of them, and is written.
    lg_status (*share)(lg_row_writer *writer, lg_error *error);
    // Takes rows of such a file at the place of `stream`; NULL: as `add` does.
    lg_status (*add_shared)(lg_row_writer *writer, const lg_image *rows, lg_error *error);
    // Of a writer that joined a file: what it holds goes to the file. NULL: nothing beside `stream`.
    lg_status (*flush)(lg_row_writer *writer, lg_error *error);
    bool encodes; // rows have no place of their own, so that one process writes them, in order
    bool layers;  // the format holds several
    bool folder;  // it is one, and no file: there is no stream
    // What stands between two layers; NULL: nothing.
    lg_status (*next_layer)(lg_row_writer *writer, lg_error *error);
} lg_row_sink;

struct lg_row_writer {
    lg_image_params shape; // of the whole image
    lg_output *output;
    FILE *stream;
    const lg_metadata *metadata; // while the file begins; or NULL
    const char *options;         // likewise
    const char *name;            // likewise: what the file is to be called
    size_t memory;               // bytes that are held beside rows, as far as they matter
    char extension[8];           // in lower case
    const lg_row_sink *sink;
    void *row;      // room for one
    int kind;       // of PNM
    int64_t rows;   // that are written, of all layers
    int64_t offset; // of row 0, of a file that is shared
    bool shared;    // others write the rows
    bool joined;    // writes rows of a file of another writer; there is no output then
    bool labels;    // of 16 bits, or with samples as large as f32 of 32 bits
    void *state;
};

const lg_row_sink *
lg_row_sink_of(const char *extension); // NULL: no format of that name is written by rows
// Completes the rows of a joined writer.
lg_status lg_row_share_finish(lg_row_writer *writer, lg_error *error);
// All of them, at a place of a file.
lg_status lg_row_share_put(int fd, const uint8_t *data, size_t bytes, int64_t at, lg_error *error);
lg_status lg_row_share_get(int fd, uint8_t *data, size_t bytes, int64_t at, lg_error *error);

extern const lg_row_sink lg_row_sink_pnm, lg_row_sink_npy, lg_row_sink_tiff, lg_row_sink_vips,
    lg_row_sink_zarr;

// lg_row_writer_open of samples, or of labels that are samples.
lg_status lg_row_writer_open_any(const char *path, const lg_image_params *shape, bool labels,
                                 const lg_write_params *params, lg_row_writer **out,
                                 lg_error *error);

#endif
