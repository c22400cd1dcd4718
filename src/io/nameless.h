// Files that have no name: nothing is left of them when the process ends.
#ifndef LG_NAMELESS_H
#define LG_NAMELESS_H

// A file in `folder`, open for reading and writing; -1 with errno: there can be none.
int lg_nameless_file(const char *folder);

#endif
