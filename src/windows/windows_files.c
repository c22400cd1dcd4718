// Files by names in UTF-8, shared so that an open one can be renamed, replaced and removed.
#include "windows/internal.h"

#include <stdarg.h>

#define SHARED (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

// The name as Windows takes it, also of a file in a folder that is open.
static bool name_of(int folder, const char *path, wchar_t *out)
{
    wchar_t name[LG_WIN_PATH];
    if (!*path) {
        errno = ENOENT;
        return false;
    }
    if (folder == AT_FDCWD && strcmp(path, "/dev/null") == 0)
        path = "NUL";
    if (!lg_win_wide(path, name))
        return false;
    for (wchar_t *at = name; *at; at++)
        *at = *at == L'/' ? L'\\' : *at;
    if (folder == AT_FDCWD) {
        wcscpy(out, name);
        return true;
    }
    const DWORD length = GetFinalPathNameByHandleW(handle_of(folder), out, LG_WIN_PATH, 0);
    if (length == 0 || length + 1 + wcslen(name) >= LG_WIN_PATH) {
        errno = ENAMETOOLONG;
        return false;
    }
    out[length] = L'\\';
    wcscpy(out + length + 1, name);
    return true;
}

// ---- opening ------------------------------------------------------------------------------------

static int open_at(int folder, const char *path, int flags)
{
    wchar_t name[LG_WIN_PATH];
    if (!name_of(folder, path, name))
        return -1;
    const int way = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    const DWORD access = way == O_RDWR     ? GENERIC_READ | GENERIC_WRITE
                         : way == O_WRONLY ? GENERIC_WRITE
                                           : GENERIC_READ;
    const DWORD how = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)     ? CREATE_NEW
                      : (flags & (O_CREAT | O_TRUNC)) == (O_CREAT | O_TRUNC) ? CREATE_ALWAYS
                      : flags & O_CREAT                                      ? OPEN_ALWAYS
                      : flags & O_TRUNC                                      ? TRUNCATE_EXISTING
                                                                             : OPEN_EXISTING;
    // Renaming and removing need DELETE, which files that may only be read lack.
    HANDLE handle =
        CreateFileW(name, access | DELETE, SHARED, NULL, how, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE && how == OPEN_EXISTING)
        handle = CreateFileW(name, access, SHARED, NULL, how, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return lg_win_failed();
    const int fd =
        _open_osfhandle((intptr_t)handle, way | (flags & (O_APPEND | O_CLOEXEC)) | _O_BINARY);
    if (fd < 0)
        CloseHandle(handle);
    return fd;
}

int lg_win_open(const char *path, int flags, ...)
{
    return open_at(AT_FDCWD, path, flags);
}

int lg_win_openat(int folder, const char *path, int flags, ...)
{
    return open_at(folder, path, flags);
}

static bool has(const char *mode, char letter)
{
    return strchr(mode, letter) != NULL;
}

FILE *lg_win_fdopen(int fd, const char *mode)
{
    char binary[8] = {mode[0], 'b', has(mode, '+') ? '+' : '\0'};
    return _fdopen(fd, binary);
}

