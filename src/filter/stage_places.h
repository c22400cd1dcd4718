// Part of stage_cpu.c: where the points of a warp lie, and by which way they are sampled.
#ifndef LG_STAGE_PLACES_H
#define LG_STAGE_PLACES_H

#include "filter/stage_means.h"
#include "filter/stage_words.h"

// From planes to pixels.
typedef void (*lg_store_fn)(void *to, int count, float *const planes[4]);

// What holds of the places of a part.
typedef struct lg_places {
    bool inside;  // none needs a pixel outside
    bool between; // one lies between pixels
} lg_places;

// The places of the points in px and py.
static lg_places lg_sampler_look(const lg_sampler *s, const float *restrict px,
                                 const float *restrict py)
{
    const float width = (float)s->in->width, height = (float)s->in->height;
    const uint32_t last_x = (uint32_t)s->in->width - 1, last_y = (uint32_t)s->in->height - 1;
    float *restrict fx = s->fx, *restrict fy = s->fy;
    int32_t *restrict x = s->x, *restrict y = s->y;
    uint32_t found = 0; // the upper bit: one is outside; the other bits: one is between
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        const lg_tap t = lg_tap_at(px[i], py[i], width, height);
        x[i] = (int32_t)t.x, y[i] = (int32_t)t.y;
        fx[i] = t.fx, fy[i] = t.fy;
        const bool outside = ((uint32_t)x[i] >= last_x) | ((uint32_t)y[i] >= last_y);
        found |= lg_bits(t.fx) | lg_bits(t.fy) | (outside ? 1u << 31 : 0);
    }
    return (lg_places){!(found & 1u << 31), (found & 0x7fffffffu) != 0};
}

// As lg_sampler_look where all places are inside, and their offsets: false where one is not.
static bool lg_sampler_near(const lg_sampler *s, const float *restrict px, const float *restrict py)
{
    const float width = (float)s->in->width, height = (float)s->in->height;
    const uint32_t row = (uint32_t)s->in->row_stride;
    const int shift = s->shift;
    float *restrict fx = s->fx, *restrict fy = s->fy;
    int32_t *restrict offset = s->offset;
    uint32_t most_x = 0, most_y = 0;
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        const lg_near x = lg_near_at(px[i], width), y = lg_near_at(py[i], height);
        offset[i] = (int32_t)(y.first * row + (x.first << shift));
        fx[i] = x.share, fy[i] = y.share;
        most_x = most_x < x.first ? x.first : most_x;
        most_y = most_y < y.first ? y.first : most_y;
    }
    return most_x < (uint32_t)s->in->width - 1 && most_y < (uint32_t)s->in->height - 1;
}

// Whether the places of lg_sampler_near are pixels that lie side by side, as where a warp moves nothing.
static bool lg_sampler_is_line(const lg_sampler *s)
{
    const int32_t *restrict offset = s->offset;
    const float *restrict fx = s->fx, *restrict fy = s->fy;
    if (fx[0] != 0 || fy[0] != 0) // of most warps
        return false;
    uint32_t other = 0;
    for (int i = 0; i < LG_SAMPLER_PART; i++)
        other |= (uint32_t)(offset[i] ^ (offset[0] + i * (int32_t)s->pixel)) | lg_bits(fx[i]) |
                 lg_bits(fy[i]);
    return !other;
}

// Whether the places are pixels inside that lie side by side, as where a warp moves nothing.
static bool lg_sampler_is_row(const lg_sampler *s)
{
    const int32_t *x = s->x, *y = s->y;
    uint32_t other = 0;
    for (int i = 0; i < s->count; i++)
        other |= (uint32_t)(x[i] ^ (x[0] + i)) | (uint32_t)(y[i] ^ y[0]);
    return !other && x[0] >= 0 && x[0] + s->count <= s->in->width && y[0] >= 0 &&
           y[0] < s->in->height;
}

