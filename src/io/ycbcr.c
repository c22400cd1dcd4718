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

// The chroma of every pixel of a row, in sixteenths, less that of grey. With half as many columns of chroma
// two pixels stand around each; at the edges, and otherwise, `columns` says where a pixel stands.
static void spread_row(const axis *across, const neighbours *columns, int32_t grey,
                       const int32_t *chroma, int32_t *out)
{
    const int32_t even = across->between ? 1 : 0, odd = across->between ? 1 : 2;
    int32_t first = 0, end = 0;
    if (across->factor == 2 && across->chroma > 2) {
        first = 2, end = 2 * (across->chroma - 1);
        for (int32_t k = 1; k < across->chroma - 1; k++) {
            out[2 * k] = even * chroma[k - 1] + (4 - even) * chroma[k] - 16 * grey;
            out[2 * k + 1] = (4 - odd) * chroma[k] + odd * chroma[k + 1] - 16 * grey;
        }
    }
    for (int32_t x = 0; x < across->luma; x = x + 1 == first ? LG_MAX(end, x + 1) : x + 1) {
        const neighbours *n = &columns[x];
        out[x] =
            n->weight_first * chroma[n->first] + n->weight_second * chroma[n->second] - 16 * grey;
    }
}

static void decode_row16(const decoder *d, const uint16_t *luma, const int32_t *cb,
                         const int32_t *cr, int32_t width, uint16_t *out)
{
    const samples *s = &d->s;
    const int64_t half = INT64_C(1) << (SHIFT - 1);
    for (int32_t x = 0; x < width; x++) {
        const int64_t y = d->luma * (LG_MIN(luma[x], s->highest) - s->black) + half;
        const int64_t green = d->green_cb * cb[x] + d->green_cr * cr[x];
        out[4 * x] = (uint16_t)clamp_to((y + d->red_cr * cr[x]) >> SHIFT, s->most);
        out[4 * x + 1] = (uint16_t)clamp_to((y + green) >> SHIFT, s->most);
        out[4 * x + 2] = (uint16_t)clamp_to((y + d->blue_cb * cb[x]) >> SHIFT, s->most);
    }
}

// A sum of products of 8-bit codes is below 2^53, so doubles hold it exactly, and processors have more of
// them at a time than integers of 64 bits. Cutting off what is behind the point is the shift.
INLINE uint32_t byte_of(double sum)
{
    const int32_t value = (int32_t)(sum * (1.0 / (INT64_C(1) << SHIFT)));
    const int32_t above = value > 0 ? value : 0;
    return (uint32_t)(above < 255 ? above : 255);
}

