// core/module.h on Windows: the loader of Vulkan, from the system's own folder. No module of lumagraph
// is built here.
#include "core/module.h"

#include <dlfcn.h>

bool lg_program_is_static(void)
{
    return false;
}

lg_status lg_module_open(lg_module_origin origin, const char *name, void **module, lg_error *error)
{
    if (origin == LG_MODULE_OF_LUMAGRAPH)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s is not built for Windows", name);
    *module = dlopen(name, RTLD_NOW);
    return *module ? LG_OK : lg_fail(error, LG_ERROR_UNSUPPORTED, "%s", dlerror());
}

size_t lg_modules_loaded(void)
{
    return 0;
}

void lg_modules_keep(size_t from)
{
}

void *lg_module_symbol(void *module, const char *name)
{
    return dlsym(module, name);
}
