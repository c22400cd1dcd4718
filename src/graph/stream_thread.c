// The thread of a stream: takes frames in their order, and computes them.
#include "graph/stream_frames.h"

#include "core/portable.h"
#include "device/dispatch.h"

#include <string.h>
#include <time.h>

#include "vulkan/vk.h"

#define SHORTEST_WAIT 5e-5 // seconds
#define LONGEST_WAIT  5e-3
#define WAIT_PART     16 // of the time that passed
#define PATIENCE      1 // seconds; a device that takes longer may be lost, which only a wait finds out

// ---- what goes to the caller's thread -------------------------------------------------------------

static void keep_line(void *priv, lg_log_level level, const char *message)
{
    lg_stream *s = priv;
    const size_t size = strlen(message) + 1;
    lg_log_line *line = lg_alloc(sizeof *line + size);
    if (!line) // a lost line is no lost result
        return;
    line->level = level;
    memcpy(line->text, message, size);
    pthread_mutex_lock(&s->lock);
    *s->last_line = line;
    s->last_line = &line->next;
    pthread_mutex_unlock(&s->lock);
}

static bool keep_part(void *priv, double part)
{
    lg_stream *s = priv;
    pthread_mutex_lock(&s->lock);
    s->part = part;
    const bool wanted = s->current >= s->cancelled;
    pthread_mutex_unlock(&s->lock);
    return wanted;
}

// Lets log and progress of the context go to the caller's thread, or lets them be what they were.
static void redirect(lg_stream *s, bool here)
{
    lg_context *context = s->plan->context;
    if (!s->thread)
        return;
    context->log = here ? (lg_logger){s->log.fn ? keep_line : NULL, s} : s->log;
    if (context->attached)
        lg_vk_use_log(context->attached, &context->log);
    if (here)
        lg_pool_watch(context->pool, keep_part, s, LG_PROGRESS_SECONDS);
    else
        lg_pool_watch(context->pool, context->params.progress, context->params.progress_priv,
                      LG_PROGRESS_SECONDS);
}

// ---- a frame --------------------------------------------------------------------------------------

static lg_status read_figures(lg_plan *plan, lg_stream_slot *slot)
{
    size_t count = 0;
    lg_status status = lg_plan_figures(plan, NULL, 0, &count, &slot->error);
    if (!status && count > slot->figure_room) {
        lg_free(slot->figures);
        slot->figure_room = 0;
        slot->figures = lg_alloc_array(count, sizeof *slot->figures);
        if (!slot->figures)
            return lg_fail_memory(&slot->error, count * sizeof *slot->figures,
                                  "the figures of a frame");
        slot->figure_room = count;
    }
    slot->figure_count = count;
    if (!status && count)
        status = lg_plan_figures(plan, slot->figures, count, &count, &slot->error);
    return status;
}

lg_status lg_stream_note(lg_stream *s, lg_stream_slot *slot)
{
    lg_plan_profile(s->plan, slot->stages, (size_t)s->plan->stage_count);
    slot->engine = s->plan->context->report;
    return read_figures(s->plan, slot);
}

static lg_status run_frame(lg_stream *s, lg_stream_slot *slot)
{
    lg_status status = s->turns ? s->turns->leave(s, slot, &slot->error) : LG_OK;
    if (!status)
        status = lg_plan_run(s->plan, slot->inputs, slot->outputs, &slot->error);
    slot->engine = s->plan->context->report;
    return status ? status : lg_stream_note(s, slot);
}

// ---- all of them ----------------------------------------------------------------------------------

static lg_stream_slot *oldest(lg_stream *s, lg_frame_state state)
{
    for (int i = 0; i < s->count; i++)
        if (s->slots[s->order[i]].state == state)
            return &s->slots[s->order[i]];
    return NULL;
}

static int count_begun(const lg_stream *s)
{
    int begun = 0;
    for (int i = 0; i < s->count; i++)
        begun += s->slots[s->order[i]].state == LG_FRAME_BEGUN;
    return begun;
}

static void end_frame(lg_stream *s, lg_stream_slot *slot, lg_status status)
{
    slot->state = LG_FRAME_ENDED;
    slot->status = status;
    slot->read = true;
    pthread_cond_broadcast(&s->changed);
}

// Frames on a device at the same time. One that is begun cannot be dropped any more, so that `live` leaves
// one to wait.
static int most_begun(const lg_stream *s)
{
    return !s->turns ? 1 : s->live ? LG_MAX(s->depth - 1, 1) : s->depth;
}

static void run_alone(lg_stream *s, lg_stream_slot *slot)
{
    s->current = slot->index;
    if (slot->index < s->cancelled) {
        end_frame(s, slot, lg_fail_cancelled(&slot->error));
        return;
    }
    pthread_mutex_unlock(&s->lock);
    const lg_status status = run_frame(s, slot);
    pthread_mutex_lock(&s->lock);
    end_frame(s, slot, status);
}

// What a plan carries from run to run is gone with frames that nobody knows: the oldest one fails, and the
// plan begins anew.
static bool begins_anew(lg_stream *s, lg_stream_slot *slot, const lg_error *why)
{
    lg_plan *plan = s->plan;
    if (!lg_graph_remembers(plan->graph) && !lg_plan_remembers(plan))
        return false;
    slot->error = *why;
    lg_plan_reset(plan, NULL);
    return true;
}

