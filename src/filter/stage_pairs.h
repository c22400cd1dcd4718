// Part of stage_cpu.c: bilinear sampling at points whose four pixels are all inside. The pixels are
// loaded as two pairs (a pixel and its right neighbour, in a row and in the one below) and
// interpolated without planes in between.
#ifndef LG_STAGE_PAIRS_H
#define LG_STAGE_PAIRS_H

#include "filter/stage_sample.h"

// A colour from the samples or the word of a pixel.
#define LG_GREY_U16(p)   rgba(LG_READ_U16((p)[0]), LG_READ_U16((p)[0]), LG_READ_U16((p)[0]), 1)
#define LG_GREY_F32(p)   rgba((p)[0], (p)[0], (p)[0], 1)
#define LG_OPAQUE_U16(p) rgba(LG_READ_U16((p)[0]), LG_READ_U16((p)[1]), LG_READ_U16((p)[2]), 1)
#define LG_OPAQUE_F32(p) rgba((p)[0], (p)[1], (p)[2], 1)
#define LG_ALPHA_U16(p)                                                                            \
    rgba(LG_READ_U16((p)[0]), LG_READ_U16((p)[1]), LG_READ_U16((p)[2]), LG_READ_U16((p)[3]))
#define LG_ALPHA_F32(p)    rgba((p)[0], (p)[1], (p)[2], (p)[3])
#define LG_WORD_PART(w, k) ((float)(int32_t)((w) >> (8 * (k)) & 255) * LG_UNIT_U8)
#define LG_GREY_PART(w, k) rgba(LG_WORD_PART(w, k), LG_WORD_PART(w, k), LG_WORD_PART(w, k), 1)
#define LG_OPAQUE_U8(p)                                                                            \
    rgba(LG_WORD_PART((p)[0], 0), LG_WORD_PART((p)[0], 1), LG_WORD_PART((p)[0], 2), 1)
#define LG_ALPHA_U8(p)                                                                             \
    rgba(LG_WORD_PART((p)[0], 0), LG_WORD_PART((p)[0], 1), LG_WORD_PART((p)[0], 2),                \
         LG_WORD_PART((p)[0], 3))

// A loop over the places of a part, all of them inside; `from` is the first byte of the four pixels
// around place i. Stores might change *s as far as compilers know, so it is read once.
#define LG_PAIRS_EACH(pixel, ...)                                                                  \
    do {                                                                                           \
        const char *const data = s->in->data;                                                      \
        const int32_t *const x = s->x, *const y = s->y;                                            \
        if (s->near) {                                                                             \
            _Alignas(64) int32_t offsets[LG_SAMPLER_PART];                                         \
            for (int i = 0; i < LG_SAMPLER_PART; i++)                                              \
                offsets[i] = y[i] * (int32_t)row + x[i] * (int32_t)(pixel);                        \
            _Pragma("GCC unroll 8") for (int i = 0; i < LG_SAMPLER_PART; i++)                      \
            {                                                                                      \
                const char *from = data + offsets[i];                                              \
                __VA_ARGS__                                                                        \
            }                                                                                      \
        } else                                                                                     \
            for (int i = 0; i < LG_SAMPLER_PART; i++) {                                            \
                const char *from = data + (size_t)y[i] * row + (size_t)x[i] * (pixel);             \
                __VA_ARGS__                                                                        \
            }                                                                                      \
    } while (0)

#define LG_PAIRS_MIX(mix, tl, tr, bl, br)                                                          \
    for (int i = 0; i < LG_SAMPLER_PART; i++) {                                                    \
        const lg_tap t = {0, 0, fx[i], fy[i]};                                                     \
        const color c = mix(tl, tr, bl, br, t);                                                    \
        r[i] = c.r, g[i] = c.g, b[i] = c.b, a[i] = c.a;                                            \
    }

// `parts` parts of a type make a pixel.
#define LG_PAIRS_LOAD(type, parts)                                                                 \
    const size_t row = s->in->row_stride, pixel = sizeof(type) * (parts);                          \
    type *restrict above = (type *)(void *)s->taps[0][0];                                          \
    type *restrict below = (type *)(void *)s->taps[2][0];                                          \
    LG_PAIRS_EACH(pixel, memcpy(above + 2 * (parts)*i, from, 2 * pixel);                           \
                  memcpy(below + 2 * (parts)*i, from + row, 2 * pixel););                          \
    const float *restrict fx = s->fx, *restrict fy = s->fy;

#define LG_PAIRS(name, type, parts, COLOR, mix)                                                    \
    static void name(const lg_sampler *s, float *restrict r, float *restrict g, float *restrict b, \
                     float *restrict a)                                                            \
    {                                                                                              \
        LG_PAIRS_LOAD(type, parts)                                                                 \
        LG_PAIRS_MIX(mix, COLOR(above + 2 * (parts)*i), COLOR(above + 2 * (parts)*i + (parts)),    \
                     COLOR(below + 2 * (parts)*i), COLOR(below + 2 * (parts)*i + (parts)))         \
    }

