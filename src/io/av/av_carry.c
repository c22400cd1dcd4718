// What goes from one file to another as it is: sound, subtitles, attachments, chapters, words. The file is
// read a second time for it, so that what filters cost has no part in it; of a pipe it was kept.
#include "io/av/av_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void lg_av_note(char *note, size_t room, const char *format, ...)
{
    const size_t used = strlen(note);
    va_list args;
    if (room - used < 8)
        return;
    const int joint = used ? snprintf(note + used, room - used, "; ") : 0;
    va_start(args, format);
    vsnprintf(note + used + joint, room - used - (size_t)joint, format, args);
    va_end(args);
}

// ---- streams ------------------------------------------------------------------------------------

// Words about a stream that were true of its old file alone.
static void copy_words(AVDictionary **to, const AVDictionary *from)
{
    static const char *const stale[] = {
        "DURATION", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES", "BPS", "encoder", "ENCODER", NULL};
    const AVDictionaryEntry *word = NULL;
    while ((word = av_dict_get(from, "", word, AV_DICT_IGNORE_SUFFIX))) {
        bool kept = strncmp(word->key, "_STATISTICS", 11) != 0;
        for (int i = 0; stale[i]; i++)
            kept = kept && strcmp(stale[i], word->key) != 0;
        if (kept)
            av_dict_set(to, word->key, word->value, 0);
    }
}

static int add_stream(lg_av_carry *carry, const AVStream *from)
{
    AVStream *to = avformat_new_stream(carry->out, NULL);
    int code = to ? avcodec_parameters_copy(to->codecpar, from->codecpar) : AVERROR(ENOMEM);
    if (code < 0)
        return code;
    // The tag of one container says nothing in another.
    const struct AVCodecTag *const *tags = carry->out->oformat->codec_tag;
    unsigned known = 0;
    if (tags && av_codec_get_id(tags, from->codecpar->codec_tag) != from->codecpar->codec_id &&
        av_codec_get_tag2(tags, from->codecpar->codec_id, &known))
        to->codecpar->codec_tag = 0;
    to->time_base = from->time_base;
    to->disposition = from->disposition;
    copy_words(&to->metadata, from->metadata);
    code = lg_av_copy_side_data(from, to);
    return code < 0 ? code : to->index;
}

static bool is_carried(const AVStream *stream, const AVStream *film)
{
    const enum AVMediaType type = stream->codecpar->codec_type;
    return stream->index != film->index &&
           (type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE ||
            type == AVMEDIA_TYPE_ATTACHMENT);
}

static bool has_place(const lg_av_carry *carry, const AVStream *stream)
{
    const AVOutputFormat *container = carry->out->oformat;
    const bool matroska = strcmp(container->name, "matroska") == 0;
    if (stream->codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT)
        return matroska;
    const int known =
        avformat_query_codec(container, stream->codecpar->codec_id, FF_COMPLIANCE_NORMAL);
    return known == 1 || (known < 0 && stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO);
}

static lg_status add_streams(lg_av_carry *carry, const AVStream *film, lg_error *error)
{
    for (unsigned i = 0; i < carry->in->nb_streams; i++) {
        const AVStream *stream = carry->in->streams[i];
        carry->target[i] = -1;
        if (!is_carried(stream, film)) {
            carry->in->streams[i]->discard = AVDISCARD_ALL;
            continue;
        }
        if (!has_place(carry, stream)) {
            const char *type = av_get_media_type_string(stream->codecpar->codec_type);
            lg_av_note(carry->note, carry->room,
                       "stream %u (%s, %s) is not kept: %s has no place for it", i,
                       type ? type : "data", avcodec_get_name(stream->codecpar->codec_id),
                       carry->out->oformat->name);
            carry->in->streams[i]->discard = AVDISCARD_ALL;
            continue;
        }
        carry->target[i] = add_stream(carry, stream);
        if (carry->target[i] < 0)
            return lg_av_fail(error, carry->target[i], "a stream cannot be copied");
    }
    return LG_OK;
}

static lg_status open_input(lg_av_carry *carry, const lg_av_writing *writing, int *film,
                            lg_error *error)
{
    if (!writing->carried) {
        carry->kept = lg_av_kept_hold(lg_av_source_kept(writing->source));
        carry->in = lg_av_kept_streams(carry->kept, film);
        return LG_OK;
    }
    lg_status status = lg_av_bytes_read(&carry->bytes, writing->carried, error);
    if (status == LG_OK)
        status = lg_av_open_format(&carry->bytes, NULL, NULL, &carry->in, error);
    if (status == LG_OK)
        *film = av_find_best_stream(carry->in, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    return status;
}

lg_status lg_av_carry_open(lg_av_carry *carry, const lg_av_writing *writing, AVFormatContext *out,
                           AVStream *video, lg_error *error)
{
    int best = -1;
    lg_status status = open_input(carry, writing, &best, error);
    if (status != LG_OK)
        return status;
    carry->out = out;
    carry->cut = writing->cut_start;
    carry->packet = av_packet_alloc();
    carry->target = calloc(carry->in->nb_streams + 1, sizeof *carry->target);
    if (!carry->packet || !carry->target || best < 0)
        return lg_fail(error, best < 0 ? LG_ERROR_DATA : LG_ERROR_MEMORY,
                       "the streams of the film cannot be copied");
    const AVStream *film = carry->in->streams[best];
    copy_words(&out->metadata, carry->in->metadata);
    copy_words(&video->metadata, film->metadata);
    video->disposition = film->disposition;
    const int code = lg_av_copy_side_data(film, video);
    if (code < 0)
        return lg_av_fail(error, code, "the film's rotation cannot be copied");
    if (lg_av_is_turned(film) && !lg_av_keeps_turns(out->oformat))
        lg_av_note(carry->note, carry->room, "the rotation is not kept: %s has no place for it",
                   out->oformat->name);
    carry->ended = !writing->sound;
    if (carry->kept && carry->ended)
        lg_av_kept_end(carry->kept);
    return writing->sound ? add_streams(carry, film, error) : LG_OK;
}

// ---- chapters -----------------------------------------------------------------------------------

void lg_av_carry_begin(lg_av_carry *carry, int64_t start)
{
    carry->shift = carry->cut ? start : 0;
}

void lg_av_carry_chapters(lg_av_carry *carry)
{
    const unsigned count = carry->in->nb_chapters;
    AVChapter **chapters = av_calloc(count ? count : 1, sizeof *chapters);
    carry->out->chapters = chapters;
    for (unsigned i = 0; chapters && i < count; i++) {
        const AVChapter *from = carry->in->chapters[i];
        const int64_t shift = av_rescale_q(carry->shift, AV_TIME_BASE_Q, from->time_base);
        if (from->end <= shift)
            continue;
        AVChapter *to = av_mallocz(sizeof *to);
        if (!to)
            return;
        to->id = from->id;
        to->time_base = from->time_base;
        to->start = LG_MAX(from->start - shift, 0);
        to->end = from->end - shift;
        av_dict_copy(&to->metadata, from->metadata, 0);
        chapters[carry->out->nb_chapters++] = to;
    }
}

// ---- packets ------------------------------------------------------------------------------------

// The next packet that is copied, with the time stamps of the output. A file that is damaged has ended.
static bool next_packet(lg_av_carry *carry)
{
    while (!carry->waiting && !carry->ended) {
        AVPacket *p = carry->packet;
        if (carry->kept && !lg_av_kept_take(carry->kept, p))
            break; // the reader may meet more
        if (!carry->kept && av_read_frame(carry->in, p) < 0) {
            carry->ended = true;
            break;
        }
        const int target = carry->target[p->stream_index];
        const AVRational unit = carry->in->streams[p->stream_index]->time_base;
        const int64_t shift = av_rescale_q(carry->shift, AV_TIME_BASE_Q, unit);
        const int64_t begin = p->pts != AV_NOPTS_VALUE ? p->pts : p->dts;
        if (target < 0 || (p->flags & AV_PKT_FLAG_CORRUPT) ||
            (carry->cut && begin != AV_NOPTS_VALUE && begin < shift)) {
            av_packet_unref(p);
            continue;
        }
        if (p->pts != AV_NOPTS_VALUE)
            p->pts -= shift;
        if (p->dts != AV_NOPTS_VALUE)
            p->dts -= shift;
        carry->waiting = true;
    }
    return carry->waiting;
}

static void note_lost(lg_av_carry *carry)
{
    if (!carry->kept || carry->ended || !lg_av_kept_lost(carry->kept))
        return;
    carry->ended = true;
    lg_av_note(carry->note, carry->room,
               "sound and subtitles end early: those of a pipe lie too far from its frames");
}

lg_status lg_av_carry_until(lg_av_carry *carry, int64_t time, bool all, lg_error *error)
{
    if (carry->in)
        note_lost(carry);
    while (carry->in && next_packet(carry)) {
        AVPacket *p = carry->packet;
        const AVRational unit = carry->in->streams[p->stream_index]->time_base;
        const int64_t at = p->dts != AV_NOPTS_VALUE ? p->dts : p->pts;
        if (!all && at != AV_NOPTS_VALUE && av_compare_ts(at, unit, time, AV_TIME_BASE_Q) >= 0)
            return LG_OK;
        const AVStream *to = carry->out->streams[carry->target[p->stream_index]];
        av_packet_rescale_ts(p, unit, to->time_base);
        p->stream_index = to->index;
        p->pos = -1;
        carry->waiting = false;
        lg_av_forget_log();
        const int code = av_write_frame(carry->out, p);
        av_packet_unref(p);
        if (code < 0)
            return lg_av_fail(error, code, "sound and subtitles cannot be written");
    }
    return LG_OK;
}

void lg_av_carry_close(lg_av_carry *carry)
{
    av_packet_free(&carry->packet);
    if (carry->kept) {
        lg_av_kept_end(carry->kept);
        lg_av_kept_release(&carry->kept);
        carry->in = NULL;
    }
    avformat_close_input(&carry->in);
    lg_av_bytes_close(&carry->bytes);
    free(carry->target);
    *carry = (lg_av_carry){0};
}
