// Beginning a film in its middle.
#ifndef LG_AV_SEEK_H
#define LG_AV_SEEK_H

#include "io/av/av_internal.h"

typedef struct lg_av_start {
    int64_t wanted, key; // numbers of the frame, and of the key frame to begin with
    int64_t *pts;        // of frames 0 .. wanted; the caller frees it
    int64_t packets;     // of the film in front of the key frame
} lg_av_start;

// The first frame from number `frame` on that is shown at `second` or later, and where decoding begins for
// it; the file goes on in front of that. False: the packets do not tell, or it is as well to begin at the
// start; then nobody knows where the file goes on.
// `first`: the time of frame 0.
bool lg_av_find_start(AVFormatContext *format, const AVStream *stream, AVPacket *read,
                      int64_t first, int64_t frame, double second, lg_av_start *out);
// Reads on to the packet of the key frame, which is in `read` then.
bool lg_av_find_key(AVFormatContext *format, const AVStream *stream, AVPacket *read,
                    const lg_av_start *start);

#endif
