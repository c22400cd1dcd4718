// Further inputs of `lumagraph run` that are films: --input x=film.mp4. A thread reads each of them ahead.
#include "run.h"

#include "film_source.h"

#include <stdlib.h>

struct lg_run_film {
    lg_frames *frames;
    lg_film_source *source; // NULL: frames are read when they are needed
    lg_frame_range range;
    int64_t index; // of the frame that was read last
};

static void close_film(struct lg_run_film **film)
{
    struct lg_run_film *f = *film;
    if (!f)
        return;
    lg_film_source_end(f->source);
    lg_frames_close(&f->frames);
    free(f);
    *film = NULL;
}

// From that frame on, for the next file too.
static lg_status open_film(lg_run *run, lg_session *session, size_t i, int64_t frame,
                           lg_error *error)
{
    const lg_options *options = session->options;
    lg_read_params read = lg_input_params(session);
    read.page = -1;
    read.metadata = false;
    const lg_frames_params params = {.read = &read, .colors = options->video_colors};
    close_film(&run->films[i]);
    struct lg_run_film *f = run->films[i] = calloc(1, sizeof *f);
    if (!f)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a film");
    f->range = (lg_frame_range){.first = frame,
                                .end = -1,
                                .step = options->frames ? options->frame_step : 1,
                                .anchor = -1,
                                .first_second = -1,
                                .end_second = -1};
    f->index = -1;
    lg_status status =
        lg_frames_open(session->context, run->film_names[i], &params, &f->frames, error);
    if (!status && frame > 0)
        status = lg_frames_seek(f->frames, frame, 0, error);
    if (!status)
        f->source = lg_film_source_begin(session, f->frames, &f->range, false);
    return status;
}

static lg_status fail_short(int64_t frame, lg_error *error)
{
    return lg_set_error(error, LG_ERROR_DATA,
                        "has no frame %lld, which goes with that of the first input",
                        (long long)frame);
}

// The next one that is read, as the input. Frames that --live left out of the first input are passed over.
static lg_status take(lg_run *run, size_t i, int64_t frame, lg_error *error)
{
    struct lg_run_film *f = run->films[i];
    while (f->index < frame) {
        lg_film_frame read =
            f->source ? lg_film_source_take(f->source) : lg_read_film_frame(f->frames, &f->range);
        if (!read.more && f->index < 0 && read.status == LG_ERROR_ARGUMENT)
            return fail_short(frame, error);
        if (read.status) {
            *error = read.error;
            return read.status;
        }
        if (!read.more)
            return fail_short(frame, error);
        f->index = read.index;
        lg_image_destroy(&run->inputs[i]);
        run->inputs[i] = read.image;
        lg_metadata_destroy(&read.info.metadata);
    }
    return LG_OK;
}

static lg_status step(lg_run *run, lg_session *session, size_t i, int64_t frame, lg_error *error)
{
    const struct lg_run_film *f = run->films[i];
    // A frame whose image a stream has taken is read again.
    const bool again = !f || f->index > frame || (f->index == frame && !run->inputs[i]);
    const lg_status status = again ? open_film(run, session, i, frame, error) : LG_OK;
    return status ? status : take(run, i, frame, error);
}

lg_status lg_run_step_films(lg_run *run, lg_session *session, const lg_input_file *file,
                            lg_error *error)
{
    for (size_t i = 1; i < run->input_count; i++)
        if (run->film_names[i] &&
            step(run, session, i, file->frame >= 0 ? file->frame : 0, error) != LG_OK)
            return lg_blame(error, "input", run->film_names[i]);
    return LG_OK;
}

void lg_run_close_films(lg_run *run)
{
    for (size_t i = 1; i < run->input_count; i++)
        close_film(&run->films[i]);
}
