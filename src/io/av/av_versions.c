// What FFmpeg has under different names from 5.1 to 8.
#include "io/av/av_internal.h"

#include <libavutil/version.h>

#include <string.h>

int64_t lg_av_frame_duration(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

void lg_av_set_duration(AVFrame *frame, int64_t duration)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    frame->duration = duration;
#else
    frame->pkt_duration = duration;
#endif
}

lg_field_order lg_av_frame_fields(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    const bool interlaced = frame->flags & AV_FRAME_FLAG_INTERLACED;
    const bool top = frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
    const bool interlaced = frame->interlaced_frame, top = frame->top_field_first;
#endif
    return !interlaced ? LG_FIELDS_PROGRESSIVE : top ? LG_FIELDS_TOP_FIRST : LG_FIELDS_BOTTOM_FIRST;
}

void lg_av_set_fields(AVFrame *frame, lg_field_order fields)
{
    const bool interlaced = fields > LG_FIELDS_PROGRESSIVE, top = fields == LG_FIELDS_TOP_FIRST;
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    frame->flags |= (interlaced ? AV_FRAME_FLAG_INTERLACED : 0) |
                    (interlaced && top ? AV_FRAME_FLAG_TOP_FIELD_FIRST : 0);
#else
    frame->interlaced_frame = interlaced;
    frame->top_field_first = interlaced && top;
#endif
}

const enum AVPixelFormat *lg_av_encoder_formats(const AVCodec *encoder)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void *formats = NULL;
    if (avcodec_get_supported_config(NULL, encoder, AV_CODEC_CONFIG_PIX_FORMAT, 0, &formats, NULL) <
        0)
        return NULL;
    return formats;
#else
    return encoder->pix_fmts;
#endif
}

static bool is_kept(enum AVPacketSideDataType type)
{
    return type == AV_PKT_DATA_DISPLAYMATRIX || type == AV_PKT_DATA_STEREO3D ||
           type == AV_PKT_DATA_SPHERICAL || type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA ||
           type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL;
}

#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)

int lg_av_copy_side_data(const AVStream *from, AVStream *to)
{
    for (int i = 0; i < from->codecpar->nb_coded_side_data; i++) {
        const AVPacketSideData *data = &from->codecpar->coded_side_data[i];
        if (!is_kept(data->type))
            continue;
        AVPacketSideData *copy =
            av_packet_side_data_new(&to->codecpar->coded_side_data,
                                    &to->codecpar->nb_coded_side_data, data->type, data->size, 0);
        if (!copy)
            return AVERROR(ENOMEM);
        memcpy(copy->data, data->data, data->size);
    }
    return 0;
}

bool lg_av_is_turned(const AVStream *stream)
{
    return av_packet_side_data_get(stream->codecpar->coded_side_data,
                                   stream->codecpar->nb_coded_side_data,
                                   AV_PKT_DATA_DISPLAYMATRIX) != NULL;
}

#else

int lg_av_copy_side_data(const AVStream *from, AVStream *to)
{
    for (int i = 0; i < from->nb_side_data; i++) {
        const AVPacketSideData *data = &from->side_data[i];
        if (!is_kept(data->type))
            continue;
        uint8_t *copy = av_stream_new_side_data(to, data->type, data->size);
        if (!copy)
            return AVERROR(ENOMEM);
        memcpy(copy, data->data, data->size);
    }
    return 0;
}

bool lg_av_is_turned(const AVStream *stream)
{
    return av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, NULL) != NULL;
}

#endif

bool lg_av_keeps_turns(const AVOutputFormat *container)
{
    const bool boxes = strcmp(container->name, "mp4") == 0 || strcmp(container->name, "mov") == 0 ||
                       strcmp(container->name, "ipod") == 0;
    const bool matroska = strcmp(container->name, "matroska") == 0;
    return boxes || (matroska && LIBAVFORMAT_VERSION_MAJOR >= 61);
}
