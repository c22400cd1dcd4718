// A film that is written: frames to the encoder, its packets and what is copied to the file.
#include "io/av/av_source.h"

#include <stdlib.h>
#include <string.h>

// Encoders hand packets on later, and most forget how long a frame is shown.
typedef struct shown {
    int64_t pts, duration;
} shown;

struct lg_av_sink {
    lg_av_bytes bytes;
    AVFormatContext *format;
    AVStream *stream;
    AVCodecContext *codec;
    AVFrame *frame;
    AVPacket *packet;
    lg_av_carry carry;
    lg_film film;
    AVRational unit; // of the frames' time stamps
    bool cut, begun, headed;
    int64_t origin;   // the time of the first frame, of a film that was cut
    int64_t last_pts; // in the encoder's unit
    int64_t end;      // of the last frame, in AV_TIME_BASE
    shown *queue;     // frames in the encoder
    size_t queued, capacity;
    char note[400];
};

// ---- opening ------------------------------------------------------------------------------------

static lg_status open_container(lg_av_sink *s, const lg_av_writing *writing, lg_error *error)
{
    char name[40];
    snprintf(name, sizeof name, "film.%.20s", writing->format);
    const AVOutputFormat *container = av_guess_format(NULL, name, NULL);
    if (!container || container->video_codec == AV_CODEC_ID_NONE)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "this FFmpeg writes no films as .%.20s",
                       writing->format);
    const lg_status status = lg_av_bytes_write(&s->bytes, writing->stream, error);
    if (status != LG_OK)
        return status;
    if (avformat_alloc_output_context2(&s->format, container, NULL, NULL) < 0)
        return lg_fail(error, LG_ERROR_MEMORY, "no memory for a film");
    s->format->pb = s->bytes.io;
    s->format->flags |= AVFMT_FLAG_CUSTOM_IO;
    return LG_OK;
}

static lg_status open_stream(lg_av_sink *s, const lg_av_writing *writing, lg_error *error)
{
    lg_status status = lg_av_encoder_open(writing, s->format->oformat, &s->film, &s->codec, error);
    if (status != LG_OK)
        return status;
    s->stream = avformat_new_stream(s->format, NULL);
    const int code = s->stream ? avcodec_parameters_from_context(s->stream->codecpar, s->codec)
                               : AVERROR(ENOMEM);
    if (code < 0)
        return lg_av_fail(error, code, "the film cannot be described");
    s->stream->time_base = s->codec->time_base;
    s->stream->avg_frame_rate = s->codec->framerate;
    s->stream->sample_aspect_ratio = s->codec->sample_aspect_ratio;
    lg_av_kept *kept = writing->source ? lg_av_source_kept(writing->source) : NULL;
    if (!writing->carried && !kept)
        return LG_OK;
    if (!writing->carried && !lg_av_kept_claim(kept)) {
        lg_av_note(s->note, sizeof s->note, "sound of a pipe is not kept: another film has it");
        return LG_OK;
    }
    s->carry.note = s->note;
    s->carry.room = sizeof s->note;
    return lg_av_carry_open(&s->carry, writing, s->format, s->stream, error);
}

static void note_changes(lg_av_sink *s, const lg_av_writing *writing, const lg_film *asked)
{
    const AVPixFmtDescriptor *kind = av_pix_fmt_desc_get(s->codec->pix_fmt);
    const bool opaque = writing->alpha && kind && !(kind->flags & AV_PIX_FMT_FLAG_ALPHA);
    if (opaque || asked->planes != s->film.planes || asked->bits != s->film.bits ||
        (asked->planes && asked->chroma != s->film.chroma))
        lg_av_note(s->note, sizeof s->note,
                   "frames are stored as %s%s: %s takes none like the input's%s",
                   kind ? kind->name : "?", opaque ? ", without alpha" : "", s->codec->codec->name,
                   opaque ? "; --codec ffv1 does, and in .mov prores_ks and qtrle" : "");
}

