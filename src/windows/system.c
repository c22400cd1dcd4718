// Memory, processors, the terminal, libraries and the name of the system.
#include "windows/internal.h"

#define ALIGNMENT 64

bool lg_win_wide(const char *text, wchar_t *out)
{
    const int length =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, LG_WIN_PATH);
    errno = length > 0 ? errno : ENOENT;
    return length > 0;
}

bool lg_win_narrow(const wchar_t *text, char *out, size_t size)
{
    const int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, out, (int)size, NULL, NULL);
    errno = length > 0 ? errno : ENAMETOOLONG;
    return length > 0;
}

int lg_win_failed(void)
{
    static const struct {
        DWORD code;
        int number;
    } known[] = {{ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
                 {ERROR_INVALID_NAME, ENOENT},        {ERROR_BAD_PATHNAME, ENOENT},
                 {ERROR_FILE_EXISTS, EEXIST},         {ERROR_ALREADY_EXISTS, EEXIST},
                 {ERROR_ACCESS_DENIED, EACCES},       {ERROR_SHARING_VIOLATION, EACCES},
                 {ERROR_LOCK_VIOLATION, EWOULDBLOCK}, {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                 {ERROR_DISK_FULL, ENOSPC},           {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                 {ERROR_DIRECTORY, ENOTDIR},          {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                 {ERROR_BROKEN_PIPE, EPIPE},          {ERROR_NO_DATA, EPIPE}};
    const DWORD code = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].code == code)
            errno = known[i].number;
    return -1;
}

// ---- memory -------------------------------------------------------------------------------------

void *lg_win_aligned_alloc(size_t alignment, size_t size)
{
    if (alignment > ALIGNMENT) {
        errno = EINVAL;
        return NULL;
    }
    return _aligned_malloc(size ? size : 1, ALIGNMENT);
}

void *lg_win_malloc(size_t size)
{
    return lg_win_aligned_alloc(ALIGNMENT, size);
}

void *lg_win_calloc(size_t count, size_t size)
{
    size_t bytes;
    void *pointer = __builtin_mul_overflow(count, size, &bytes) ? NULL : lg_win_malloc(bytes);
    return pointer ? memset(pointer, 0, bytes) : NULL;
}

void *lg_win_realloc(void *pointer, size_t size)
{
    return _aligned_realloc(pointer, size ? size : 1, ALIGNMENT);
}

void lg_win_free(void *pointer)
{
    _aligned_free(pointer);
}

char *lg_win_strndup(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length])
        length++;
    char *copy = lg_win_malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *lg_win_strdup(const char *text)
{
    return lg_win_strndup(text, SIZE_MAX);
}

// ---- processors, time ---------------------------------------------------------------------------

// Masks are those of one group of processors; a process that has several may use all of them.
int sched_getaffinity(int process, size_t size, cpu_set_t *set)
{
    DWORD_PTR own, all;
    if (GetActiveProcessorGroupCount() > 1 ||
        !GetProcessAffinityMask(GetCurrentProcess(), &own, &all))
        return -1;
    set->count = __builtin_popcountll(own);
    return 0;
}

long sysconf(int name)
{
    SYSTEM_INFO system;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    GetSystemInfo(&system);
    if (name == _SC_NPROCESSORS_ONLN)
        return (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    if (name == _SC_PAGESIZE)
        return (long)system.dwPageSize;
    if (name == _SC_PHYS_PAGES && GlobalMemoryStatusEx(&memory))
        return (long)(memory.ullTotalPhys / system.dwPageSize);
    return -1;
}

struct tm *lg_win_gmtime_r(const time_t *time, struct tm *out)
{
    return gmtime_s(out, time) == 0 ? out : NULL;
}

int pause(void)
{
    Sleep(INFINITE);
    return -1;
}

int poll(struct pollfd *unused, unsigned long count, int milliseconds)
{
    Sleep((DWORD)milliseconds);
    return 0;
}

// ---- terminal, environment ----------------------------------------------------------------------

int ioctl(int fd, int request, struct winsize *out)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info))
        return -1;
    out->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
    out->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return 0;
}

int setenv(const char *name, const char *value, int replaces)
{
    return replaces || !getenv(name) ? _putenv_s(name, value) : 0;
}

int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

// ---- libraries ----------------------------------------------------------------------------------

static _Thread_local char refused[300];

// A name without a folder is one of the system's own libraries: neither the folder of the program nor that
// of the user is looked through.
void *dlopen(const char *name, int flags)
{
    wchar_t wide[LG_WIN_PATH];
    const bool has_folder = strpbrk(name, "/\\") != NULL;
    void *library = lg_win_wide(name, wide)
                        ? (void *)LoadLibraryExW(wide, NULL,
                                                 has_folder ? LOAD_WITH_ALTERED_SEARCH_PATH
                                                            : LOAD_LIBRARY_SEARCH_SYSTEM32)
                        : NULL;
    if (!library)
        snprintf(refused, sizeof refused, "%.200s cannot be loaded (error %lu)", name,
                 GetLastError());
    return library;
}

void *dlsym(void *library, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(library, name);
}

int dlclose(void *library)
{
    return FreeLibrary(library) ? 0 : -1;
}

const char *dlerror(void)
{
    return refused;
}

const char *lg_win_program_name(void)
{
    static char name[64];
    wchar_t path[LG_WIN_PATH];
    if (!name[0] && GetModuleFileNameW(NULL, path, LG_WIN_PATH)) {
        const wchar_t *slash = wcsrchr(path, L'\\');
        lg_win_narrow(slash ? slash + 1 : path, name, sizeof name);
        if (strlen(name) > 4 && _stricmp(name + strlen(name) - 4, ".exe") == 0)
            name[strlen(name) - 4] = '\0';
    }
    return name;
}

int uname(struct utsname *out)
{
    typedef LONG(WINAPI * get_version)(OSVERSIONINFOW *);
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    const get_version get =
        (get_version)(uintptr_t)dlsym(GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion");
    if (get)
        get(&version);
    snprintf(out->sysname, sizeof out->sysname, "Windows");
    snprintf(out->machine, sizeof out->machine, "x86_64");
    snprintf(out->release, sizeof out->release, "%lu.%lu.%lu", version.dwMajorVersion,
             version.dwMinorVersion, version.dwBuildNumber);
    return 0;
}
