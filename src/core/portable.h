// LG_PORTABLE: the system has what POSIX has, and not what Linux has besides. It is so on macOS, and wherever
// it is defined to look at these branches: -Dc_args=-DLG_PORTABLE builds and runs them on Linux.
#ifndef LG_PORTABLE_H
#define LG_PORTABLE_H

#if defined(__APPLE__) && !defined(LG_PORTABLE)
#define LG_PORTABLE 1
#endif

#ifdef __APPLE__
#define st_mtim st_mtimespec // of struct stat
#endif

// Of waits with a limit: a condition variable has the clock of the time of day unless it is told another.
#ifdef LG_PORTABLE
#define LG_WAIT_CLOCK CLOCK_REALTIME
#else
#define LG_WAIT_CLOCK CLOCK_MONOTONIC
#endif

#endif
