// Streams, on the thread that uses them: frames go in, wait, and come out in order.
#include "graph/stream_frames.h"

#include "core/portable.h"

#include <string.h>
#include <time.h>

// ---- life -----------------------------------------------------------------------------------------

static lg_status make_slot(lg_stream *s, lg_stream_slot *slot, lg_error *error)
{
    lg_plan *plan = s->plan;
    const size_t stages = (size_t)plan->stage_count + 1;
    slot->stages = lg_alloc_array(stages, sizeof *slot->stages);
    if (!slot->stages)
        return lg_fail_memory(error, stages * sizeof *slot->stages, "the profile of a frame");
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_outputs && !status; i++) {
        lg_image_params shape;
        if (slot->outputs[i])
            continue;
        status = lg_plan_output(plan, (size_t)i, &shape, error);
        if (!status)
            status = lg_image_create_uninit(plan->context, &shape, &slot->outputs[i], error);
    }
    return status;
}

static lg_status make_parts(lg_stream *s, lg_error *error)
{
    const size_t stages = (size_t)s->plan->stage_count + 1;
    lg_status status = LG_OK;
    s->stages = lg_alloc_array(stages, sizeof *s->stages);
    if (!s->stages)
        return lg_fail_memory(error, stages * sizeof *s->stages, "the profile of a frame");
#ifdef LG_HAVE_VULKAN
    lg_stream_make_turns(s);
#endif
    for (int i = 0; i < s->slot_count && !status; i++)
        status = make_slot(s, &s->slots[i], error);
    if (!status && s->depth > 1) // without a thread the caller's computes
        s->thread = lg_thread_start(lg_stream_thread, s);
    return status;
}

static void free_parts(lg_stream *s, bool forked)
{
    if (s->turns)
        s->turns->destroy(s);
    for (int i = 0; i < s->slot_count; i++) {
        lg_stream_slot *slot = &s->slots[i];
        for (int k = 0; k < LG_MAX_INPUTS; k++)
            lg_image_destroy(&slot->outputs[k]);
        lg_free(slot->figures);
        lg_free(slot->stages);
    }
    lg_free(s->figures);
    lg_free(s->stages);
    for (lg_log_line *next; s->lines; s->lines = next) {
        next = s->lines->next;
        lg_free(s->lines);
    }
    if (!forked) { // there the thread waits forever, and who destroys waits for that
        pthread_cond_destroy(&s->changed);
        pthread_mutex_destroy(&s->lock);
    }
    lg_free(s);
}

lg_status lg_stream_create(lg_plan *plan, const lg_stream_params *params, lg_stream **out,
                           lg_error *error)
{
    lg_stream_params taken = lg_stream_params_default();
    if (!plan || !out)
        return lg_fail_null(error, "a plan, and a place for the stream");
    lg_status status = lg_context_check(plan->context, error);
    if (!status)
        status = lg_params_take(params, &LG_PARAMS_TYPE(lg_stream_params, live), &taken, error);
    if (!status && (taken.depth < 1 || taken.depth > LG_MAX_DEPTH))
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "a stream of depth %d; allowed are 1 to %d frames on their way",
                         taken.depth, LG_MAX_DEPTH);
    if (!status && plan->in_bands)
        status = lg_plan_fail_whole(error);
    if (status)
        return status;
    lg_stream *s = lg_alloc(sizeof *s);
    if (!s)
        return lg_fail_memory(error, sizeof *s, "a stream");
    *s = (lg_stream){.plan = plan,
                     .depth = taken.depth,
                     .live = taken.live,
                     .slot_count = taken.depth + 1,
                     .log = plan->context->log};
    s->last_line = &s->lines;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
#ifndef LG_PORTABLE
    pthread_condattr_setclock(&monotonic, LG_WAIT_CLOCK);
#endif
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&s->lock, NULL);
    status = make_parts(s, error);
    if (status)
        free_parts(s, false);
    else
        *out = s;
    return status;
}

// ---- what the other thread left ---------------------------------------------------------------------

static void give_back(lg_stream_slot *slot)
{
    if (slot->held && slot->done)
        slot->done(slot->priv);
    slot->held = false;
}

