// Frames of a camera: a thread decodes them as they come, and of those that wait the oldest goes.
#include "io/av/av_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { WAITING = 3 }; // frames at most

struct lg_av_live {
    lg_av_decode decode;
    void *source;
    pthread_t thread;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t changed;
    AVFrame *queue[WAITING];
    int count, code; // code: of decode() behind the last frame, 0: it goes on
    int64_t dropped;
    atomic_bool ends;
};

static void add(lg_av_live *live, AVFrame **frame)
{
    pthread_mutex_lock(&live->lock);
    if (live->count == WAITING) {
        av_frame_free(&live->queue[0]);
        for (int i = 1; i < WAITING; i++)
            live->queue[i - 1] = live->queue[i];
        live->count--;
        live->dropped++;
    }
    live->queue[live->count++] = *frame;
    *frame = NULL;
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->lock);
}

static void *decode_all(void *priv)
{
    lg_av_live *live = priv;
    int code = 0;
    while (code == 0 && !atomic_load(&live->ends)) {
        AVFrame *frame = av_frame_alloc();
        code = frame ? live->decode(live->source, frame) : AVERROR(ENOMEM);
        if (code == 0)
            add(live, &frame);
        av_frame_free(&frame);
    }
    pthread_mutex_lock(&live->lock);
    live->code = code ? code : AVERROR_EXIT;
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->lock);
    return NULL;
}

lg_status lg_av_live_begin(lg_av_decode decode, void *source, lg_av_live **out, lg_error *error)
{
    lg_av_live *live = calloc(1, sizeof *live);
    sigset_t all, old;
    if (!live)
        return lg_fail(error, LG_ERROR_MEMORY, "no memory for the frames of a camera");
    live->decode = decode;
    live->source = source;
    pthread_mutex_init(&live->lock, NULL);
    pthread_cond_init(&live->changed, NULL);
    *out = live;      // decode() asks whether it is to end
    sigfillset(&all); // signals are the program's
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const bool started = pthread_create(&live->thread, NULL, decode_all, live) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (started)
        return LG_OK;
    *out = NULL;
    pthread_cond_destroy(&live->changed);
    pthread_mutex_destroy(&live->lock);
    free(live);
    return lg_fail(error, LG_ERROR_MEMORY, "no thread for the frames of a camera");
}

// Until something changes, or a while.
static void wait_for_change(lg_av_live *live)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&live->changed, &live->lock, &until);
}

int lg_av_live_take(lg_av_live *live, const lg_read_params *read, AVFrame *frame)
{
    int code = 0;
    pthread_mutex_lock(&live->lock);
    while (!live->count && !live->code && !code) {
        wait_for_change(live);
        if (read->progress && !read->progress(read->progress_priv, 0))
            code = AVERROR_EXIT;
    }
    if (live->count) {
        av_frame_move_ref(frame, live->queue[0]);
        av_frame_free(&live->queue[0]);
        live->count--;
        for (int i = 0; i < live->count; i++)
            live->queue[i] = live->queue[i + 1];
    } else if (!code) {
        code = live->code;
    }
    pthread_mutex_unlock(&live->lock);
    return code;
}

int64_t lg_av_live_dropped(lg_av_live *live)
{
    pthread_mutex_lock(&live->lock);
    const int64_t dropped = live->dropped;
    pthread_mutex_unlock(&live->lock);
    return dropped;
}

void lg_av_live_ask_end(lg_av_live *live)
{
    atomic_store(&live->ends, true);
}

bool lg_av_live_ends(lg_av_live *live)
{
    return atomic_load(&live->ends);
}

void lg_av_live_end(lg_av_live **live)
{
    if (!*live)
        return;
    pthread_join((*live)->thread, NULL);
    for (int i = 0; i < (*live)->count; i++)
        av_frame_free(&(*live)->queue[i]);
    pthread_cond_destroy(&(*live)->changed);
    pthread_mutex_destroy(&(*live)->lock);
    free(*live);
    *live = NULL;
}
