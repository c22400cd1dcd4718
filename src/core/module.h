// Code that is loaded at run time: libraries of the system, and modules of
// lumagraph's own. All of it is loaded here, and never from the current folder or
// from a folder that somebody else can write to.
#ifndef LG_MODULE_H
#define LG_MODULE_H

#include "core/core.h"

typedef enum lg_module_origin {
    // A library by its name, such as "libvulkan.so.1", where the system's loader looks for it.
    // Folders of LD_LIBRARY_PATH that are relative, or that others can write to, are left out. What
    // the library loads itself, such as drivers, is its own choice.
    LG_MODULE_OF_SYSTEM,
    // A file that was built with lumagraph: beside the program or library that this code
    // is in, or where modules are installed. The file and its folder belong to root or to
    // this user, and nobody else can write to them.
    LG_MODULE_OF_LUMAGRAPH,
} lg_module_origin;

// What was loaded stays loaded: drivers keep threads and do not survive being unloaded.
// Errors: LG_ERROR_UNSUPPORTED with the reason, also in a static program; LG_ERROR_MEMORY where it was
// memory that was missing for finding out.
lg_status lg_module_open(lg_module_origin origin, const char *name, void **module, lg_error *error);

// The address of a symbol, NULL when the module has none of that name.
void *lg_module_symbol(void *module, const char *name);

// A statically linked program has no loader. Loading code all the same would crash it.
bool lg_program_is_static(void);

#endif
