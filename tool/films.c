#include "films.h"

#include "film_source.h"

#include <string.h>

bool lg_is_film(const lg_session *session, const char *name)
{
    const lg_options *options = session->options;
    if (options->size)
        return false;
    return options->frames || options->raw || strcmp(name, "-") == 0 || lg_frames_is(name);
}

static lg_frame_range range_of(const lg_session *session, const lg_input_file *file)
{
    const lg_options *options = session->options;
    lg_frame_range range = {
        .end = -1, .step = 1, .whole = lg_frames_is_whole(file->frames), .planes = options->lavfi,
        .stored = session->takes_planes};
    if (options->page >= 0) {
        range.first = options->page;
        range.end = options->page + 1;
    } else if (options->frames) {
        range.first = options->first_frame;
        range.end = options->end_frame;
        range.step = options->frame_step;
    }
    return range;
}

lg_status lg_open_film(lg_session *session, lg_input_file *file, lg_error *error)
{
    const lg_options *options = session->options;
    const lg_read_params read = lg_input_params(session);
    const lg_frames_params params = {.read = &read,
                                     .raw = options->raw,
                                     .colors = options->video_colors,
                                     .whole = !options->frames && !options->raw};
    lg_status status = lg_frames_open(session->context, file->name, &params, &file->frames, error);
    if (status)
        return status;
    const lg_frame_range range = range_of(session, file);
    if (!range.whole && !range.planes && !session->film_at_hand)
        file->source = lg_film_source_begin(session, file->frames, &range, options->live);
    return LG_OK;
}

void lg_close_film(lg_input_file *file)
{
    lg_film_source_end(file->source);
    file->source = NULL;
    lg_frames_close(&file->frames);
}

int64_t lg_film_dropped(const lg_input_file *file)
{
    return file->source ? lg_film_source_dropped(file->source) : 0;
}

lg_status lg_film_next(lg_session *session, lg_input_file *file, bool *more, lg_error *error)
{
    const lg_frame_range range = range_of(session, file);
    const lg_film_frame frame =
        file->source ? lg_film_source_take(file->source) : lg_read_film_frame(file->frames, &range);
    *more = frame.more;
    file->image = frame.image;
    file->info = frame.info;
    file->decode = frame.seconds;
    file->film = frame.film;
    file->has_film = frame.has_film;
    if (frame.status)
        *error = frame.error;
    if (frame.status || !frame.more || range.whole)
        return frame.status;
    file->repeated = file->frame >= 0;
    file->frame = frame.index;
    if (session->done == 0)
        session->framed = true;
    return LG_OK;
}

void lg_film_done(lg_session *session, lg_input_file *file, bool measured)
{
    lg_image_destroy(&file->image);
    lg_metadata_destroy(&file->info.metadata);
    file->unscaled_width = 0;
    if (!measured)
        return;
    session->done++;
    if (file->frame >= 0)
        fflush(session->out);
}
