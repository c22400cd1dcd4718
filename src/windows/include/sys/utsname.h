// Windows has no <sys/utsname.h>.
#include "windows/posix.h"