FILE *lg_win_fopen(const char *path, const char *mode)
{
    const int way = has(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    const int how = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    const int fd = open_at(AT_FDCWD, path, way | how | (has(mode, 'x') ? O_EXCL : 0));
    FILE *stream = fd >= 0 ? lg_win_fdopen(fd, mode) : NULL;
    if (!stream && fd >= 0)
        _close(fd);
    return stream;
}

// ---- what is known of a file --------------------------------------------------------------------

static struct timespec time_of(FILETIME time)
{
    const uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime; // of 100 ns
    return (struct timespec){.tv_sec = (time_t)(ticks / 10000000 - 11644473600),
                             .tv_nsec = (long)(ticks % 10000000 * 100)};
}

static int stat_handle(HANDLE handle, struct lg_win_stat *out)
{
    BY_HANDLE_FILE_INFORMATION info;
    const DWORD kind = GetFileType(handle);
    *out = (struct lg_win_stat){.st_mode = 0644 | (kind == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR)};
    if (kind == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR)
        return lg_win_failed();
    if (kind != FILE_TYPE_DISK)
        return 0;
    if (!GetFileInformationByHandle(handle,
                                    &info)) { // wine knows but the size of what a shell opened
        LARGE_INTEGER size;
        if (!GetFileSizeEx(handle, &size))
            return lg_win_failed();
        out->st_mode = S_IFREG | 0644;
        out->st_size = size.QuadPart;
        return 0;
    }
    const bool folder = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    const bool fixed = info.dwFileAttributes & FILE_ATTRIBUTE_READONLY;
    out->st_mode = (folder ? S_IFDIR | 0755 : S_IFREG | 0644) & (fixed ? ~0222u : ~0u);
    out->st_dev = info.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    out->st_nlink = info.nNumberOfLinks;
    out->st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
    out->st_mtim = time_of(info.ftLastWriteTime);
    return 0;
}

int lg_win_fstat(int fd, struct lg_win_stat *out)
{
    return stat_handle(handle_of(fd), out);
}

int lg_win_fstatat(int folder, const char *path, struct lg_win_stat *out, int flags)
{
    wchar_t name[LG_WIN_PATH];
    if (!name_of(folder, path, name))
        return -1;
    const HANDLE handle = CreateFileW(name, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING,
                                      FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return lg_win_failed();
    const int result = stat_handle(handle, out);
    CloseHandle(handle);
    return result;
}

int lg_win_stat(const char *path, struct lg_win_stat *out)
{
    return lg_win_fstatat(AT_FDCWD, path, out, 0);
}

int lg_win_access(const char *path, int mode)
{
    wchar_t name[LG_WIN_PATH];
    return name_of(AT_FDCWD, path, name) ? _waccess(name, mode & ~X_OK) : -1;
}

char *lg_win_realpath(const char *path, char *out)
{
    wchar_t name[LG_WIN_PATH], whole[LG_WIN_PATH];
    char text[LG_WIN_PATH];
    if (!name_of(AT_FDCWD, path, name))
        return NULL;
    const DWORD length = GetFullPathNameW(name, LG_WIN_PATH, whole, NULL);
    if (length == 0 || length >= LG_WIN_PATH) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    if (!lg_win_narrow(whole, text, sizeof text))
        return NULL;
    for (char *at = text; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    return out ? strcpy(out, text) : strdup(text);
}

// ---- names --------------------------------------------------------------------------------------

int lg_win_unlinkat(int folder, const char *path, int flags)
{
    wchar_t name[LG_WIN_PATH];
    if (!name_of(folder, path, name))
        return -1;
    return DeleteFileW(name) ? 0 : lg_win_failed();
}

int lg_win_unlink(const char *path)
{
    return lg_win_unlinkat(AT_FDCWD, path, 0);
}

int lg_win_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    wchar_t old[LG_WIN_PATH], name[LG_WIN_PATH];
    if (!name_of(from_folder, from, old) || !name_of(to_folder, to, name))
        return -1;
    return MoveFileExW(old, name, MOVEFILE_REPLACE_EXISTING) ? 0 : lg_win_failed();
}

int lg_win_rename(const char *from, const char *to)
{
    return lg_win_renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int lg_win_link(const char *from, const char *to)
{
    wchar_t old[LG_WIN_PATH], name[LG_WIN_PATH];
    if (!name_of(AT_FDCWD, from, old) || !name_of(AT_FDCWD, to, name))
        return -1;
    return CreateHardLinkW(name, old, NULL) ? 0 : lg_win_failed();
}

int lg_win_mkdir(const char *path, unsigned mode)
{
    wchar_t name[LG_WIN_PATH];
    if (!name_of(AT_FDCWD, path, name))
        return -1;
    return CreateDirectoryW(name, NULL) ? 0 : lg_win_failed();
}

int lg_win_rmdir(const char *path)
{
    wchar_t name[LG_WIN_PATH];
    if (!name_of(AT_FDCWD, path, name))
        return -1;
    return RemoveDirectoryW(name) ? 0 : lg_win_failed();
}

// Fills in six letters in front of the suffix until make() succeeds.
static int make_unique(char *name, int suffix, int (*make)(const char *))
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static volatile LONG turn;
    char *const end = name + strlen(name) - (size_t)suffix - 6;
    for (int i = 0; i < 1000; i++) {
        uint64_t number = (uint64_t)InterlockedIncrement(&turn) * 0x9e3779b97f4a7c15u ^
                          GetCurrentProcessId() * 0xd6e8feb8u ^ GetTickCount64();
        for (int k = 0; k < 6; k++, number /= 36)
            end[k] = letters[number % 36];
        const int made = make(name);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

static int make_folder(const char *path)
{
    return lg_win_mkdir(path, 0700);
}

static int make_file(const char *path)
{
    return open_at(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL);
}

char *lg_win_mkdtemp(char *name)
{
    return make_unique(name, 0, make_folder) == 0 ? name : NULL;
}

int lg_win_mkstemps(char *name, int suffix)
{
    return make_unique(name, suffix, make_file);
}

// ---- descriptors --------------------------------------------------------------------------------

// ReadFile() and WriteFile() move the place of the file, which pread() and pwrite() leave where it is.
static ssize_t pass_at(int fd, void *out, const void *data, size_t size, int64_t at)
{
    const HANDLE handle = handle_of(fd);
    const LARGE_INTEGER none = {.QuadPart = 0};
    const DWORD most = (DWORD)(size < 1u << 30 ? size : 1u << 30);
    LARGE_INTEGER place;
    OVERLAPPED from = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD passed = 0;
    if (!SetFilePointerEx(handle, none, &place, FILE_CURRENT))
        return lg_win_failed();
    const bool done = out ? ReadFile(handle, out, most, &passed, &from)
                          : WriteFile(handle, data, most, &passed, &from);
    const DWORD code = GetLastError();
    SetFilePointerEx(handle, place, NULL, FILE_BEGIN);
    SetLastError(code);
    return done || code == ERROR_HANDLE_EOF ? (ssize_t)passed : lg_win_failed();
}

ssize_t lg_win_pread(int fd, void *out, size_t size, int64_t at)
{
    return pass_at(fd, out, NULL, size, at);
}

ssize_t lg_win_pwrite(int fd, const void *data, size_t size, int64_t at)
{
    return pass_at(fd, NULL, data, size, at);
}

int lg_win_ftruncate(int fd, int64_t size)
{
    const errno_t code = _chsize_s(fd, size);
    errno = code ? code : errno;
    return code ? -1 : 0;
}

// A byte behind the end of every file: Windows keeps others from what is locked.
int lg_win_flock(int fd, int how)
{
    OVERLAPPED at = {.Offset = 0xfffffffe, .OffsetHigh = 0x7fffffff};
    const DWORD flags = (how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0) |
                        (how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);
    return LockFileEx(handle_of(fd), flags, 0, 1, 0, &at) ? 0 : lg_win_failed();
}

int lg_win_fcntl(int fd, int command, ...)
{
    if (command == F_DUPFD_CLOEXEC)
        return _dup(fd);
    return command == F_GETFD && _get_osfhandle(fd) == -1 ? -1 : 0;
}

int lg_win_nameless_file(void)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    if (!GetTempPathW(MAX_PATH, folder) || !GetTempFileNameW(folder, L"lg", 0, name))
        return lg_win_failed();
    const HANDLE handle =
        CreateFileW(name, GENERIC_READ | GENERIC_WRITE | DELETE, SHARED, NULL, CREATE_ALWAYS,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return lg_win_failed();
    const int fd = _open_osfhandle((intptr_t)handle, O_RDWR | _O_BINARY);
    if (fd < 0)
        CloseHandle(handle);
    return fd;
}

// ---- texts as streams ---------------------------------------------------------------------------

// A stream is a file that goes when it is closed; its text is read when the stream is flushed or closed.
typedef struct text_stream {
    struct text_stream *next;
    FILE *stream;
    char **text;
    size_t *size;
} text_stream;

static pthread_mutex_t texts_lock = PTHREAD_MUTEX_INITIALIZER;
static text_stream *texts;

FILE *lg_win_open_memstream(char **text, size_t *size)
{
    text_stream *t = malloc(sizeof *t);
    const int fd = t ? lg_win_nameless_file() : -1;
    FILE *stream = fd >= 0 ? _fdopen(fd, "w+b") : NULL;
    if (!stream) {
        if (fd >= 0)
            _close(fd);
        free(t);
        errno = ENOMEM;
        return NULL;
    }
    *t = (text_stream){.stream = stream, .text = text, .size = size};
    pthread_mutex_lock(&texts_lock);
    t->next = texts;
    texts = t;
    pthread_mutex_unlock(&texts_lock);
    *text = NULL;
    *size = 0;
    return stream;
}

// The text of a stream; takes it out of the list when it `ends`. NULL: it is a plain stream.
static text_stream *find_text(FILE *stream, bool ends)
{
    pthread_mutex_lock(&texts_lock);
    text_stream **at = &texts;
    while (*at && (*at)->stream != stream)
        at = &(*at)->next;
    text_stream *found = *at;
    if (found && ends)
        *at = found->next;
    pthread_mutex_unlock(&texts_lock);
    return found;
}

#undef fflush
#undef fclose

static int read_text(text_stream *t)
{
    const bool failed = fflush(t->stream) != 0 || ferror(t->stream);
    const int64_t size = _ftelli64(t->stream);
    char *text = failed || size < 0 ? NULL : realloc(*t->text, (size_t)size + 1);
    if (!text) {
        errno = ENOMEM;
        return EOF;
    }
    *t->text = text;
    *t->size = (size_t)size;
    text[size] = '\0';
    rewind(t->stream);
    const bool whole = fread(text, 1, (size_t)size, t->stream) == (size_t)size;
    return fseek(t->stream, 0, SEEK_END) == 0 && whole ? 0 : EOF;
}

int lg_win_fflush(FILE *stream)
{
    text_stream *t = stream ? find_text(stream, false) : NULL;
    if (t)
        return read_text(t);
    const int result = fflush(stream);
    // A pipe takes everything until its reader is gone, for which the C library has no number of its own.
    if (stream && ferror(stream) && GetFileType(handle_of(_fileno(stream))) == FILE_TYPE_PIPE) {
        errno = EPIPE;
        return EOF;
    }
    return result;
}

int lg_win_fclose(FILE *stream)
{
    text_stream *t = find_text(stream, true);
    const int result = t ? read_text(t) : 0;
    free(t);
    return fclose(stream) == 0 ? result : EOF;
}
