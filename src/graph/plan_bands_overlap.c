// Bands whose rows are read and written by threads of their own, beside the computation.
#include "graph/plan_bands.h"

#include <pthread.h>

typedef enum step { FETCH, COMPUTE, STORE, STEPS } step;

typedef struct overlap {
    lg_band_walk *w;
    pthread_mutex_t lock; // guards the rest
    pthread_cond_t changed;
    bool go;             // all threads are there
    int64_t done[STEPS]; // bands
    int64_t limit;       // bands from this one on are not begun: one failed, or all are done
    lg_status status;    // of band `limit`
    lg_error error;
} overlap;

// Waits until a step may begin with band k; false: it is not to be done.
static bool wait_for(overlap *o, int64_t k, step before, int64_t least)
{
    pthread_mutex_lock(&o->lock);
    while (!o->go || (k < o->limit && o->done[before] < least))
        pthread_cond_wait(&o->changed, &o->lock);
    const bool wanted = k < o->limit;
    pthread_mutex_unlock(&o->lock);
    return wanted;
}

// Bands in front of one that failed are still computed and stored, so that the first failure in the order
// of bands is the one that is told, however fast the threads are.
static void end_band(overlap *o, int64_t k, step at, lg_status status, const lg_error *error)
{
    pthread_mutex_lock(&o->lock);
    o->done[at]++;
    if (status && k < o->limit) {
        o->limit = k;
        o->status = status;
        o->error = *error;
    }
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

static void fetch_all(void *priv)
{
    overlap *o = priv;
    lg_error error;
    for (int64_t k = 0; wait_for(o, k, COMPUTE, k - o->w->sides + 1); k++)
        end_band(o, k, FETCH, lg_band_fetch(o->w, k, &error), &error);
}

static void store_all(void *priv)
{
    overlap *o = priv;
    lg_error error;
    for (int64_t k = 0; wait_for(o, k, COMPUTE, k + 1); k++)
        end_band(o, k, STORE, lg_band_store(o->w, k, &error), &error);
}

static void compute_all(overlap *o)
{
    lg_error error;
    for (int64_t k = 0; wait_for(o, k, FETCH, k + 1) && wait_for(o, k, STORE, k - o->w->sides + 1);
         k++)
        end_band(o, k, COMPUTE, lg_band_compute(o->w, k, &error), &error);
}

static void let_go(overlap *o, int64_t limit)
{
    pthread_mutex_lock(&o->lock);
    o->limit = limit;
    o->go = true;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

lg_status lg_bands_overlap(lg_band_walk *w, bool *started, lg_error *error)
{
    overlap o = {.w = w};
    pthread_mutex_init(&o.lock, NULL);
    pthread_cond_init(&o.changed, NULL);
    lg_thread *fetching = lg_thread_start(fetch_all, &o);
    lg_thread *storing = fetching ? lg_thread_start(store_all, &o) : NULL;
    *started = storing != NULL;
    let_go(&o, *started ? lg_band_count(w) : 0);
    if (*started)
        compute_all(&o);
    lg_thread_join(&fetching);
    lg_thread_join(&storing);
    pthread_cond_destroy(&o.changed);
    pthread_mutex_destroy(&o.lock);
    return o.status ? lg_fail(error, o.status, "%s", o.error.message) : LG_OK;
}
