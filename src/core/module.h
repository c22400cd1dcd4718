// Code loaded at run time: system libraries and lumagraph's own modules. Only this file loads code,
// and never from the current folder or from a folder that others can write to.
#ifndef LG_MODULE_H
#define LG_MODULE_H

#include "core/core.h"

typedef enum lg_module_origin {
    // A library by name, such as "libvulkan.so.1", found by the system's loader. Folders of
    // LD_LIBRARY_PATH that are relative, or that others can write to, are ignored. The library
    // itself decides what it loads, such as drivers.
    LG_MODULE_OF_SYSTEM,
    // A file built with lumagraph: beside the program or library that contains this code, or where
    // modules are installed. The file and its folder belong to root or to this user, and nobody
    // else can write to them.
    LG_MODULE_OF_LUMAGRAPH,
} lg_module_origin;

// Modules stay loaded: drivers keep threads and do not survive unloading. Errors:
// LG_ERROR_UNSUPPORTED with the reason, also in a static program; LG_ERROR_MEMORY.
lg_status lg_module_open(lg_module_origin origin, const char *name, void **module, lg_error *error);

// The address of a symbol, NULL when the module has none of that name.
void *lg_module_symbol(void *module, const char *name);

// Libraries that are loaded into the process now. Those that others load from then on stay loaded, when
// lg_modules_keep is given that number, whatever those others do: some drivers use up what a process has for
// its threads each time they are loaded anew. Without memory for it none of them stays.
size_t lg_modules_loaded(void);
void lg_modules_keep(size_t from);

// A statically linked program has no loader; loading code would crash it.
bool lg_program_is_static(void);

#endif
