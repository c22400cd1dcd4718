// What the sources use of POSIX and Windows lacks or has with other rules: included before every source of a
// build for Windows (meson.build), and by the headers in include/, which have the names of the missing ones.
// Names of files are UTF-8, files and pipes are binary, and an open file can be renamed and removed. Kernels
// need nothing of it.
#if !defined(LG_WINDOWS_POSIX_H) && !defined(LG_CPU_LEVEL_ID)
#define LG_WINDOWS_POSIX_H

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define LG_EXPORTS // include/lumagraph/common.h: the public functions are what a DLL offers

// What the compiler checks in calls of our own functions are C99's formats.
#define __printf__ gnu_printf

// ---- memory: one heap, whose blocks are aligned, so that free() takes every one of them ----------

void *lg_win_malloc(size_t size);
void *lg_win_calloc(size_t count, size_t size);
void *lg_win_realloc(void *pointer, size_t size);
void *lg_win_aligned_alloc(size_t alignment, size_t size); // alignment: up to 64
void lg_win_free(void *pointer);
char *lg_win_strdup(const char *text);
char *lg_win_strndup(const char *text, size_t most);
#undef strdup
#define malloc        lg_win_malloc
#define calloc        lg_win_calloc
#define realloc       lg_win_realloc
#define aligned_alloc lg_win_aligned_alloc
#define free          lg_win_free
#define strdup        lg_win_strdup
#define strndup       lg_win_strndup

// ---- files --------------------------------------------------------------------------------------

struct lg_win_stat {
    uint64_t st_dev, st_ino;
    unsigned st_mode, st_nlink, st_uid, st_gid;
    int64_t st_size;
    struct timespec st_mtim;
};

int lg_win_stat(const char *path, struct lg_win_stat *out);
int lg_win_fstat(int fd, struct lg_win_stat *out);
int lg_win_fstatat(int folder, const char *path, struct lg_win_stat *out, int flags);
int lg_win_open(const char *path, int flags, ...);
int lg_win_openat(int folder, const char *path, int flags, ...);
int lg_win_unlink(const char *path);
int lg_win_unlinkat(int folder, const char *path, int flags);
int lg_win_rename(const char *from, const char *to);
int lg_win_link(const char *from, const char *to);
int lg_win_renameat(int from_folder, const char *from, int to_folder, const char *to);
int lg_win_mkdir(const char *path, unsigned mode);
int lg_win_rmdir(const char *path);
int lg_win_access(const char *path, int mode);
char *lg_win_realpath(const char *path,
                      char *out); // also of a file that is not there; with slashes
char *lg_win_mkdtemp(char *name);
int lg_win_mkstemps(char *name, int suffix); // suffix: bytes behind the six letters
int lg_win_nameless_file(void);              // open for both; goes when it is closed
ssize_t lg_win_pread(int fd, void *out, size_t size, int64_t at);
ssize_t lg_win_pwrite(int fd, const void *data, size_t size, int64_t at);
int lg_win_ftruncate(int fd, int64_t size);
int lg_win_flock(int fd, int how);
int lg_win_fcntl(int fd, int command, ...);
FILE *lg_win_fopen(const char *path, const char *mode);
FILE *lg_win_fdopen(int fd, const char *mode);
FILE *lg_win_open_memstream(char **text, size_t *size);
int lg_win_fclose(FILE *stream);
int lg_win_fflush(FILE *stream); // and with it the text of open_memstream()
#undef stat
#undef fstat
#undef lstat
#undef ftruncate
#define stat                      lg_win_stat
#define lstat                     lg_win_stat
#define fstat                     lg_win_fstat
#define fstatat                   lg_win_fstatat
#define open                      lg_win_open
#define openat                    lg_win_openat
#define unlink                    lg_win_unlink
#define unlinkat                  lg_win_unlinkat
#define remove                    lg_win_unlink
#define rename                    lg_win_rename
#define link                      lg_win_link
#define renameat                  lg_win_renameat
#define mkdir                     lg_win_mkdir
#define rmdir                     lg_win_rmdir
#define access                    lg_win_access
#define realpath                  lg_win_realpath
#define mkdtemp                   lg_win_mkdtemp
#define mkstemp(name)             lg_win_mkstemps(name, 0)
#define mkstemps                  lg_win_mkstemps
#define pread                     lg_win_pread
#define pwrite                    lg_win_pwrite
#define ftruncate                 lg_win_ftruncate
#define flock                     lg_win_flock
#define fcntl                     lg_win_fcntl
#define fopen                     lg_win_fopen
#define fdopen                    lg_win_fdopen
#define open_memstream            lg_win_open_memstream
#define fclose                    lg_win_fclose
#define fflush                    lg_win_fflush
#define fsync(fd)                 _commit(fd)
#define MFD_CLOEXEC               0
#define memfd_create(name, flags) lg_win_nameless_file()
#define fchmod(fd, m)             ((void)(fd), (void)(m), 0)

