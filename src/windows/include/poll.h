// Windows has no <poll.h>.
#include "windows/posix.h"