lg_status lg_av_create(const lg_av_writing *writing, lg_film *film, lg_av_sink **out,
                       lg_error *error)
{
    lg_av_sink *s = calloc(1, sizeof *s);
    if (!s)
        return lg_fail(error, LG_ERROR_MEMORY, "no memory for a film");
    s->film = *film;
    s->cut = writing->cut_start;
    s->frame = av_frame_alloc();
    s->packet = av_packet_alloc();
    lg_status status = s->frame && s->packet
                           ? open_container(s, writing, error)
                           : lg_fail(error, LG_ERROR_MEMORY, "no memory for a frame");
    if (status == LG_OK)
        status = open_stream(s, writing, error);
    if (status == LG_OK) {
        s->unit = writing->source ? lg_av_source_tags(writing->source)->unit : s->codec->time_base;
        note_changes(s, writing, film);
        *film = s->film;
        *out = s;
    } else {
        lg_av_drop(&s);
    }
    return status;
}

const char *lg_av_sink_note(const lg_av_sink *sink)
{
    return sink->note;
}

// ---- writing ------------------------------------------------------------------------------------

// Files whose index is at the end cannot go into a pipe; such files have one in front of each piece.
static lg_status write_header(lg_av_sink *s, lg_error *error)
{
    AVDictionary *options = NULL;
    if (!(s->bytes.io->seekable & AVIO_SEEKABLE_NORMAL) &&
        (strcmp(s->format->oformat->name, "mp4") == 0 ||
         strcmp(s->format->oformat->name, "mov") == 0 ||
         strcmp(s->format->oformat->name, "ipod") == 0))
        av_dict_set(&options, "movflags", "frag_keyframe+empty_moov+default_base_moof", 0);
    if (s->carry.in)
        lg_av_carry_chapters(&s->carry);
    lg_av_forget_log();
    const int code = avformat_write_header(s->format, &options);
    av_dict_free(&options);
    if (code < 0)
        return lg_av_fail(error, code,
                          s->format->nb_streams > 1
                              ? "the format does not take these streams (--audio none leaves sound "
                                "and subtitles out)"
                              : "the film cannot be begun");
    s->headed = true;
    return LG_OK;
}

static lg_status keep_shown(lg_av_sink *s, int64_t pts, int64_t duration, lg_error *error)
{
    if (s->queued == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 64;
        shown *larger = realloc(s->queue, capacity * sizeof *larger);
        if (!larger)
            return lg_fail(error, LG_ERROR_MEMORY, "no memory for the times of frames");
        s->queue = larger;
        s->capacity = capacity;
    }
    s->queue[s->queued++] = (shown){pts, duration};
    return LG_OK;
}

static int64_t take_shown(lg_av_sink *s, int64_t pts)
{
    for (size_t i = 0; i < s->queued; i++)
        if (s->queue[i].pts == pts) {
            const int64_t duration = s->queue[i].duration;
            s->queue[i] = s->queue[--s->queued];
            return duration;
        }
    return 0;
}

// What the encoder has ready, behind what is to be heard before it.
static lg_status write_packets(lg_av_sink *s, lg_error *error)
{
    for (;;) {
        int code = avcodec_receive_packet(s->codec, s->packet);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
            return LG_OK;
        if (code < 0)
            return lg_av_fail(error, code, "the frame cannot be encoded");
        if (s->packet->duration <= 0)
            s->packet->duration = take_shown(s, s->packet->pts);
        else
            take_shown(s, s->packet->pts);
        const int64_t time = av_rescale_q(s->packet->dts, s->codec->time_base, AV_TIME_BASE_Q);
        const lg_status status = lg_av_carry_until(&s->carry, time, false, error);
        if (status != LG_OK)
            return status;
        av_packet_rescale_ts(s->packet, s->codec->time_base, s->stream->time_base);
        s->packet->stream_index = s->stream->index;
        code = av_write_frame(s->format, s->packet);
        av_packet_unref(s->packet);
        if (code < 0)
            return lg_av_fail(error, code, "the film cannot be written");
    }
}

static lg_status send(lg_av_sink *s, const AVFrame *frame, lg_error *error)
{
    lg_av_forget_log();
    const int code = avcodec_send_frame(s->codec, frame);
    if (code < 0)
        return lg_av_fail(error, code, "the frame cannot be encoded");
    return write_packets(s, error);
}

