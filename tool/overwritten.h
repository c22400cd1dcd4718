// Inputs that an output would replace.
#ifndef LG_OVERWRITTEN_H
#define LG_OVERWRITTEN_H

#include <stdbool.h>
#include <sys/stat.h>

// Whether the input is what has the name of the output, `output` of stat(). Of folders, as of Zarr, one may
// lie in the other: an array of a group. Of a member of an archive it is the archive; "-" is standard input.
bool lg_would_replace(const char *path, const struct stat *output, const char *input);

#endif
