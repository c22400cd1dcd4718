// What the files of the module share. Where FFmpeg's interface changed between 5.1 and 8 the difference is
// in av_versions.c alone, but for constants of this header.
#ifndef LG_AV_INTERNAL_H
#define LG_AV_INTERNAL_H

#include "io/av/av_module.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

// ---- errors -------------------------------------------------------------------------------------

// The error of a call that returned `code`: `what` in front, FFmpeg's last line of log behind.
lg_status lg_av_fail(lg_error *error, int code, const char *what);
void lg_av_forget_log(void);
void lg_av_take_log(void); // FFmpeg's log is kept for messages, and not printed

// Whether a decoder or a file that is read, by its member `opaque`, complained in the log.
typedef struct lg_av_watch {
    struct lg_av_watch *next;
    bool complained;
} lg_av_watch;

void lg_av_watch_begin(lg_av_watch *watch);
void lg_av_watch_end(lg_av_watch *watch);

// ---- bytes --------------------------------------------------------------------------------------

// A file that is read or written; `io` is FFmpeg's view of it.
typedef struct lg_av_bytes {
    lg_input *input; // read
    int64_t start, at;
    FILE *stream; // written
    AVIOContext *io;
} lg_av_bytes;

lg_status lg_av_bytes_read(lg_av_bytes *bytes, lg_input *input, lg_error *error);
lg_status lg_av_bytes_write(lg_av_bytes *bytes, FILE *stream, lg_error *error);
void lg_av_bytes_close(lg_av_bytes *bytes);
// A file through `bytes`, and nothing that it names. `interrupt` and `watch` may be NULL.
lg_status lg_av_open_format(lg_av_bytes *bytes, const AVIOInterruptCB *interrupt,
                            lg_av_watch *watch, AVFormatContext **out, lg_error *error);

// ---- pixels -------------------------------------------------------------------------------------

// How a pixel format of FFmpeg is stored, in our words. Of RGB `planes` is 0.
typedef struct lg_av_pixels {
    int planes, bits;
    lg_chroma chroma;
    bool alpha, full; // full: of the yuvj formats
} lg_av_pixels;

// False: the samples are converted by libswscale first (palettes, single bits, floats, mosaics ...).
bool lg_av_pixels_of(enum AVPixelFormat format, lg_av_pixels *out);
// What libswscale makes of such a format.
enum AVPixelFormat lg_av_plain(enum AVPixelFormat format);
// The frame of a format that lg_av_pixels_of knows, copied sample by sample, and back. The frame that is
// written is allocated and zeroed.
void lg_av_to_planes(const AVFrame *frame, const lg_frame_planes *planes);
// Where the planes lie in the frame, if it stores them as `like` does; only data and rows are set.
bool lg_av_lend_planes(const AVFrame *frame, const lg_frame_planes *like, lg_frame_plane *out);
void lg_av_to_image(const AVFrame *frame, lg_image *image);
void lg_av_of_planes(const lg_frame_planes *planes, AVFrame *frame);
void lg_av_of_image(const lg_image *image, AVFrame *frame);
// The format of an encoder that loses least of the film; AV_PIX_FMT_NONE: it has none that we write.
enum AVPixelFormat lg_av_choose(const AVCodec *encoder, const lg_film *film, bool alpha);

// ---- reading ------------------------------------------------------------------------------------

// What a film says of its colours and its display, of which the library has no copy.
typedef struct lg_av_tags {
    enum AVColorSpace space;
    enum AVColorPrimaries primaries;
    enum AVColorTransferCharacteristic transfer;
    enum AVColorRange range;
    enum AVChromaLocation location;
    AVRational unit; // of time stamps
} lg_av_tags;

const lg_av_tags *lg_av_source_tags(const lg_av_source *source);

// Packets of a pipe beside those of its film, for one that is written.
typedef struct lg_av_kept lg_av_kept;
lg_status lg_av_kept_begin(const AVFormatContext *from, int film, lg_av_kept **out,
                           lg_error *error);
