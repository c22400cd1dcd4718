// A film that is read: packets of one stream, decoded in the order in which they are shown.
#include "io/av/av_source.h"
#include "io/av/av_seek.h"

#include <libavdevice/avdevice.h>
#include <libavutil/display.h>
#include <libswscale/swscale.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lg_av_source {
    lg_av_bytes bytes;
    lg_read_params read;
    AVFormatContext *format;
    AVStream *stream;
    AVCodecContext *codec;
    AVPacket *packet;
    lg_av_kept *kept;         // other packets of a pipe; NULL: nobody wants them
    AVFrame *decoded, *plain; // plain: what libswscale made of it
    struct SwsContext *scale;
    lg_av_watch watch, format_watch;
    lg_av_live *live; // decodes by itself; NULL: frames are decoded when they are wanted
    bool waiting;     // `decoded` is the next frame
    bool drained;     // no packet follows
    int damage;       // why none follows, 0: the file has ended
    const char *where;
    int32_t width, height;
    enum AVPixelFormat pixels, plain_pixels;
    bool converts;
    lg_av_tags tags;
    int64_t frames;             // that were handed out
    int64_t last_pts, next_pts; // of the last frame, and of one without a time stamp
    lg_av_read read_so_far;
    int64_t frame_duration; // in the stream's unit, by its rate
};

static int is_cancelled(void *priv)
{
    const lg_av_source *s = priv;
    if (s->live) // in its thread
        return lg_av_live_ends(s->live);
    return s->read.progress && !s->read.progress(s->read.progress_priv, 0);
}

// ---- frames -------------------------------------------------------------------------------------

static void note_end(lg_av_source *s, const AVPacket *packet)
{
    const AVStream *stream = s->format->streams[packet->stream_index];
    const int64_t begin = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
    if (begin == AV_NOPTS_VALUE)
        return;
    const int64_t end = av_rescale_q(begin + packet->duration, stream->time_base, AV_TIME_BASE_Q);
    s->read_so_far.furthest = LG_MAX(s->read_so_far.furthest, end);
}

// The next packet of the film; AVERROR_EOF behind the last, also where a damaged one ends it.
static int next_packet(lg_av_source *s)
{
    for (;;) {
        const int code = av_read_frame(s->format, s->packet);
        if (code < 0) {
            if (code != AVERROR_EOF && code != AVERROR(EAGAIN))
                s->damage = code, s->where = "the file cannot be read on";
            return code == AVERROR(EAGAIN) ? code : AVERROR_EOF;
        }
        note_end(s, s->packet);
        const bool ours = s->packet->stream_index == s->stream->index;
        // Of a transport stream it may be what is missing in front of a packet.
        const bool cut = ours && s->packet->flags & AV_PKT_FLAG_CORRUPT &&
                         strcmp(s->format->iformat->name, "mpegts") != 0;
        if (cut) {
            s->damage = AVERROR_INVALIDDATA;
            s->where = "its data are damaged, or end too early";
            av_packet_unref(s->packet);
            return AVERROR_EOF;
        }
        if (ours)
            return s->read_so_far.packets++, 0;
        if (s->kept)
            lg_av_kept_put(s->kept, s->packet);
        av_packet_unref(s->packet);
    }
}

// The next frame in `frame`, or FFmpeg's error. Frames in front of damage come first.
static int decode(void *priv, AVFrame *frame)
{
    lg_av_source *s = priv;
    for (;;) {
        int code = avcodec_receive_frame(s->codec, frame);
        if (code != AVERROR(EAGAIN))
            return code == AVERROR_EOF && s->damage ? s->damage : code;
        if (s->drained)
            return AVERROR_EOF;
        do {
            code = is_cancelled(s) ? AVERROR_EXIT : next_packet(s);
        } while (code == AVERROR(EAGAIN)); // a camera between two frames
        if (code == AVERROR_EXIT)
            return code;
        const int sent = avcodec_send_packet(s->codec, code ? NULL : s->packet);
        av_packet_unref(s->packet);
        if (code)
            s->drained = true;
        if (sent < 0 && sent != AVERROR_EOF) {
            s->damage = sent, s->where = "it cannot be decoded";
            s->drained = true;
            avcodec_send_packet(s->codec, NULL);
        }
    }
}

