// Video files and cameras: what they are called and begin with, and the module that reads and writes them.
#include "core/module.h"
#include "io/av/av_module.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- which files --------------------------------------------------------------------------------

// Extensions of video files; those that are written by them, too.
static const struct {
    const char *extension;
    bool written;
} extensions[] = {{"mp4", true},  {"m4v", true},   {"mov", true},  {"mkv", true},  {"webm", true},
                  {"avi", true},  {"nut", true},   {"ts", true},   {"m2ts", true}, {"mts", true},
                  {"mxf", true},  {"ogv", true},   {"flv", true},  {"mpg", true},  {"mpeg", true},
                  {"wmv", true},  {"asf", true},   {"3gp", true},  {"ivf", true},  {"vob", true},
                  {"h264", true}, {"h265", false}, {"264", false}, {"265", false}, {"hevc", false},
                  {"obu", false}, {"mjpeg", true}, {"dv", true},   {"rm", false},  {"m2v", true}};

static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

static bool begins(const uint8_t *head, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(head, magic, length) == 0;
}

// The first box of a file like QuickTime's. Pictures begin so, too, with brands of their own.
static bool is_boxes(const uint8_t *head, size_t size)
{
    static const char *const pictures[] = {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1",
                                           "msf1", "avif", "avis", "jp2 ", "jpx ", "jxl ", "crx "};
    static const char *const boxes[] = {"moov", "mdat", "wide", "free", "skip", "pnot"};
    if (size < 12)
        return false;
    for (size_t i = 0; i < LG_COUNT(boxes); i++)
        if (memcmp(head + 4, boxes[i], 4) == 0)
            return true;
    if (memcmp(head + 4, "ftyp", 4) != 0)
        return false;
    for (size_t i = 0; i < LG_COUNT(pictures); i++)
        if (memcmp(head + 8, pictures[i], 4) == 0)
            return false;
    return true;
}

bool lg_video_is(const uint8_t *head, size_t size, const char *path)
{
    static const struct {
        const char *magic;
        size_t length;
    } begin[] = {
        {"\x1a\x45\xdf\xa3", 4}, {"OggS", 4},       {"FLV\x01", 4},
        {"nut/multimedia", 14},  {"DKIF", 4},       {"\x30\x26\xb2\x75\x8e\x66\xcf\x11", 8},
        {"\0\0\1\xba", 4},       {"\0\0\1\xb3", 4}, {"\x06\x0e\x2b\x34\x02\x05\x01\x01", 8}};
    for (size_t i = 0; i < LG_COUNT(begin); i++)
        if (begins(head, size, begin[i].magic, begin[i].length))
            return true;
    if (is_boxes(head, size) ||
        (begins(head, size, "RIFF", 4) && size >= 12 && memcmp(head + 8, "AVI ", 4) == 0))
        return true;
    for (size_t i = 0; i < LG_COUNT(extensions) && size > 0; i++)
        if (strcasecmp(extension_of(path), extensions[i].extension) == 0)
            return true;
    return false;
}

bool lg_video_is_camera(const char *path)
{
    struct stat found;
    return strncmp(path, "/dev/video", 10) == 0 && stat(path, &found) == 0 &&
           S_ISCHR(found.st_mode);
}

bool lg_film_can_format(const char *format)
{
    if (format && strcasecmp(format, "y4m") == 0)
        return true;
    for (size_t i = 0; i < LG_COUNT(extensions) && format; i++)
        if (extensions[i].written && strcasecmp(extensions[i].extension, format) == 0)
            return true;
    return false;
}

// ---- the module ---------------------------------------------------------------------------------

#ifdef LG_HAVE_AV

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static const lg_av *loaded; // NULL until a film needed it; guarded by `loading`

static lg_status load(lg_error *error)
{
    static const char name[] = "liblumagraph-av.so";
    void *module = NULL;
    const lg_status status = lg_module_open(LG_MODULE_OF_LUMAGRAPH, name, &module, error);
    if (status != LG_OK)
        return status;
    const lg_av *table = lg_module_symbol(module, "lg_av_module");
    if (!table || strcmp(table->version(), lg_version()) != 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s is of another version", name);
    table->start();
    loaded = table;
    return LG_OK;
}

lg_status lg_video_module(const char *what, const lg_av **out, lg_error *error)
{
    lg_error why = {LG_OK, ""};
    pthread_mutex_lock(&loading);
    const lg_status status = loaded ? LG_OK : load(&why);
    *out = loaded;
    pthread_mutex_unlock(&loading);
    if (status == LG_OK || status == LG_ERROR_MEMORY)
        return status ? lg_fail(error, status, "%s", why.message) : LG_OK;
    return lg_fail(error, status,
                   "%s through FFmpeg's libraries, which cannot be loaded; install these, and "
                   "liblumagraph-av.so, which the build makes (%.240s)",
                   what, why.message);
}

#else

lg_status lg_video_module(const char *what, const lg_av **out, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "%s through FFmpeg's libraries, and this build has no liblumagraph-av; "
                   "`ffmpeg -i FILE -f yuv4mpegpipe - | lumagraph ... -` does without",
                   what);
}

#endif
