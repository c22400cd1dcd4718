// Opening a TIFF file with libtiff: it reads through our functions, allocates within limits, and
// what it says is kept for our messages.
#ifdef LG_HAVE_TIFF

#include "io/tiff.h"

#include <string.h>
#include <tiffio.h>

#define HAS_OPTIONS (TIFFLIB_VERSION >= 20221213) // 4.5: limits, and messages for each file

// ---- messages -----------------------------------------------------------------------------------

// Warnings that samples are missing or made up; decoders go on after them as if nothing were wrong.
static bool is_damage(const char *text)
{
    static const char *const signs[] = {"remature", "Corrupt JPEG data", "Line length mismatch",
                                        "Bad code word", "Not a JPEG file"};
    for (size_t i = 0; i < LG_COUNT(signs); i++)
        if (strstr(text, signs[i]))
            return !strstr(text, "extraneous bytes");
    return false;
}

// Keeps the first message that matters; later ones follow from it.
static void __attribute__((format(__printf__, 3, 0)))
keep(lg_tiff *tiff, bool failed, const char *format, va_list args)
{
    char text[sizeof tiff->message];
    if (!tiff || tiff->failed)
        return;
    vsnprintf(text, sizeof text, format, args);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = ' ';
    tiff->failed = failed || is_damage(text);
    if (tiff->failed)
        memcpy(tiff->message, text, sizeof text);
}

#if HAS_OPTIONS

static LG_PRINTF(4, 0) int on_error(TIFF *handle, void *priv, const char *module,
                                    const char *format, va_list args)
{
    keep(priv, true, format, args);
    return 1; // nobody else is told
}

static LG_PRINTF(4, 0) int on_warning(TIFF *handle, void *priv, const char *module,
                                      const char *format, va_list args)
{
    keep(priv, false, format, args);
    return 1;
}

#else

// Before 4.5 there is one handler for all files of the process; it is told which file it is.
static LG_PRINTF(3, 0) void on_error(thandle_t priv, const char *module, const char *format,
                                     va_list args)
{
    keep((lg_tiff *)priv, true, format, args);
}

static LG_PRINTF(3, 0) void on_warning(thandle_t priv, const char *module, const char *format,
                                       va_list args)
{
    keep((lg_tiff *)priv, false, format, args);
}

#endif

void lg_tiff_forget_message(lg_tiff *tiff)
{
    tiff->failed = false;
    tiff->message[0] = '\0';
}

lg_status lg_tiff_fail(const lg_tiff *tiff, const char *what, lg_error *error)
{
    return lg_fail(error, LG_ERROR_DATA, "%s: %s", what,
                   tiff->message[0] ? tiff->message : "no reason given");
}

// ---- what libtiff reads with --------------------------------------------------------------------

static tmsize_t read_bytes(thandle_t priv, void *out, tmsize_t bytes)
{
    lg_tiff_source *source = &((lg_tiff *)priv)->source;
    const size_t got =
        bytes > 0 ? lg_tiff_bytes_at(source, source->position, out, (size_t)bytes) : 0;
    source->position += got;
    return (tmsize_t)got;
}

static tmsize_t write_bytes(thandle_t priv, void *data, tmsize_t bytes)
{
    return lg_tiff_put(&((lg_tiff *)priv)->source, data, (size_t)bytes) ? bytes : -1;
}

static toff_t seek(thandle_t priv, toff_t offset, int whence)
{
    lg_tiff_source *source = &((lg_tiff *)priv)->source;
    const uint64_t base = whence == SEEK_CUR   ? source->position
                          : whence == SEEK_END ? source->size
                                               : 0;
    source->position = base + offset;
    return source->position;
}

static int close_file(thandle_t priv)
{
    return 0;
}

static toff_t size_of(thandle_t priv)
{
    return ((lg_tiff *)priv)->source.size;
}

// ---- opening ------------------------------------------------------------------------------------

// "h": no directory is read yet; "m": nothing is mapped, since a file may become shorter meanwhile; "D":
// tables of blocks are not read before somebody asks for them.
static const char *reading_mode(const lg_tiff *tiff)
{
    return tiff->defers ? "rhmD" : "rhm";
}

static TIFF *open_handle(lg_tiff *tiff, const char *mode)
{
    const thandle_t self = (thandle_t)tiff;
#if HAS_OPTIONS
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    // What is written has the size of an image that is there already.
    const bool limited = mode[0] == 'r';
    const uint64_t max =
        LG_MIN(2 * LG_MIN(tiff->source.size, UINT64_MAX / 4) + (256 << 20), (uint64_t)SIZE_MAX / 2);
    if (limited)
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)max);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, tiff);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, tiff);
    TIFF *handle = TIFFClientOpenExt("TIFF", mode, self, read_bytes, write_bytes, seek, close_file,
                                     size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return handle;
#else
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    TIFFSetErrorHandlerExt(on_error);
    TIFFSetWarningHandlerExt(on_warning);
    return TIFFClientOpen("TIFF", mode, self, read_bytes, write_bytes, seek, close_file, size_of,
                          NULL, NULL);
#endif
}

