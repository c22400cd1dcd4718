// Windows has no <sys/file.h>.
#include "windows/posix.h"
