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
        const int32_t *const x = s->x, *const y = s->y, *const offset = s->offset;                 \
        if (s->near) {                                                                             \
            _Pragma("GCC unroll 8") for (int i = 0; i < LG_SAMPLER_PART; i++)                      \
            {                                                                                      \
                const char *from = data + offset[i];                                               \
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

// Each byte with the next one, in a row and in the one below.
static void lg_pairs_bytes(const lg_sampler *s, uint16_t *restrict above, uint16_t *restrict below)
{
    const size_t row = s->in->row_stride;
#if defined(__SSE2__)
    // Eight of them are collected in a register: loads would wait for narrower stores.
    const char *const first = s->in->data, *const second = first + row;
    const int32_t *const at = s->offset;
    for (int i = 0; s->near && i < LG_SAMPLER_PART; i += 8) {
        __m128i a = _mm_setzero_si128(), b = a;
#define LG_INSERT(k)                                                                               \
    do {                                                                                           \
        uint16_t pair;                                                                             \
        memcpy(&pair, first + at[i + (k)], sizeof pair), a = _mm_insert_epi16(a, pair, k);         \
        memcpy(&pair, second + at[i + (k)], sizeof pair), b = _mm_insert_epi16(b, pair, k);        \
    } while (0)
        LG_INSERT(0);
        LG_INSERT(1);
        LG_INSERT(2);
        LG_INSERT(3);
        LG_INSERT(4);
        LG_INSERT(5);
        LG_INSERT(6);
        LG_INSERT(7);
#undef LG_INSERT
        _mm_storeu_si128((__m128i *)(void *)(above + i), a);
        _mm_storeu_si128((__m128i *)(void *)(below + i), b);
    }
    if (s->near)
        return;
#endif
    LG_PAIRS_EACH(1, memcpy(above + i, from, sizeof *above);
                  memcpy(below + i, from + row, sizeof *below););
}

#define LG_BYTE_MEAN(i)                                                                            \
    lg_bilinear_opaque(LG_GREY_PART(above[i], 0), LG_GREY_PART(above[i], 1),                       \
                       LG_GREY_PART(below[i], 0), LG_GREY_PART(below[i], 1),                       \
                       ((lg_tap){0, 0, fx[i], fy[i]}))

static void lg_pairs_grey_u8(const lg_sampler *s, float *restrict r, float *restrict g,
                             float *restrict b, float *restrict a)
{
    uint16_t *restrict above = s->raw, *restrict below = above + LG_SAMPLER_PART;
    const float *restrict fx = s->fx, *restrict fy = s->fy;
    lg_pairs_bytes(s, above, below);
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        const color c = LG_BYTE_MEAN(i);
        r[i] = c.r, g[i] = c.g, b[i] = c.b, a[i] = c.a;
    }
}

// The same as they would be stored, exactly: a mean of bytes is within 0 .. 1 but for its roundings.
static void lg_pairs_exact(const uint16_t *restrict above, const uint16_t *restrict below,
                           const float *restrict fx, const float *restrict fy, uint8_t *restrict to)
{
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        const float v = LG_BYTE_MEAN(i).r * 255.0f;
        to[i] = (uint8_t)(lg_bits(v + LG_WHOLE) & 255);
    }
}

// By fewer operations, of differences of bytes. All roundings on both ways, those of weights and of the unit
// among them, are off by less than 16 units of 2^-24 of 255 together, so that a mean farther from the
// middle between two bytes than LG_BYTE_SLACK becomes the same byte. Where one is nearer, all of the part
// are computed again.
#define LG_BYTE_SLACK 0.0003f
static void lg_pairs_to_bytes(const lg_sampler *s, uint8_t *restrict to)
{
    uint16_t *restrict above = s->raw, *restrict below = above + LG_SAMPLER_PART;
    const float *restrict fx = s->fx, *restrict fy = s->fy;
    uint32_t most = 0; // the bits of floats that are not negative are in their order
    lg_pairs_bytes(s, above, below);
    for (int i = 0; i < LG_SAMPLER_PART; i++) {
        const int16_t tl = above[i] & 255, bl = below[i] & 255;
        const int16_t across = (int16_t)((above[i] >> 8) - tl), down = (int16_t)(bl - tl);
        const int16_t both = (int16_t)((below[i] >> 8) - bl - across);
        const float left = (float)tl + (float)down * fy[i];
        const float v = left + ((float)across + (float)both * fy[i]) * fx[i];
        const float sum = v + LG_WHOLE;
        const uint32_t off = lg_bits(fabsf(v - (sum - LG_WHOLE)));
        most = most < off ? off : most;
        to[i] = (uint8_t)(lg_bits(sum) & 255);
    }
    if (most > lg_bits(0.5f - LG_BYTE_SLACK))
        lg_pairs_exact(above, below, fx, fy, to);
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

#endif