// What the constant around an image gives where none of the four pixels is inside.
static void lg_sampler_fill(const lg_sampler *s, float *const planes[4])
{
    const float alpha = lg_reads_opaque(s->in->channels, s->in->alpha) ? 1 : 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < LG_SAMPLER_PART; i++)
            planes[k][i] = k == 3 ? alpha : 0;
}

// Whether the constant is all that the points in px and py read: each lies two pixels or more outside.
static bool lg_sampler_is_far(const lg_sampler *s, const float *restrict px,
                              const float *restrict py)
{
    const float x = 2 / (float)s->in->width, y = 2 / (float)s->in->height;
#define LG_IS_NEAR(i)                                                                              \
    (((px[i] >= -x) & (px[i] <= 1 + x) & (py[i] >= -y) & (py[i] <= 1 + y)) ? 1u : 0u)
    uint32_t near = LG_IS_NEAR(0) | LG_IS_NEAR(LG_SAMPLER_PART - 1); // one of these is, mostly
    if (near)
        return false;
    for (int i = 0; i < LG_SAMPLER_PART; i++)
        near |= LG_IS_NEAR(i);
#undef LG_IS_NEAR
    return !near;
}

// Numbers of the places that need a pixel outside, but none where all four are constant: their count.
static int lg_sampler_outside(const lg_sampler *s, uint8_t list[LG_SAMPLER_PART],
                              uint8_t far[LG_SAMPLER_PART])
{
    const uint32_t width = (uint32_t)s->in->width, height = (uint32_t)s->in->height;
    const bool constant = s->border == LG_BORDER_CONSTANT;
    const int32_t *restrict x = s->x, *restrict y = s->y;
    uint8_t out[LG_SAMPLER_PART];
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        const uint32_t column = (uint32_t)x[i], row = (uint32_t)y[i];
        out[i] = (column >= width - 1) | (row >= height - 1);
        far[i] = constant & ((column + 1 > width) | (row + 1 > height));
    }
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        list[count] = (uint8_t)i;
        count += out[i] & !far[i];
    }
    return count;
}

// Places of which a few need a pixel outside: those are sampled by themselves, and the others as pairs.
static void lg_sampler_apart(lg_sampler *s, lg_pairs_fn pairs, const uint8_t *list, int listed,
                             const uint8_t *far, float *const planes[4])
{
    int32_t x[LG_SAMPLER_PART], y[LG_SAMPLER_PART];
    float fx[LG_SAMPLER_PART], fy[LG_SAMPLER_PART];
    const int count = s->count;
    const int32_t last_x = s->in->width - 2, last_y = s->in->height - 2;
    const uint32_t row = (uint32_t)s->in->row_stride, pixel = (uint32_t)s->pixel;
    for (int i = 0; i < listed; i++) {
        x[i] = s->x[list[i]], y[i] = s->y[list[i]];
        fx[i] = s->fx[list[i]], fy[i] = s->fy[list[i]];
    }
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        s->x[i] = LG_MIN(LG_MAX(s->x[i], 0), last_x);
        s->y[i] = LG_MIN(LG_MAX(s->y[i], 0), last_y);
        s->offset[i] = (int32_t)((uint32_t)s->y[i] * row + (uint32_t)s->x[i] * pixel);
    }
    pairs(s, planes[0], planes[1], planes[2], planes[3]);
    for (int k = 0; k < 4 && s->border == LG_BORDER_CONSTANT; k++) {
        const float value = k == 3 && lg_reads_opaque(s->in->channels, s->in->alpha) ? 1 : 0;
        for (int i = 0; i < LG_SAMPLER_PART; i++)
            planes[k][i] = far[i] ? value : planes[k][i];
    }
    if (!listed)
        return;
    memcpy(s->x, x, (size_t)listed * sizeof *x), memcpy(s->y, y, (size_t)listed * sizeof *y);
    memcpy(s->fx, fx, (size_t)listed * sizeof *fx), memcpy(s->fy, fy, (size_t)listed * sizeof *fy);
    float few[4][LG_SAMPLER_PART];
    s->count = listed;
    for (int k = 0; k < 4; k++)
        lg_sampler_tap(s, k & 1, k >> 1, s->taps[k]);
    lg_sampler_mix(s, few[0], few[1], few[2], few[3]);
    s->count = count;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < listed; i++)
            planes[k][list[i]] = few[k][i];
}