// Gives back inputs that were read, and passes on what was logged.
static void settle(lg_stream *s)
{
    bool free[LG_MAX_DEPTH + 1] = {false};
    int order[LG_MAX_DEPTH + 1];
    pthread_mutex_lock(&s->lock);
    lg_log_line *line = s->lines;
    s->lines = NULL;
    s->last_line = &s->lines;
    const int count = s->count;
    for (int i = 0; i < count; i++) {
        order[i] = s->order[i];
        free[i] = s->slots[order[i]].read;
    }
    pthread_mutex_unlock(&s->lock);
    for (lg_log_line *next; line; line = next) {
        next = line->next;
        lg_log(&s->log, line->level, "%s", line->text);
        lg_free(line);
    }
    for (int i = 0; i < count; i++)
        if (free[i])
            give_back(&s->slots[order[i]]);
}

static lg_status report(lg_stream *s, lg_error *error)
{
    const lg_context_params *params = &s->plan->context->params;
    const double now = lg_time_seconds(), part = s->part;
    if (!params->progress || now - s->told < LG_PROGRESS_SECONDS)
        return LG_OK;
    s->told = now;
    pthread_mutex_unlock(&s->lock);
    const bool wanted = params->progress(params->progress_priv, part);
    pthread_mutex_lock(&s->lock);
    if (wanted)
        return LG_OK;
    s->cancelled = s->next;
    return lg_fail_cancelled(error);
}

// Waits, with the lock, until something changes. LG_ERROR_CANCELLED: the caller ended what is on its way.
static lg_status wait_for_change(lg_stream *s, lg_error *error)
{
    struct timespec until;
    if (!s->thread) {
        lg_stream_compute(s);
        return LG_OK;
    }
    s->awaited = true;
    pthread_cond_broadcast(&s->changed);
    if (!s->plan->context->params.progress) {
        pthread_cond_wait(&s->changed, &s->lock);
        s->awaited = false;
        return LG_OK;
    }
    clock_gettime(LG_WAIT_CLOCK, &until);
    until.tv_nsec += (long)(LG_PROGRESS_SECONDS * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&s->changed, &s->lock, &until);
    s->awaited = false;
    return report(s, error);
}

// Frames that are not computed yet.
static int on_their_way(const lg_stream *s)
{
    int count = 0;
    for (int i = 0; i < s->count; i++)
        count += s->slots[s->order[i]].state != LG_FRAME_ENDED;
    return count;
}

static void remove_frame(lg_stream *s, int at)
{
    s->slots[s->order[at]].state = LG_FRAME_FREE;
    s->count--;
    memmove(&s->order[at], &s->order[at + 1], (size_t)(s->count - at) * sizeof s->order[0]);
}

// Nobody reads the pixels of the frame that was taken any more.
static void end_shown(lg_stream *s)
{
    if (!s->shown)
        return;
    s->shown = false;
    pthread_mutex_lock(&s->lock);
    remove_frame(s, 0);
    pthread_mutex_unlock(&s->lock);
}

// ---- in -------------------------------------------------------------------------------------------

// Drops the oldest frame in that state, with the lock. False: there is none.
static bool drop(lg_stream *s, lg_frame_state state)
{
    int at = 0;
    while (at < s->count && s->slots[s->order[at]].state != state)
        at++;
    if (at == s->count)
        return false;
    lg_stream_slot *slot = &s->slots[s->order[at]];
    remove_frame(s, at);
    s->dropped++;
    pthread_mutex_unlock(&s->lock);
    give_back(slot); // not reused before the next push
    pthread_mutex_lock(&s->lock);
    return true;
}

// Waits for room for one more frame.
static lg_status make_room(lg_stream *s, lg_error *error)
{
    lg_status status = LG_OK;
    while (!status) {
        const bool full = on_their_way(s) >= s->depth;
        if (!full && s->count < s->slot_count)
            return LG_OK;
        if (s->live && drop(s, full ? LG_FRAME_WAITING : LG_FRAME_ENDED))
            continue;
        if (!full)
            return lg_fail(error, LG_ERROR_LIMIT,
                           "%d frames of this stream wait to be pulled; pull one first", s->count);
        status = wait_for_change(s, error);
    }
    return status;
}

static void add_frame(lg_stream *s, lg_image *const *inputs, int64_t tag, void (*done)(void *),
                      void *priv)
{
    int at = 0;
    while (s->slots[at].state != LG_FRAME_FREE)
        at++;
    lg_stream_slot *slot = &s->slots[at];
    memcpy(slot->inputs, inputs, (size_t)s->plan->given_inputs * sizeof *inputs);
    slot->index = s->next++;
    slot->tag = tag;
    slot->done = done;
    slot->priv = priv;
    slot->held = true;
    slot->read = false;
    slot->state = LG_FRAME_WAITING;
    slot->error.message[0] = '\0';
    s->order[s->count++] = at;
    if (s->thread)
        pthread_cond_broadcast(&s->changed);
    else
        lg_stream_compute(s);
}

