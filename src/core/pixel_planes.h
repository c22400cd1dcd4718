// Planes of Y'CbCr codes to rows of colours and back, on the CPU. Everything is an integer: sums of
// neighbours are exact, coefficients are multiples of 2^-40, and one rounding follows.
// docs/definitions.md, Video. Included where it is compiled for an instruction set.
#ifndef LG_PIXEL_PLANES_H
#define LG_PIXEL_PLANES_H

#include "core/plane_codes.h"

#include <string.h>

#define LG_PLANAR_SPAN 512 // pixels that are converted at a time

// A frame of planes in host memory.
typedef struct lg_planar {
    uint8_t *plane[LG_MAX_PLANES]; // luma, the first Cb, the first Cr
    size_t row[LG_MAX_PLANES];     // bytes
    size_t sample;                 // bytes
    int step, shift;               // samples from one Cb to the next; zero bits below a code
    bool chroma;                   // there is any
    lg_chroma_axis across, down;
    lg_decoder decoder;
    lg_encoder encoder;
} lg_planar;

// `planes` as lg_image_wrap_planes has them. `type`: of the colours.
static inline lg_planar lg_planar_of(const lg_planes *p, int32_t width, int32_t height,
                                     void *const *data, const size_t *rows, lg_type type)
{
    lg_planar out = {.sample = p->bits > 8 ? 2 : 1,
                     .step = p->paired ? 2 : 1,
                     .shift = p->shift,
                     .chroma = p->chroma != LG_CHROMA_NONE,
                     .across = lg_chroma_across(p, width),
                     .down = lg_chroma_down(p, height),
                     .decoder = lg_decoder_of(p, type),
                     .encoder = lg_encoder_of(p, type)};
    const int count = lg_planes_count(p);
    for (int i = 0; i < count; i++)
        out.plane[i] = data[i], out.row[i] = rows[i];
    if (count == 2) {
        out.plane[2] = out.plane[1] + out.sample;
        out.row[2] = out.row[1];
    }
    return out;
}

// Loops are compiled for samples of one byte and of two: LG_INLINE takes their size as a constant along.
#define LG_INLINE static inline __attribute__((always_inline))

LG_INLINE int32_t lg_planar_at(const uint8_t *row, size_t sample, int64_t i)
{
    uint16_t wide;
    if (sample == 1)
        return row[i];
    memcpy(&wide, row + 2 * i, 2);
    return wide;
}

LG_INLINE void lg_planar_put(uint8_t *row, size_t sample, int64_t i, int32_t value)
{
    const uint16_t wide = (uint16_t)value;
    if (sample == 1)
        row[i] = (uint8_t)value;
    else
        memcpy(row + 2 * i, &wide, 2);
}

LG_INLINE int32_t lg_part_of(int64_t sum, int32_t most)
{
    const int64_t value = sum >> LG_CODE_SHIFT;
    return value < 0 ? 0 : value > most ? most : (int32_t)value;
}

#define LG_CODE_HALF (INT64_C(1) << (LG_CODE_SHIFT - 1))

// ---- planes to colours --------------------------------------------------------------------------

// The two samples of chroma around a sample of luma, and their weights in quarters.
typedef struct lg_chroma_neighbours {
    int32_t first, second, weight_first, weight_second;
} lg_chroma_neighbours;

static inline lg_chroma_neighbours lg_chroma_around(const lg_chroma_axis *a, int32_t at)
{
    const int64_t quarters = 4 * (int64_t)at / a->factor - (a->between ? 1 : 0);
    const int32_t below = (int32_t)(quarters >= 0 ? quarters / 4 : -1);
    const int32_t part = (int32_t)(quarters - 4 * (int64_t)below);
    return (lg_chroma_neighbours){.first = LG_MAX(below, 0),
                                  .second = LG_MIN(below + 1, a->chroma - 1),
                                  .weight_first = 4 - part,
                                  .weight_second = part};
}

