// A queue of jobs that several contexts share, each on a thread of its own.
#include "core/core.h"
#include "measure/batch_contexts.h"
#include "vulkan/vk.h"

#include <pthread.h>

typedef enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE } job_state;

typedef struct job {
    struct job *next; // in the order of lg_batch_add
    lg_batch_job run;
    job_state state;
    bool taken;  // by lg_batch_next
    int avoided; // the context that has lost its device over it; -1: none
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
    pthread_mutex_t lock;
    pthread_cond_t changed;
    // ---- guarded by `lock`
    job *first, **last;
    int open; // jobs that are not done
    bool stop;
};

// ---- workers ------------------------------------------------------------------------------------

static bool is_lost(const lg_context *context)
{
    return context->attached && lg_vk_lost(context->attached);
}

static int usable(const lg_batch *b)
{
    int count = 0;
    for (int i = 0; i < b->count; i++)
        count += !b->workers[i].lost;
    return count;
}

// Whether a worker may take a job: one that has lost its device, or lost it over this job, only where there
// is nobody else.
static bool may_take(const lg_batch *b, int index, const job *j)
{
    const worker *w = &b->workers[index];
    const int others = usable(b) - !w->lost;
    return j->state == JOB_WAITS && (others == 0 || (!w->lost && j->avoided != index));
}

static job *find_job(const lg_batch *b, int index)
{
    job *j = b->first;
    while (j && !may_take(b, index, j))
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
        j->state = JOB_WAITS;
        j->result.handed_on = true;
        j->avoided = index;
    } else {
        j->state = JOB_DONE;
        j->result.status = status;
        j->result.error = *error;
        b->open--;
    }
    pthread_cond_broadcast(&b->changed);
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
            pthread_cond_wait(&b->changed, &b->lock);
            continue;
        }
        j->state = JOB_RUNS;
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
    pthread_cond_init(&b->changed, NULL);
    for (int i = 0; i < count; i++)
        workers[i] = (worker){.batch = b, .context = contexts[i], .lost = is_lost(contexts[i])};
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
}

void lg_batch_destroy(lg_batch **batch)
{
    if (!batch || !*batch)
        return;
    lg_batch *b = *batch;
    *batch = NULL;
    pthread_mutex_lock(&b->lock);
    b->stop = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    for (int i = 0; i < b->count; i++)
        lg_thread_join(&b->workers[i].thread);
    drop_jobs(b);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    lg_free(b->workers);
    lg_free(b);
}

// ---- jobs ---------------------------------------------------------------------------------------

lg_status lg_batch_add(lg_batch *batch, lg_batch_job run, void *priv, lg_error *error)
{
    if (!batch || !run)
        return lg_fail_null(error, "a batch, and a job");
    job *j = lg_alloc(sizeof *j);
    if (!j)
        return lg_fail_memory(error, sizeof *j, "a job");
    j->run = run;
    j->avoided = -1;
    j->result.priv = priv;
    pthread_mutex_lock(&batch->lock);
    *batch->last = j;
    batch->last = &j->next;
    batch->open++;
    pthread_cond_broadcast(&batch->changed);
    pthread_mutex_unlock(&batch->lock);
    return LG_OK;
}

lg_status lg_batch_next(lg_batch *batch, lg_batch_result *out, lg_error *error)
{
    if (!batch || !out)
        return lg_fail_null(error, "a batch, and a place for the result");
    pthread_mutex_lock(&batch->lock);
    job *j = batch->first;
    while (j && j->taken)
        j = j->next;
    while (j && j->state != JOB_DONE)
        pthread_cond_wait(&batch->changed, &batch->lock);
    if (j) {
        *out = j->result;
        j->taken = true;
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
    while (batch->open > 0)
        pthread_cond_wait(&batch->changed, &batch->lock);
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