lg_status lg_stream_push(lg_stream *s, lg_image *const *inputs, int64_t tag,
                         void (*done)(void *priv), void *priv, lg_error *error)
{
    if (!s || !inputs)
        return lg_fail_null(error, "a stream, and the inputs of its plan");
    lg_status status = lg_context_check(s->plan->context, error);
    for (int i = 0; i < s->plan->given_inputs && !status; i++)
        status = lg_plan_check_input(s->plan, i, inputs[i], error);
    if (status)
        return status;
    end_shown(s);
    settle(s);
    pthread_mutex_lock(&s->lock);
    status = make_room(s, error);
    if (!status)
        add_frame(s, inputs, tag, done, priv);
    pthread_mutex_unlock(&s->lock);
    settle(s);
    return status;
}

// ---- out ------------------------------------------------------------------------------------------

lg_image_private *lg_stream_part(const lg_image *image, int k)
{
    lg_image_private *whole = (lg_image_private *)image;
    if (whole->plane[0])
        return k < LG_MAX_PLANES ? whole->plane[k] : NULL;
    return k == 0 ? whole : NULL;
}

// Whether the images have memory of the device in common.
static bool share_device(const lg_image *a, const lg_image *b)
{
    bool any = false;
    for (int i = 0; lg_stream_part(a, i); i++)
        for (int k = 0; lg_stream_part(b, k); k++)
            any |= lg_stream_part(a, i)->device &&
                   lg_stream_part(a, i)->device == lg_stream_part(b, k)->device;
    return any;
}

static lg_status check_output(const lg_stream *s, const lg_image *output, int index,
                              lg_error *error)
{
    const lg_status status = lg_plan_check_output(s->plan, index, output, error);
    if (status)
        return status;
    for (int k = 0; lg_stream_part(output, k); k++) {
        const lg_image_private *part = lg_stream_part(output, k);
        if (part->device && part->context->attached != s->plan->context->attached)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "output %d lies on the device of another context; make it with the "
                           "plan's",
                           index);
        if (!part->device && !part->image.data)
            return lg_fail(error, LG_ERROR_ARGUMENT, "output %d has no memory", index);
    }
    for (int i = 0; i < s->count; i++) {
        const lg_stream_slot *slot = &s->slots[s->order[i]];
        for (int k = 0; k < s->plan->given_inputs && slot->held; k++)
            if (lg_images_overlap(output, slot->inputs[k]) || share_device(output, slot->inputs[k]))
                return lg_fail(error, LG_ERROR_ARGUMENT,
                               "output %d overlaps input %d of frame %lld, which is on its way",
                               index, k, (long long)slot->index);
    }
    return LG_OK;
}

static void copy_pixels(const lg_image *from, const lg_image *to)
{
    const lg_image_params *s = &from->shape;
    const size_t bytes = (size_t)s->width * lg_pixel_size(s);
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            memcpy((char *)to->data + (size_t)z * to->shape.layer_stride +
                       (size_t)y * to->shape.row_stride,
                   (const char *)from->data + (size_t)z * s->layer_stride +
                       (size_t)y * s->row_stride,
                   bytes);
}

// To device copies. The thread of the stream does it, which uses the context.
static lg_status store_pixels(lg_stream *s, lg_stream_slot *slot, lg_image *const *outputs,
                              lg_error *error)
{
    bool any = false;
    for (int i = 0; i < s->plan->given_outputs; i++)
        for (int k = 0; outputs[i] && lg_stream_part(outputs[i], k); k++)
            any |= lg_stream_part(outputs[i], k)->device != NULL;
    if (!any)
        return LG_OK;
    pthread_mutex_lock(&s->lock);
    s->storing = slot;
    s->stored = outputs;
    if (s->thread)
        pthread_cond_broadcast(&s->changed);
    else
        lg_stream_compute(s);
    while (s->storing)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    if (s->store_status && error)
        *error = s->store_error;
    return s->store_status;
}

// The place is free again, so that what the caller reads until the next pull changes places with it.
static void hand_out(lg_stream *s, lg_stream_slot *slot, lg_stream_frame *frame)
{
    lg_figure_value *const figures = slot->figures;
    lg_stage_profile *const stages = slot->stages;
    const size_t room = slot->figure_room;
    slot->figures = s->figures, slot->figure_room = s->figure_room;
    s->figures = figures, s->figure_room = room;
    slot->stages = s->stages;
    s->stages = stages;
    const bool good = !slot->status;
    *frame = (lg_stream_frame){.index = slot->index,
                               .tag = slot->tag,
                               .dropped = s->dropped,
                               .figures = figures,
                               .figure_count = good ? slot->figure_count : 0,
                               .stages = stages,
                               .stage_count = good ? (size_t)s->plan->stage_count : 0,
                               .engine = slot->engine};
}