static int receive(lg_av_source *s, AVFrame *frame)
{
    return s->live ? lg_av_live_take(s->live, &s->read, frame) : decode(s, frame);
}

static bool is_damaged(const lg_av_source *s, const AVFrame *frame)
{
    return s->watch.complained || frame->decode_error_flags || frame->flags & AV_FRAME_FLAG_CORRUPT;
}

// ---- opening ------------------------------------------------------------------------------------

lg_matrix lg_av_matrix_of(enum AVColorSpace space, bool *known)
{
    *known = true;
    switch (space) {
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
        return LG_MATRIX_BT601;
    case AVCOL_SPC_BT2020_NCL:
        return LG_MATRIX_BT2020;
    case AVCOL_SPC_SMPTE240M:
        return LG_MATRIX_SMPTE240M;
    case AVCOL_SPC_BT709:
    case AVCOL_SPC_UNSPECIFIED:
    case AVCOL_SPC_RESERVED:
        return LG_MATRIX_BT709;
    default:
        *known = false;
        return LG_MATRIX_BT709;
    }
}

// The kind of container, as files are called.
static void name_format(const AVInputFormat *format, char out[8])
{
    static const struct {
        const char *theirs, *ours;
    } names[] = {{"matroska,webm", "mkv"},
                 {"mov,", "mp4"},
                 {"mpegts", "ts"},
                 {"video4linux2", "v4l2"},
                 {"mpegvideo", "mpeg"}};
    for (size_t i = 0; i < LG_COUNT(names); i++)
        if (strncmp(format->name, names[i].theirs, strlen(names[i].theirs)) == 0) {
            snprintf(out, 8, "%s", names[i].ours);
            return;
        }
    snprintf(out, 8, "%.*s", (int)strcspn(format->name, ","), format->name);
}

static lg_siting siting_of(enum AVChromaLocation location, const lg_av_pixels *p)
{
    return location == AVCHROMA_LOC_CENTER || (location == AVCHROMA_LOC_UNSPECIFIED && p->full)
               ? LG_SITING_CENTER
           : location == AVCHROMA_LOC_TOPLEFT ? LG_SITING_TOP_LEFT
                                              : LG_SITING_LEFT;
}

static void take_tags(lg_av_source *s)
{
    const AVFrame *f = s->decoded;
    const AVCodecParameters *c = s->stream->codecpar;
    lg_av_tags *t = &s->tags;
    *t = (lg_av_tags){.space = f->colorspace,
                      .primaries = f->color_primaries,
                      .transfer = f->color_trc,
                      .range = f->color_range,
                      .location = f->chroma_location,
                      .unit = s->stream->time_base};
    if (t->space == AVCOL_SPC_UNSPECIFIED)
        t->space = c->color_space;
    if (t->primaries == AVCOL_PRI_UNSPECIFIED)
        t->primaries = c->color_primaries;
    if (t->transfer == AVCOL_TRC_UNSPECIFIED)
        t->transfer = c->color_trc;
    if (t->range == AVCOL_RANGE_UNSPECIFIED)
        t->range = c->color_range;
    if (t->location == AVCHROMA_LOC_UNSPECIFIED)
        t->location = c->chroma_location;
}

// Samples of these lie where lg_siting has no word for.
static bool is_odd_place(enum AVChromaLocation location)
{
    return location == AVCHROMA_LOC_TOP || location == AVCHROMA_LOC_BOTTOMLEFT ||
           location == AVCHROMA_LOC_BOTTOM;
}

