// A queue of jobs that several contexts share, each on a thread of its own.
#include "core/core.h"
#include "measure/batch_contexts.h"
#include "vulkan/vk.h"

#include <pthread.h>
#include <stdatomic.h>

// A thread that sleeps wakes up later than most jobs compute. Those of GPUs look for news for so long first.
#define LOOK_SECONDS 0.001

typedef enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE } job_state;

typedef struct job {
    struct job *next; // in the order of lg_batch_add
    lg_batch_job run;
    atomic_int state; // job_state
    int only;         // the context that it is for; -1: any
    int avoided;      // the context that has lost its device over it; -1: none
    lg_batch_result result;
} job;

typedef struct worker {
    lg_batch *batch;
    lg_context *context;
    lg_thread *thread;
    bool lost; // its device; guarded by the lock
} worker;

struct lg_batch {
    int count;
    worker *workers;
    bool looks; // there is a GPU
    pthread_mutex_t lock;
    pthread_cond_t added, finished;
    // ---- written under `lock`
    job *first, **last;
    job *waiting;     // no job in front of it waits; NULL: none does
    job *due;         // no job in front of it has a result that is to be taken; NULL: none has
    atomic_int open;  // jobs that are not done
    atomic_uint news; // changes where a worker may find a job that it did not find before
    const job *awaited;
    bool sleeps; // the caller, until `awaited` is done, or all are
    bool stop;
};

// ---- waiting ------------------------------------------------------------------------------------

static inline void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// With the lock. Workers that look do so without it.
static void wait_for_news(lg_batch *b)
{
    const unsigned seen = atomic_load(&b->news);
    if (b->looks) {
        const double until = lg_time_seconds() + LOOK_SECONDS;
        pthread_mutex_unlock(&b->lock);
        while (atomic_load(&b->news) == seen && lg_time_seconds() < until)
            pause_a_moment();
        pthread_mutex_lock(&b->lock);
    }
    if (atomic_load(&b->news) == seen)
        pthread_cond_wait(&b->added, &b->lock);
}

static void tell_workers(lg_batch *b)
{
    atomic_fetch_add(&b->news, 1);
    pthread_cond_broadcast(&b->added);
}

// A job; NULL: all of them.
static bool is_over(lg_batch *b, const job *j)
{
    return j ? atomic_load(&j->state) == JOB_DONE : atomic_load(&b->open) == 0;
}

// With the lock. The caller is woken once, not by each job.
static void wait_until_over(lg_batch *b, const job *j)
{
    if (b->looks && !is_over(b, j)) {
        const double until = lg_time_seconds() + LOOK_SECONDS;
        pthread_mutex_unlock(&b->lock);
        while (!is_over(b, j) && lg_time_seconds() < until)
            pause_a_moment();
        pthread_mutex_lock(&b->lock);
    }
    b->awaited = j;
    b->sleeps = true;
    while (!is_over(b, j))
        pthread_cond_wait(&b->finished, &b->lock);
    b->sleeps = false;
}

// ---- workers ------------------------------------------------------------------------------------

static bool is_lost(const lg_context *context)
{
    return context->attached && lg_vk_lost(context->attached);
}

static bool is_gpu(const lg_context *context)
{
    return context->attached && lg_vk_get_limits(context->attached)->hardware;
}

static int usable(const lg_batch *b)
{
    int count = 0;
    for (int i = 0; i < b->count; i++)
        count += !b->workers[i].lost;
    return count;
}

// Whether a worker may take a job that waits: one that has lost its device, or lost it over this job, only
// where there is nobody else.
static bool may_take(const lg_batch *b, int index, const job *j)
{
    const worker *w = &b->workers[index];
    const int others = usable(b) - !w->lost;
    const bool meant = j->only < 0 || j->only == index || b->workers[j->only].lost;
    return others == 0 || (!w->lost && meant && j->avoided != index);
}

static job *find_job(lg_batch *b, int index)
{
    while (b->waiting && atomic_load(&b->waiting->state) != JOB_WAITS)
        b->waiting = b->waiting->next;
    job *j = b->waiting;
    while (j && (atomic_load(&j->state) != JOB_WAITS || !may_take(b, index, j)))
        j = j->next;
    return j;
}