// The ways to sample a part.
typedef enum lg_way {
    LG_WAY_FAR,  // the constant is all that is read
    LG_WAY_LINE, // pixels that lie side by side
    LG_WAY_NEAR, // all four pixels of each place are inside
    LG_WAY_ANY
} lg_way;

// Offsets and shares are known where the way is LG_WAY_LINE or LG_WAY_NEAR.
static lg_way lg_sampler_way(const lg_sampler *s, const float *px, const float *py)
{
    if (s->border == LG_BORDER_CONSTANT && lg_sampler_is_far(s, px, py))
        return LG_WAY_FAR;
    if (!s->near || !lg_sampler_near(s, px, py))
        return LG_WAY_ANY;
    return lg_sampler_is_line(s) ? LG_WAY_LINE : LG_WAY_NEAR;
}

// Colours of places of which some need a pixel outside, or whose image has no offsets.
static void lg_sampler_any(lg_sampler *s, lg_pairs_fn pairs, float *const planes[4])
{
    const lg_places places = lg_sampler_look(s, planes[0], planes[1]);
    uint8_t list[LG_SAMPLER_PART], far[LG_SAMPLER_PART];
    int listed = 0;
    if (!places.between && lg_sampler_is_row(s)) {
        s->load(s->in, s->x[0], s->y[0], s->count, planes);
    } else if (!places.between) {
        lg_sampler_tap(s, 0, 0, planes);
    } else if (pairs && places.inside) {
        pairs(s, planes[0], planes[1], planes[2], planes[3]);
    } else if (pairs && s->in->width > 1 && s->in->height > 1 &&
               (listed = lg_sampler_outside(s, list, far)) <= LG_SAMPLER_FEW) {
        lg_sampler_apart(s, pairs, list, listed, far, planes);
    } else {
        for (int k = 0; k < 4; k++)
            lg_sampler_tap(s, k & 1, k >> 1, s->taps[k]);
        lg_sampler_mix(s, planes[0], planes[1], planes[2], planes[3]);
    }
}

#define LG_ROWS_AHEAD 12

// Asks for what the same columns of a row below are likely to read: processors do not see slanted lines
// coming. It may lie outside the image.
static void lg_sampler_ask(const lg_sampler *s)
{
    const uintptr_t below = (uintptr_t)s->in->data + LG_ROWS_AHEAD * s->in->row_stride;
    const int step = s->pixel == 1 ? 16 : 8;
    for (int i = 0; i < LG_SAMPLER_PART; i += step)
        __builtin_prefetch((const char *)(below + (size_t)s->offset[i]));
}

// Replaces the points of a part in planes 0 and 1 by the colours there.
static void lg_sampler_colors(lg_sampler *s, lg_pairs_fn pairs, float *const planes[4])
{
    const lg_way way = pairs ? lg_sampler_way(s, planes[0], planes[1]) : LG_WAY_ANY;
    lg_pixels line = *s->in;
    line.data += way == LG_WAY_LINE ? s->offset[0] : 0;
    if (way == LG_WAY_FAR)
        lg_sampler_fill(s, planes);
    else if (way == LG_WAY_LINE)
        s->load(&line, 0, 0, LG_SAMPLER_PART, planes);
    else if (way == LG_WAY_NEAR)
        lg_sampler_ask(s), pairs(s, planes[0], planes[1], planes[2], planes[3]);
    else
        lg_sampler_any(s, pairs, planes);
}

// Opaque pixels that lie side by side, or none of the image, where `from` is NULL.
static void lg_bytes_copy(const lg_sampler *s, const char *from, bool stream, char *to)
{
    static const uint32_t none[LG_SAMPLER_PART];
    if (s->pixel == 4)
        lg_words_store(from ? (const uint32_t *)(const void *)from : none, to, LG_SAMPLER_PART,
                       0xff000000u, stream);
    else if (from)
        memcpy(to, from, (size_t)s->count);
    else
        memset(to, 0, LG_SAMPLER_PART);
}