// Both rows of chroma around a row of luma as one, in quarters: columns first - 1 .. first + count - 2, and
// beyond the edge the one at the edge.
LG_INLINE void lg_blend_chroma(const lg_planar *p, size_t sample, int64_t step, int plane,
                               const lg_chroma_neighbours *n, int64_t first, int count,
                               int32_t *restrict out)
{
    const uint8_t *above = p->plane[plane] + (size_t)n->first * p->row[plane];
    const uint8_t *below = p->plane[plane] + (size_t)n->second * p->row[plane];
    const int32_t highest = p->decoder.range.highest, one = n->weight_first, two = n->weight_second;
    const int lead = first == 0;
    const int inside = (int)LG_MIN(count, p->across.chroma - first + 1);
    const int shift = sample == 1 ? 0 : p->shift;
    for (int i = lead; i < inside; i++) {
        const int64_t at = (first - 1 + i) * step;
        out[i] = one * LG_MIN(lg_planar_at(above, sample, at) >> shift, highest) +
                 two * LG_MIN(lg_planar_at(below, sample, at) >> shift, highest);
    }
    if (lead)
        out[0] = out[1];
    for (int i = inside; i < count; i++)
        out[i] = out[inside - 1];
}

// The chroma of `count` pixels from a column of chroma on, in sixteenths, less that of grey. chroma[0] is of
// the column before.
static inline void lg_spread_chroma(const lg_chroma_axis *across, int32_t grey,
                                    const int32_t *restrict chroma, int count,
                                    int32_t *restrict out)
{
    const int32_t even = across->between ? 1 : 0, odd = across->between ? 1 : 2;
    if (across->factor == 1)
        for (int i = 0; i < count; i++)
            out[i] = 4 * chroma[i + 1] - 16 * grey;
    else if (across->factor == 2)
        for (int k = 0; 2 * k < count; k++) {
            out[2 * k] = even * chroma[k] + (4 - even) * chroma[k + 1] - 16 * grey;
            out[2 * k + 1] = (4 - odd) * chroma[k + 1] + odd * chroma[k + 2] - 16 * grey;
        }
    else
        for (int i = 0; i < count; i++) {
            const int k = i / 4, part = i % 4;
            out[i] = (4 - part) * chroma[k + 1] + part * chroma[k + 2] - 16 * grey;
        }
}

// A sum of products of 8-bit codes is below 2^53, so doubles hold it exactly, and processors have more of
// them at a time than integers of 64 bits. Cutting off what is behind the point is the shift.
LG_INLINE uint32_t lg_byte_of(double sum)
{
    const int32_t value = (int32_t)(sum * (1.0 / (INT64_C(1) << LG_CODE_SHIFT)));
    const int32_t above = value > 0 ? value : 0;
    return (uint32_t)(above < 255 ? above : 255);
}

