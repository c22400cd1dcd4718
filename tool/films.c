#include "films.h"

#include <string.h>

bool lg_is_film(const lg_session *session, const char *name)
{
    const lg_options *options = session->options;
    if (options->size)
        return false;
    return options->frames || options->raw || strcmp(name, "-") == 0 || lg_frames_is(name);
}

typedef struct frame_range {
    int64_t first, end, step; // end: -1 for all
} frame_range;

static frame_range range_of(const lg_options *options)
{
    if (options->page >= 0)
        return (frame_range){options->page, options->page + 1, 1};
    if (!options->frames)
        return (frame_range){0, -1, 1};
    return (frame_range){options->first_frame, options->end_frame, options->frame_step};
}

// Behind the last frame of a film that had none for us.
static lg_status check_any(const lg_session *session, const lg_input_file *file, lg_error *error)
{
    const int64_t read = lg_frames_index(file->frames) + 1;
    const frame_range range = range_of(session->options);
    if (file->frame >= 0)
        return LG_OK;
    if (read == 0)
        return lg_set_error(error, LG_ERROR_DATA, "the film has no frame");
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "there is no frame %lld; the film has %lld, counted from 0",
                        (long long)range.first, (long long)read);
}

static lg_status take_image(lg_session *session, lg_input_file *file, double start, lg_error *error)
{
    const bool none = session->options->lavfi;
    const int count = lg_frames_film(file->frames)->planes;
    const bool planes = session->takes_planes && (count == 1 || count == 3);
    const lg_status status = none ? LG_OK
                                  : (planes ? lg_frames_planes : lg_frames_image)(
                                        file->frames, &file->image, &file->info, error);
    file->decode = lg_clock() - start;
    if (status || lg_frames_is_whole(file->frames))
        return status;
    file->repeated = file->frame >= 0;
    file->frame = lg_frames_index(file->frames);
    if (session->done == 0)
        session->framed = true;
    return LG_OK;
}

lg_status lg_film_next(lg_session *session, lg_input_file *file, bool *more, lg_error *error)
{
    const double start = lg_clock();
    const frame_range range = range_of(session->options);
    const bool whole = lg_frames_is_whole(file->frames);
    lg_status status = LG_OK;
    do {
        const int64_t next = lg_frames_index(file->frames) + 1;
        *more = whole ? next == 0 : range.end < 0 || next < range.end;
        if (*more)
            status = lg_frames_next(file->frames, more, error);
        if (status || !*more)
            return status || whole ? status : check_any(session, file, error);
    } while (!whole && (lg_frames_index(file->frames) < range.first ||
                        (lg_frames_index(file->frames) - range.first) % range.step));
    return take_image(session, file, start, error);
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
