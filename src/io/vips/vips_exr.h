// OpenEXR through libvips, whose decoder hands out RGBA whatever channels a file has.
#ifndef LG_VIPS_EXR_H
#define LG_VIPS_EXR_H

#include "io/vips/vips_formats.h"

// Makes of the RGBA of an opened file the channels that are stored. `start`: of the file in `fd`.
lg_status lg_vips_exr_channels(int fd, int64_t start, bool convert, lg_vips_file *file,
                               lg_error *error);

#endif
