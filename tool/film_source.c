#include "film_source.h"

#include "read_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AHEAD = 1 }; // frames that wait, beside the one that is being read

#define PROGRESS_SECONDS 0.1

// ---- one frame ------------------------------------------------------------------------------------

double lg_seconds_of(const lg_film_time *time)
{
    return time->unit_per ? (double)(time->ticks * time->unit) / time->unit_per : 0;
}

// Whether the frame that was read last is one that is asked for; *end: nor are those behind it.
static lg_status choose_frame(lg_frames *frames, lg_frame_range *range, bool *chosen, bool *end,
                              lg_error *error)
{
    const int64_t index = lg_frames_index(frames);
    const lg_film_time time = lg_frames_time(frames);
    const bool timed = range->first_second >= 0 || range->end_second >= 0;
    *chosen = range->whole;
    if (range->whole)
        return LG_OK;
    if (timed && !time.unit_per)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "the film states no times, and --frames asks for seconds");
    *end = range->end_second >= 0 && lg_seconds_of(&time) >= range->end_second;
    if (*end || index < range->first ||
        (range->first_second >= 0 && lg_seconds_of(&time) < range->first_second))
        return LG_OK;
    if (range->anchor < 0)
        range->anchor = index;
    *chosen = (index - range->anchor) % range->step == 0;
    return LG_OK;
}

static lg_status read_wanted(lg_frames *frames, lg_frame_range *range, lg_film_frame *f)
{
    lg_status status = LG_OK;
    bool chosen = false, end = false;
    do {
        const int64_t next = lg_frames_index(frames) + 1;
        f->more = !end && (range->whole ? next == 0 : range->end < 0 || next < range->end);
        f->ends_early = !f->more && !range->whole;
        if (f->more)
            status = lg_frames_next(frames, &f->more, &f->error);
        if (!status && f->more)
            status = choose_frame(frames, range, &chosen, &end, &f->error);
    } while (!status && f->more && !chosen);
    return status;
}

// A film that had no frame for us.
static lg_status check_any(const lg_frames *frames, const lg_frame_range *range, lg_error *error)
{
    const int64_t read = lg_frames_index(frames) + 1;
    if (range->whole || range->anchor >= 0)
        return LG_OK;
    if (read == 0)
        return lg_set_error(error, LG_ERROR_DATA, "the film has no frame");
    if (range->first_second >= 0)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "there is no frame from second %g on; the film has %lld frames",
                            range->first_second, (long long)read);
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "there is no frame %lld; the film has %lld, counted from 0",
                        (long long)range->first, (long long)read);
}

lg_film_frame lg_read_film_frame(lg_frames *frames, lg_frame_range *range)
{
    const double start = lg_clock();
    lg_film_frame f = {.index = -1};
    f.status = read_wanted(frames, range, &f);
    if (!f.status && !f.more)
        f.status = check_any(frames, range, &f.error);
    if (f.status || !f.more)
        return f;
    const lg_film *film = lg_frames_film(frames);
    const bool stored = film && (film->planes == 1 || film->planes == 3);
    if (!range->planes)
        f.status =
            (stored ? lg_frames_planes : lg_frames_image)(frames, &f.image, &f.info, &f.error);
    f.seconds = lg_clock() - start;
    f.index = lg_frames_index(frames);
    f.time = lg_frames_time(frames);
    f.has_film = film != NULL;
    if (film)
        f.film = *film;
    return f;
}

void lg_drop_film_frame(lg_film_frame *frame)
{
    lg_image_destroy(&frame->image);
    lg_metadata_destroy(&frame->info.metadata);
}

// ---- ahead ----------------------------------------------------------------------------------------

struct lg_film_source {
    lg_session *session;
    lg_frames *frames;
    lg_frame_range range;
    bool live;
    pthread_t thread;
    pthread_mutex_t lock; // guards the rest
    pthread_cond_t changed;
    lg_film_frame waiting[AHEAD];
    int count;
    bool stop;
    int64_t dropped;
};

// Takes the oldest frame that waits, with the lock.
static lg_film_frame take_oldest(lg_film_source *s)
{
    const lg_film_frame frame = s->waiting[0];
    s->count--;
    memmove(&s->waiting[0], &s->waiting[1], (size_t)s->count * sizeof s->waiting[0]);
    return frame;
}

// False when nobody wants another one.
static bool put(lg_film_source *s, lg_film_frame frame)
{
    const bool displaces = s->live && frame.more && !frame.status; // the end does not
    pthread_mutex_lock(&s->lock);
    while (s->count == AHEAD && !s->stop && !displaces)
        pthread_cond_wait(&s->changed, &s->lock);
    if (s->count == AHEAD && !s->stop) {
        lg_film_frame late = take_oldest(s);
        lg_drop_film_frame(&late);
        s->dropped++;
    }
    const bool wanted = !s->stop;
    if (wanted)
        s->waiting[s->count++] = frame;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (!wanted)
        lg_drop_film_frame(&frame);
    return wanted;
}

static void *read_all(void *priv)
{
    lg_film_source *s = priv;
    for (bool more = true; more;) {
        const lg_film_frame frame = lg_read_film_frame(s->frames, &s->range);
        more = put(s, frame) && frame.more && !frame.status;
    }
    return NULL;
}

lg_film_source *lg_film_source_begin(lg_session *session, lg_frames *frames,
                                     const lg_frame_range *range, bool live)
{
    lg_film_source *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (lg_film_source){.session = session, .frames = frames, .range = *range, .live = live};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (lg_start_reader(&s->thread, read_all, s))
        return s;
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return NULL;
}

lg_film_frame lg_film_source_take(lg_film_source *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->count == 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(PROGRESS_SECONDS * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&s->changed, &s->lock, &until) == ETIMEDOUT &&
            !lg_session_progress(s->session, 0)) {
            lg_film_frame none = {.index = -1};
            pthread_mutex_unlock(&s->lock);
            none.status = lg_set_error(&none.error, LG_ERROR_CANCELLED, "interrupted");
            return none;
        }
    }
    const lg_film_frame frame = take_oldest(s);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return frame;
}

int64_t lg_film_source_dropped(lg_film_source *s)
{
    pthread_mutex_lock(&s->lock);
    const int64_t dropped = s->dropped;
    pthread_mutex_unlock(&s->lock);
    return dropped;
}

void lg_film_source_end(lg_film_source *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    for (int i = 0; i < s->count; i++)
        lg_drop_film_frame(&s->waiting[i]);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