static void finish_job(lg_batch *b, int index, job *j, lg_status status, const lg_error *error)
{
    worker *w = &b->workers[index];
    w->lost = is_lost(w->context);
    const bool hands_on =
        status == LG_ERROR_DEVICE && w->lost && !j->result.handed_on && usable(b) > 0 && !b->stop;
    j->result.context = index;
    if (hands_on) {
        j->result.handed_on = true;
        j->avoided = index;
        b->waiting = b->first;
        atomic_store(&j->state, JOB_WAITS);
    } else {
        j->result.status = status;
        j->result.error = *error;
        atomic_store(&j->state, JOB_DONE);
        atomic_fetch_sub(&b->open, 1);
    }
    if (w->lost) // others may do more than before
        tell_workers(b);
    if (b->sleeps && is_over(b, b->awaited))
        pthread_cond_signal(&b->finished);
}

static void work(void *arg)
{
    worker *w = arg;
    lg_batch *b = w->batch;
    const int index = (int)(w - b->workers);
    pthread_mutex_lock(&b->lock);
    while (!b->stop) {
        job *j = find_job(b, index);
        if (!j) {
            wait_for_news(b);
            continue;
        }
        atomic_store(&j->state, JOB_RUNS);
        pthread_mutex_unlock(&b->lock);
        lg_error error = {LG_OK, ""};
        const lg_status status = j->run(w->context, j->result.priv, &error);
        pthread_mutex_lock(&b->lock);
        finish_job(b, index, j, status, &error);
    }
    pthread_mutex_unlock(&b->lock);
}

// ---- life ---------------------------------------------------------------------------------------

static lg_status check_contexts(lg_context *const *contexts, int count, lg_error *error)
{
    if (!contexts)
        return lg_fail_null(error, "contexts");
    if (count < 1 || count > LG_MAX_BATCH_CONTEXTS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a batch of %d contexts; 1 to %d are allowed",
                       count, LG_MAX_BATCH_CONTEXTS);
    lg_status status = LG_OK;
    for (int i = 0; i < count && !status; i++) {
        status = lg_context_check(contexts[i], error);
        for (int k = 0; k < i && !status; k++)
            if (contexts[k] == contexts[i])
                status = lg_fail(error, LG_ERROR_ARGUMENT,
                                 "contexts %d and %d of a batch are one; each has a thread", k, i);
    }
    return status;
}

static lg_batch *make(lg_context *const *contexts, int count)
{
    lg_batch *b = lg_alloc(sizeof *b);
    worker *workers = lg_alloc_array((size_t)count, sizeof *workers);
    if (!b || !workers) {
        lg_free(b);
        lg_free(workers);
        return NULL;
    }
    b->count = count;
    b->workers = workers;
    b->last = &b->first;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->added, NULL);
    pthread_cond_init(&b->finished, NULL);
    for (int i = 0; i < count; i++) {
        workers[i] = (worker){.batch = b, .context = contexts[i], .lost = is_lost(contexts[i])};
        b->looks |= is_gpu(contexts[i]);
    }
    return b;
}

lg_status lg_batch_create(lg_context *const *contexts, int count, lg_batch **out, lg_error *error)
{
    if (!out)
        return lg_fail_null(error, "a place for the batch");
    lg_status status = check_contexts(contexts, count, error);
    if (status)
        return status;
    lg_batch *b = make(contexts, count);
    if (!b)
        return lg_fail_memory(error, sizeof *b, "a batch");
    for (int i = 0; i < count && !status; i++) {
        b->workers[i].thread = lg_thread_start(work, &b->workers[i]);
        if (!b->workers[i].thread)
            status = lg_fail_memory(error, sizeof(void *), "the threads of a batch");
    }
    if (status)
        lg_batch_destroy(&b);
    else
        *out = b;
    return status;
}

