// Y'CbCr planes as grey, RGB or RGBA, and back: docs/definitions.md, Video. Everything is an integer: sums of
// neighbours are exact, coefficients are multiples of 2^-40, and one rounding follows.
#include "io/film.h"

#include <string.h>

#define SHIFT 40

// Weights of red and blue, times 10000.
static const struct {
    int32_t red, blue;
} weights[] = {
    [LG_MATRIX_BT709] = {2126, 722},
    [LG_MATRIX_BT601] = {2990, 1140},
    [LG_MATRIX_BT2020] = {2627, 593},
};

#define WHOLE 10000

typedef struct samples {
    int32_t most;             // full scale of the image
    int32_t highest;          // code of the planes
    int32_t black, grey;      // code of black, and of no chroma
    int32_t luma, chroma;     // codes from black to white, and of chroma over its whole range
    int32_t red, green, blue; // weights
} samples;

static samples samples_of(const lg_film *film, lg_type type)
{
    const int unit = 1 << (film->bits - 8);
    samples s = {.most = type == LG_U8 ? 255 : 65535, .highest = (1 << film->bits) - 1};
    s.black = film->full_range ? 0 : 16 * unit;
    s.grey = 128 * unit;
    s.luma = film->full_range ? s.highest : 219 * unit;
    s.chroma = film->full_range ? s.highest : 224 * unit;
    s.red = weights[film->matrix].red;
    s.blue = weights[film->matrix].blue;
    s.green = WHOLE - s.red - s.blue;
    return s;
}

// above / below as a multiple of 2^-40, to nearest, halves away from 0.
static int64_t fixed(__int128 above, __int128 below)
{
    const bool negative = above < 0;
    const __int128 size = negative ? -above : above;
    const __int128 quotient = (2 * (size << SHIFT) + below) / (2 * below);
    return (int64_t)(negative ? -quotient : quotient);
}

static inline int32_t clamp_to(int64_t value, int32_t most)
{
    return value < 0 ? 0 : value > most ? most : (int32_t)value;
}

// Loops are compiled for samples of one byte and of two: INLINE takes their size as a constant along.
#define INLINE static inline __attribute__((always_inline))

INLINE int32_t sample_at(const uint8_t *row, size_t sample, int32_t x)
{
    uint16_t wide;
    if (sample == 1)
        return row[x];
    memcpy(&wide, row + 2 * (size_t)x, 2);
    return wide;
}

INLINE void store_at(uint8_t *row, size_t sample, int32_t x, int32_t value)
{
    const uint16_t wide = (uint16_t)value;
    if (sample == 1)
        row[x] = (uint8_t)value;
    else
        memcpy(row + 2 * (size_t)x, &wide, 2);
}

// ---- where chroma lies --------------------------------------------------------------------------

typedef struct axis {
    int32_t factor; // luma samples to one of chroma
    bool between;   // chroma lies between two samples of luma
    int32_t luma, chroma;
} axis;

static axis across_of(const lg_film *film, const lg_planes *planes)
{
    const lg_chroma c = film->chroma;
    return (axis){.factor = c == LG_CHROMA_411                         ? 4
                            : c == LG_CHROMA_420 || c == LG_CHROMA_422 ? 2
                                                                       : 1,
                  .between = c == LG_CHROMA_420 && film->siting == LG_SITING_CENTER,
                  .luma = film->width,
                  .chroma = planes->plane[1].width};
}

static axis down_of(const lg_film *film, const lg_planes *planes)
{
    const bool halved = film->chroma == LG_CHROMA_420;
    return (axis){.factor = halved ? 2 : 1,
                  .between = halved && film->siting != LG_SITING_TOP_LEFT,
                  .luma = film->height,
                  .chroma = planes->plane[1].height};
}

// The two samples of chroma around a sample of luma, and their weights in quarters.
typedef struct neighbours {
    int32_t first, second, weight_first, weight_second;
} neighbours;

static neighbours around(const axis *a, int32_t at)
{
    const int64_t quarters = 4 * (int64_t)at / a->factor - (a->between ? 1 : 0);
    const int32_t below = (int32_t)(quarters >= 0 ? quarters / 4 : -1);
    const int32_t part = (int32_t)(quarters - 4 * (int64_t)below);
    return (neighbours){.first = LG_MAX(below, 0),
                        .second = LG_MIN(below + 1, a->chroma - 1),
                        .weight_first = 4 - part,
                        .weight_second = part};
}

