#include "films.h"

#include "file_bands.h"
#include "film_source.h"
#include "option_values.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

bool lg_is_film(const lg_session *session, const char *name)
{
    const lg_options *options = session->options;
    if (options->size)
        return false;
    return options->frames || options->raw || options->live || strcmp(name, "-") == 0 ||
           lg_frames_is(name);
}

static lg_frame_range range_of(const lg_session *session, const lg_input_file *file)
{
    const lg_options *options = session->options;
    lg_frame_range range = {.end = -1,
                            .step = 1,
                            .first_second = -1,
                            .end_second = -1,
                            .anchor = file->first,
                            .whole = lg_frames_is_whole(file->frames),
                            .planes = options->lavfi};
    if (options->page >= 0) {
        range.first = options->page;
        range.end = options->page + 1;
    } else if (options->frames) {
        range.first = options->first_frame;
        range.end = options->end_frame;
        range.step = options->frame_step;
        range.first_second = options->first_second;
        range.end_second = options->end_second;
    }
    return range;
}

// Whether frames are read when they are needed: for their planes, where their images are not planes.
static bool is_at_hand(const lg_session *session, const lg_input_file *file)
{
    const lg_options *options = session->options;
    const lg_film *film = lg_frames_film(file->frames);
    const bool stored = session->takes_planes && film && (film->planes == 1 || film->planes == 3);
    return session->film_at_hand && (!stored || options->points || options->preview);
}

lg_status lg_open_film(lg_session *session, lg_input_file *file, lg_error *error)
{
    const lg_options *options = session->options;
    lg_read_params read = lg_input_params(session);
    if (session->spills && strcmp(file->name, "-") == 0) // scratch files hold what memory does not
        read.max_pixels = lg_scratch_pixels(options);
    const lg_frames_params params = {.read = &read,
                                     .raw = options->raw,
                                     .colors = options->video_colors,
                                     .whole = !options->frames && !options->raw,
                                     .live = options->live,
                                     .keeps_sound = session->keeps_sound,
                                     .threads = options->threads > 0 ? (int)options->threads : 0};
    if (options->page == LG_PAGE_RAW && !params.whole)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "frames are no raw photographs; leave out "
                            "--page raw");
    lg_status status = lg_frames_open(session->context, file->name, &params, &file->frames, error);
    if (status)
        return status;
    const lg_frame_range range = range_of(session, file);
    const bool later = range.first > 0 || range.first_second > 0;
    if (!range.whole && !options->live && later)
        status = lg_frames_seek(file->frames, range.first,
                                range.first_second > 0 ? range.first_second : 0, error);
    if (status)
        return status;
    if (!range.whole && !range.planes && !is_at_hand(session, file))
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
    lg_frame_range range = range_of(session, file);
    const lg_film_frame frame =
        file->source ? lg_film_source_take(file->source) : lg_read_film_frame(file->frames, &range);
    *more = frame.more;
    file->first = range.anchor;
    file->ends_early = frame.ends_early;
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
    file->time = frame.time;
    if (session->done == 0)
        session->framed = true;
    return LG_OK;
}

lg_status lg_need_planes(const lg_session *session, const lg_input_file *file, lg_error *error)
{
    return file->image->shape.planes
               ? LG_OK
               : lg_set_error(error, LG_ERROR_UNSUPPORTED,
                              "--%s is of planes of video without alpha: y4m, video files, or raw "
                              "frames with --raw",
                              session->options->planes ? "planes" : "plane");
}

lg_status lg_take_plane(const lg_session *session, lg_input_file *file, lg_error *error)
{
    const int index = session->options->plane;
    lg_image *plane = NULL;
    lg_status status = lg_need_planes(session, file, error);
    if (!status && index > 0 && file->image->shape.planes->chroma == LG_CHROMA_NONE)
        status =
            lg_set_error(error, LG_ERROR_ARGUMENT,
                         "a film of grey has the plane y alone, and no %s", lg_choice_plane(index));
    if (!status)
        status = lg_image_plane(file->image, index, &plane, error);
    if (status)
        return status;
    lg_image_destroy(&file->image); // its memory stays with the plane
    file->image = plane;
    file->plane = lg_choice_plane(index);
    return LG_OK;
}

int lg_code_bits(const lg_session *session, const lg_input_file *file)
{
    const bool stored = session->options->planes || file->plane;
    return stored && file->has_film && !session->options->filters ? file->film.bits : 0;
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

// ---- the end ------------------------------------------------------------------------------------

static volatile sig_atomic_t signal_number;
static atomic_bool takes_signals;

int lg_film_interrupted(void)
{
    return signal_number;
}

void lg_film_take_signals(bool take)
{
    atomic_store(&takes_signals, take);
}

bool lg_film_signal(int number)
{
    if (!atomic_load(&takes_signals) || signal_number)
        return false;
    signal_number = number;
    return true;
}

void lg_film_explain_end(lg_session *session, const lg_input_file *file, bool kept, lg_error *error)
{
    if (error->status == LG_ERROR_CANCELLED)
        lg_set_error(error, LG_ERROR_CANCELLED, "interrupted%s",
                     !session->film_end ? ""
                     : kept             ? "; what is written ends there"
                                        : "; nothing is written");
}

void lg_film_note_dropped(lg_session *session, const lg_input_file *file)
{
    const int64_t dropped =
        session->dropped + lg_film_dropped(file) + lg_frames_dropped(file->frames);
    session->dropped = 0;
    if (dropped)
        lg_session_note(session, "%s: %lld frame%s left out: they came faster than they were done",
                        strcmp(file->name, "-") == 0 ? "standard input" : file->name,
                        (long long)dropped, dropped == 1 ? " was" : "s were");
}

void lg_film_print_progress(const lg_session *session, const lg_input_file *file, const char *name,
                            double now)
{
    const double passed = now - session->progress_start;
    const double whole = lg_frames_seconds(file->frames);
    const double at = lg_seconds_of(&file->time);
    fprintf(stderr, "%s: frame %lld, %.3g fps", name, (long long)file->frame,
            session->done / passed);
    if (at <= 0)
        return;
    fprintf(stderr, ", %.3gx", at / passed);
    if (whole > at) {
        const long left = (long)((whole - at) * passed / at + 0.5);
        fprintf(stderr, ", %ld:%02ld left", left / 60, left % 60);
    }
}