// All four bytes in a word.
static void lg_pairs_grey_u8(const lg_sampler *s, float *restrict r, float *restrict g,
                             float *restrict b, float *restrict a)
{
    const size_t row = s->in->row_stride;
    uint32_t *restrict words = (uint32_t *)(void *)s->taps[0][0];
    LG_PAIRS_EACH(1, uint16_t above; uint16_t below; memcpy(&above, from, sizeof above);
                  memcpy(&below, from + row, sizeof below);
                  words[i] = above | (uint32_t)below << 16;);
    const float *restrict fx = s->fx, *restrict fy = s->fy;
    LG_PAIRS_MIX(lg_bilinear_opaque, LG_GREY_PART(words[i], 0), LG_GREY_PART(words[i], 1),
                 LG_GREY_PART(words[i], 2), LG_GREY_PART(words[i], 3))
}

// Without a quotient where the pixels are opaque after all.
static void lg_pairs_alpha_u8(const lg_sampler *s, float *restrict r, float *restrict g,
                              float *restrict b, float *restrict a)
{
    LG_PAIRS_LOAD(uint32_t, 1)
    uint32_t all = 0xff000000u;
    for (int i = 0; i < 2 * LG_SAMPLER_PART; i++)
        all &= above[i] & below[i];
    if (all == 0xff000000u)
        LG_PAIRS_MIX(lg_bilinear_opaque, LG_OPAQUE_U8(above + 2 * i),
                     LG_OPAQUE_U8(above + 2 * i + 1), LG_OPAQUE_U8(below + 2 * i),
                     LG_OPAQUE_U8(below + 2 * i + 1))
    else
        LG_PAIRS_MIX(lg_bilinear, LG_ALPHA_U8(above + 2 * i), LG_ALPHA_U8(above + 2 * i + 1),
                     LG_ALPHA_U8(below + 2 * i), LG_ALPHA_U8(below + 2 * i + 1))
}
LG_PAIRS(lg_pairs_grey_u16, uint16_t, 1, LG_GREY_U16, lg_bilinear_opaque)
LG_PAIRS(lg_pairs_grey_f32, float, 1, LG_GREY_F32, lg_bilinear)
LG_PAIRS(lg_pairs_opaque_u8, uint32_t, 1, LG_OPAQUE_U8, lg_bilinear_opaque)
LG_PAIRS(lg_pairs_opaque_u16, uint16_t, 4, LG_OPAQUE_U16, lg_bilinear_opaque)
LG_PAIRS(lg_pairs_opaque_f32, float, 4, LG_OPAQUE_F32, lg_bilinear)
LG_PAIRS(lg_pairs_alpha_u16, uint16_t, 4, LG_ALPHA_U16, lg_bilinear)
LG_PAIRS(lg_pairs_alpha_f32, float, 4, LG_ALPHA_F32, lg_bilinear)

typedef void (*lg_pairs_fn)(const lg_sampler *s, float *r, float *g, float *b, float *a);

// NULL: pixels of this kind are sampled one by one.
static lg_pairs_fn lg_pairs_of(const lg_pixels *in)
{
    static const lg_pairs_fn all[LG_TYPES][3] = {
        [LG_U8] = {lg_pairs_grey_u8, lg_pairs_opaque_u8, lg_pairs_alpha_u8},
        [LG_U16] = {lg_pairs_grey_u16, lg_pairs_opaque_u16, lg_pairs_alpha_u16},
        [LG_F32] = {lg_pairs_grey_f32, lg_pairs_opaque_f32, lg_pairs_alpha_f32},
    };
    if (in->channels == 1)
        return all[in->type][0];
    return in->channels != 4 || in->alpha == LG_ALPHA_PREMULTIPLIED ? NULL
           : in->alpha == LG_ALPHA_OPAQUE                           ? all[in->type][1]
                                                                    : all[in->type][2];
}

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
    for (int i = 0; i < listed; i++) {
        x[i] = s->x[list[i]], y[i] = s->y[list[i]];
        fx[i] = s->fx[list[i]], fy[i] = s->fy[list[i]];
    }
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        s->x[i] = LG_MIN(LG_MAX(s->x[i], 0), last_x);
        s->y[i] = LG_MIN(LG_MAX(s->y[i], 0), last_y);
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

// Replaces the first points in planes 0 and 1 by the colours there.
static void lg_sampler_colors(lg_sampler *s, lg_pairs_fn pairs, float *const planes[4])
{
    if (pairs && s->border == LG_BORDER_CONSTANT && lg_sampler_is_far(s, planes[0], planes[1])) {
        lg_sampler_fill(s, planes);
        return;
    }
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

// Replaces the points in planes 0 and 1 by the colours there, and does so for whole parts: the planes are
// as long, and what they have behind the last point is of no use.
static void lg_sampler_run(lg_sampler *s, float *const planes[4])
{
    const lg_pairs_fn pairs = lg_pairs_of(s->in);
    const int count = s->count;
    for (int at = 0; at < count; at += LG_SAMPLER_PART) {
        s->count = LG_MIN(LG_SAMPLER_PART, count - at);
        for (int i = at + s->count; i < at + LG_SAMPLER_PART; i++) {
            planes[0][i] = planes[0][i - 1];
            planes[1][i] = planes[1][i - 1];
        }
        lg_sampler_colors(
            s, pairs,
            (float *const[4]){planes[0] + at, planes[1] + at, planes[2] + at, planes[3] + at});
    }
    s->count = count; // a warp may read at further points
}

#endif
