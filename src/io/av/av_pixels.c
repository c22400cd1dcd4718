// Frames of FFmpeg as planes and images, and back, sample by sample: nothing is converted here.
#include "io/av/av_internal.h"

#include <string.h>

// ---- formats ------------------------------------------------------------------------------------

static bool chroma_of(const AVPixFmtDescriptor *d, lg_chroma *out)
{
    static const struct {
        uint8_t across, down;
        lg_chroma chroma;
    } known[] = {
        {0, 0, LG_CHROMA_444}, {1, 0, LG_CHROMA_422}, {1, 1, LG_CHROMA_420}, {2, 0, LG_CHROMA_411}};
    for (size_t i = 0; i < LG_COUNT(known); i++)
        if (known[i].across == d->log2_chroma_w && known[i].down == d->log2_chroma_h) {
            *out = known[i].chroma;
            return true;
        }
    return false;
}

static bool is_full(enum AVPixelFormat format)
{
    return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ411P ||
           format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P;
}

bool lg_av_pixels_of(enum AVPixelFormat format, lg_av_pixels *out)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
    const uint64_t odd = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                         AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
    if (!d || d->flags & odd || d->nb_components < 1 || d->nb_components == 2 ||
        strncmp(d->name, "xyz", 3) == 0)
        return false;
    *out = (lg_av_pixels){.bits = d->comp[0].depth,
                          .alpha = d->flags & AV_PIX_FMT_FLAG_ALPHA,
                          .full = is_full(format)};
    for (int i = 0; i < d->nb_components; i++)
        if (d->comp[i].depth != out->bits || d->comp[i].depth + d->comp[i].shift > 16)
            return false;
    if (out->bits < 8 || out->bits > 16)
        return false;
    if (d->flags & AV_PIX_FMT_FLAG_RGB)
        return true;
    out->planes = d->nb_components;
    return out->planes == 1 || chroma_of(d, &out->chroma);
}

enum AVPixelFormat lg_av_plain(enum AVPixelFormat format)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
    if (!d || d->flags & AV_PIX_FMT_FLAG_HWACCEL)
        return AV_PIX_FMT_NONE;
    const bool deep = d->comp[0].depth > 8;
    const bool colors =
        d->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER) ||
        strncmp(d->name, "xyz", 3) == 0;
    if (d->nb_components == 1 && !colors)
        return deep ? AV_PIX_FMT_GRAY16 : AV_PIX_FMT_GRAY8;
    if (d->flags & (AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL))
        return deep ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGBA;
    if (colors)
        return deep ? AV_PIX_FMT_RGB48 : AV_PIX_FMT_RGB24;
    return deep ? AV_PIX_FMT_YUV444P16 : AV_PIX_FMT_YUV444P;
}

// ---- samples ------------------------------------------------------------------------------------

// One component of one row.
typedef struct samples {
    uint8_t *at;
    int step, shift, mask;
    bool wide, big; // two bytes, the high one first
} samples;

static samples row_of(const AVFrame *frame, const AVPixFmtDescriptor *d, int component, int y)
{
    const AVComponentDescriptor *c = &d->comp[component];
    return (samples){.at = frame->data[c->plane] + (ptrdiff_t)y * frame->linesize[c->plane] +
                           c->offset,
                     .step = c->step,
                     .shift = c->shift,
                     .mask = (1 << c->depth) - 1,
                     .wide = c->depth + c->shift > 8,
                     .big = d->flags & AV_PIX_FMT_FLAG_BE};
}

static inline int get(const samples *s, int32_t x)
{
    const uint8_t *p = s->at + (ptrdiff_t)x * s->step;
    const int word = !s->wide ? p[0] : s->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
    return word >> s->shift & s->mask;
}

static inline void put(const samples *s, int32_t x, int value)
{
    uint8_t *p = s->at + (ptrdiff_t)x * s->step;
    const int word = (value & s->mask) << s->shift;
    if (!s->wide) {
        p[0] = (uint8_t)(p[0] | word);
        return;
    }
    p[s->big ? 1 : 0] = (uint8_t)(p[s->big ? 1 : 0] | (word & 255));
    p[s->big ? 0 : 1] = (uint8_t)(p[s->big ? 0 : 1] | word >> 8);
}

