// Rows of luminance for filters that work on it: GPUImage's weights. Included by the kernels of each
// CPU level.
#ifndef LG_LUMINANCE_H
#define LG_LUMINANCE_H

#include "filter/stage.h"
#include "kernel/color_math.h"

#include <string.h>

// The weights in 65536ths.
#define LG_LUMINANCE_WEIGHTS 13926u, 46885u, 4725u

// Images whose luminance is an integer of 8 bits: colour need not be divided by alpha.
static inline bool lg_luminance_is_byte(const lg_image_params *s)
{
    return s->type == LG_U8 && (s->alpha != LG_ALPHA_PREMULTIPLIED || s->channels == 1);
}

// `count` pixels from column x of row y of such an image.
static inline void lg_luminance_bytes(const lg_pixels *in, int32_t x, int32_t y, size_t count,
                                      uint8_t *restrict to)
{
    const uint8_t *restrict p =
        (const uint8_t *)in->data + (size_t)y * in->row_stride + (size_t)x * (size_t)in->channels;
    if (in->channels == 1)
        memcpy(to, p, count);
    else if (in->channels == 4)
        for (size_t i = 0; i < count; i++)
            to[i] = (uint8_t)lg_luma_integer(p[4 * i], p[4 * i + 1], p[4 * i + 2],
                                             LG_LUMINANCE_WEIGHTS);
    else if (in->alpha == LG_ALPHA_NONE)
        for (size_t i = 0; i < count; i++)
            to[i] = (uint8_t)lg_luma_integer(p[2 * i], p[2 * i + 1], 0, LG_LUMINANCE_WEIGHTS);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = p[2 * i];
}

// The same of any image, of straight colour; `planes` has room for 4 LG_SPAN floats.
static inline void lg_luminance_floats(const lg_stage_table *stage, const lg_pixels *in, int32_t x,
                                       int32_t y, int32_t count, float *restrict to, float *planes)
{
    float *const all[4] = {planes, planes + LG_SPAN, planes + 2 * LG_SPAN, planes + 3 * LG_SPAN};
    for (int32_t at = 0; at < count; at += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, count - at);
        stage->load(in, x + at, y, n, all);
        for (int32_t i = 0; i < n; i++)
            to[at + i] = lg_luminance(rgba(all[0][i], all[1][i], all[2][i], 1));
    }
}

#endif
