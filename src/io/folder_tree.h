// Folders that are written as a whole, and go as a whole.
#ifndef LG_FOLDER_TREE_H
#define LG_FOLDER_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define LG_TREE_SUFFIX ".d" // of the unfinished folder of an unfinished file that says whose it is

#define LG_TREE_OLD ".old" // behind that, of one that goes

// Removes a folder and all that is in it; links are not followed. False with errno when something stays.
// A folder that is not there is fine.
bool lg_tree_remove(const char *path);
// The same of a folder of Zarr, which may still grow, for signal handlers: files of its metadata, and others
// that are called 0, 1, 2 ... without a gap.
void lg_tree_remove_numbered(const char *path);
// `from` gets the name `to`; a folder that had it is called `from` then. 0, or errno.
int lg_tree_exchange(const char *from, const char *to);
// Whether a folder is Zarr of any version.
bool lg_tree_is_zarr(const char *path);
// Whether there is nothing in it but an array, or levels of an image that are called by numbers, or nothing
// at all: what may be replaced by another one. false: `other` is the name in it of something else, "": nobody
// may look.
bool lg_tree_is_replaceable(const char *path, char other[PATH_MAX]);

#endif
