// Windows has no <dirent.h>.
#include "windows/posix.h"
