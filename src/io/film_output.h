// What the writers of films share.
#ifndef LG_FILM_OUTPUT_H
#define LG_FILM_OUTPUT_H

#include "io/film.h"

typedef struct lg_film_video lg_film_video; // a video file; film_video.c

struct lg_film_output {
    lg_output *file;
    FILE *stream;
    char format[8];
    bool y4m;
    lg_film film; // of the frames; complete once one was written
    bool begun;
    lg_frame_planes planes; // room for a converted frame
    lg_film_video *video;   // NULL: none
};

// The film of images of this shape, where the caller's film leaves a choice.
void lg_film_settle(lg_film *film, const lg_image_params *shape);
// How an image of planes is stored, with what only the film knows from `film`.
lg_film lg_film_of_planes(const lg_film *film, const lg_image *image);
// Its planes behind each other, in planes of that film. Errors: LG_ERROR_ARGUMENT (no host pixels).
lg_status lg_film_take_planes(const lg_image *image, lg_frame_planes *out, lg_error *error);
// Goes on to the reader of a pipe before the next frame is computed.
lg_status lg_film_flush(const lg_film_output *o, lg_error *error);

lg_status lg_film_video_create(const char *format, const lg_film_params *params,
                               lg_film_video **out, lg_error *error);
lg_status lg_film_video_write(lg_film_output *o, const lg_image *image, const lg_film_time *time,
                              lg_error *error);
lg_status lg_film_video_planes(lg_film_output *o, const lg_image *image, const lg_film_time *time,
                               lg_error *error);
lg_status lg_film_video_copy(lg_film_output *o, const lg_frames *frames, lg_error *error);
lg_status lg_film_video_finish(lg_film_video *video, lg_error *error);
void lg_film_video_drop(lg_film_video *video);

#endif