static void describe(lg_av_source *s, const lg_av_pixels *p, lg_av_opened *out)
{
    bool known;
    lg_film *film = &out->film;
    const AVRational rate = av_guess_frame_rate(s->format, s->stream, s->decoded);
    const AVRational aspect = av_guess_sample_aspect_ratio(s->format, s->stream, s->decoded);
    name_format(s->format->iformat, film->format);
    film->width = s->width;
    film->height = s->height;
    film->planes = p->planes;
    film->bits = p->bits;
    film->chroma = p->planes > 1 ? p->chroma : LG_CHROMA_NONE;
    film->siting = siting_of(s->tags.location, p);
    film->matrix = lg_av_matrix_of(s->tags.space, &known);
    // As of y4m: grey is what it says unless it says otherwise, video is not.
    out->range_known = p->full || s->tags.range != AVCOL_RANGE_UNSPECIFIED;
    film->full_range =
        p->full || s->tags.range == AVCOL_RANGE_JPEG || (p->planes == 1 && !out->range_known);
    film->fields = lg_av_frame_fields(s->decoded);
    film->rate = rate.num > 0 && rate.den > 0 ? rate.num : 0;
    film->rate_per = film->rate ? rate.den : 0;
    film->aspect = aspect.num > 0 && aspect.den > 0 ? aspect.num : 0;
    film->aspect_per = film->aspect ? aspect.den : 0;
    out->alpha = p->alpha;
    out->seconds = s->format->duration > 0 ? (double)s->format->duration / AV_TIME_BASE : 0;
    if (p->planes > 1 && !known)
        snprintf(out->refusal, sizeof out->refusal,
                 "Y'CbCr of the matrix %s is not converted; --video-colors MATRIX takes it for "
                 "bt709, bt601 or bt2020",
                 av_color_space_name(s->tags.space) ? av_color_space_name(s->tags.space) : "?");
    else if (p->planes > 1 && is_odd_place(s->tags.location))
        snprintf(out->refusal, sizeof out->refusal,
                 "chroma that lies %s is not converted; --video-colors MATRIX takes it for left",
                 av_chroma_location_name(s->tags.location));
}

static lg_status open_codec(lg_av_source *s, int threads, lg_error *error)
{
    const AVCodecParameters *parameters = s->stream->codecpar;
    const AVCodec *decoder = avcodec_find_decoder(parameters->codec_id);
    if (!decoder)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "this FFmpeg has no decoder for %s",
                       avcodec_get_name(parameters->codec_id));
    s->codec = avcodec_alloc_context3(decoder);
    int code = s->codec ? avcodec_parameters_to_context(s->codec, parameters) : AVERROR(ENOMEM);
    if (code < 0)
        return lg_av_fail(error, code, "the decoder cannot be opened");
    s->codec->pkt_timebase = s->stream->time_base;
    s->codec->thread_count = threads;
    s->codec->max_pixels = s->read.max_pixels;
    s->codec->err_recognition |= AV_EF_CRCCHECK; // of formats that have sums of their own
    if (parameters->codec_id == AV_CODEC_ID_FFV1) {
        // Damage is told to the log alone, while the frame is decoded: not while later ones are.
        s->codec->thread_type = FF_THREAD_SLICE;
        s->codec->opaque = &s->watch;
        lg_av_watch_begin(&s->watch);
    }
    lg_av_forget_log();
    code = avcodec_open2(s->codec, decoder, NULL);
    return code < 0 ? lg_av_fail(error, code, "the decoder cannot be opened") : LG_OK;
}

static lg_status open_camera(lg_av_source *s, const char *device, lg_error *error)
{
    avdevice_register_all();
    const AVInputFormat *v4l2 = av_find_input_format("video4linux2");
    s->format = avformat_alloc_context();
    if (!v4l2 || !s->format)
        return lg_fail(error, v4l2 ? LG_ERROR_MEMORY : LG_ERROR_UNSUPPORTED,
                       "this FFmpeg reads no cameras");
    s->format->interrupt_callback = (AVIOInterruptCB){is_cancelled, s};
    lg_av_forget_log();
    int code = avformat_open_input(&s->format, device, v4l2, NULL);
    if (code >= 0)
        code = avformat_find_stream_info(s->format, NULL);
    return code < 0 ? lg_av_fail(error, code, "is no camera that can be opened") : LG_OK;
}