static void drop_jobs(lg_batch *b)
{
    while (b->first) {
        job *gone = b->first;
        b->first = gone->next;
        lg_free(gone);
    }
    b->last = &b->first;
    b->waiting = b->due = NULL;
}

void lg_batch_destroy(lg_batch **batch)
{
    if (!batch || !*batch)
        return;
    lg_batch *b = *batch;
    *batch = NULL;
    pthread_mutex_lock(&b->lock);
    b->stop = true;
    tell_workers(b);
    pthread_mutex_unlock(&b->lock);
    for (int i = 0; i < b->count; i++)
        lg_thread_join(&b->workers[i].thread);
    drop_jobs(b);
    pthread_cond_destroy(&b->added);
    pthread_cond_destroy(&b->finished);
    pthread_mutex_destroy(&b->lock);
    lg_free(b->workers);
    lg_free(b);
}

// ---- jobs ---------------------------------------------------------------------------------------

static lg_status add(lg_batch *b, int only, lg_batch_job run, void *priv, lg_error *error)
{
    job *j = lg_alloc(sizeof *j);
    if (!j)
        return lg_fail_memory(error, sizeof *j, "a job");
    j->run = run;
    j->only = only;
    j->avoided = -1;
    j->result.priv = priv;
    pthread_mutex_lock(&b->lock);
    *b->last = j;
    b->last = &j->next;
    b->waiting = b->waiting ? b->waiting : j;
    b->due = b->due ? b->due : j;
    atomic_fetch_add(&b->open, 1);
    tell_workers(b);
    pthread_mutex_unlock(&b->lock);
    return LG_OK;
}

lg_status lg_batch_add(lg_batch *batch, lg_batch_job run, void *priv, lg_error *error)
{
    if (!batch || !run)
        return lg_fail_null(error, "a batch, and a job");
    return add(batch, -1, run, priv, error);
}

lg_status lg_batch_add_to(lg_batch *batch, int context, lg_batch_job run, void *priv,
                          lg_error *error)
{
    if (!batch || !run)
        return lg_fail_null(error, "a batch, and a job");
    if (context < 0 || context >= batch->count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a job for context %d of %d", context,
                       batch->count);
    return add(batch, context, run, priv, error);
}

lg_status lg_batch_next(lg_batch *batch, lg_batch_result *out, lg_error *error)
{
    if (!batch || !out)
        return lg_fail_null(error, "a batch, and a place for the result");
    pthread_mutex_lock(&batch->lock);
    job *j = batch->due;
    if (j) {
        wait_until_over(batch, j);
        *out = j->result;
        batch->due = j->next;
    }
    pthread_mutex_unlock(&batch->lock);
    return j ? LG_OK
             : lg_fail(error, LG_ERROR_ARGUMENT, "the batch has no job whose result is due");
}

lg_status lg_batch_wait(lg_batch *batch, lg_error *error)
{
    if (!batch)
        return lg_fail_null(error, "a batch");
    lg_status status = LG_OK;
    pthread_mutex_lock(&batch->lock);
    wait_until_over(batch, NULL);
    for (const job *j = batch->first; j && !status; j = j->next) {
        status = j->result.status;
        if (status && error)
            *error = j->result.error;
    }
    drop_jobs(batch);
    pthread_mutex_unlock(&batch->lock);
    return status;
}

int lg_batch_usable(const lg_batch *batch)
{
    lg_batch *b = (lg_batch *)(uintptr_t)batch;
    if (!b)
        return 0;
    pthread_mutex_lock(&b->lock);
    const int count = usable(b);
    pthread_mutex_unlock(&b->lock);
    return count;
}

int lg_batch_count(const lg_batch *batch)
{
    return batch->count;
}

lg_context *lg_batch_context(const lg_batch *batch, int index)
{
    return batch->workers[index].context;
}

bool lg_batch_is_idle(const lg_batch *batch)
{
    lg_batch *b = (lg_batch *)(uintptr_t)batch;
    pthread_mutex_lock(&b->lock);
    const bool idle = b->first == NULL;
    pthread_mutex_unlock(&b->lock);
    return idle;
}
