// A folder of Zarr that is held open, so that another one that gets its name is not taken for it.
#ifndef LG_ZARR_FOLDER_H
#define LG_ZARR_FOLDER_H

#include "io/io_internal.h"

#include <sys/stat.h>

#define LG_ZARR_PATH 4096

typedef struct lg_zarr_folder {
    bool open;
    int fd;
    char path[LG_ZARR_PATH];
    struct stat own, array; // as they were found: the folder, and its .zarray
} lg_zarr_folder;

// Opens a regular file below a folder: *fd, and its bytes; *fd -1: there is none. Whatever else has the name
// is an error that tells it.
lg_status lg_zarr_open_file(int folder, const char *name, int *fd, int64_t *size, lg_error *error);
// The error of a group in which nothing says what its image is.
lg_status lg_zarr_fail_group(const char *path, lg_error *error);

// Holds `name` below the folder `above`; "": that one. `path` is what it is called.
lg_status lg_zarr_folder_open(int above, const char *name, const char *path, lg_zarr_folder *out,
                              lg_error *error);
// LG_ERROR_IO when its name is another folder's now, or its array is.
lg_status lg_zarr_folder_check(const lg_zarr_folder *folder, lg_error *error);
void lg_zarr_folder_close(lg_zarr_folder *folder);

#endif
