// Members of archives, as lg_input_open reads them.
#ifndef LG_ARCHIVE_H
#define LG_ARCHIVE_H

#include "core/core.h"

#include <lumagraph/io.h>

// A descriptor of the bytes of the member ARCHIVE/MEMBER, which are in memory; the caller closes it.
// Errors: those of lg_image_read about archives.
lg_status lg_archive_open(const char *path, int *fd, lg_error *error);
void lg_archive_shutdown(void);

#endif
