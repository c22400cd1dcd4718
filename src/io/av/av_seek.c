// Where decoding may begin for a frame that is asked for by its number or its time. Packets are read up
// to it, and none is decoded: their time stamps in ascending order are those of the frames.
#include "io/av/av_seek.h"

#include <stdlib.h>
#include <string.h>

enum { REORDERED = 64 }; // more packets than any decoder holds back

typedef struct packet {
    int64_t pts, dts, number; // number: packets of the film in front of it
    bool key;
} packet;

typedef struct packets {
    packet *at;
    size_t count, room;
    int64_t behind; // since the frame that is asked for
} packets;

// Where each packet is a frame, with time stamps that can be trusted.
static bool is_plain(const AVFormatContext *format, const AVStream *stream)
{
    static const enum AVCodecID codecs[] = {
        AV_CODEC_ID_H264,   AV_CODEC_ID_HEVC,  AV_CODEC_ID_FFV1, AV_CODEC_ID_MJPEG,
        AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_VP9,  AV_CODEC_ID_AV1};
    const char *name = format->iformat->name;
    bool known = false;
    for (size_t i = 0; i < LG_COUNT(codecs); i++)
        known |= stream->codecpar->codec_id == codecs[i];
    return known && (strncmp(name, "mov,", 4) == 0 || strncmp(name, "matroska,", 9) == 0);
}

static double seconds_of(int64_t pts, AVRational unit)
{
    return (double)(pts * unit.num) / unit.den;
}

static bool add(packets *p, const AVPacket *from)
{
    if (p->count == p->room) {
        const size_t room = p->room ? 2 * p->room : 1024;
        packet *at = realloc(p->at, room * sizeof *at);
        if (!at)
            return false;
        p->at = at;
        p->room = room;
    }
    p->at[p->count] =
        (packet){from->pts, from->dts, (int64_t)p->count, (from->flags & AV_PKT_FLAG_KEY) != 0};
    p->count++;
    return true;
}

// Up to those behind the frame. False: the packets do not tell which frame it is.
static bool read_packets(AVFormatContext *format, const AVStream *stream, AVPacket *read,
                         int64_t frame, double second, packets *out)
{
    bool plain = true;
    while (plain && out->behind < REORDERED && av_read_frame(format, read) >= 0) {
        if (read->stream_index == stream->index) {
            plain = read->pts != AV_NOPTS_VALUE &&
                    !(read->flags & (AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD)) && add(out, read);
            if (plain)
                out->behind += (int64_t)out->count > frame &&
                               seconds_of(read->pts, stream->time_base) >= second;
        }
        av_packet_unref(read);
    }
    return plain;
}

static int by_time(const void *a, const void *b)
{
    const packet *x = a, *y = b;
    return (x->pts > y->pts) - (x->pts < y->pts);
}

// The number of the frame, and of the key frame to begin with; false: there is none behind the first.
static bool choose(const packets *p, AVRational unit, int64_t frame, double second, size_t *wanted,
                   size_t *key)
{
    for (size_t i = 1; i < p->count; i++)
        if (p->at[i - 1].pts == p->at[i].pts)
            return false;
    size_t at = (size_t)frame;
    while (at < p->count && seconds_of(p->at[at].pts, unit) < second)
        at++;
    if (at >= p->count)
        return false;
    *wanted = *key = at;
    while (*key > 0 && !p->at[*key].key)
        --*key;
    return *key > 0;
}

bool lg_av_find_start(AVFormatContext *format, const AVStream *stream, AVPacket *read,
                      int64_t first, int64_t frame, double second, lg_av_start *out)
{
    packets p = {0};
    size_t wanted, key;
    *out = (lg_av_start){0};
    // Some packets were read for the first frame.
    bool found = is_plain(format, stream) && first != AV_NOPTS_VALUE &&
                 av_seek_frame(format, stream->index, first, AVSEEK_FLAG_BACKWARD) >= 0 &&
                 read_packets(format, stream, read, frame, second, &p);
    if (found) {
        qsort(p.at, p.count, sizeof *p.at, by_time);
        found = p.count && p.at[0].pts == first &&
                choose(&p, stream->time_base, frame, second, &wanted, &key);
    }
    if (found) {
        out->pts = malloc((wanted + 1) * sizeof *out->pts);
        found = out->pts != NULL;
    }
    if (found) {
        for (size_t i = 0; i <= wanted; i++)
            out->pts[i] = p.at[i].pts;
        out->wanted = (int64_t)wanted;
        out->key = (int64_t)key;
        out->packets = p.at[key].number;
        const int64_t dts = p.at[key].dts;
        const int64_t to = dts != AV_NOPTS_VALUE ? LG_MIN(dts, p.at[key].pts) : p.at[key].pts;
        found = av_seek_frame(format, stream->index, to, AVSEEK_FLAG_BACKWARD) >= 0;
    }
    free(p.at);
    return found;
}

bool lg_av_find_key(AVFormatContext *format, const AVStream *stream, AVPacket *read,
                    const lg_av_start *start)
{
    while (av_read_frame(format, read) >= 0) {
        if (read->stream_index == stream->index && read->pts == start->pts[start->key])
            return true;
        av_packet_unref(read);
    }
    return false;
}
