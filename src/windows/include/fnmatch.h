// Windows has no <glob.h>.
#include "windows/posix.h"
