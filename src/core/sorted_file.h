// Records that are sorted by a number, more than memory holds: what memory has no room for goes to files
// without names. Records that come nearly in order take one file that is written and read from front to end;
// those that come late are sorted apart.
#ifndef LG_SORTED_FILE_H
#define LG_SORTED_FILE_H

#include "core/core.h"

typedef struct lg_sorted_file lg_sorted_file;

// `record`: bytes of one, which begins with its number in 64 bits; no two have the same. About `memory` bytes
// are held. `folder` is where files go; they are created when memory is full.
lg_status lg_sorted_file_create(const char *folder, size_t record, size_t memory,
                                lg_sorted_file **out, lg_error *error);
void lg_sorted_file_destroy(lg_sorted_file **file); // NULL and a pointer to NULL are fine

// LG_ERROR_IO: then nothing but destroy is of use. Nothing is added once there was a rewind.
lg_status lg_sorted_file_add(lg_sorted_file *file, const void *record, lg_error *error);

// All records from the first one on, as often as wanted.
lg_status lg_sorted_file_rewind(lg_sorted_file *file, lg_error *error);
// The next ones, at most `room`; *count 0: there are no more.
lg_status lg_sorted_file_next(lg_sorted_file *file, void *records, size_t room, size_t *count,
                              lg_error *error);

#endif