// What they are packets of; *film is the stream of the film.
AVFormatContext *lg_av_kept_streams(const lg_av_kept *kept, int *film);
void lg_av_kept_put(lg_av_kept *kept, const AVPacket *packet);
bool lg_av_kept_take(lg_av_kept *kept, AVPacket *packet); // false: none waits
bool lg_av_kept_lost(lg_av_kept *kept);                   // too many have waited
void lg_av_kept_end(lg_av_kept *kept);                    // nobody wants them
bool lg_av_kept_claim(lg_av_kept *kept);                  // false: another film takes them
lg_av_kept *lg_av_kept_hold(lg_av_kept *kept);
void lg_av_kept_release(lg_av_kept **held);
lg_av_kept *lg_av_source_kept(const lg_av_source *source); // NULL: none are
lg_matrix lg_av_matrix_of(enum AVColorSpace space, bool *known);

// How far a film was read.
typedef struct lg_av_read {
    int64_t packets;  // of the film
    int64_t furthest; // end of all streams, in AV_TIME_BASE
    double end;       // of the last frame, in seconds
    double frame;     // length of a frame by the rate, 0: not known
    bool complained;  // the reader of the file did
} lg_av_read;

// Behind the last frame: LG_ERROR_DATA where the file states that there is more.
lg_status lg_av_check_complete(const AVFormatContext *format, const AVStream *stream,
                               const lg_input *input, const lg_av_read *read, lg_error *error);

// Frames that a thread decodes while others are measured: the newest few.
typedef struct lg_av_live lg_av_live;
typedef int (*lg_av_decode)(void *source, AVFrame *frame); // 0, or FFmpeg's error
lg_status lg_av_live_begin(lg_av_decode decode, void *source, lg_av_live **out, lg_error *error);
// Waits for a frame, and for the progress function of `read` to end that.
int lg_av_live_take(lg_av_live *live, const lg_read_params *read, AVFrame *frame);
int64_t lg_av_live_dropped(lg_av_live *live);
void lg_av_live_ask_end(lg_av_live *live);
bool lg_av_live_ends(lg_av_live *live);
void lg_av_live_end(lg_av_live **live);

// ---- writing ------------------------------------------------------------------------------------

// Sound, subtitles, chapters and words of a file, which go to another one as they are.
typedef struct lg_av_carry {
    lg_av_bytes bytes;
    lg_av_kept *kept; // packets that the reader of the film has met, in place of a file
    AVFormatContext *in, *out;
    int *target; // the stream of `out`, by stream of `in`; -1: none
    AVPacket *packet;
    bool waiting, ended; // packet: the next one to be written
    int64_t shift;       // of all time stamps, in AV_TIME_BASE
    bool cut;
    char *note;
    size_t room; // of the note
} lg_av_carry;

lg_status lg_av_carry_open(lg_av_carry *carry, const lg_av_writing *writing, AVFormatContext *out,
                           AVStream *video, lg_error *error);
// Writes the packets up to a time of the output, those before it or, with `all`, every one.
lg_status lg_av_carry_until(lg_av_carry *carry, int64_t time, bool all, lg_error *error);
// `start`: of the first frame, in the input's time.
void lg_av_carry_begin(lg_av_carry *carry, int64_t start);
// Chapters are those of `seconds` of the output.
void lg_av_carry_chapters(lg_av_carry *carry);
void lg_av_carry_close(lg_av_carry *carry);
void lg_av_note(char *note, size_t room, const char *format, ...) LG_PRINTF(3, 4);

// The encoder, open: *film as it stores it.
lg_status lg_av_encoder_open(const lg_av_writing *writing, const AVOutputFormat *container,
                             lg_film *film, AVCodecContext **out, lg_error *error);

// ---- versions -----------------------------------------------------------------------------------

int64_t lg_av_frame_duration(const AVFrame *frame);
void lg_av_set_duration(AVFrame *frame, int64_t duration);
lg_field_order lg_av_frame_fields(const AVFrame *frame);
void lg_av_set_fields(AVFrame *frame, lg_field_order fields);
const enum AVPixelFormat *lg_av_encoder_formats(const AVCodec *encoder); // NULL: any
// Display matrix, light levels and the like of a stream.
int lg_av_copy_side_data(const AVStream *from, AVStream *to);
// Whether a stream is shown turned, and whether a container can say so.
bool lg_av_is_turned(const AVStream *stream);
bool lg_av_keeps_turns(const AVOutputFormat *container);

#endif