// ---- planes to images ---------------------------------------------------------------------------

typedef struct decoder {
    samples s;
    int64_t luma, red_cr, green_cb, green_cr, blue_cb; // coefficients; of chroma of its sixteenths
    size_t in, out;                                    // bytes of a sample
} decoder;

static decoder decoder_of(const lg_film *film, lg_type type)
{
    decoder d = {.s = samples_of(film, type), .in = film->bits > 8 ? 2 : 1};
    const samples *s = &d.s;
    const __int128 most = s->most, chroma = (__int128)16 * WHOLE * s->chroma;
    d.out = lg_type_size(type);
    d.luma = fixed(most, s->luma);
    d.red_cr = fixed(most * 2 * (WHOLE - s->red), chroma);
    d.blue_cb = fixed(most * 2 * (WHOLE - s->blue), chroma);
    d.green_cb = fixed(-most * 2 * (WHOLE - s->blue) * s->blue, chroma * s->green);
    d.green_cr = fixed(-most * 2 * (WHOLE - s->red) * s->red, chroma * s->green);
    return d;
}

// Both rows of chroma around a row of luma as one, in quarters.
INLINE void blend_rows(const lg_plane *p, size_t sample, int32_t highest, const neighbours *n,
                       int32_t *out)
{
    const uint8_t *first = p->data + (size_t)n->first * p->row;
    const uint8_t *second = p->data + (size_t)n->second * p->row;
    for (int32_t x = 0; x < p->width; x++)
        out[x] = n->weight_first * LG_MIN(sample_at(first, sample, x), highest) +
                 n->weight_second * LG_MIN(sample_at(second, sample, x), highest);
}

INLINE void decode_row(const decoder *d, size_t bytes, const uint8_t *luma, const int32_t *cb,
                       const int32_t *cr, const neighbours *columns, int32_t width, uint8_t *out)
{
    const samples *s = &d->s;
    const int64_t half = INT64_C(1) << (SHIFT - 1);
    for (int32_t x = 0; x < width; x++) {
        const neighbours *n = &columns[x];
        const int64_t b =
            n->weight_first * cb[n->first] + n->weight_second * cb[n->second] - 16 * s->grey;
        const int64_t r =
            n->weight_first * cr[n->first] + n->weight_second * cr[n->second] - 16 * s->grey;
        const int64_t y =
            d->luma * (LG_MIN(sample_at(luma, bytes, x), s->highest) - s->black) + half;
        const int64_t green = d->green_cb * b + d->green_cr * r;
        store_at(out, bytes, 4 * x, clamp_to((y + d->red_cr * r) >> SHIFT, s->most));
        store_at(out, bytes, 4 * x + 1, clamp_to((y + green) >> SHIFT, s->most));
        store_at(out, bytes, 4 * x + 2, clamp_to((y + d->blue_cb * b) >> SHIFT, s->most));
    }
}

static void decode_grey(const decoder *d, const lg_plane *p, lg_image *image)
{
    const int64_t half = INT64_C(1) << (SHIFT - 1);
    for (int32_t y = 0; y < p->height; y++) {
        const uint8_t *row = p->data + (size_t)y * p->row;
        uint8_t *out = lg_image_row(image, 0, y);
        for (int32_t x = 0; x < p->width; x++) {
            const int32_t code = LG_MIN(sample_at(row, d->in, x), d->s.highest);
            store_at(out, d->out, x,
                     clamp_to((d->luma * (code - d->s.black) + half) >> SHIFT, d->s.most));
        }
    }
}

static void decode_alpha(const decoder *d, const lg_plane *p, lg_image *image)
{
    for (int32_t y = 0; y < p->height; y++) {
        uint8_t *out = lg_image_row(image, 0, y);
        for (int32_t x = 0; x < p->width; x++)
            store_at(out, d->out, 4 * x + 3, sample_at(p->data + (size_t)y * p->row, d->in, x));
    }
}