static lg_status pull_frame(lg_stream *s, lg_image *const *outputs, lg_stream_frame *frame,
                            lg_error *error)
{
    lg_stream_slot *slot = &s->slots[s->order[0]];
    lg_status status = LG_OK;
    give_back(slot);
    for (int i = 0; outputs && i < s->plan->given_outputs && !status; i++)
        if (outputs[i])
            status = check_output(s, outputs[i], i, error);
    if (status)
        return status;
    for (int i = 0; outputs && i < s->plan->given_outputs && !slot->status; i++)
        for (int k = 0; outputs[i] && lg_stream_part(outputs[i], k); k++)
            if (lg_stream_part(outputs[i], k)->image.data)
                copy_pixels(&lg_stream_part(slot->outputs[i], k)->image,
                            &lg_stream_part(outputs[i], k)->image);
    status = slot->status;
    if (status && error)
        *error = slot->error;
    else if (!status && outputs)
        status = store_pixels(s, slot, outputs, error);
    hand_out(s, slot, frame);
    return status;
}

// The oldest frame, if it is computed; NULL: there is none.
static lg_stream_slot *next_frame(lg_stream *s, bool wait)
{
    end_shown(s);
    settle(s);
    pthread_mutex_lock(&s->lock);
    while (wait && s->count && s->slots[s->order[0]].state != LG_FRAME_ENDED)
        (void)wait_for_change(s, NULL); // a frame that the caller ends says so itself
    lg_stream_slot *slot = s->count ? &s->slots[s->order[0]] : NULL;
    if (slot && slot->state != LG_FRAME_ENDED)
        slot = NULL;
    pthread_mutex_unlock(&s->lock);
    settle(s);
    return slot;
}

lg_status lg_stream_pull(lg_stream *s, lg_image *const *outputs, lg_stream_frame *frame, bool wait,
                         lg_error *error)
{
    if (!s || !frame)
        return lg_fail_null(error, "a stream, and a place for its frame");
    frame->index = -1;
    lg_status status = lg_context_check(s->plan->context, error);
    if (status)
        return status;
    if (!next_frame(s, wait))
        return LG_OK;
    status = pull_frame(s, outputs, frame, error);
    if (frame->index < 0)
        return status;
    pthread_mutex_lock(&s->lock);
    remove_frame(s, 0);
    pthread_mutex_unlock(&s->lock);
    return status;
}

lg_status lg_stream_take(lg_stream *s, lg_image *const **outputs, lg_stream_frame *frame, bool wait,
                         lg_error *error)
{
    if (!s || !outputs || !frame)
        return lg_fail_null(error, "a stream, and places for its frame and outputs");
    frame->index = -1;
    *outputs = NULL;
    const lg_status status = lg_context_check(s->plan->context, error);
    if (status)
        return status;
    lg_stream_slot *slot = next_frame(s, wait);
    if (!slot)
        return LG_OK;
    give_back(slot);
    hand_out(s, slot, frame);
    s->shown = true;
    if (!slot->status)
        *outputs = slot->outputs;
    else if (error)
        *error = slot->error;
    return slot->status;
}

lg_status lg_stream_flush(lg_stream *s, lg_error *error)
{
    if (!s)
        return lg_fail_null(error, "a stream");
    lg_status status = lg_context_check(s->plan->context, error);
    if (status)
        return status;
    pthread_mutex_lock(&s->lock);
    while (on_their_way(s)) {
        lg_error ended;
        const lg_status changed = wait_for_change(s, &ended);
        if (changed && error)
            *error = ended;
        status = status ? status : changed;
    }
    pthread_mutex_unlock(&s->lock);
    settle(s);
    return status;
}

void lg_stream_destroy(lg_stream **stream)
{
    if (!stream || !*stream)
        return;
    lg_stream *s = *stream;
    *stream = NULL;
    if (lg_context_check(s->plan->context, NULL)) { // a forked child has no thread
        free_parts(s, true);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->cancelled = s->next;
    while (s->thread && on_their_way(s))
        pthread_cond_wait(&s->changed, &s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    lg_thread_join(&s->thread);
    settle(s);
    free_parts(s, false);
}
