// The frames of a film that a command wants, read when they are asked for or by a thread ahead of that.
#ifndef LG_TOOL_FILM_SOURCE_H
#define LG_TOOL_FILM_SOURCE_H

#include "session.h"

// A frame that was read, or why there is none.
typedef struct lg_film_frame {
    lg_image *image; // NULL: only its planes, in the film, were asked for
    lg_read_info info;
    lg_film film;
    bool has_film; // how it is stored is known
    int64_t index;
    lg_film_time time;
    bool ends_early; // there are more, which the range leaves out
    double seconds;
    bool more; // there is a frame
    lg_status status;
    lg_error error;
} lg_film_frame;

// Which frames: first, first + step, ... before end; end -1: all. With seconds the first one is that of the
// time: `anchor`, -1 until it is known. A whole film has one.
typedef struct lg_frame_range {
    int64_t first, end, step, anchor;
    double first_second, end_second; // -1: not given
    bool whole, planes;              // `planes`: no images are made
} lg_frame_range;

// Reads the next frame of the range.
lg_film_frame lg_read_film_frame(lg_frames *frames, lg_frame_range *range);
// 0 where it is not known.
double lg_seconds_of(const lg_film_time *time);
void lg_drop_film_frame(lg_film_frame *frame);

typedef struct lg_film_source lg_film_source;

// Starts the thread, which uses `frames` until lg_film_source_end. NULL: there is none, and frames are read
// when they are needed. With `live` the oldest frame that waits makes room for a new one.
lg_film_source *lg_film_source_begin(lg_session *session, lg_frames *frames,
                                     const lg_frame_range *range, bool live);
// The next frame, as lg_read_film_frame gives it.
lg_film_frame lg_film_source_take(lg_film_source *source);
int64_t lg_film_source_dropped(lg_film_source *source);
// Waits for the frame that is being read.
void lg_film_source_end(lg_film_source *source);

#endif
