// Windows has no <sys/ioctl.h>.
#include "windows/posix.h"
