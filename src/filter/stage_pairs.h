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

// `parts` parts of a type make a pixel.
#define LG_PAIRS(name, type, parts, COLOR)                                                         \
    static void name(const lg_sampler *s, float *restrict r, float *restrict g, float *restrict b, \
                     float *restrict a)                                                            \
    {                                                                                              \
        const int count = s->count;                                                                \
        const size_t row = s->in->row_stride, pixel = sizeof(type) * (parts);                      \
        type *restrict above = (type *)(void *)s->taps[0][0];                                      \
        type *restrict below = (type *)(void *)s->taps[2][0];                                      \
        for (int i = 0; i < count; i++) {                                                          \
            const char *from = s->in->data + (size_t)s->y[i] * row + (size_t)s->x[i] * pixel;      \
            memcpy(above + 2 * (parts)*i, from, 2 * pixel);                                        \
            memcpy(below + 2 * (parts)*i, from + row, 2 * pixel);                                  \
        }                                                                                          \
        const float *restrict fx = s->fx, *restrict fy = s->fy;                                    \
        for (int i = 0; i < count; i++) {                                                          \
            const type *p = above + 2 * (parts)*i, *q = below + 2 * (parts)*i;                     \
            const lg_tap t = {0, 0, fx[i], fy[i]};                                                 \
            const color c =                                                                        \
                lg_bilinear(COLOR(p), COLOR(p + (parts)), COLOR(q), COLOR(q + (parts)), t);        \
            r[i] = c.r, g[i] = c.g, b[i] = c.b, a[i] = c.a;                                        \
        }                                                                                          \
    }

// All four bytes in a word.
static void lg_pairs_grey_u8(const lg_sampler *s, float *restrict r, float *restrict g,
                             float *restrict b, float *restrict a)
{
    const int count = s->count;
    const size_t row = s->in->row_stride;
    uint32_t *restrict words = (uint32_t *)(void *)s->taps[0][0];
    for (int i = 0; i < count; i++) {
        const char *from = s->in->data + (size_t)s->y[i] * row + (size_t)s->x[i];
        uint16_t above, below;
        memcpy(&above, from, sizeof above);
        memcpy(&below, from + row, sizeof below);
        words[i] = above | (uint32_t)below << 16;
    }
    const float *restrict fx = s->fx, *restrict fy = s->fy;
    for (int i = 0; i < count; i++) {
        const uint32_t w = words[i];
        const lg_tap t = {0, 0, fx[i], fy[i]};
        const color c = lg_bilinear(LG_GREY_PART(w, 0), LG_GREY_PART(w, 1), LG_GREY_PART(w, 2),
                                    LG_GREY_PART(w, 3), t);
        r[i] = c.r, g[i] = c.g, b[i] = c.b, a[i] = c.a;
    }
}
LG_PAIRS(lg_pairs_grey_u16, uint16_t, 1, LG_GREY_U16)
LG_PAIRS(lg_pairs_grey_f32, float, 1, LG_GREY_F32)
LG_PAIRS(lg_pairs_opaque_u8, uint32_t, 1, LG_OPAQUE_U8)
LG_PAIRS(lg_pairs_opaque_u16, uint16_t, 4, LG_OPAQUE_U16)
LG_PAIRS(lg_pairs_opaque_f32, float, 4, LG_OPAQUE_F32)
LG_PAIRS(lg_pairs_alpha_u8, uint32_t, 1, LG_ALPHA_U8)
LG_PAIRS(lg_pairs_alpha_u16, uint16_t, 4, LG_ALPHA_U16)
LG_PAIRS(lg_pairs_alpha_f32, float, 4, LG_ALPHA_F32)

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

// Whether no place of the span needs a pixel outside.
static bool lg_sampler_is_inside(const lg_sampler *s)
{
    const uint32_t last_x = (uint32_t)s->in->width - 1, last_y = (uint32_t)s->in->height - 1;
    uint32_t outside = 0;
    for (int i = 0; i < s->count; i++)
        outside |= ((uint32_t)s->x[i] >= last_x) | ((uint32_t)s->y[i] >= last_y);
    return !outside;
}

// Whether the places are pixels inside that lie side by side, as where a warp moves nothing.
static bool lg_sampler_is_row(const lg_sampler *s)
{
    uint32_t other = 0;
    for (int i = 0; i < s->count; i++)
        other |= (uint32_t)(s->x[i] ^ (s->x[0] + i)) | (uint32_t)(s->y[i] ^ s->y[0]);
    return !other && s->x[0] >= 0 && s->x[0] + s->count <= s->in->width && s->y[0] >= 0 &&
           s->y[0] < s->in->height;
}

// Whether any place lies between pixels.
static bool lg_sampler_is_between(const lg_sampler *s)
{
    int between = 0;
    for (int i = 0; i < s->count; i++)
        between |= (s->fx[i] > 0) | (s->fy[i] > 0);
    return between;
}

static void lg_sampler_part(const lg_sampler *s, lg_pairs_fn pairs, float *const planes[4])
{
    const bool between = lg_sampler_is_between(s);
    if (!between && lg_sampler_is_row(s)) {
        s->load(s->in, s->x[0], s->y[0], s->count, planes);
    } else if (!between) {
        lg_sampler_tap(s, 0, 0, planes);
    } else if (pairs && lg_sampler_is_inside(s)) {
        pairs(s, planes[0], planes[1], planes[2], planes[3]);
    } else {
        for (int k = 0; k < 4; k++)
            lg_sampler_tap(s, k & 1, k >> 1, s->taps[k]);
        lg_sampler_mix(s, planes[0], planes[1], planes[2], planes[3]);
    }
}

#define LG_SAMPLER_PART 64 // places that go one way together

// Replaces the places in planes 0 and 1 by the colours there.
static void lg_sampler_run(const lg_sampler *s, float *const planes[4])
{
    const lg_pairs_fn pairs = lg_pairs_of(s->in);
    lg_sampler_place(s, planes[0], planes[1]);
    for (int at = 0; at < s->count; at += LG_SAMPLER_PART) {
        lg_sampler part = *s;
        part.count = LG_MIN(LG_SAMPLER_PART, s->count - at);
        part.x += at, part.y += at, part.fx += at, part.fy += at;
        lg_sampler_part(
            &part, pairs,
            (float *const[4]){planes[0] + at, planes[1] + at, planes[2] + at, planes[3] + at});
    }
}

#endif
