// The one symbol of the module, and FFmpeg's log.
#include "io/av/av_source.h"

#include <libavutil/log.h>

#include <pthread.h>
#include <string.h>

// ---- errors -------------------------------------------------------------------------------------

// FFmpeg prints by itself unless it is told where to. What this thread was told last is the reason.
static _Thread_local char last_line[200];

// What is read whose complaints mean something. Some conceal damage and tell only the log.
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;
static lg_av_watch *watches; // guarded by `watching`

void lg_av_watch_begin(lg_av_watch *watch)
{
    pthread_mutex_lock(&watching);
    watch->next = watches;
    watches = watch;
    pthread_mutex_unlock(&watching);
}

void lg_av_watch_end(lg_av_watch *watch)
{
    pthread_mutex_lock(&watching);
    for (lg_av_watch **at = &watches; *at; at = &(*at)->next)
        if (*at == watch) {
            *at = watch->next;
            break;
        }
    pthread_mutex_unlock(&watching);
}

// `opaque` is the watch, also in a decoder's copies that work for it in other threads.
static void note_complaint(const void *object)
{
    const AVClass *const *class = object;
    const void *owner = NULL;
    if (class && *class && strcmp((*class)->class_name, "AVCodecContext") == 0)
        owner = ((const AVCodecContext *)object)->opaque;
    else if (class && *class && strcmp((*class)->class_name, "AVFormatContext") == 0)
        owner = ((const AVFormatContext *)object)->opaque;
    if (!owner)
        return;
    pthread_mutex_lock(&watching);
    for (lg_av_watch *w = watches; w; w = w->next)
        if (w == owner)
            w->complained = true;
    pthread_mutex_unlock(&watching);
}

LG_PRINTF(3, 0)
static void keep_line(void *object, int level, const char *format, va_list args)
{
    if (level > AV_LOG_ERROR)
        return;
    note_complaint(object);
    vsnprintf(last_line, sizeof last_line, format, args);
    last_line[strcspn(last_line, "\n")] = '\0';
}

void lg_av_take_log(void)
{
    av_log_set_callback(keep_line);
}

void lg_av_forget_log(void)
{
    last_line[0] = '\0';
}

lg_status lg_av_fail(lg_error *error, int code, const char *what)
{
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";
    if (code == AVERROR_EXIT || code == AVERROR(ECANCELED))
        return lg_fail_cancelled(error);
    if (code == AVERROR(ENOMEM))
        return lg_fail(error, LG_ERROR_MEMORY, "%s: no memory", what);
    av_strerror(code, reason, sizeof reason);
    const bool system = code == AVERROR(EIO) || code == AVERROR(ENOSPC) || code == AVERROR(EACCES);
    return lg_fail(error, system ? LG_ERROR_IO : LG_ERROR_DATA, "%s: %s%s%s%s", what, reason,
                   last_line[0] ? " (FFmpeg: " : "", last_line, last_line[0] ? ")" : "");
}

extern LG_API const lg_av lg_av_module;

LG_API const lg_av lg_av_module = {
    .version = lg_version,
    .start = lg_av_take_log,
    .open = lg_av_open,
    .next = lg_av_next,
    .planes = lg_av_planes,
    .image = lg_av_image,
    .seek = lg_av_seek,
    .dropped = lg_av_dropped,
    .close = lg_av_close,
    .create = lg_av_create,
    .put = lg_av_put,
    .finish = lg_av_finish,
    .note = lg_av_sink_note,
    .drop = lg_av_drop,
};
