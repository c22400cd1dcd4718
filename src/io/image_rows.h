// Images that lie in scratch files are written some rows at a time.
#ifndef LG_IMAGE_ROWS_H
#define LG_IMAGE_ROWS_H

#include "io/io_internal.h"

// Whether an image lies where it should be written by rows, and the format allows that.
bool lg_writes_by_rows(const lg_image *image, const char *path, const lg_write_params *params);
// The file of lg_image_write.
lg_status lg_write_by_rows(const lg_image *image, const char *path, const lg_write_params *params,
                           lg_error *error);

#endif