#define O_CLOEXEC           _O_NOINHERIT
#define O_NONBLOCK          0
#define O_NOFOLLOW          0
#define O_DIRECTORY         0x1000000
#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define F_DUPFD_CLOEXEC     1
#define F_GETFL             2
#define F_SETFL             3
#define F_GETFD             4
#define LOCK_EX             2
#define LOCK_NB             4
#define S_ISSOCK(mode)      0

static inline ssize_t readlink(const char *path, char *out, size_t size)
{
    (void)path, (void)out, (void)size;
    errno = EINVAL; // links are followed when a file is opened
    return -1;
}

// There is one user, whose files these are.
#define getuid()  0u
#define geteuid() 0u
#define getgid()  0u
#define getegid() 0u

// ---- folders and patterns -----------------------------------------------------------------------

struct dirent {
    char d_name[1024];
};
typedef struct lg_win_folder DIR;
DIR *opendir(const char *path);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
int dirfd(DIR *folder); // open until closedir()
int scandir(const char *path, struct dirent ***out, int (*takes)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **));

// Patterns with *, ? and [] behind the last slash.
typedef struct glob_t {
    size_t gl_pathc;
    char **gl_pathv;
} glob_t;
#define GLOB_NOMATCH 3
int glob(const char *pattern, int flags, void *unused, glob_t *out);
void globfree(glob_t *found);
#define FNM_NOMATCH  1
#define FNM_PATHNAME 1
#define FNM_PERIOD   4
int fnmatch(const char *pattern, const char *text, int flags); // as with both flags

// ---- processors, terminals, libraries, the system -------------------------------------------------

typedef struct cpu_set_t {
    int count;
} cpu_set_t;
#define CPU_COUNT(set) ((set)->count)
int sched_getaffinity(int process, size_t size, cpu_set_t *set);

enum { _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES, _SC_PAGESIZE, _SC_LEVEL3_CACHE_SIZE };
long sysconf(int name);

struct winsize {
    unsigned short ws_col, ws_row;
};
#define TIOCGWINSZ 1
int ioctl(int fd, int request, struct winsize *out);

#define RTLD_LAZY  0
#define RTLD_NOW   0
#define RTLD_LOCAL 0
void *dlopen(const char *name, int flags);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
const char *dlerror(void);

const char *lg_win_program_name(void); // without its folder
#define program_invocation_short_name lg_win_program_name()

struct utsname {
    char sysname[16], release[32], machine[16];
};
int uname(struct utsname *out);

struct tm *lg_win_gmtime_r(const time_t *time, struct tm *out);
#undef gmtime_r
#define gmtime_r lg_win_gmtime_r
static inline int getloadavg(double *out, int count)
{
    (void)out, (void)count;
    return -1;
}

// ---- signals: there are none that another thread could get -----------------------------------------

#ifndef _POSIX
typedef _sigset_t sigset_t;
#endif
#define sigemptyset(set)       ((void)(*(set) = 0))
#define sigfillset(set)        ((void)(*(set) = ~(sigset_t)0))
#define sigdelset(set, number) ((void)(*(set) &= ~((sigset_t)1 << ((number)&31))))
#undef pthread_sigmask
#define SIG_SETMASK 2
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how, (void)set;
    if (old)
        *old = 0;
    return 0;
}
#define SIGHUP  (NSIG + 1)
#define SIGPIPE (NSIG + 2)
#define SIGBUS  (NSIG + 3)
#define SIGTRAP (NSIG + 4)
#define SIGSYS  (NSIG + 5)
#define SIGPROF (NSIG + 6)
#define SIGUSR1 (NSIG + 7)

int pause(void);
struct pollfd;
int poll(struct pollfd *unused, unsigned long count, int milliseconds); // waits

int setenv(const char *name, const char *value, int replaces);
int unsetenv(const char *name);

#endif
