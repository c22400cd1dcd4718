// libshaderc as a module of its own, from its static library: Debian 12's shared one cannot be loaded,
// since it was linked without what it needs. In a module its C++ runtime stays out of the library.
#include "vulkan/shaderc_table.h"

#include <lumagraph/common.h>

extern LG_API const lg_shaderc lg_shaderc_module;

LG_API const lg_shaderc lg_shaderc_module = {
#define LG_SHADERC_ENTRY(f) .f = f,
    LG_SHADERC_FUNCTIONS(LG_SHADERC_ENTRY)
#undef LG_SHADERC_ENTRY
};
