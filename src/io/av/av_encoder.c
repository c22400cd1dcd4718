// The encoder of a film: which one, how good, and the format of its frames.
#include "io/av/av_internal.h"

#include <stdlib.h>
#include <string.h>

// How good a film is where nobody says it: hard to tell from what it was made of.
static const struct {
    const char *encoder;
    int crf;
} qualities[] = {{"libx264", 18},    {"libx265", 20},    {"libvpx", 10},
                 {"libvpx-vp9", 24}, {"libaom-av1", 24}, {"libsvtav1", 24}};

static const AVCodec *find_encoder(const char *name)
{
    const AVCodec *encoder = avcodec_find_encoder_by_name(name);
    const AVCodecDescriptor *codec = encoder ? NULL : avcodec_descriptor_get_by_name(name);
    if (codec)
        encoder = avcodec_find_encoder(codec->id);
    return encoder && encoder->type == AVMEDIA_TYPE_VIDEO ? encoder : NULL;
}

// H.264 where the container takes it and there is an encoder, as players expect; VP9 in WebM.
static const AVCodec *usual_encoder(const AVOutputFormat *container)
{
    static const struct {
        const char *container;
        enum AVCodecID codec;
    } usual[] = {{"mp4", AV_CODEC_ID_H264},    {"mov", AV_CODEC_ID_H264},
                 {"ipod", AV_CODEC_ID_H264},   {"matroska", AV_CODEC_ID_H264},
                 {"mpegts", AV_CODEC_ID_H264}, {"flv", AV_CODEC_ID_H264},
                 {"webm", AV_CODEC_ID_VP9}};
    const AVCodec *encoder = NULL;
    for (size_t i = 0; i < LG_COUNT(usual); i++)
        if (strcmp(usual[i].container, container->name) == 0)
            encoder = avcodec_find_encoder(usual[i].codec);
    return encoder ? encoder : avcodec_find_encoder(container->video_codec);
}

// NAME[:key=value...]: the options, and the encoder.
static lg_status parse_codec(const lg_av_writing *writing, const AVOutputFormat *container,
                             const AVCodec **encoder, AVDictionary **options, lg_error *error)
{
    char name[64] = "";
    const char *text = writing->codec ? writing->codec : "";
    const size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)LG_MIN(length, sizeof name - 1), text);
    *encoder = *name ? find_encoder(name) : usual_encoder(container);
    if (!*encoder)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       *name ? "this FFmpeg has no encoder '%s'; `ffmpeg -encoders` lists them"
                             : "this FFmpeg has no encoder for a film of this format%s; --codec "
                               "names one",
                       name);
    if (text[length] && av_dict_parse_string(options, text + length + 1, "=", ":", 0) < 0)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the codec '%.100s' is not NAME[:key=value:key=value]", text);
    if (avformat_query_codec(container, (*encoder)->id, FF_COMPLIANCE_NORMAL) == 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, ".%.20s has no place for %s; name another --codec",
                       writing->format, avcodec_get_name((*encoder)->id));
    return LG_OK;
}

static bool has_option(const AVCodec *encoder, const char *name)
{
    return encoder->priv_class &&
           av_opt_find((void *)&encoder->priv_class, name, NULL, 0, AV_OPT_SEARCH_FAKE_OBJ);
}

static bool is_given(AVDictionary *options, const char *const *names)
{
    for (; *names; names++)
        if (av_dict_get(options, *names, NULL, 0))
            return true;
    return false;
}

static lg_status set_quality(const lg_av_writing *writing, const AVCodec *encoder,
                             AVCodecContext *codec, AVDictionary **options, lg_error *error)
{
    static const char *const rates[] = {
        "crf", "b", "qp", "q", "qscale", "global_quality", "cq", "rc", "lossless", "bitrate", NULL};
    const AVCodecDescriptor *d = avcodec_descriptor_get(encoder->id);
    double crf = writing->crf;
    if (crf >= 0 && !has_option(encoder, "crf"))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the encoder %s has no crf; --codec %s:key=value takes its own options",
                       encoder->name, encoder->name);
    const bool given = is_given(*options, rates);
    for (size_t i = 0; i < LG_COUNT(qualities) && crf < 0 && !given; i++)
        if (strcmp(qualities[i].encoder, encoder->name) == 0)
            crf = qualities[i].crf;
    if (crf >= 0) {
        char text[32];
        snprintf(text, sizeof text, "%g", crf);
        av_dict_set(options, "crf", text, 0);
        codec->bit_rate = 0;
    } else if (!given && d && d->props & AV_CODEC_PROP_LOSSY &&
               !(d->props & AV_CODEC_PROP_LOSSLESS)) {
        codec->flags |= AV_CODEC_FLAG_QSCALE;
        codec->global_quality = 3 * FF_QP2LAMBDA;
    }
    if (encoder->id == AV_CODEC_ID_FFV1) { // checked when it is read, each frame by itself
        av_dict_set(options, "level", "3", AV_DICT_DONT_OVERWRITE);
        av_dict_set(options, "slicecrc", "1", AV_DICT_DONT_OVERWRITE);
        av_dict_set(options, "g", "1", AV_DICT_DONT_OVERWRITE);
    }
    return LG_OK;
}

