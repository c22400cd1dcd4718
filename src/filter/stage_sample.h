// Part of stage_cpu.c: bilinear sampling of an image at given points. The pixels around the points
// are gathered as stored, then converted and interpolated a span at a time.
#ifndef LG_STAGE_SAMPLE_H
#define LG_STAGE_SAMPLE_H

#include "filter/stage.h"
#include "kernel/pixel_rule.h"

#include <string.h>

typedef struct lg_pixel3 {
    uint8_t at[3];
} lg_pixel3;

typedef struct lg_pixel6 {
    uint16_t at[3];
} lg_pixel6;

typedef struct lg_pixel12 {
    uint32_t at[3];
} lg_pixel12;

typedef struct lg_pixel16 {
    uint64_t low, high;
} lg_pixel16;

#define LG_GATHER(name, type)                                                                      \
    static void name(const lg_pixels *in, const int32_t *restrict x, const int32_t *restrict y,    \
                     int count, void *to)                                                          \
    {                                                                                              \
        type *restrict p = to;                                                                     \
        for (int i = 0; i < count; i++)                                                            \
            memcpy(&p[i], in->data + (size_t)y[i] * in->row_stride + (size_t)x[i] * sizeof *p,     \
                   sizeof *p);                                                                     \
    }
LG_GATHER(lg_gather_1, uint8_t)
LG_GATHER(lg_gather_2, uint16_t)
LG_GATHER(lg_gather_3, lg_pixel3)
LG_GATHER(lg_gather_4, uint32_t)
LG_GATHER(lg_gather_6, lg_pixel6)
LG_GATHER(lg_gather_8, uint64_t)
LG_GATHER(lg_gather_12, lg_pixel12)
LG_GATHER(lg_gather_16, lg_pixel16)

// Replaces columns or rows outside the image by those inside that the border takes; `outside`
// becomes 1 where it takes the constant.
static void lg_sample_border(int32_t *restrict at, float *restrict outside, int count, int32_t size,
                             lg_border border)
{
    if (border == LG_BORDER_REPLICATE) {
        for (int i = 0; i < count; i++) {
            const int32_t low = at[i] < 0 ? 0 : at[i];
            at[i] = low < size ? low : size - 1;
        }
        return;
    }
    if (border == LG_BORDER_CONSTANT) {
        for (int i = 0; i < count; i++) {
            const bool out = at[i] < 0 || at[i] >= size;
            outside[i] = out ? 1.0f : outside[i];
            at[i] = out ? 0 : at[i];
        }
        return;
    }
    for (int i = 0; i < count; i++) {
        const int64_t index = lg_border_index(at[i], size, border);
        outside[i] = index < 0 ? 1.0f : outside[i];
        at[i] = index < 0 ? 0 : (int32_t)index;
    }
}

typedef struct lg_sampler {
    const lg_pixels *in;
    lg_border border;
    void (*load)(const lg_pixels *in, int64_t x, int64_t y, int count, float *const planes[4]);
    int count;             // of the places of a part
    int32_t *x, *y;        // of the first of the four pixels around a point
    int32_t *column, *row; // of one of the four, moved inside the image
    int32_t *offset;       // of the first of the four, in bytes; in place of `column`
    float *fx, *fy, *outside;
    void *raw;
    float *taps[4][4];
    size_t pixel; // bytes
    int shift;    // their logarithm, where it is whole
    bool near;    // lg_near_at serves the image, and offsets into it fit 31 bits
    bool gathers; // lg_cpu_gathers_fast()
} lg_sampler;

#define LG_SAMPLER_PART 128 // places that go one way together
#define LG_SAMPLER_FEW  64  // of them that are sampled apart from the others, at most

#define LG_SAMPLER_SCRATCH ((size_t)27 * LG_SPAN) // floats

typedef void (*lg_load_fn)(const lg_pixels *in, int64_t x, int64_t y, int count,
                           float *const planes[4]);