void lg_film_shape(const lg_film *film, lg_image_params *out)
{
    *out = (lg_image_params){.width = film->width,
                             .height = film->height,
                             .layers = 1,
                             .channels = film->planes == 1 ? 1 : 4,
                             .type = film->bits > 8 ? LG_U16 : LG_U8,
                             .alpha = film->planes == 1   ? LG_ALPHA_NONE
                                      : film->planes == 4 ? LG_ALPHA_STRAIGHT
                                                          : LG_ALPHA_OPAQUE};
}

INLINE void decode_rows(const decoder *d, size_t bytes, const lg_planes *planes, const axis *down,
                        const neighbours *columns, int32_t *chroma, lg_image *image)
{
    const lg_plane *luma = &planes->plane[0];
    const int32_t across = planes->plane[1].width;
    for (int32_t y = 0; y < luma->height; y++) {
        const neighbours rows = around(down, y);
        for (int i = 0; i < 2; i++)
            blend_rows(&planes->plane[1 + i], bytes, d->s.highest, &rows,
                       chroma + (size_t)i * (size_t)across);
        decode_row(d, bytes, luma->data + (size_t)y * luma->row, chroma, chroma + across, columns,
                   luma->width, lg_image_row(image, 0, y));
    }
}

lg_status lg_planes_to_image(const lg_film *film, const lg_planes *planes, lg_image *image,
                             lg_error *error)
{
    const decoder d = decoder_of(film, image->shape.type);
    if (planes->count == 1) {
        decode_grey(&d, &planes->plane[0], image);
        return LG_OK;
    }
    const axis across = across_of(film, planes), down = down_of(film, planes);
    neighbours *columns = lg_alloc_array((size_t)film->width, sizeof *columns);
    int32_t *chroma = lg_alloc_array(2 * (size_t)across.chroma, sizeof *chroma);
    const bool good = columns && chroma;
    for (int32_t x = 0; good && x < film->width; x++)
        columns[x] = around(&across, x);
    if (good && d.in == 1)
        decode_rows(&d, 1, planes, &down, columns, chroma, image);
    else if (good)
        decode_rows(&d, 2, planes, &down, columns, chroma, image);
    if (good && planes->count == 4)
        decode_alpha(&d, &planes->plane[3], image);
    lg_free(columns);
    lg_free(chroma);
    return good ? LG_OK : lg_fail_memory(error, (size_t)film->width * 24, "rows of chroma");
}

// ---- images to planes ---------------------------------------------------------------------------

typedef struct encoder {
    samples s;
    int64_t luma[3]; // of red, green, blue
    int64_t chroma[2][3];
    int32_t parts; // of the weights that make a sample of chroma
    size_t in, out;
    int channels;
} encoder;

static encoder encoder_of(const lg_film *film, const lg_image_params *shape, int32_t parts)
{
    encoder e = {.s = samples_of(film, shape->type), .parts = parts, .channels = shape->channels};
    const samples *s = &e.s;
    const int32_t w[3] = {s->red, s->green, s->blue};
    e.in = lg_type_size(shape->type);
    e.out = film->bits > 8 ? 2 : 1;
    for (int c = 0; c < 3; c++) {
        e.luma[c] = fixed((__int128)s->luma * w[c], (__int128)s->most * WHOLE);
        for (int i = 0; i < 2; i++) {
            const int own = i == 0 ? 2 : 0; // Cb is of blue, Cr of red
            const int32_t part = c == own ? WHOLE - w[c] : -w[c];
            e.chroma[i][c] =
                fixed((__int128)s->chroma * part, (__int128)2 * (WHOLE - w[own]) * s->most * parts);
        }
    }
    return e;
}

INLINE void encode_luma(const encoder *e, size_t bytes, const lg_image *image, const lg_plane *p)
{
    const int64_t start = ((int64_t)e->s.black << SHIFT) + (INT64_C(1) << (SHIFT - 1));
    const int64_t whole = fixed(e->s.luma, e->s.most);
    for (int32_t y = 0; y < p->height; y++) {
        const uint8_t *in = lg_image_row(image, 0, y);
        uint8_t *out = p->data + (size_t)y * p->row;
        for (int32_t x = 0; x < p->width; x++) {
            const int32_t at = e->channels * x;
            int64_t sum = start;
            for (int c = 0; c < 3 && e->channels > 2; c++)
                sum += e->luma[c] * sample_at(in, bytes, at + c);
            if (e->channels <= 2)
                sum += whole * sample_at(in, bytes, at);
            store_at(out, e->out, x, clamp_to(sum >> SHIFT, e->s.highest));
        }
    }
}

