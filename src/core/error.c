#include "core/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lg_status lg_fail(lg_error *error, lg_status status, const char *format, ...)
{
    if (error) {
        error->status = status;
        va_list args;
        va_start(args, format);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
        for (char *c = error->message; *c; c++) // a message quotes what it got, and stays one line
            if (*c == '\n' || *c == '\r')
                *c = ' ';
    }
    return status;
}

lg_status lg_fail_memory(lg_error *error, size_t bytes, const char *what)
{
    return lg_fail(error, LG_ERROR_MEMORY, "out of memory: %s needs %zu bytes", what, bytes);
}

lg_status lg_fail_cancelled(lg_error *error)
{
    return lg_fail(error, LG_ERROR_CANCELLED, "the program has ended this call before it was done");
}

lg_status lg_fail_null(lg_error *error, const char *what)
{
    return lg_fail(error, LG_ERROR_ARGUMENT, "NULL was given; needed: %s", what);
}

const char *lg_status_name(lg_status status)
{
    switch (status) {
    case LG_OK:
        return "ok";
    case LG_ERROR_ARGUMENT:
        return "argument";
    case LG_ERROR_LIMIT:
        return "limit";
    case LG_ERROR_MEMORY:
        return "memory";
    case LG_ERROR_DEVICE:
        return "device";
    case LG_ERROR_IO:
        return "io";
    case LG_ERROR_DATA:
        return "data";
    case LG_ERROR_UNSUPPORTED:
        return "unsupported";
    case LG_ERROR_CANCELLED:
        return "cancelled";
    }
    return "unknown";
}

const char *lg_version(void)
{
#define LG_TEXT_(x) #x
#define LG_TEXT(x)  LG_TEXT_(x)
    return LG_TEXT(LG_VERSION_MAJOR) "." LG_TEXT(LG_VERSION_MINOR) "." LG_TEXT(LG_VERSION_PATCH);
}

void lg_log(const lg_logger *log, lg_log_level level, const char *format, ...)
{
    if (!log || !log->fn)
        return;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    log->fn(log->priv, level, message);
}
