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
} lg_row_sink;

struct lg_row_writer {
    lg_image_params shape; // of the whole image
    lg_output *output;
    FILE *stream;
    const lg_metadata *metadata; // while the file begins; or NULL
    const char *options;         // likewise
    char extension[8];           // in lower case
    const lg_row_sink *sink;
    void *row;    // room for one
    int kind;     // of PNM
    int64_t rows; // that are written
    bool labels;  // of 16 bits, or with samples as large as f32 of 32 bits
    void *state;
};

extern const lg_row_sink lg_row_sink_pnm, lg_row_sink_npy, lg_row_sink_tiff, lg_row_sink_vips;

#endif
