#include "read_ahead.h"

#include "file_bands.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define PROGRESS_SECONDS 0.1

// A file that is read, or was.
typedef struct place {
    bool full;     // the next members are set
    bool in_bands; // the file was left out
    lg_image *image;
    lg_read_info info;
    lg_status status;
    lg_error error;
    double seconds;
} place;

typedef struct reader {
    lg_read_ahead *all;
    lg_context *context; // one thread at a time uses a context: each reader has its own
    pthread_t thread;
    bool started;
} reader;

struct lg_read_ahead {
    lg_session *session;
    char *const *names;
    int count;
    lg_read_params params;
    reader readers[LG_MAX_JOBS];
    int reader_count;
    pthread_mutex_t lock; // guards the rest
    pthread_cond_t changed;
    int next, taken;           // the file that is begun next, and that is taken next
    place places[LG_MAX_JOBS]; // file i in place i % reader_count
    double part;               // of the file that is taken next
};

static bool note_part(void *priv, double part)
{
    lg_read_ahead *a = priv;
    pthread_mutex_lock(&a->lock);
    a->part = part;
    pthread_mutex_unlock(&a->lock);
    return true;
}

// Waits until a file may be begun: no more are held than there are readers. -1: there is none left.
static int begin_file(lg_read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->next < a->count && a->next >= a->taken + a->reader_count)
        pthread_cond_wait(&a->changed, &a->lock);
    const int index = a->next < a->count ? a->next++ : -1;
    pthread_mutex_unlock(&a->lock);
    return index;
}

static void end_file(lg_read_ahead *a, int index, const place *done)
{
    pthread_mutex_lock(&a->lock);
    a->places[index % a->reader_count] = *done;
    a->places[index % a->reader_count].full = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void *read_some(void *priv)
{
    const reader *r = priv;
    lg_read_ahead *a = r->all;
    for (int index; (index = begin_file(a)) >= 0;) {
        place done = {.status = LG_OK};
        const char *name = a->names[index];
        const double start = lg_clock();
        lg_read_params params = a->params;
        done.status =
            lg_bands_choose(a->session, r->context, name, &params, &done.in_bands, &done.error);
        if (!done.status && !done.in_bands)
            done.status =
                lg_image_read(r->context, name, &params, &done.image, &done.info, &done.error);
        done.seconds = lg_clock() - start;
        end_file(a, index, &done);
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

static bool start_reader(lg_read_ahead *a, reader *r)
{
    lg_error ignored;
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    params.use_cache = false;
    r->all = a;
    r->started = lg_context_create(&params, &r->context, &ignored) == LG_OK &&
                 lg_limit_memory(a->session, r->context, &ignored) == LG_OK &&
                 lg_start_reader(&r->thread, read_some, r);
    return r->started;
}

lg_read_ahead *lg_read_ahead_begin(lg_session *session, char *const *names, int count, int jobs,
                                   const lg_read_params *params)
{
    lg_read_ahead *a = count > 1 ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return NULL;
    a->session = session;
    a->names = names;
    a->count = count;
    a->params = *params;
    a->params.progress = note_part;
    a->params.progress_priv = a;
    a->reader_count = jobs < count ? jobs : count;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    bool good = true;
    for (int i = 0; i < a->reader_count && good; i++)
        good = start_reader(a, &a->readers[i]);
    if (good || a->readers[0].started) // those that are there read all files
        return a;
    lg_read_ahead_end(a);
    return NULL;
}

static void wait_for_file(lg_read_ahead *a, const place *p)
{
    while (!p->full) {
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
    place *p = &a->places[a->taken % a->reader_count];
    wait_for_file(a, p);
    *in_bands = p->in_bands;
    file->image = p->image;
    file->info = p->info;
    file->decode = p->seconds;
    const lg_status status = p->status;
    *error = p->error;
    p->full = false;
    a->taken++;
    a->part = 0;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return status;
}

// What was read and is not taken is dropped.
void lg_read_ahead_end(lg_read_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->count = a->next;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < a->reader_count; i++) {
        if (a->readers[i].started)
            pthread_join(a->readers[i].thread, NULL);
        lg_context_destroy(&a->readers[i].context);
    }
    for (int i = 0; i < a->reader_count; i++) {
        if (!a->places[i].full)
            continue;
        lg_image_destroy(&a->places[i].image);
        lg_metadata_destroy(&a->places[i].info.metadata);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}