#if defined(__AVX512BW__)
// Bytes of a part whose means are made in registers: false where they are not.
static bool lg_sampler_means(lg_sampler *s, const float *px, const float *py, bool stream, char *to)
{
    lg_mean_span part;
    lg_means_find(s, px, py, &part);
    if (!part.inside) {
        if (s->border != LG_BORDER_CONSTANT || s->in->width < 2 || s->in->height < 2)
            return false;
        lg_means_apart(s, px, py, &part);
    } else if (lg_sampler_is_line(s)) {
        lg_bytes_copy(s, s->in->data + s->offset[0], stream, to);
        return true;
    }
    lg_sampler_ask(s);
    if (s->pixel == 1)
        lg_means_1(s, &part, px, py, to);
    else
        lg_means_4(s, &part, px, py, stream, to);
    return true;
}
#endif

// The same from opaque bytes to as many opaque bytes. `to` has room for a whole part.
static void lg_sampler_bytes(lg_sampler *s, lg_store_fn store, float *const planes[4], bool stream,
                             char *to)
{
    const float *const px = planes[0], *const py = planes[1];
    if (s->border == LG_BORDER_CONSTANT && lg_sampler_is_far(s, px, py)) {
        lg_bytes_copy(s, NULL, stream, to);
        return;
    }
#if defined(__AVX512BW__)
    if (s->near && lg_sampler_means(s, px, py, stream, to))
        return;
#endif
    const lg_way way = lg_sampler_way(s, px, py);
    if (way == LG_WAY_LINE) {
        lg_bytes_copy(s, s->in->data + s->offset[0], stream, to);
    } else if (way == LG_WAY_NEAR && s->pixel == 1) {
        lg_sampler_ask(s);
        lg_pairs_to_bytes(s, (uint8_t *)to);
    } else {
        lg_sampler_any(s, lg_pairs_of(s->in), planes);
        for (int i = 0; s->pixel == 4 && i < s->count; i++)
            planes[3][i] = 1;
        store(to, s->count, planes);
    }
}

// The points of the part at `at`, of `count`: behind the last point it is repeated.
static void lg_sampler_begin(lg_sampler *s, float *const planes[4], int at, int count,
                             float *part[4])
{
    s->count = LG_MIN(LG_SAMPLER_PART, count - at);
    const float x = planes[0][at + s->count - 1], y = planes[1][at + s->count - 1];
    for (int i = at + s->count; i < at + LG_SAMPLER_PART; i++)
        planes[0][i] = x, planes[1][i] = y;
    for (int k = 0; k < 4; k++)
        part[k] = planes[k] + at;
}

// Replaces the points in planes 0 and 1 by the colours there, and does so for whole parts: the planes are
// as long, and what they have behind the last point is of no use.
static void lg_sampler_run(lg_sampler *s, int count, float *const planes[4])
{
    const lg_pairs_fn pairs = lg_pairs_of(s->in);
    float *part[4];
    for (int at = 0; at < count; at += LG_SAMPLER_PART) {
        lg_sampler_begin(s, planes, at, count, part);
        lg_sampler_colors(s, pairs, part);
    }
}

static void lg_sampler_run_bytes(lg_sampler *s, int count, lg_store_fn store,
                                 float *const planes[4], bool stream, char *to)
{
    float *part[4];
    _Alignas(64) char bytes[4 * LG_SAMPLER_PART];
    for (int at = 0; at < count; at += LG_SAMPLER_PART, to += LG_SAMPLER_PART * s->pixel) {
        lg_sampler_begin(s, planes, at, count, part);
        const bool whole = s->count == LG_SAMPLER_PART;
        lg_sampler_bytes(s, store, part, stream && whole, whole ? to : bytes);
        if (!whole)
            memcpy(to, bytes, (size_t)s->count * s->pixel);
    }
}

#endif