// Samples of luma from `first` on, with weights that rise and fall.
typedef struct spread {
    int32_t first, count, sum, weight[7];
} spread;

static spread spread_of(const axis *a)
{
    if (a->factor == 1)
        return (spread){0, 1, 1, {1}};
    if (a->between)
        return (spread){0, 2, 2, {1, 1}};
    return a->factor == 2 ? (spread){-1, 3, 4, {1, 2, 1}}
                          : (spread){-3, 7, 16, {1, 2, 3, 4, 3, 2, 1}};
}

// Sums of the colours around a sample of chroma; beyond the edge stand the samples at the edge.
INLINE void gather(size_t bytes, const lg_image *image, const spread *across, const spread *down,
                   int64_t x, int64_t y, int64_t out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int j = 0; j < down->count; j++) {
        const int64_t row = LG_MAX(y + down->first + j, 0);
        const uint8_t *in = lg_image_row(image, 0, LG_MIN(row, image->shape.height - 1));
        for (int i = 0; i < across->count; i++) {
            const int64_t column = LG_MAX(x + across->first + i, 0);
            const int32_t at = 4 * (int32_t)LG_MIN(column, image->shape.width - 1);
            const int32_t weight = across->weight[i] * down->weight[j];
            for (int c = 0; c < 3; c++)
                out[c] += weight * sample_at(in, bytes, at + c);
        }
    }
}

INLINE void encode_chroma(const encoder *e, size_t bytes, const lg_film *film,
                          const lg_image *image, lg_planes *planes)
{
    const axis across = across_of(film, planes), down = down_of(film, planes);
    const spread sx = spread_of(&across), sy = spread_of(&down);
    const int64_t start = ((int64_t)e->s.grey << SHIFT) + (INT64_C(1) << (SHIFT - 1));
    for (int32_t y = 0; y < down.chroma; y++)
        for (int32_t x = 0; x < across.chroma; x++) {
            int64_t sum[3];
            gather(bytes, image, &sx, &sy, (int64_t)x * across.factor, (int64_t)y * down.factor,
                   sum);
            for (int i = 0; i < 2; i++) {
                const lg_plane *p = &planes->plane[1 + i];
                const int64_t *k = e->chroma[i];
                const int64_t value = start + k[0] * sum[0] + k[1] * sum[1] + k[2] * sum[2];
                store_at(p->data + (size_t)y * p->row, e->out, x,
                         clamp_to(value >> SHIFT, e->s.highest));
            }
        }
}

static void encode_alpha(const encoder *e, const lg_image *image, const lg_plane *p)
{
    for (int32_t y = 0; y < p->height; y++)
        for (int32_t x = 0; x < p->width; x++)
            store_at(p->data + (size_t)y * p->row, e->out, x,
                     sample_at(lg_image_row(image, 0, y), e->in, 4 * x + 3));
}

INLINE void encode_planes(const encoder *e, size_t bytes, const lg_film *film,
                          const lg_image *image, lg_planes *planes)
{
    encode_luma(e, bytes, image, &planes->plane[0]);
    if (planes->count > 1)
        encode_chroma(e, bytes, film, image, planes);
}

lg_status lg_planes_of_image(const lg_film *film, const lg_image *image, lg_planes *planes,
                             lg_error *error)
{
    int32_t parts = 1;
    if (planes->count > 1) {
        const axis across = across_of(film, planes), down = down_of(film, planes);
        parts = spread_of(&across).sum * spread_of(&down).sum;
    }
    const encoder e = encoder_of(film, &image->shape, parts);
    if (e.in == 1)
        encode_planes(&e, 1, film, image, planes);
    else
        encode_planes(&e, 2, film, image, planes);
    if (planes->count == 4)
        encode_alpha(&e, image, &planes->plane[3]);
    return LG_OK;
}