// Frames that were sent, computed once more one by one.
static void run_again(lg_stream *s, lg_status status, const lg_error *why)
{
    lg_stream_slot *slot = oldest(s, LG_FRAME_BEGUN);
    pthread_mutex_unlock(&s->lock);
    s->turns->settle(s);
    const bool fails = begins_anew(s, slot, why);
    pthread_mutex_lock(&s->lock);
    if (fails)
        end_frame(s, slot, status);
    while ((slot = oldest(s, LG_FRAME_BEGUN)) != NULL)
        run_alone(s, slot);
}

static void finish_frame(lg_stream *s, lg_stream_slot *slot)
{
    bool again = false;
    lg_error why = {LG_OK, ""};
    s->current = slot->index;
    pthread_mutex_unlock(&s->lock);
    const lg_status status = s->turns->finish(s, slot, &again, &why);
    pthread_mutex_lock(&s->lock);
    if (again) {
        run_again(s, status, &why);
        return;
    }
    slot->error = why;
    end_frame(s, slot, status);
}

static void send_frame(lg_stream *s, lg_stream_slot *slot)
{
    bool reads = false;
    lg_error why = {LG_OK, ""};
    slot->state = LG_FRAME_TAKEN;
    s->current = slot->index;
    pthread_mutex_unlock(&s->lock);
    const lg_status status = s->turns->begin(s, slot, &reads, &why);
    pthread_mutex_lock(&s->lock);
    if (!status) {
        slot->state = LG_FRAME_BEGUN;
        s->sent = lg_time_seconds();
        slot->read = !reads;
        pthread_cond_broadcast(&s->changed);
        return;
    }
    for (lg_stream_slot *before; (before = oldest(s, LG_FRAME_BEGUN)) != NULL;)
        finish_frame(s, before);
    slot->state = LG_FRAME_BEGUN;
    run_alone(s, slot);
}

static void begin_frame(lg_stream *s, lg_stream_slot *slot)
{
    if (s->turns && s->plan->on_device && slot->index >= s->cancelled) {
        send_frame(s, slot);
        return;
    }
    slot->state = LG_FRAME_TAKEN;
    for (lg_stream_slot *before; (before = oldest(s, LG_FRAME_BEGUN)) != NULL;)
        finish_frame(s, before);
    slot->state = LG_FRAME_BEGUN;
    run_alone(s, slot);
}

// Copies a frame to the device copies of the caller's outputs.
static lg_status store(const lg_stream *s, const lg_stream_slot *slot, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < s->plan->given_outputs; i++)
        for (int k = 0; s->stored[i] && lg_stream_part(s->stored[i], k) && !status; k++) {
            lg_image_private *to = lg_stream_part(s->stored[i], k);
            lg_host_view view = {.image = *to}; // which says how its memory on the device lies
            view.image.image = lg_stream_part(slot->outputs[i], k)->image;
            status = lg_host_view_store(&view, &to->image, error);
        }
    return status;
}

// What a caller that pulls waits for comes first. False: nobody does.
static bool store_frame(lg_stream *s)
{
    const lg_stream_slot *slot = s->storing;
    if (!slot)
        return false;
    s->current = LG_MAX(slot->index, s->cancelled); // it was computed, whatever is ended since
    pthread_mutex_unlock(&s->lock);
    const lg_status status = store(s, slot, &s->store_error);
    pthread_mutex_lock(&s->lock);
    s->store_status = status;
    s->storing = NULL;
    pthread_cond_broadcast(&s->changed);
    return true;
}

// Whether the caller may push a frame before the oldest one is computed, and nothing else is to be done.
static bool may_wait(const lg_stream *s, const lg_stream_slot *oldest_begun)
{
    return s->thread && s->turns && !s->awaited && !s->stop &&
           oldest_begun->index >= s->cancelled && s->count < s->slot_count &&
           count_begun(s) < most_begun(s) && lg_time_seconds() < s->sent + PATIENCE &&
           !s->turns->arrived(s, oldest_begun);
}

// A frame that comes goes to the device at once, beside those that are there: who waits for the device
// would not see it. The longer a frame takes the less often is it looked at.
static void wait_for_frames(lg_stream *s)
{
    const double taken = (lg_time_seconds() - s->sent) / WAIT_PART;
    struct timespec until;
    clock_gettime(LG_WAIT_CLOCK, &until);
    until.tv_nsec += (long)(LG_MAX(SHORTEST_WAIT, LG_MIN(taken, LONGEST_WAIT)) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&s->changed, &s->lock, &until);
}

static bool step(lg_stream *s)
{
    if (store_frame(s))
        return true;
    lg_stream_slot *waiting = oldest(s, LG_FRAME_WAITING), *begun = oldest(s, LG_FRAME_BEGUN);
    if (waiting && count_begun(s) < most_begun(s))
        begin_frame(s, waiting);
    else if (begun && may_wait(s, begun))
        wait_for_frames(s);
    else if (begun)
        finish_frame(s, begun);
    return waiting || begun;
}

void lg_stream_compute(lg_stream *s)
{
    redirect(s, true);
    while (step(s))
        ;
    redirect(s, false);
}

void lg_stream_thread(void *priv)
{
    lg_stream *s = priv;
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        if (oldest(s, LG_FRAME_WAITING) || s->storing)
            lg_stream_compute(s);
        else
            pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}