// Whether a row is stored as the library stores planes.
static bool is_same(const samples *s, size_t sample)
{
    return s->shift == 0 && s->step == (int)sample && s->wide == (sample == 2) &&
           (sample == 1 || s->big != lg_host_is_little());
}

void lg_av_to_planes(const AVFrame *frame, const lg_frame_planes *planes)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(frame->format);
    for (int i = 0; i < planes->count; i++) {
        const lg_frame_plane *p = &planes->plane[i];
        for (int32_t y = 0; y < p->height; y++) {
            const samples s = row_of(frame, d, i, y);
            uint8_t *out = p->data + (size_t)y * p->row;
            if (is_same(&s, planes->sample))
                memcpy(out, s.at, lg_frame_row(planes, i));
            else if (planes->sample == 1)
                for (int32_t x = 0; x < p->width; x++)
                    out[x] = (uint8_t)get(&s, x);
            else
                for (int32_t x = 0; x < p->width; x++)
                    ((uint16_t *)(void *)out)[x] = (uint16_t)get(&s, x);
        }
    }
}

bool lg_av_lend_planes(const AVFrame *frame, const lg_frame_planes *like, lg_frame_plane *out)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(frame->format);
    for (int i = 0; i < like->count; i++) {
        const samples s = row_of(frame, d, i, 0);
        const ptrdiff_t row = frame->linesize[d->comp[i].plane];
        if (!is_same(&s, like->sample) || row < (ptrdiff_t)lg_frame_row(like, i) ||
            row % (ptrdiff_t)like->sample || (uintptr_t)s.at % like->sample)
            return false;
        out[i].data = s.at;
        out[i].row = (size_t)row;
    }
    return true;
}

void lg_av_of_planes(const lg_frame_planes *planes, AVFrame *frame)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(frame->format);
    for (int i = 0; i < planes->count; i++) {
        const lg_frame_plane *p = &planes->plane[i];
        for (int32_t y = 0; y < p->height; y++) {
            const samples s = row_of(frame, d, i, y);
            const uint8_t *in = p->data + (size_t)y * p->row;
            if (is_same(&s, planes->sample))
                memcpy(s.at, in, lg_frame_row(planes, i));
            else if (planes->sample == 1)
                for (int32_t x = 0; x < p->width; x++)
                    put(&s, x, in[x]);
            else
                for (int32_t x = 0; x < p->width; x++)
                    put(&s, x, ((const uint16_t *)(const void *)in)[x]);
        }
    }
}

// ---- RGB ----------------------------------------------------------------------------------------

// Samples of more than 8 bits are of full scale in images.
void lg_av_to_image(const AVFrame *frame, lg_image *image)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(frame->format);
    const bool wide = image->shape.type == LG_U16;
    const int most = (1 << d->comp[0].depth) - 1;
    for (int c = 0; c < d->nb_components; c++)
        for (int32_t y = 0; y < image->shape.height; y++) {
            const samples s = row_of(frame, d, c, y);
            uint8_t *bytes = (uint8_t *)image->data + (size_t)y * image->shape.row_stride + c;
            uint16_t *words = (uint16_t *)image->data;
            words += (size_t)y * image->shape.row_stride / 2 + (size_t)c;
            if (wide)
                for (int32_t x = 0; x < image->shape.width; x++)
                    words[4 * x] = (uint16_t)(((int64_t)get(&s, x) * 65535 + most / 2) / most);
            else
                for (int32_t x = 0; x < image->shape.width; x++)
                    bytes[4 * x] = (uint8_t)get(&s, x);
        }
}

