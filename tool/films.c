#include "films.h"

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

typedef struct frame_range {
    int64_t first, end, step; // end: -1 for all
    double first_second, end_second;
} frame_range;

static frame_range range_of(const lg_options *options)
{
    if (options->page >= 0)
        return (frame_range){options->page, options->page + 1, 1, -1, -1};
    if (!options->frames)
        return (frame_range){0, -1, 1, -1, -1};
    return (frame_range){options->first_frame, options->end_frame, options->frame_step,
                         options->first_second, options->end_second};
}

static double seconds_of(const lg_film_time *t)
{
    return t->unit_per ? (double)(t->ticks * t->unit) / t->unit_per : 0;
}

// Whether the frame that was read last is one that is asked for; *end: nor are those behind it.
static lg_status choose_frame(const frame_range *range, lg_input_file *file, bool *chosen,
                              bool *end, lg_error *error)
{
    const int64_t index = lg_frames_index(file->frames);
    const lg_film_time time = lg_frames_time(file->frames);
    const bool timed = range->first_second >= 0 || range->end_second >= 0;
    *chosen = *end = false;
    if (timed && !time.unit_per)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "the film states no times, and --frames asks for seconds");
    *end = range->end_second >= 0 && seconds_of(&time) >= range->end_second;
    if (*end || index < range->first ||
        (range->first_second >= 0 && seconds_of(&time) < range->first_second))
        return LG_OK;
    if (file->first < 0)
        file->first = index;
    *chosen = (index - file->first) % range->step == 0;
    return LG_OK;
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
    if (range.first_second >= 0)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "there is no frame from second %g on; the film has %lld frames",
                            range.first_second, (long long)read);
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "there is no frame %lld; the film has %lld, counted from 0",
                        (long long)range.first, (long long)read);
}

static lg_status take_image(lg_session *session, lg_input_file *file, double start, lg_error *error)
{
    const bool planes = session->options->lavfi;
    const lg_status status =
        planes ? LG_OK : lg_frames_image(file->frames, &file->image, &file->info, error);
    file->decode = lg_clock() - start;
    if (status || lg_frames_is_whole(file->frames))
        return status;
    file->repeated = file->frame >= 0;
    file->frame = lg_frames_index(file->frames);
    file->time = lg_frames_time(file->frames);
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
    bool chosen = whole, end = false;
    do {
        const int64_t next = lg_frames_index(file->frames) + 1;
        *more = !end && (whole ? next == 0 : range.end < 0 || next < range.end);
        file->ends_early = !*more && !whole;
        if (*more)
            status = lg_frames_next(file->frames, more, error);
        if (status || !*more)
            return status || whole ? status : check_any(session, file, error);
        if (!whole)
            status = choose_frame(&range, file, &chosen, &end, error);
        if (status)
            return status;
    } while (!chosen);
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
        lg_set_error(error, LG_ERROR_CANCELLED, "interrupted behind frame %lld%s",
                     (long long)file->frame,
                     !session->film_end ? ""
                     : kept             ? "; what is written ends there"
                                        : "; nothing is written");
}

void lg_film_note_dropped(lg_session *session, const lg_input_file *file)
{
    const int64_t dropped = lg_frames_dropped(file->frames);
    if (dropped)
        lg_session_note(session, "%s: note: %lld frames came too fast and were dropped", file->name,
                        (long long)dropped);
}

void lg_film_print_progress(const lg_session *session, const lg_input_file *file, const char *name,
                            double now)
{
    const double passed = now - session->progress_start;
    const double whole = lg_frames_seconds(file->frames);
    const double at = file->time.unit_per ? seconds_of(&file->time) : 0;
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