static lg_status find_stream(lg_av_source *s, lg_error *error)
{
    int sound = 0;
    int found = av_find_best_stream(s->format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    if (found >= 0 && s->format->streams[found]->disposition & AV_DISPOSITION_ATTACHED_PIC)
        found = -1; // a cover of sound
    for (unsigned i = 0; i < s->format->nb_streams; i++)
        sound += s->format->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    if (found < 0)
        return lg_fail(error, LG_ERROR_DATA, "there is no film in the file%s",
                       sound ? ", only sound" : "");
    s->stream = s->format->streams[found];
    return lg_read_check(&s->read, s->stream->codecpar->width, s->stream->codecpar->height, 1,
                         error);
}

static lg_status fail_frame(lg_av_source *s, int code, lg_error *error)
{
    const char *where = s->where ? s->where : "it cannot be decoded";
    if (code == AVERROR_EOF) {
        s->read_so_far.complained = s->format_watch.complained;
        s->read_so_far.end = (double)s->next_pts * av_q2d(s->stream->time_base);
        s->read_so_far.frame = (double)s->frame_duration * av_q2d(s->stream->time_base);
        return lg_av_check_complete(s->format, s->stream, s->bytes.input, &s->read_so_far, error);
    }
    return code == AVERROR_INVALIDDATA && s->where ? lg_fail(error, LG_ERROR_DATA, "%s", where)
                                                   : lg_av_fail(error, code, where);
}

// The first frame says what the film is; headers may be wrong.
static lg_status read_first(lg_av_source *s, lg_av_opened *out, lg_error *error)
{
    lg_av_pixels p;
    lg_av_forget_log();
    const int code = receive(s, s->decoded);
    if (code < 0) {
        const lg_status status = fail_frame(s, code, error);
        return status ? status : lg_fail(error, LG_ERROR_DATA, "the film has no frame");
    }
    s->waiting = true;
    s->width = s->decoded->width;
    s->height = s->decoded->height;
    s->pixels = s->plain_pixels = s->decoded->format;
    lg_status status = lg_read_check(&s->read, s->width, s->height, 1, error);
    if (status != LG_OK)
        return status;
    s->converts = !lg_av_pixels_of(s->pixels, &p);
    if (s->converts) {
        s->plain_pixels = lg_av_plain(s->pixels);
        if (!lg_av_pixels_of(s->plain_pixels, &p))
            return lg_fail(error, LG_ERROR_UNSUPPORTED, "frames of the format %s are not read",
                           av_get_pix_fmt_name(s->pixels));
    }
    take_tags(s);
    describe(s, &p, out);
    if (out->film.rate)
        s->frame_duration =
            av_rescale_q(1, av_make_q(out->film.rate_per, out->film.rate), s->tags.unit);
    return LG_OK;
}

static lg_status open_input(lg_av_source *s, const lg_av_reading *reading, lg_error *error)
{
    const AVIOInterruptCB interrupt = {is_cancelled, s};
    if (!reading->input)
        return open_camera(s, reading->device, error);
    lg_status status = lg_av_bytes_read(&s->bytes, reading->input, error);
    lg_av_watch_begin(&s->format_watch);
    return status ? status
                  : lg_av_open_format(&s->bytes, &interrupt, &s->format_watch, &s->format, error);
}

lg_status lg_av_open(const lg_av_reading *reading, lg_av_opened *opened, lg_av_source **out,
                     lg_error *error)
{
    lg_av_source *s = calloc(1, sizeof *s);
    *opened = (lg_av_opened){0};
    if (!s)
        return lg_fail(error, LG_ERROR_MEMORY, "no memory for a film");
    s->read = *reading->read;
    s->packet = av_packet_alloc();
    s->decoded = av_frame_alloc();
    s->plain = av_frame_alloc();
    lg_status status = s->packet && s->decoded && s->plain
                           ? open_input(s, reading, error)
                           : lg_fail(error, LG_ERROR_MEMORY, "no memory for a frame");
    if (status == LG_OK)
        status = find_stream(s, error);
    if (status == LG_OK)
        status = open_codec(s, reading->threads, error);
    if (status == LG_OK && reading->keeps && reading->input && !reading->input->seekable)
        status = lg_av_kept_begin(s->format, s->stream->index, &s->kept, error);
    if (status == LG_OK && (reading->live || !reading->input))
        status = lg_av_live_begin(decode, s, &s->live, error);
    if (status == LG_OK)
        status = read_first(s, opened, error);
    if (status == LG_OK)
        *out = s;
    else
        lg_av_close(&s);
    return status;
}

void lg_av_close(lg_av_source **source)
{
    lg_av_source *s = source ? *source : NULL;
    if (!s)
        return;
    if (s->live)
        lg_av_live_ask_end(s->live);
    lg_av_live_end(&s->live);
    lg_av_kept_release(&s->kept);
    sws_freeContext(s->scale);
    av_frame_free(&s->decoded);
    av_frame_free(&s->plain);
    av_packet_free(&s->packet);
    avcodec_free_context(&s->codec);
    lg_av_watch_end(&s->watch);
    avformat_close_input(&s->format);
    lg_av_watch_end(&s->format_watch);
    lg_av_bytes_close(&s->bytes);
    free(s);
    *source = NULL;
}

const lg_av_tags *lg_av_source_tags(const lg_av_source *source)
{
    return &source->tags;
}

lg_av_kept *lg_av_source_kept(const lg_av_source *source)
{
    return source->kept;
}

int64_t lg_av_dropped(lg_av_source *source)
{
    return source->live ? lg_av_live_dropped(source->live) : 0;
}

// ---- a later frame --------------------------------------------------------------------------------

// Decodes from the key frame on. The frames must be those that the packets promise, up to the one that is
// wanted, which waits then. Those that are shown before the key frame follow from frames that nobody has.
static bool decode_to(lg_av_source *s, const lg_av_start *start)
{
    int64_t at = start->key;
    if (avcodec_send_packet(s->codec, s->packet) < 0)
        return false;
    av_packet_unref(s->packet);
    for (;;) {
        av_frame_unref(s->decoded);
        if (decode(s, s->decoded) < 0)
            return false;
        const int64_t pts = s->decoded->best_effort_timestamp;
        if (at == start->key && pts < start->pts[at])
            continue;
        if (pts != start->pts[at] || is_damaged(s, s->decoded))
            return false;
        if (at++ == start->wanted)
            return true;
    }
}

int64_t lg_av_seek(lg_av_source *s, int64_t frame, double second)
{
    lg_av_start start;
    if (s->live || !s->bytes.input || s->frames > 0)
        return 0;
    s->waiting = false;
    bool found = lg_av_find_start(s->format, s->stream, s->packet,
                                  s->decoded->best_effort_timestamp, frame, second, &start);
    if (found) {
        avcodec_flush_buffers(s->codec);
        s->drained = false;
        found = lg_av_find_key(s->format, s->stream, s->packet, &start);
    }
    if (found) {
        s->read_so_far.packets = start.packets + 1;
        found = decode_to(s, &start);
    }
    if (found) {
        s->waiting = true;
        s->frames = start.wanted;
        s->last_pts = start.pts[start.wanted - 1];
    }
    free(start.pts);
    return found ? start.wanted : -1;
}

// ---- the next frame -----------------------------------------------------------------------------

static lg_status check_same(const lg_av_source *s, lg_error *error)
{
    const AVFrame *f = s->decoded;
    if (f->width != s->width || f->height != s->height)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "it is %d x %d, those before are %d x %d: a film has frames of one size",
                       f->width, f->height, s->width, s->height);
    if (f->format != s->pixels)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "its samples are %s, those before are %s: a film has frames of one kind",
                       av_get_pix_fmt_name(f->format), av_get_pix_fmt_name(s->pixels));
    return LG_OK;
}