LG_INLINE bool lg_bytes_are_little(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

#if defined __SSE2__ && !defined __SSE4_1__ // which have no products of integers of 32 bits
#define LG_DECODES_BY_DOUBLES 1
#else
#define LG_DECODES_BY_DOUBLES 0
#endif

// A coefficient as high * 2^19 + low. Less than 600 * 2^21 is the sum of products of the high parts, and
// below 2^31 that of the low ones, as chroma is at most 2048 sixteenths from grey.
#define LG_LOW_BITS 19

typedef struct lg_split {
    int32_t high, low;
} lg_split;

static inline lg_split lg_split_of(int64_t sum)
{
    const int64_t high = (sum + (INT64_C(1) << (LG_LOW_BITS - 1))) >> LG_LOW_BITS;
    return (lg_split){(int32_t)high, (int32_t)(sum - high * (INT64_C(1) << LG_LOW_BITS))};
}

LG_INLINE uint32_t lg_byte_of_split(int32_t high, int32_t low)
{
    const int32_t value = (high + (low >> LG_LOW_BITS)) >> (LG_CODE_SHIFT - LG_LOW_BITS);
    const int32_t above = value > 0 ? value : 0;
    return (uint32_t)(above < 255 ? above : 255);
}

// Four bytes at a time: red is the first in memory.
static inline void lg_decode_row8(const lg_decoder *d, const uint8_t *luma, const int32_t *cb,
                                  const int32_t *cr, int count, uint32_t *restrict out)
{
    const int64_t from = LG_CODE_HALF - d->luma * d->range.black;
    const int step = lg_bytes_are_little() ? 8 : -8, first = step > 0 ? 0 : 24;
#if LG_DECODES_BY_DOUBLES
    const double y_of = (double)d->luma, red_cr = (double)d->red_cr, blue_cb = (double)d->blue_cb;
    const double green_cb = (double)d->green_cb, green_cr = (double)d->green_cr;
    const double start = (double)from;
    for (int i = 0; i < count; i++) {
        const double y = start + y_of * luma[i], b = cb[i], r = cr[i];
        const uint32_t red = lg_byte_of(y + red_cr * r), blue = lg_byte_of(y + blue_cb * b);
        const uint32_t green = lg_byte_of(y + (green_cb * b + green_cr * r));
        out[i] = red << first | green << (first + step) | blue << (first + 2 * step);
    }
#else
    const lg_split start = lg_split_of(from), y_of = lg_split_of(d->luma);
    const lg_split red_cr = lg_split_of(d->red_cr), blue_cb = lg_split_of(d->blue_cb);
    const lg_split green_cb = lg_split_of(d->green_cb), green_cr = lg_split_of(d->green_cr);
    for (int i = 0; i < count; i++) {
        const int32_t y = luma[i], b = cb[i], r = cr[i];
        const int32_t high = start.high + y_of.high * y, low = start.low + y_of.low * y;
        const uint32_t red = lg_byte_of_split(high + red_cr.high * r, low + red_cr.low * r);
        const uint32_t blue = lg_byte_of_split(high + blue_cb.high * b, low + blue_cb.low * b);
        const uint32_t green = lg_byte_of_split(high + green_cb.high * b + green_cr.high * r,
                                                low + green_cb.low * b + green_cr.low * r);
        out[i] = red << first | green << (first + step) | blue << (first + 2 * step);
    }
#endif
}

static inline void lg_decode_row16(const lg_planar *p, const uint8_t *luma, const int32_t *cb,
                                   const int32_t *cr, int count, uint16_t *restrict out)
{
    const lg_decoder *d = &p->decoder;
    const lg_code_range *s = &d->range;
    for (int i = 0; i < count; i++) {
        const int32_t code = lg_planar_at(luma, 2, i) >> p->shift;
        const int64_t y = d->luma * (LG_MIN(code, s->highest) - s->black) + LG_CODE_HALF;
        const int64_t green = d->green_cb * cb[i] + d->green_cr * cr[i];
        out[4 * i] = (uint16_t)lg_part_of(y + d->red_cr * cr[i], s->most);
        out[4 * i + 1] = (uint16_t)lg_part_of(y + green, s->most);
        out[4 * i + 2] = (uint16_t)lg_part_of(y + d->blue_cb * cb[i], s->most);
        out[4 * i + 3] = 0;
    }
}

LG_INLINE void lg_decode_grey(const lg_planar *p, size_t sample, const uint8_t *luma, int count,
                              uint8_t *restrict out)
{
    const lg_decoder *d = &p->decoder;
    const int shift = sample == 1 ? 0 : p->shift;
    for (int i = 0; i < count; i++) {
        const int32_t code = LG_MIN(lg_planar_at(luma, sample, i) >> shift, d->range.highest);
        lg_planar_put(out, sample, i,
                      lg_part_of(d->luma * (code - d->range.black) + LG_CODE_HALF, d->range.most));
    }
}

// `count` pixels, at most LG_PLANAR_SPAN, of row y from column x on, a multiple of 4: colours of the planes'
// sample type, alpha 0.
static inline void lg_planar_read(const lg_planar *p, int32_t x, int32_t y, int count, void *out)
{
    int32_t narrow[LG_PLANAR_SPAN + 8], wide[2][LG_PLANAR_SPAN + 4];
    const uint8_t *luma = p->plane[0] + (size_t)y * p->row[0] + (size_t)x * p->sample;
    if (!p->chroma) {
        if (p->sample == 1)
            lg_decode_grey(p, 1, luma, count, out);
        else
            lg_decode_grey(p, 2, luma, count, out);
        return;
    }
    const lg_chroma_neighbours n = lg_chroma_around(&p->down, y);
    const int64_t first = x / p->across.factor;
    const int columns = (count - 1) / p->across.factor + 3;
    for (int i = 0; i < 2; i++) {
        if (p->sample == 1 && p->step == 1)
            lg_blend_chroma(p, 1, 1, 1 + i, &n, first, columns, narrow);
        else if (p->sample == 1)
            lg_blend_chroma(p, 1, 2, 1 + i, &n, first, columns, narrow);
        else
            lg_blend_chroma(p, 2, p->step, 1 + i, &n, first, columns, narrow);
        lg_spread_chroma(&p->across, p->decoder.range.grey, narrow, count, wide[i]);
    }
    if (p->sample == 1)
        lg_decode_row8(&p->decoder, luma, wide[0], wide[1], count, out);
    else
        lg_decode_row16(p, luma, wide[0], wide[1], count, out);
}

// ---- colours to planes --------------------------------------------------------------------------

// The rows of an image of colours: grey of one or two channels, or four channels.
typedef struct lg_color_rows {
    const uint8_t *data;
    size_t row, sample; // bytes
    int32_t width, height;
    int channels;
} lg_color_rows;

// As lg_decode_row8, for RGB of 8 bits and codes of 8 bits.
static inline void lg_encode_row8(const lg_encoder *e, const uint32_t *in, int32_t width,
                                  uint8_t *restrict out)
{
    const double red_of = (double)e->luma[0], green_of = (double)e->luma[1];
    const double blue_of = (double)e->luma[2];
    const double start = (double)(((int64_t)e->range.black << LG_CODE_SHIFT) + LG_CODE_HALF);
    const int step = lg_bytes_are_little() ? 8 : -8, first = step > 0 ? 0 : 24;
    for (int32_t x = 0; x < width; x++) {
        const int32_t red = in[x] >> first & 255, green = in[x] >> (first + step) & 255;
        const int32_t blue = in[x] >> (first + 2 * step) & 255;
        out[x] = (uint8_t)lg_byte_of(start + red_of * red + green_of * green + blue_of * blue);
    }
}

LG_INLINE void lg_encode_any(const lg_planar *p, size_t bytes, const lg_color_rows *from,
                             const uint8_t *in, uint8_t *out)
{
    const lg_encoder *e = &p->encoder;
    const int64_t start = ((int64_t)e->range.black << LG_CODE_SHIFT) + LG_CODE_HALF;
    for (int32_t x = 0; x < from->width; x++) {
        const int64_t at = (int64_t)from->channels * x;
        int64_t sum = start;
        for (int c = 0; c < 3 && from->channels > 2; c++)
            sum += e->luma[c] * lg_planar_at(in, bytes, at + c);
        if (from->channels <= 2)
            sum += e->grey * lg_planar_at(in, bytes, at);
        lg_planar_put(out, p->sample, x, lg_part_of(sum, e->range.highest) << p->shift);
    }
}

// Row y of luma.
static inline void lg_planar_write_luma(const lg_planar *p, const lg_color_rows *from, int32_t y)
{
    const uint8_t *in = from->data + (size_t)y * from->row;
    uint8_t *out = p->plane[0] + (size_t)y * p->row[0];
    if (from->sample == 1 && p->sample == 1 && from->channels == 4)
        lg_encode_row8(&p->encoder, (const void *)in, from->width, out);
    else if (from->sample == 1)
        lg_encode_any(p, 1, from, in, out);
    else
        lg_encode_any(p, 2, from, in, out);
}

// Sums over the rows around a row of chroma, for columns first .. end - 1; beyond the edge stands the row at
// the edge.
LG_INLINE void lg_sum_rows(size_t bytes, const lg_color_rows *from, const lg_chroma_spread *down,
                           int64_t y, int32_t first, int32_t end, int32_t *restrict out)
{
    const int count = 4 * (end - first);
    for (int j = 0; j < down->count; j++) {
        const int64_t row = LG_MIN(LG_MAX(y + down->first + j, 0), from->height - 1);
        const uint8_t *in = from->data + (size_t)row * from->row + 4 * bytes * (size_t)first;
        const int32_t weight = down->weight[j];
        for (int i = 0; i < count; i++)
            out[i] = (j ? out[i] : 0) + weight * lg_planar_at(in, bytes, i);
    }
}

// `count` samples of a row of chroma from `column` on. sums[0] is of pixel `left`.
LG_INLINE void lg_encode_chroma(const lg_planar *p, const lg_chroma_spread *across, int32_t width,
                                const int32_t *sums, int32_t left, int32_t column, int count,
                                uint8_t *cb, uint8_t *cr)
{
    const lg_encoder *e = &p->encoder;
    const int64_t start = ((int64_t)e->range.grey << LG_CODE_SHIFT) + LG_CODE_HALF;
    for (int k = column; k < column + count; k++) {
        int32_t sum[3] = {0, 0, 0};
        for (int i = 0; i < across->count; i++) {
            const int64_t x = (int64_t)k * p->across.factor + across->first + i;
            const int32_t *in = sums + 4 * (LG_MIN(LG_MAX(x, 0), width - 1) - left);
            for (int c = 0; c < 3; c++)
                sum[c] += across->weight[i] * in[c];
        }
        for (int i = 0; i < 2; i++) {
            const int64_t *w = e->chroma[i];
            const int64_t value = start + w[0] * sum[0] + w[1] * sum[1] + w[2] * sum[2];
            lg_planar_put(i ? cr : cb, p->sample, (int64_t)k * p->step,
                          lg_part_of(value, e->range.highest) << p->shift);
        }
    }
}

// Row y of both planes of chroma.
static inline void lg_planar_write_chroma(const lg_planar *p, const lg_color_rows *from, int32_t y)
{
    static const lg_chroma_spread on_half = {0, 2, 2, {1, 1}}, on_second = {-1, 3, 4, {1, 2, 1}};
    const lg_chroma_spread *across = lg_chroma_spread_of(&p->across);
    const lg_chroma_spread *down = lg_chroma_spread_of(&p->down);
    int32_t sums[4 * (LG_PLANAR_SPAN + 8)];
    const int32_t factor = p->across.factor, part = LG_PLANAR_SPAN / factor;
    uint8_t *cb = p->plane[1] + (size_t)y * p->row[1], *cr = p->plane[2] + (size_t)y * p->row[2];
    for (int32_t column = 0; column < p->across.chroma; column += part) {
        const int count = LG_MIN(part, p->across.chroma - column);
        const int32_t first = LG_MAX(column * factor + across->first, 0);
        const int32_t end =
            LG_MIN((column + count - 1) * factor + across->first + across->count, from->width);
        if (from->sample == 1)
            lg_sum_rows(1, from, down, (int64_t)y * p->down.factor, first, end, sums);
        else
            lg_sum_rows(2, from, down, (int64_t)y * p->down.factor, first, end, sums);
        // The usual ways of 4:2:0 are compiled by themselves.
        if (factor == 2 && p->across.between)
            lg_encode_chroma(p, &on_half, from->width, sums, first, column, count, cb, cr);
        else if (factor == 2)
            lg_encode_chroma(p, &on_second, from->width, sums, first, column, count, cb, cr);
        else
            lg_encode_chroma(p, across, from->width, sums, first, column, count, cb, cr);
    }
}

#endif
