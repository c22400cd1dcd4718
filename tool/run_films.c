// Further inputs of `lumagraph run` that are films: --input x=film.mp4.
#include "run.h"

// From the start again, for the next file.
static lg_status open_film(lg_run *run, lg_session *session, size_t i, lg_error *error)
{
    const lg_options *options = run->options;
    const lg_read_params read = {.max_pixels = options->max_pixels,
                                 .max_side = options->max_side,
                                 .page = -1,
                                 .progress = lg_session_progress,
                                 .progress_priv = session};
    const lg_frames_params params = {.read = &read, .colors = options->video_colors};
    lg_frames_close(&run->films[i]);
    return lg_frames_open(session->context, run->film_names[i], &params, &run->films[i], error);
}

static lg_status step(lg_run *run, lg_session *session, size_t i, int64_t frame, lg_error *error)
{
    lg_status status = LG_OK;
    bool more = true;
    if (!run->films[i] || lg_frames_index(run->films[i]) > frame)
        status = open_film(run, session, i, error);
    if (!status && lg_frames_index(run->films[i]) == frame)
        return LG_OK;
    while (!status && more && lg_frames_index(run->films[i]) < frame)
        status = lg_frames_next(run->films[i], &more, error);
    if (!status && !more)
        status = lg_set_error(error, LG_ERROR_DATA,
                              "has no frame %lld, which goes with that of the first input",
                              (long long)frame);
    if (status)
        return status;
    lg_image_destroy(&run->inputs[i]);
    status = lg_frames_image(run->films[i], &run->inputs[i], NULL, error);
    return status ? status : lg_image_upload(session->context, run->inputs[i], error);
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
        lg_frames_close(&run->films[i]);
}
