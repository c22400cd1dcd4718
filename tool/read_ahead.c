#include "read_ahead.h"

#include "file_bands.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define PROGRESS_SECONDS 0.1

struct lg_read_ahead {
    lg_session *session;
    lg_context *context; // one thread at a time uses a context: the reader has its own
    char *const *names;
    int count;
    lg_read_params params;
    pthread_t thread;
    pthread_mutex_t lock; // guards the rest
    pthread_cond_t changed;
    bool full;     // the next members are of a file that was read
    bool in_bands; // the file was left out
    lg_image *image;
    lg_read_info info;
    lg_status status;
    lg_error error;
    double seconds, part;
};

static bool note_part(void *priv, double part)
{
    lg_read_ahead *a = priv;
    pthread_mutex_lock(&a->lock);
    a->part = part;
    pthread_mutex_unlock(&a->lock);
    return true;
}

static void hand_over(lg_read_ahead *a, const lg_input_file *file, bool in_bands, lg_status status,
                      const lg_error *error)
{
    pthread_mutex_lock(&a->lock);
    a->in_bands = in_bands;
    a->image = file->image;
    a->info = file->info;
    a->seconds = file->decode;
    a->status = status;
    a->error = *error;
    a->full = true;
    pthread_cond_signal(&a->changed);
    while (a->full)
        pthread_cond_wait(&a->changed, &a->lock);
    a->part = 0;
    pthread_mutex_unlock(&a->lock);
}

static void *read_all(void *priv)
{
    lg_read_ahead *a = priv;
    for (int i = 0; i < a->count; i++) {
        lg_error error = {0};
        lg_input_file file = {.name = a->names[i]};
        const double start = lg_clock();
        bool in_bands = false;
        lg_status status = lg_bands_choose(a->session, a->context, file.name, &in_bands, &error);
        if (!status && !in_bands)
            status =
                lg_image_read(a->context, file.name, &a->params, &file.image, &file.info, &error);
        file.decode = lg_clock() - start;
        hand_over(a, &file, in_bands, status, &error);
    }
    return NULL;
}

bool lg_start_reader(pthread_t *thread, void *(*read)(void *), void *priv)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGPROF};
    sigset_t others, old;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &old);
    const bool started = pthread_create(thread, NULL, read, priv) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

lg_read_ahead *lg_read_ahead_begin(lg_session *session, char *const *names, int count,
                                   const lg_read_params *params)
{
    lg_error ignored;
    lg_context_params reader = lg_context_params_default();
    lg_read_ahead *a = count > 1 ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return NULL;
    *a = (lg_read_ahead){.session = session, .names = names, .count = count, .params = *params};
    a->params.progress = note_part;
    a->params.progress_priv = a;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    reader.device = LG_DEVICE_CPU;
    reader.threads = 1;
    reader.use_cache = false;
    if (lg_context_create(&reader, &a->context, &ignored) == LG_OK &&
        lg_start_reader(&a->thread, read_all, a))
        return a;
    a->count = 0;
    lg_read_ahead_end(a);
    return NULL;
}

static void wait_for_file(lg_read_ahead *a)
{
    while (!a->full) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(PROGRESS_SECONDS * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&a->changed, &a->lock, &until) == ETIMEDOUT)
            lg_session_progress(a->session, a->part);
    }
}

lg_status lg_read_ahead_take(lg_read_ahead *a, lg_input_file *file, bool *in_bands, lg_error *error)
{
    pthread_mutex_lock(&a->lock);
    wait_for_file(a);
    *in_bands = a->in_bands;
    file->image = a->image;
    file->info = a->info;
    file->decode = a->seconds;
    const lg_status status = a->status;
    *error = a->error;
    a->full = false;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return status;
}

void lg_read_ahead_end(lg_read_ahead *a)
{
    if (!a)
        return;
    if (a->count > 0)
        pthread_join(a->thread, NULL);
    lg_context_destroy(&a->context);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}