lg_status lg_tiff_open(lg_input *input, lg_tiff **out, lg_error *error)
{
    lg_tiff *tiff = lg_alloc(sizeof *tiff);
    if (!tiff)
        return lg_fail_memory(error, sizeof *tiff, "a TIFF file");
    lg_status status = lg_tiff_source_open(input, &tiff->source, error);
    if (status == LG_OK)
        status = lg_tiff_list_read(&tiff->source, &tiff->list, error);
    if (status == LG_OK) {
        tiff->defers = lg_tiff_may_defer(&tiff->list);
        tiff->handle = open_handle(tiff, reading_mode(tiff));
        if (!tiff->handle)
            status = lg_tiff_fail(tiff, "damaged", error);
    }
    if (status != LG_OK) {
        lg_tiff_close(&tiff);
        return status;
    }
    *out = tiff;
    return LG_OK;
}

lg_status lg_tiff_open_again(const lg_tiff *tiff, lg_tiff **out, lg_error *error)
{
    lg_tiff *other = lg_alloc(sizeof *other);
    if (!other)
        return lg_fail_memory(error, sizeof *other, "a TIFF file");
    *other = (lg_tiff){.source = tiff->source,
                       .list = tiff->list,
                       .again = true,
                       .strip_room = tiff->strip_room,
                       .defers = tiff->defers};
    other->source.position = 0;
    other->handle = open_handle(other, reading_mode(other));
    if (!other->handle) {
        const lg_status status = lg_tiff_fail(other, "damaged", error);
        lg_tiff_close(&other);
        return status;
    }
    *out = other;
    return LG_OK;
}

lg_status lg_tiff_open_memory(uint8_t *bytes, size_t size, lg_tiff **out, lg_error *error)
{
    lg_tiff *tiff = lg_alloc(sizeof *tiff);
    if (!tiff)
        return lg_fail_memory(error, sizeof *tiff, "a TIFF file");
    tiff->source = (lg_tiff_source){.fd = -1, .copy = bytes, .size = size};
    tiff->again = true; // it frees nothing of that
    tiff->handle = open_handle(tiff, "rm");
    if (tiff->handle) {
        *out = tiff;
        return LG_OK;
    }
    const lg_status status = lg_tiff_fail(tiff, "damaged", error);
    lg_tiff_close(&tiff);
    return status;
}

lg_status lg_tiff_create(bool big, int fd, lg_tiff **out, lg_error *error)
{
    lg_tiff *tiff = lg_alloc(sizeof *tiff);
    if (!tiff)
        return lg_fail_memory(error, sizeof *tiff, "a TIFF file");
    tiff->source.fd = fd;
    tiff->handle = open_handle(tiff, big ? "w8" : "w");
    if (tiff->handle) {
        *out = tiff;
        return LG_OK;
    }
    const int failure = tiff->source.failure;
    lg_tiff_close(&tiff);
    return failure ? lg_fail_write(error, failure)
                   : lg_fail_memory(error, sizeof *tiff, "a TIFF file");
}

lg_status lg_tiff_text(const lg_tiff *tiff, uint64_t place, uint32_t size, char **out,
                       lg_error *error)
{
    const uint64_t left = place < tiff->source.size ? tiff->source.size - place : 0;
    size = (uint32_t)LG_MIN((uint64_t)size, left); // whatever the tag declares
    *out = NULL;
    if (!place || !size)
        return LG_OK;
    char *text = lg_alloc((size_t)size + 1);
    if (!text)
        return lg_fail_memory(error, size, "a text of a TIFF file");
    text[lg_tiff_bytes_at(&tiff->source, place, text, size)] = '\0';
    *out = text;
    return LG_OK;
}

void lg_tiff_close(lg_tiff **tiff)
{
    if (!tiff || !*tiff)
        return;
    if ((*tiff)->handle)
        TIFFClose((*tiff)->handle);
    if (!(*tiff)->again) {
        lg_tiff_list_free(&(*tiff)->list);
        lg_tiff_source_close(&(*tiff)->source);
    }
    lg_free((*tiff)->strip.data);
    lg_free((*tiff)->stored.data);
    lg_free((*tiff)->rows.data);
    lg_free(*tiff);
    *tiff = NULL;
}

#endif