// What the frames are: their size, and how they are to be shown.
static void set_tags(const lg_av_writing *writing, const lg_film *film, AVCodecContext *codec)
{
    static const enum AVColorSpace spaces[] = {[LG_MATRIX_BT709] = AVCOL_SPC_BT709,
                                               [LG_MATRIX_BT601] = AVCOL_SPC_SMPTE170M,
                                               [LG_MATRIX_BT2020] = AVCOL_SPC_BT2020_NCL,
                                               [LG_MATRIX_SMPTE240M] = AVCOL_SPC_SMPTE240M};
    static const enum AVChromaLocation places[] = {[LG_SITING_LEFT] = AVCHROMA_LOC_LEFT,
                                                   [LG_SITING_CENTER] = AVCHROMA_LOC_CENTER,
                                                   [LG_SITING_TOP_LEFT] = AVCHROMA_LOC_TOPLEFT};
    const lg_av_tags *tags = writing->source ? lg_av_source_tags(writing->source) : NULL;
    codec->width = film->width;
    codec->height = film->height;
    codec->sample_aspect_ratio = av_make_q(film->aspect, film->aspect_per ? film->aspect_per : 1);
    if (tags) {
        codec->color_primaries = tags->primaries;
        codec->color_trc = tags->transfer;
    }
    codec->color_range = film->full_range ? AVCOL_RANGE_JPEG
                         : tags && tags->range == AVCOL_RANGE_UNSPECIFIED
                             ? AVCOL_RANGE_UNSPECIFIED // which is limited, as nothing was said
                             : AVCOL_RANGE_MPEG;
    if (film->planes == 0)
        codec->colorspace = AVCOL_SPC_RGB;
    else if (film->planes > 1)
        codec->colorspace = tags && tags->space != AVCOL_SPC_RGB && !writing->matrix_stated
                                ? tags->space
                                : spaces[film->matrix];
    if (film->planes > 1 && tags && tags->location != AVCHROMA_LOC_UNSPECIFIED)
        codec->chroma_sample_location = tags->location;
    else if (film->chroma == LG_CHROMA_420)
        codec->chroma_sample_location = places[film->siting];
    codec->field_order = film->fields == LG_FIELDS_PROGRESSIVE    ? AV_FIELD_PROGRESSIVE
                         : film->fields == LG_FIELDS_TOP_FIRST    ? AV_FIELD_TT
                         : film->fields == LG_FIELDS_BOTTOM_FIRST ? AV_FIELD_BB
                                                                  : AV_FIELD_UNKNOWN;
}

// Time stamps as the source has them, where the codec can count so.
static void set_time(const lg_av_writing *writing, const lg_film *film, AVCodecContext *codec)
{
    const AVRational rate = {film->rate ? film->rate : 25, film->rate ? film->rate_per : 1};
    const bool fixed =
        codec->codec_id == AV_CODEC_ID_MPEG1VIDEO || codec->codec_id == AV_CODEC_ID_MPEG2VIDEO;
    codec->framerate = rate;
    codec->time_base = writing->source ? lg_av_source_tags(writing->source)->unit : av_inv_q(rate);
    if (fixed || (codec->codec_id == AV_CODEC_ID_MPEG4 && codec->time_base.den > 65535))
        codec->time_base = av_inv_q(rate);
}

static lg_status open_encoder(AVCodecContext *codec, const AVCodec *encoder, AVDictionary **options,
                              lg_error *error)
{
    char what[100];
    snprintf(what, sizeof what, "the encoder %s refuses the film", encoder->name);
    lg_av_forget_log();
    const int code = avcodec_open2(codec, encoder, options);
    const AVDictionaryEntry *left = av_dict_get(*options, "", NULL, AV_DICT_IGNORE_SUFFIX);
    if (code < 0) {
        const lg_status status = lg_av_fail(error, code, what);
        return status == LG_ERROR_DATA ? error->status = LG_ERROR_UNSUPPORTED : status;
    }
    if (left)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the encoder %s has no option '%.60s'",
                       encoder->name, left->key);
    return LG_OK;
}

static lg_status prepare(const lg_av_writing *writing, const AVOutputFormat *container,
                         const AVCodec *encoder, lg_film *film, AVCodecContext *codec,
                         lg_error *error)
{
    lg_av_pixels p;
    codec->pix_fmt = lg_av_choose(encoder, film, writing->alpha);
    if (codec->pix_fmt == AV_PIX_FMT_NONE || !lg_av_pixels_of(codec->pix_fmt, &p))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "the encoder %s takes no frames of %d x %d that can be made here",
                       encoder->name, film->width, film->height);
    if (p.planes != film->planes && p.planes > 1 && film->planes < 3)
        film->full_range = false; // of video that is made of RGB or grey
    film->planes = p.planes;
    film->bits = p.bits;
    film->chroma = p.planes > 1 ? p.chroma : LG_CHROMA_NONE;
    film->full_range |= p.full || p.planes == 0;
    set_tags(writing, film, codec);
    set_time(writing, film, codec);
    codec->thread_count = 0;
    if (container->flags & AVFMT_GLOBALHEADER)
        codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (film->fields > LG_FIELDS_PROGRESSIVE && strcmp(encoder->name, "libx264") == 0)
        codec->flags |= AV_CODEC_FLAG_INTERLACED_DCT;
    return LG_OK;
}

lg_status lg_av_encoder_open(const lg_av_writing *writing, const AVOutputFormat *container,
                             lg_film *film, AVCodecContext **out, lg_error *error)
{
    const AVCodec *encoder = NULL;
    AVDictionary *options = NULL;
    AVCodecContext *codec = NULL;
    lg_status status = parse_codec(writing, container, &encoder, &options, error);
    if (status == LG_OK) {
        codec = avcodec_alloc_context3(encoder);
        status = codec ? prepare(writing, container, encoder, film, codec, error)
                       : lg_fail(error, LG_ERROR_MEMORY, "no memory for an encoder");
    }
    if (status == LG_OK)
        status = set_quality(writing, encoder, codec, &options, error);
    if (status == LG_OK)
        status = open_encoder(codec, encoder, &options, error);
    av_dict_free(&options);
    if (status == LG_OK)
        *out = codec;
    else
        avcodec_free_context(&codec);
    return status;
}
