// Windows has no <sys/mman.h>.
#include "windows/posix.h"