// Palettes, single bits, floats ...: in place of the frame.
static lg_status convert(lg_av_source *s, lg_error *error)
{
    av_frame_unref(s->plain);
    s->plain->format = s->plain_pixels;
    s->plain->width = s->width;
    s->plain->height = s->height;
    const int code = av_frame_get_buffer(s->plain, 0);
    s->scale = sws_getCachedContext(
        s->scale, s->width, s->height, s->pixels, s->width, s->height, s->plain_pixels,
        SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    if (code < 0 || !s->scale)
        return lg_fail(error, code < 0 ? LG_ERROR_MEMORY : LG_ERROR_UNSUPPORTED,
                       "frames of the format %s are not converted", av_get_pix_fmt_name(s->pixels));
    sws_scale(s->scale, (const uint8_t *const *)s->decoded->data, s->decoded->linesize, 0,
              s->height, s->plain->data, s->plain->linesize);
    return LG_OK;
}

// Time stamps rise from frame to frame, whatever the file says.
static void take_time(lg_av_source *s, lg_film_time *time)
{
    const AVFrame *f = s->decoded;
    int64_t pts = f->best_effort_timestamp, duration = lg_av_frame_duration(f);
    if (pts == AV_NOPTS_VALUE)
        pts = s->next_pts;
    if (s->frames > 0)
        pts = LG_MAX(pts, s->last_pts + 1);
    if (duration <= 0)
        duration = s->frame_duration;
    s->last_pts = pts;
    s->next_pts = pts + duration;
    *time = (lg_film_time){
        .ticks = pts, .duration = duration, .unit = s->tags.unit.num, .unit_per = s->tags.unit.den};
}

lg_status lg_av_next(lg_av_source *source, bool *more, lg_film_time *time, lg_error *error)
{
    lg_av_source *s = source;
    *more = false;
    if (!s->waiting) {
        av_frame_unref(s->decoded);
        lg_av_forget_log();
        const int code = receive(s, s->decoded);
        if (code < 0)
            return fail_frame(s, code, error);
    }
    s->waiting = false;
    if (is_damaged(s, s->decoded))
        return lg_fail(error, LG_ERROR_DATA, "its data are damaged");
    lg_status status = check_same(s, error);
    if (status == LG_OK && s->converts)
        status = convert(s, error);
    if (status != LG_OK)
        return status;
    take_time(s, time);
    s->frames++;
    *more = true;
    return LG_OK;
}

static const AVFrame *frame_of(const lg_av_source *s)
{
    return s->converts ? s->plain : s->decoded;
}

static void give_back(void *lender)
{
    AVFrame *frame = lender;
    av_frame_free(&frame);
}

lg_status lg_av_planes(lg_av_source *source, lg_frame_planes *planes, lg_error *error)
{
    lg_frame_plane lent[LG_FILM_PLANES];
    const AVFrame *frame = frame_of(source);
    if (lg_av_lend_planes(frame, planes, lent)) {
        AVFrame *held = av_frame_clone(frame);
        return held ? lg_frame_lend(planes, lent, give_back, held, error)
                    : lg_fail(error, LG_ERROR_MEMORY, "no memory for a frame");
    }
    const lg_status status = lg_frame_renew(planes, error);
    if (status == LG_OK)
        lg_av_to_planes(frame, planes);
    return status;
}

void lg_av_image(const lg_av_source *source, lg_image *image)
{
    lg_av_to_image(frame_of(source), image);
}