static lg_sampler lg_sampler_make(const lg_pixels *in, lg_border border, lg_load_fn load,
                                  float *scratch)
{
    lg_sampler s = {.in = in, .border = border, .load = load};
    float *next = scratch;
    for (int i = 0; i < 16; i++, next += LG_SPAN)
        s.taps[i / 4][i % 4] = next;
    s.raw = next, next += 4 * LG_SPAN;
    s.fx = next, next += LG_SPAN;
    s.fy = next, next += LG_SPAN;
    s.outside = next, next += LG_SPAN;
    s.x = (int32_t *)(void *)next, next += LG_SPAN;
    s.y = (int32_t *)(void *)next, next += LG_SPAN;
    s.column = s.offset = (int32_t *)(void *)next, next += LG_SPAN;
    s.row = (int32_t *)(void *)next;
    s.pixel = lg_type_size(in->type) * (size_t)in->channels;
    s.shift = __builtin_ctzll(s.pixel);
    s.near = in->row_stride <= INT32_MAX / (size_t)in->height && in->width < LG_NEAR_SIDE &&
             in->height < LG_NEAR_SIDE;
    s.gathers = lg_cpu_gathers_fast();
    return s;
}

static void lg_sampler_clear(const lg_sampler *s, size_t pixel)
{
    const float *restrict outside = s->outside;
    uint8_t *restrict bytes = s->raw;
    uint32_t *restrict words = s->raw;
    if (pixel == 1)
        for (int i = 0; i < s->count; i++)
            bytes[i] = outside[i] > 0 ? 0 : bytes[i];
    if (pixel == 4)
        for (int i = 0; i < s->count; i++)
            words[i] = outside[i] > 0 ? 0 : words[i];
    if (pixel == 1 || pixel == 4)
        return;
    for (int i = 0; i < s->count; i++)
        if (s->outside[i] > 0)
            memset((char *)s->raw + (size_t)i * pixel, 0, pixel);
}

// Colours of the pixels at (x + dx, y + dy).
static void lg_sampler_tap(const lg_sampler *s, int dx, int dy, float *const to[4])
{
    static void (*const gather[17])(const lg_pixels *, const int32_t *, const int32_t *, int,
                                    void *) = {
        [1] = lg_gather_1, [2] = lg_gather_2, [3] = lg_gather_3,   [4] = lg_gather_4,
        [6] = lg_gather_6, [8] = lg_gather_8, [12] = lg_gather_12, [16] = lg_gather_16};
    for (int i = 0; i < s->count; i++) {
        s->column[i] = s->x[i] + dx;
        s->row[i] = s->y[i] + dy;
        s->outside[i] = 0;
    }
    lg_sample_border(s->column, s->outside, s->count, s->in->width, s->border);
    lg_sample_border(s->row, s->outside, s->count, s->in->height, s->border);
    lg_pixels line = *s->in;
    line.data = s->raw;
    gather[s->pixel](s->in, s->column, s->row, s->count, s->raw);
    if (s->border == LG_BORDER_CONSTANT)
        lg_sampler_clear(s, s->pixel);
    s->load(&line, 0, 0, s->count, to);
}

static void lg_sampler_mix(const lg_sampler *s, float *restrict r, float *restrict g,
                           float *restrict b, float *restrict a)
{
    const float *const *tl = (const float *const *)s->taps[0], *const *tr =
                                                                   (const float *const *)s->taps[1];
    const float *const *bl = (const float *const *)s->taps[2], *const *br =
                                                                   (const float *const *)s->taps[3];
    const float *restrict fx = s->fx, *restrict fy = s->fy;
#define LG_TAP_COLOR(t, i) rgba(t[0][i], t[1][i], t[2][i], t[3][i])
    for (int i = 0; i < s->count; i++) {
        const lg_tap t = {0, 0, fx[i], fy[i]};
        const color c = lg_bilinear(LG_TAP_COLOR(tl, i), LG_TAP_COLOR(tr, i), LG_TAP_COLOR(bl, i),
                                    LG_TAP_COLOR(br, i), t);
        r[i] = c.r, g[i] = c.g, b[i] = c.b, a[i] = c.a;
    }
#undef LG_TAP_COLOR
}

#endif