// An image of other depth than the format's is scaled, to nearest. Alpha that it lacks is opaque.
void lg_av_of_image(const lg_image *image, AVFrame *frame)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(frame->format);
    const bool wide = image->shape.type == LG_U16;
    const int most = (1 << d->comp[0].depth) - 1, from = wide ? 65535 : 255;
    for (int c = 0; c < d->nb_components; c++)
        for (int32_t y = 0; y < image->shape.height; y++) {
            const samples s = row_of(frame, d, c, y);
            const uint8_t *bytes = (const uint8_t *)image->data;
            bytes += (size_t)y * image->shape.row_stride;
            const uint16_t *words = (const uint16_t *)(const void *)bytes;
            const bool opaque = c == 3 && image->shape.alpha == LG_ALPHA_OPAQUE;
            const int channel = image->shape.channels == 4 ? c : 0;
            for (int32_t x = 0; x < image->shape.width; x++) {
                const ptrdiff_t at = (ptrdiff_t)x * image->shape.channels + channel;
                const int value = opaque ? from : wide ? words[at] : bytes[at];
                put(&s, x, most == from ? value : (int)(((int64_t)value * most + from / 2) / from));
            }
        }
}

// ---- the format of an encoder -------------------------------------------------------------------

// H.264 and H.265 by these encoders have whole samples of chroma.
static bool takes_odd(const AVCodec *encoder, const AVPixFmtDescriptor *d, const lg_film *film)
{
    const bool whole =
        strcmp(encoder->name, "libx264") == 0 || strcmp(encoder->name, "libx265") == 0;
    return !whole || ((film->width & ((1 << d->log2_chroma_w) - 1)) == 0 &&
                      (film->height & ((1 << d->log2_chroma_h) - 1)) == 0);
}

// What is lost weighs more than what is stored in vain.
static int cost_of(const AVCodec *encoder, enum AVPixelFormat format, const lg_film *film,
                   bool alpha)
{
    static const int across[] = {0, 2, 4, 2, 1}, down[] = {0, 2, 1, 1, 1}; // by lg_chroma
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
    lg_av_pixels p;
    if (!lg_av_pixels_of(format, &p) || !takes_odd(encoder, d, film))
        return -1;
    int cost = p.bits < film->bits ? 100 * (film->bits - p.bits) : 10 * (p.bits - film->bits);
    const bool grey = film->planes == 1, rgb = film->planes == 0;
    if (grey != (p.planes == 1))
        cost += grey ? 500 : 10000;
    else if (!grey && rgb != (p.planes == 0))
        cost += rgb ? 1000 : 2000;
    if (alpha != p.alpha)
        cost += alpha ? 400 : 50;
    if (!grey && p.planes > 1) {
        const int x = rgb ? 1 : across[film->chroma], y = rgb ? 1 : down[film->chroma];
        const int px = across[p.chroma], py = down[p.chroma];
        cost += (px > x ? 200 : px < x ? 20 : 0) + (py > y ? 200 : py < y ? 20 : 0);
    }
    if (p.full && !film->full_range)
        cost += 5;
    return cost + (d->comp[0].step > (p.bits > 8 ? 2 : 1)) +
           (d->flags & AV_PIX_FMT_FLAG_BE ? 2 : 0) + (p.planes > 1 && d->comp[1].step > 2 ? 1 : 0);
}

enum AVPixelFormat lg_av_choose(const AVCodec *encoder, const lg_film *film, bool alpha)
{
    const enum AVPixelFormat *formats = lg_av_encoder_formats(encoder);
    enum AVPixelFormat best = AV_PIX_FMT_NONE;
    int least = -1;
    const AVPixFmtDescriptor *d = NULL;
    for (int i = 0;; i++) {
        enum AVPixelFormat format;
        if (formats) {
            format = formats[i];
        } else {
            d = av_pix_fmt_desc_next(d);
            format = d ? av_pix_fmt_desc_get_id(d) : AV_PIX_FMT_NONE;
        }
        if (format == AV_PIX_FMT_NONE)
            return best;
        const int cost = cost_of(encoder, format, film, alpha);
        if (cost >= 0 && (least < 0 || cost < least))
            least = cost, best = format;
    }
}
