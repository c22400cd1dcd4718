#include "core/core.h"

#include "core/portable.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

// Workers sleep on `wake` until a run is open that they have not seen, and take indices from `next` until
// they run out. The caller works too, as worker 0; then it closes the run and waits for those that have
// entered it, not for those that still sleep. Each wakes two others while there is work: to wake all of them
// takes one thread longer than many a call.
struct lg_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    pthread_t *threads;
    int count; // workers, the caller included
    pid_t process;
    int busy; // helpers in the run
    uint64_t generation;
    bool open, stop;
    void (*job)(void *, size_t, int);
    void *arg;
    size_t jobs;
    _Atomic size_t next;
    void (*relieve)(void *priv); // after each job
    void *relieve_priv;
    lg_progress_fn progress; // of the caller
    void *progress_priv;
    double interval, told; // seconds between two calls of `progress`, the time of the last one
};

typedef struct worker_start {
    lg_pool *pool;
    int worker;
} worker_start;

static void work(lg_pool *pool, int worker)
{
    for (;;) {
        const size_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->jobs)
            return;
        pool->job(pool->arg, index, worker);
        if (pool->relieve)
            pool->relieve(pool->relieve_priv);
    }
}

static void wake_two(lg_pool *pool)
{
    pthread_cond_signal(&pool->wake);
    pthread_cond_signal(&pool->wake);
}

static void *worker_main(void *start_pointer)
{
    worker_start *start = start_pointer;
    lg_pool *pool = start->pool;
    const int worker = start->worker;
    lg_free(start);
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->stop && (!pool->open || pool->generation == seen))
            pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->stop)
            break;
        seen = pool->generation;
        pool->busy++;
        pthread_mutex_unlock(&pool->mutex);
        if (atomic_load_explicit(&pool->next, memory_order_relaxed) < pool->jobs)
            wake_two(pool);
        work(pool, worker);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0 && !pool->open)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static bool start_worker(lg_pool *pool, int worker)
{
    worker_start *start = lg_alloc(sizeof *start);
    if (!start)
        return false;
    *start = (worker_start){pool, worker};
    if (pthread_create(&pool->threads[worker], NULL, worker_main, start) != 0) {
        lg_free(start);
        return false;
    }
    return true;
}

// A thread inherits the mask of the one that starts it. What a thread does to itself (SIGSEGV and
// its like) cannot be blocked without ending the process unseen, and profilers count with SIGPROF.
static void block_signals(sigset_t *old)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < LG_COUNT(own); i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, old);
}

lg_pool *lg_pool_create(int threads)
{
    lg_pool *pool = lg_alloc(sizeof *pool);
    if (!pool)
        return NULL;
    pool->threads = lg_alloc_array((size_t)LG_MAX(threads, 1), sizeof *pool->threads);
    if (!pool->threads) {
        lg_free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->count = 1;
    pool->process = getpid();
    sigset_t old;
    block_signals(&old);
    // A refused thread is not an error: the work is done by those that started.
    while (pool->count < threads && start_worker(pool, pool->count))
        pool->count++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return pool;
}

static void stop_workers(lg_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
}

void lg_pool_destroy(lg_pool *pool)
{
    if (!pool)
        return;
    if (pool->process == getpid())
        stop_workers(pool);
    lg_free(pool->threads);
    lg_free(pool);
}

int lg_pool_threads(const lg_pool *pool)
{
    return pool->count;
}

void lg_pool_run(lg_pool *pool, size_t count, void (*job)(void *, size_t, int), void *arg)
{
    pool->job = job;
    pool->arg = arg;
    pool->jobs = count;
    atomic_store(&pool->next, 0);
    const bool alone = pool->count == 1 || count <= 1 || pool->process != getpid();
    if (!alone) {
        pthread_mutex_lock(&pool->mutex);
        pool->open = true;
        pool->generation++;
        pthread_mutex_unlock(&pool->mutex);
        wake_two(pool);
    }
    work(pool, 0);
    if (alone)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->open = false;
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

void lg_pool_relieve(lg_pool *pool, void (*relieve)(void *priv), void *priv)
{
    pool->relieve = relieve;
    pool->relieve_priv = priv;
}

void lg_pool_watch(lg_pool *pool, lg_progress_fn progress, void *priv, double seconds)
{
    pool->progress = progress;
    pool->progress_priv = priv;
    pool->interval = seconds;
}

lg_status lg_pool_report(lg_pool *pool, double part, lg_error *error)
{
    if (pool->relieve)
        pool->relieve(pool->relieve_priv);
    if (!pool->progress)
        return LG_OK;
    const double now = lg_time_seconds();
    if (now - pool->told < pool->interval)
        return LG_OK;
    pool->told = now;
    if (pool->progress(pool->progress_priv, part))
        return LG_OK;
    return lg_fail_cancelled(error);
}

// ---- single threads -----------------------------------------------------------------------------

struct lg_thread {
    pthread_t handle;
    void (*run)(void *);
    void *arg;
};

static void *thread_main(void *priv)
{
    const lg_thread *thread = priv;
    thread->run(thread->arg);
    return NULL;
}

lg_thread *lg_thread_start(void (*run)(void *arg), void *arg)
{
    sigset_t old;
    lg_thread *thread = lg_alloc(sizeof *thread);
    if (!thread)
        return NULL;
    thread->run = run;
    thread->arg = arg;
    block_signals(&old);
    const bool started = pthread_create(&thread->handle, NULL, thread_main, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (started)
        return thread;
    lg_free(thread);
    return NULL;
}

void lg_thread_join(lg_thread **thread)
{
    if (!thread || !*thread)
        return;
    pthread_join((*thread)->handle, NULL);
    lg_free(*thread);
    *thread = NULL;
}

int lg_processor_count(void)
{
#ifndef LG_PORTABLE // others do not tell which of them a process may use
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return LG_MAX(CPU_COUNT(&set), 1);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

double lg_time_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
