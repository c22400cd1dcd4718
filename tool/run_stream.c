// `lumagraph run` over frames: a stream computes some of them while others are read and written.
#include "run.h"

#include <lumagraph/stream.h>

#include <stdlib.h>
#include <string.h>

// A frame that is not written yet.
typedef struct sent_frame {
    struct sent_frame *next;
    lg_input_file file;
    lg_image shape;                 // the image of `file` once its pixels are gone
    lg_image *films[LG_MAX_INPUTS]; // frames of further inputs that are films
    int64_t tag;
} sent_frame;

struct lg_run_stream {
    lg_stream *stream;
    sent_frame *first, **end; // in order
    int64_t next;
};

// What needs the context between two runs, or their planes, is done frame by frame.
bool lg_run_streams(const lg_run *run, const lg_input_file *file)
{
    const lg_options *options = run->options;
    return file->frame >= 0 && !run->by_layer && !run->point_file && !options->explain &&
           !options->profile && !options->auto_orient && !lg_run_selects(run) &&
           !lg_run_copies(run, file);
}

static lg_status open_stream(lg_run *run, lg_error *error)
{
    lg_stream_params params = lg_stream_params_default();
    params.depth = (int32_t)run->options->depth;
    params.live = run->options->live;
    if (run->stream)
        return LG_OK;
    run->stream = calloc(1, sizeof *run->stream);
    if (!run->stream)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the frames on their way");
    run->stream->end = &run->stream->first;
    const lg_status status = lg_stream_create(run->plan, &params, &run->stream->stream, error);
    if (status)
        lg_run_stop(run);
    return status;
}

// Reports need its shape alone.
static void free_pixels(void *priv)
{
    sent_frame *frame = priv;
    for (size_t i = 0; i < LG_MAX_INPUTS; i++)
        lg_image_destroy(&frame->films[i]);
    frame->shape.shape = frame->file.image->shape;
    lg_image_destroy(&frame->file.image);
    frame->file.image = &frame->shape;
}

static void drop_first(struct lg_run_stream *s)
{
    sent_frame *frame = s->first;
    s->first = frame->next;
    if (!s->first)
        s->end = &s->first;
    lg_metadata_destroy(&frame->file.info.metadata);
    free(frame);
}

void lg_run_stop(lg_run *run)
{
    if (!run->stream)
        return;
    lg_stream_destroy(&run->stream->stream);
    while (run->stream->first)
        drop_first(run->stream);
    free(run->stream);
    run->stream = NULL;
}

// What the report of a frame says.
static lg_status take_report(lg_run *run, lg_session *session, const lg_stream_frame *frame,
                             lg_error *error)
{
    if (!run->figures)
        run->figures = calloc(frame->figure_count + 1, sizeof *run->figures);
    if (!run->stages)
        run->stages = calloc(frame->stage_count + 1, sizeof *run->stages);
    if (!run->figures || !run->stages)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the report of a frame");
    run->figure_count = frame->figure_count;
    if (frame->figure_count)
        memcpy(run->figures, frame->figures, frame->figure_count * sizeof *run->figures);
    run->stage_count = frame->stage_count;
    if (frame->stage_count)
        memcpy(run->stages, frame->stages, frame->stage_count * sizeof *run->stages);
    session->engine = frame->engine;
    session->engine_settled = true;
    return LG_OK;
}

// Writes a frame from where the stream has its pixels.
static lg_status finish_frame(lg_run *run, lg_session *session, lg_image *const *outputs,
                              lg_error *error)
{
    lg_image *own[LG_MAX_INPUTS];
    memcpy(own, run->images, sizeof own);
    memcpy(run->images, outputs, run->output_count * sizeof *outputs);
    const lg_status status = lg_run_finish(run, session, &run->stream->first->file, error);
    memcpy(run->images, own, sizeof own);
    return status;
}

// Writes the next frame; *more is false where there is none.
static lg_status write_next(lg_run *run, lg_session *session, bool wait, bool *more,
                            lg_error *error)
{
    struct lg_run_stream *s = run->stream;
    lg_stream_frame frame;
    lg_image *const *outputs;
    lg_status status = lg_stream_take(s->stream, &outputs, &frame, wait, error);
    *more = frame.index >= 0;
    if (!*more)
        return status;
    while (s->first->tag != frame.tag) // --live left them out
        drop_first(s);
    session->dropped = frame.dropped;
    if (!status)
        status = take_report(run, session, &frame, error);
    if (!status)
        status = finish_frame(run, session, outputs, error);
    if (!status)
        session->done++;
    fflush(session->out);
    drop_first(s);
    return status;
}

static lg_status write_frames(lg_run *run, lg_session *session, bool wait, lg_error *error)
{
    lg_status status = LG_OK;
    for (bool more = true; more && !status;)
        status = write_next(run, session, wait, &more, error);
    return status;
}

static lg_status send_frame(lg_run *run, lg_input_file *file, lg_error *error)
{
    struct lg_run_stream *s = run->stream;
    sent_frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a frame on its way");
    frame->file = *file;
    frame->tag = s->next;
    run->inputs[0] = file->image;
    for (size_t i = 1; i < run->input_count; i++)
        if (run->film_names[i])
            frame->films[i] = run->inputs[i];
    const lg_status status =
        lg_stream_push(s->stream, run->inputs, frame->tag, free_pixels, frame, error);
    if (status) {
        free(frame);
        return status;
    }
    for (size_t i = 1; i < run->input_count; i++)
        if (run->film_names[i])
            run->inputs[i] = NULL;
    s->next++;
    *s->end = frame;
    s->end = &frame->next;
    file->sent = true;
    file->image = NULL;
    file->info.metadata = NULL;
    return LG_OK;
}

lg_status lg_run_send(lg_run *run, lg_session *session, lg_input_file *file, lg_error *error)
{
    lg_status status = open_stream(run, error);
    if (!status)
        status = send_frame(run, file, error);
    if (!status)
        status = write_frames(run, session, false, error);
    if (status)
        lg_run_stop(run);
    return status;
}

lg_status lg_run_drain(lg_run *run, lg_session *session, lg_error *error)
{
    const lg_status status = run->stream ? write_frames(run, session, true, error) : LG_OK;
    lg_run_stop(run);
    return status;
}
