// What passes between liblumagraph-io and its module liblumagraph-av.so, which alone is linked with
// FFmpeg's libraries. The module reads and writes through what it is given, and opens cameras alone by
// their name. It has copies of the code that it shares with the library and that keeps no state.
#ifndef LG_AV_MODULE_H
#define LG_AV_MODULE_H

#include "io/film.h"

typedef struct lg_av_source lg_av_source; // a film that is read
typedef struct lg_av_sink lg_av_sink;     // a film that is written

typedef struct lg_av_reading {
    lg_input *input;    // NULL: a camera
    const char *device; // its name
    const lg_read_params *read;
    int threads; // of the decoder, 0: as many as processors
    bool live;   // waiting frames are dropped when there are more than a few
    bool keeps;  // what lies beside the film in a pipe, for a film that is written
} lg_av_reading;

// What is known of a film when it is open.
typedef struct lg_av_opened {
    lg_film film;
    bool alpha;       // of frames without planes
    bool range_known; // the file says which range its codes have
    double seconds;   // as the file states them, 0: it does not
    char
        refusal[200]; // why planes are not converted to RGB without --video-colors; empty: they are
} lg_av_opened;

typedef struct lg_av_writing {
    FILE *stream;
    const char *format; // extension
    const char *codec;  // as of lg_film_params
    double crf;
    const lg_av_source *source; // whose tags the film gets, NULL: none
    // The same file once more, for what is copied; NULL: nothing is, but what the source has kept of a pipe.
    lg_input *carried;
    bool alpha;         // frames have it, also those without planes
    bool sound;         // sound and subtitles are copied
    bool cut_start;     // the film begins with the first frame that is written
    bool matrix_stated; // by the caller, in place of what the source says
} lg_av_writing;

// The module's one symbol is a table of this type, lg_av_module.
typedef struct lg_av {
    const char *(*version)(void); // of its build; structures are the same where this is
    void (*start)(void);          // before all others, once

    lg_status (*open)(const lg_av_reading *reading, lg_av_opened *opened, lg_av_source **out,
                      lg_error *error);
    // Goes on to the next frame. *more is false behind the last one.
    lg_status (*next)(lg_av_source *source, bool *more, lg_film_time *time, lg_error *error);
    // Its planes: those of the decoder, who goes on reading them, or copies. Errors: LG_ERROR_MEMORY.
    lg_status (*planes)(lg_av_source *source, lg_frame_planes *planes, lg_error *error);
    // Copies it to an image of the film's shape.
    void (*image)(const lg_av_source *source, lg_image *image);
    // Goes on with the first frame from number `frame` on that is shown at `second` or later, and returns its
    // number. 0: it goes on with the first one. -1: it cannot go on at all, and is opened again.
    int64_t (*seek)(lg_av_source *source, int64_t frame, double second);
    int64_t (*dropped)(lg_av_source *source);
    void (*close)(lg_av_source **source);

    // *film: that of the frames; how they are stored when it returns.
    lg_status (*create)(const lg_av_writing *writing, lg_film *film, lg_av_sink **out,
                        lg_error *error);
    // Planes or, of a film without planes, an image.
    lg_status (*put)(lg_av_sink *sink, const lg_frame_planes *planes, const lg_image *image,
                     const lg_film_time *time, lg_error *error);
    // `early`: what is copied ends with the last frame.
    lg_status (*finish)(lg_av_sink *sink, bool early, lg_error *error);
    const char *(*note)(const lg_av_sink *sink); // what is not kept, "" for nothing
    void (*drop)(lg_av_sink **sink);
} lg_av;

#endif
