// Images that lie in scratch files: read and written so that few of their pages are in memory.
#ifndef LG_IMAGE_ROWS_H
#define LG_IMAGE_ROWS_H

#include "io/io_internal.h"

// The parameters of a reader that lets go of pages while it reads.
typedef struct lg_relieving_read {
    lg_context *context;
    const lg_read_params *given;
    lg_read_params params;
} lg_relieving_read;

// `given` itself where nothing has to be let go of. `room` lives as long as the reader.
const lg_read_params *lg_relieving_params(lg_context *context, const lg_read_params *given,
                                          lg_relieving_read *room);

// Whether an image lies where it should be written by rows, and the format allows that.
bool lg_writes_by_rows(const lg_image *image, const char *path, const lg_write_params *params);
// The file of lg_image_write; `labelled`: samples are labels.
lg_status lg_write_by_rows(const lg_image *image, bool labelled, const char *path,
                           const lg_write_params *params, lg_error *error);

#endif
