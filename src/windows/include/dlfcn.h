// Windows has no <dlfcn.h>.
#include "windows/posix.h"