// The time stamp in the encoder's unit, later than the one before.
static lg_status set_time(lg_av_sink *s, const lg_film_time *time, lg_error *error)
{
    const AVRational unit = {time->unit, time->unit_per};
    if (!s->begun) {
        s->origin = s->cut ? time->ticks : 0;
        if (s->carry.in)
            lg_av_carry_begin(&s->carry, av_rescale_q(time->ticks, unit, AV_TIME_BASE_Q));
    }
    int64_t pts = av_rescale_q(time->ticks - s->origin, unit, s->codec->time_base);
    int64_t duration = av_rescale_q(time->duration, unit, s->codec->time_base);
    if (s->begun && pts <= s->last_pts)
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "%s holds %d/%d frames a second, and this one comes sooner behind the one before; "
            "another --codec takes films of any rate",
            s->codec->codec->name, s->codec->time_base.den, s->codec->time_base.num);
    duration = LG_MAX(duration, 1);
    s->last_pts = s->frame->pts = pts;
    s->end = av_rescale_q(pts + duration, s->codec->time_base, AV_TIME_BASE_Q);
    lg_av_set_duration(s->frame, duration);
    return keep_shown(s, pts, duration, error);
}

static lg_status make_frame(lg_av_sink *s, lg_error *error)
{
    AVFrame *f = s->frame;
    av_frame_unref(f);
    f->format = s->codec->pix_fmt;
    f->width = s->codec->width;
    f->height = s->codec->height;
    f->color_range = s->codec->color_range;
    f->colorspace = s->codec->colorspace;
    f->color_primaries = s->codec->color_primaries;
    f->color_trc = s->codec->color_trc;
    f->chroma_location = s->codec->chroma_sample_location;
    f->sample_aspect_ratio = s->codec->sample_aspect_ratio;
    lg_av_set_fields(f, s->film.fields);
    const int code = av_frame_get_buffer(f, 0);
    if (code < 0)
        return lg_av_fail(error, code, "no memory for a frame");
    for (int i = 0; i < AV_NUM_DATA_POINTERS && f->buf[i]; i++)
        memset(f->buf[i]->data, 0, f->buf[i]->size);
    return LG_OK;
}

lg_status lg_av_put(lg_av_sink *sink, const lg_frame_planes *planes, const lg_image *image,
                    const lg_film_time *time, lg_error *error)
{
    lg_av_sink *s = sink;
    lg_status status = make_frame(s, error);
    if (status == LG_OK)
        status = set_time(s, time, error);
    if (status == LG_OK && !s->begun)
        status = write_header(s, error);
    if (status != LG_OK)
        return status;
    s->begun = true;
    if (planes)
        lg_av_of_planes(planes, s->frame);
    else
        lg_av_of_image(image, s->frame);
    return send(s, s->frame, error);
}

// Behind the last frame: what the encoder still has, the rest of the sound, the index.
lg_status lg_av_finish(lg_av_sink *sink, bool early, lg_error *error)
{
    lg_av_sink *s = sink;
    if (!s->headed)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a film has at least one frame");
    lg_status status = send(s, NULL, error);
    if (status == LG_OK)
        status = lg_av_carry_until(&s->carry, s->end, !early, error);
    if (status != LG_OK)
        return status;
    const int code = av_write_trailer(s->format);
    s->headed = false;
    if (code < 0)
        return lg_av_fail(error, code, "the film cannot be completed");
    avio_flush(s->bytes.io);
    return s->bytes.io->error < 0
               ? lg_av_fail(error, s->bytes.io->error, "the film cannot be completed")
               : LG_OK;
}

void lg_av_drop(lg_av_sink **sink)
{
    lg_av_sink *s = sink ? *sink : NULL;
    if (!s)
        return;
    lg_av_carry_close(&s->carry);
    avcodec_free_context(&s->codec);
    av_frame_free(&s->frame);
    av_packet_free(&s->packet);
    avformat_free_context(s->format);
    lg_av_bytes_close(&s->bytes);
    free(s->queue);
    free(s);
    *sink = NULL;
}