// Four bytes at a time: red is the first in memory.
static void decode_row8(const decoder *d, const uint8_t *luma, const int32_t *cb, const int32_t *cr,
                        int32_t width, uint32_t *restrict out)
{
    const double y_of = (double)d->luma, red_cr = (double)d->red_cr, blue_cb = (double)d->blue_cb;
    const double green_cb = (double)d->green_cb, green_cr = (double)d->green_cr;
    const double start = (double)((INT64_C(1) << (SHIFT - 1)) - d->luma * d->s.black);
    const int step = lg_host_is_little() ? 8 : -8, first = step > 0 ? 0 : 24;
    for (int32_t x = 0; x < width; x++) {
        const double y = start + y_of * luma[x], b = cb[x], r = cr[x];
        const uint32_t red = byte_of(y + red_cr * r), blue = byte_of(y + blue_cb * b);
        const uint32_t green = byte_of(y + (green_cb * b + green_cr * r));
        out[x] = red << first | green << (first + step) | blue << (first + 2 * step);
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

// Alpha is of full range on both sides. To nearest.
static inline int32_t rescale(int32_t value, int32_t from, int32_t to)
{
    return from == to ? value : (int32_t)(((int64_t)LG_MIN(value, from) * to + from / 2) / from);
}

static void decode_alpha(const decoder *d, const lg_plane *p, lg_image *image)
{
    for (int32_t y = 0; y < p->height; y++) {
        uint8_t *out = lg_image_row(image, 0, y);
        for (int32_t x = 0; x < p->width; x++)
            store_at(out, d->out, 4 * x + 3,
                     rescale(sample_at(p->data + (size_t)y * p->row, d->in, x), d->s.highest,
                             d->s.most));
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

// Room for rows: two of chroma as stored, then two of every pixel.
static void decode_rows(const decoder *d, const lg_planes *planes, const axis *across,
                        const axis *down, const neighbours *columns, int32_t *room, lg_image *image)
{
    const lg_plane *luma = &planes->plane[0];
    int32_t *wide = room + 2 * (size_t)across->chroma;
    for (int32_t y = 0; y < luma->height; y++) {
        const neighbours rows = around(down, y);
        const uint8_t *in = luma->data + (size_t)y * luma->row;
        void *out = lg_image_row(image, 0, y);
        for (int i = 0; i < 2; i++) {
            int32_t *chroma = room + (size_t)i * (size_t)across->chroma;
            if (d->in == 1)
                blend_rows(&planes->plane[1 + i], 1, d->s.highest, &rows, chroma);
            else
                blend_rows(&planes->plane[1 + i], 2, d->s.highest, &rows, chroma);
            spread_row(across, columns, d->s.grey, chroma, wide + (size_t)i * (size_t)across->luma);
        }
        if (d->in == 1)
            decode_row8(d, in, wide, wide + across->luma, across->luma, out);
        else
            decode_row16(d, (const void *)in, wide, wide + across->luma, across->luma, out);
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
    const size_t room = 2 * ((size_t)across.chroma + (size_t)across.luma);
    neighbours *columns = lg_alloc_array((size_t)film->width, sizeof *columns);
    int32_t *rows = lg_alloc_array(room, sizeof *rows);
    const bool good = columns && rows;
    for (int32_t x = 0; good && x < film->width; x++)
        columns[x] = around(&across, x);
    if (good)
        decode_rows(&d, planes, &across, &down, columns, rows, image);
    if (good && planes->count == 4)
        decode_alpha(&d, &planes->plane[3], image);
    lg_free(columns);
    lg_free(rows);
    return good ? LG_OK : lg_fail_memory(error, room * sizeof *rows, "rows of chroma");
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

// As decode_row8, for RGB of 8 bits and codes of 8 bits.
static void encode_row8(const encoder *e, const uint32_t *in, int32_t width, uint8_t *restrict out)
{
    const double red_of = (double)e->luma[0], green_of = (double)e->luma[1];
    const double blue_of = (double)e->luma[2];
    const double start = (double)(((int64_t)e->s.black << SHIFT) + (INT64_C(1) << (SHIFT - 1)));
    const int step = lg_host_is_little() ? 8 : -8, first = step > 0 ? 0 : 24;
    for (int32_t x = 0; x < width; x++) {
        const int32_t red = in[x] >> first & 255, green = in[x] >> (first + step) & 255;
        const int32_t blue = in[x] >> (first + 2 * step) & 255;
        out[x] = (uint8_t)byte_of(start + red_of * red + green_of * green + blue_of * blue);
    }
}

INLINE void encode_luma(const encoder *e, size_t bytes, const lg_image *image, const lg_plane *p)
{
    const int64_t start = ((int64_t)e->s.black << SHIFT) + (INT64_C(1) << (SHIFT - 1));
    const int64_t whole = fixed(e->s.luma, e->s.most);
    for (int32_t y = 0; y < p->height; y++) {
        const uint8_t *in = lg_image_row(image, 0, y);
        uint8_t *out = p->data + (size_t)y * p->row;
        if (bytes == 1 && e->out == 1 && e->channels == 4) {
            encode_row8(e, (const void *)in, p->width, out);
            continue;
        }
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

static const spread on_each = {0, 1, 1, {1}};
static const spread on_half = {0, 2, 2, {1, 1}};
static const spread on_second = {-1, 3, 4, {1, 2, 1}};
static const spread on_fourth = {-3, 7, 16, {1, 2, 3, 4, 3, 2, 1}};

static const spread *spread_of(const axis *a)
{
    return a->factor == 1   ? &on_each
           : a->between     ? &on_half
           : a->factor == 2 ? &on_second
                            : &on_fourth;
}

// A row of sums over the rows around a row of chroma; beyond the edge stands the row at the edge.
INLINE void sum_rows(size_t bytes, const lg_image *image, const spread *down, int64_t y,
                     int32_t *restrict out)
{
    const int32_t all = 4 * image->shape.width;
    for (int j = 0; j < down->count; j++) {
        const int64_t row = LG_MAX(y + down->first + j, 0);
        const uint8_t *in = lg_image_row(image, 0, LG_MIN(row, image->shape.height - 1));
        const int32_t weight = down->weight[j];
        for (int32_t i = 0; i < all; i++)
            out[i] = (j ? out[i] : 0) + weight * sample_at(in, bytes, i);
    }
}

// The sums of red, green and blue around a column of chroma.
INLINE void sum_columns(const spread *across, const int32_t *rows, int32_t width, int64_t x,
                        int32_t out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < across->count; i++) {
        const int64_t column = LG_MAX(x + across->first + i, 0);
        const int32_t *in = rows + 4 * LG_MIN(column, width - 1);
        for (int c = 0; c < 3; c++)
            out[c] += across->weight[i] * in[c];
    }
}

INLINE void encode_chroma_row(const encoder *e, const spread *across, int32_t factor,
                              const int32_t *rows, int32_t width, lg_planes *planes, int32_t y)
{
    const int64_t start = ((int64_t)e->s.grey << SHIFT) + (INT64_C(1) << (SHIFT - 1));
    for (int32_t x = 0; x < planes->plane[1].width; x++) {
        int32_t sum[3];
        sum_columns(across, rows, width, (int64_t)x * factor, sum);
        for (int i = 0; i < 2; i++) {
            const lg_plane *p = &planes->plane[1 + i];
            const int64_t *k = e->chroma[i];
            const int64_t value = start + k[0] * sum[0] + k[1] * sum[1] + k[2] * sum[2];
            store_at(p->data + (size_t)y * p->row, e->out, x,
                     clamp_to(value >> SHIFT, e->s.highest));
        }
    }
}

// The usual ways of 4:2:0 are compiled by themselves. `room` is a row of sums.
static void encode_chroma(const encoder *e, const lg_film *film, const lg_image *image,
                          lg_planes *planes, int32_t *room)
{
    const axis across = across_of(film, planes), down = down_of(film, planes);
    const spread *sx = spread_of(&across), *sy = spread_of(&down);
    const int32_t factor = across.factor, width = image->shape.width;
    for (int32_t y = 0; y < down.chroma; y++) {
        const int64_t row = (int64_t)y * down.factor;
        if (e->in == 1)
            sum_rows(1, image, sy, row, room);
        else
            sum_rows(2, image, sy, row, room);
        if (sx == &on_half)
            encode_chroma_row(e, &on_half, factor, room, width, planes, y);
        else if (sx == &on_second)
            encode_chroma_row(e, &on_second, factor, room, width, planes, y);
        else
            encode_chroma_row(e, sx, factor, room, width, planes, y);
    }
}

static void encode_alpha(const encoder *e, const lg_image *image, const lg_plane *p)
{
    for (int32_t y = 0; y < p->height; y++)
        for (int32_t x = 0; x < p->width; x++)
            store_at(p->data + (size_t)y * p->row, e->out, x,
                     rescale(sample_at(lg_image_row(image, 0, y), e->in, 4 * x + 3), e->s.most,
                             e->s.highest));
}

lg_status lg_planes_of_image(const lg_film *film, const lg_image *image, lg_planes *planes,
                             lg_error *error)
{
    int32_t parts = 1;
    int32_t *room = NULL;
    if (planes->count > 1) {
        const axis across = across_of(film, planes), down = down_of(film, planes);
        parts = spread_of(&across)->sum * spread_of(&down)->sum;
        room = lg_alloc_array((size_t)film->width, 4 * sizeof *room);
        if (!room)
            return lg_fail_memory(error, (size_t)film->width * 4 * sizeof *room, "a row of sums");
    }
    const encoder e = encoder_of(film, &image->shape, parts);
    if (e.in == 1)
        encode_luma(&e, 1, image, &planes->plane[0]);
    else
        encode_luma(&e, 2, image, &planes->plane[0]);
    if (planes->count > 1)
        encode_chroma(&e, film, image, planes, room);
    if (planes->count == 4)
        encode_alpha(&e, image, &planes->plane[3]);
    lg_free(room);
    return LG_OK;
}
