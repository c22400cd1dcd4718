// Pixels of any kind as planes of float that may be averaged: colour multiplied by alpha where an
// image has alpha, and only the planes that differ. Included by the kernels of each CPU level.
#ifndef LG_PLANES_H
#define LG_PLANES_H

#include "filter/stage.h"
#include "kernel/pixel_rule.h"

static inline bool lg_pixels_have_alpha(const lg_pixels *p)
{
    return p->channels != 1 &&
           (p->alpha == LG_ALPHA_STRAIGHT || p->alpha == LG_ALPHA_PREMULTIPLIED);
}

// Planes that an image has: 1 grey, 2 grey and alpha or two data channels, 3 RGB, 4.
static inline int lg_plane_count(const lg_pixels *p)
{
    return p->channels == 4 && p->alpha == LG_ALPHA_OPAQUE   ? 3
           : p->channels == 2 && p->alpha == LG_ALPHA_OPAQUE ? 1
                                                             : p->channels;
}

// `count` pixels (at most LG_SPAN) from column x of row y, inside the image, into planes of count
// floats each, one after the other `stride` floats apart.
static inline void lg_planes_load(const lg_stage_table *stage, const lg_pixels *in, int64_t x,
                                  int64_t y, int count, float *to, size_t stride)
{
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const planes[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    stage->load(in, x, y, count, planes);
    const int needed = lg_plane_count(in);
    const bool alpha = lg_pixels_have_alpha(in);
    for (int k = 0; k < needed; k++) {
        const float *from = needed == 2 && k == 1 && alpha ? rgb_a[3] : rgb_a[k];
        if (alpha && k < needed - 1)
            for (int i = 0; i < count; i++)
                to[i] = from[i] * rgb_a[3][i];
        else
            memcpy(to, from, (size_t)count * sizeof *to);
        to += stride;
    }
}

// Stores `count` pixels (at most LG_SPAN) of planes that came from an image of the kind of `in`.
static inline void lg_planes_store(const lg_stage_table *stage, const lg_pixels *in,
                                   const lg_pixels *out, int64_t x, int64_t y, int count,
                                   const float *from, size_t stride)
{
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const planes[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    const int given = lg_plane_count(in);
    const bool alpha = lg_pixels_have_alpha(in);
    const size_t bytes = (size_t)count * sizeof *from;
    const float *last = from + (size_t)(given - 1) * stride;
    for (int k = 0; k < 3; k++) {
        const bool grey = given == 1 || (given == 2 && alpha);
        if (grey || k < given)
            memcpy(rgb_a[k], from + (grey ? 0 : (size_t)k * stride), bytes);
        else
            memset(rgb_a[k], 0, bytes);
    }
    if (alpha || given == 4)
        memcpy(rgb_a[3], last, bytes);
    else
        for (int i = 0; i < count; i++)
            rgb_a[3][i] = 1;
    if (alpha)
        for (int i = 0; i < count; i++) {
            const color c = lg_straight(rgba(rgb_a[0][i], rgb_a[1][i], rgb_a[2][i], rgb_a[3][i]));
            rgb_a[0][i] = c.r, rgb_a[1][i] = c.g, rgb_a[2][i] = c.b;
        }
    stage->store(out, x, y, count, planes);
}

// Stores `count` pixels (at most LG_SPAN) whose samples, all of them, lie side by side. Only for images
// without alpha.
static inline void lg_samples_store(const lg_stage_table *stage, const lg_pixels *in,
                                    const lg_pixels *out, int64_t x, int64_t y, int count,
                                    const float *values)
{
    const int channels = in->channels, given = lg_plane_count(in);
    if (out->type == LG_F32 && out->channels == channels && out->alpha == in->alpha) {
        float *to = (float *)(out->data + (size_t)y * out->row_stride) + x * channels;
        memcpy(to, values, (size_t)(count * channels) * sizeof *to);
        for (int i = 0; given < channels && i < count; i++)
            to[i * channels + given] = 1;
        return;
    }
    float planes[4][LG_SPAN] __attribute__((aligned(64)));
    for (int k = 0; k < given; k++)
        for (int i = 0; i < count; i++)
            planes[k][i] = values[i * channels + k];
    lg_planes_store(stage, in, out, x, y, count, planes[0], LG_SPAN);
}

// Whether integer samples of this kind of output are those of the input's kind.
static inline bool lg_pixels_same_kind(const lg_pixels *a, const lg_pixels *b)
{
    return a->type == b->type && a->channels == b->channels && a->alpha == b->alpha;
}

#endif
