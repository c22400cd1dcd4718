// The functions of the module's table.
#ifndef LG_AV_SOURCE_H
#define LG_AV_SOURCE_H

#include "io/av/av_internal.h"

lg_status lg_av_open(const lg_av_reading *reading, lg_av_opened *opened, lg_av_source **out,
                     lg_error *error);
lg_status lg_av_next(lg_av_source *source, bool *more, lg_film_time *time, lg_error *error);
lg_status lg_av_planes(lg_av_source *source, lg_frame_planes *planes, lg_error *error);
void lg_av_image(const lg_av_source *source, lg_image *image);
int64_t lg_av_seek(lg_av_source *source, int64_t frame, double second);
int64_t lg_av_dropped(lg_av_source *source);
void lg_av_close(lg_av_source **source);

lg_status lg_av_create(const lg_av_writing *writing, lg_film *film, lg_av_sink **out,
                       lg_error *error);
lg_status lg_av_put(lg_av_sink *sink, const lg_frame_planes *planes, const lg_image *image,
                    const lg_film_time *time, lg_error *error);
lg_status lg_av_finish(lg_av_sink *sink, bool early, lg_error *error);
const char *lg_av_sink_note(const lg_av_sink *sink);
void lg_av_drop(lg_av_sink **sink);

#endif
