// Means as floats into an image: for files that are compiled once per CPU level.
#ifndef LG_BOX_BLUR_STORE_H
#define LG_BOX_BLUR_STORE_H

#include "filter/native/box_blur/box_blur.h"
#include "filter/native/planes.h"

// Stores `count` pixels (at most LG_SPAN) whose samples lie side by side.
static inline void lg_box_store(const lg_box_job *job, int32_t x, int32_t y, int count,
                                const float *values)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    float planes[4][LG_SPAN] __attribute__((aligned(64)));
    const int channels = in->channels, given = lg_plane_count(in);
    if (out->type == LG_F32 && out->channels == channels && out->alpha == in->alpha) {
        float *to =
            (float *)(out->data + (size_t)y * out->row_stride) + (size_t)x * (size_t)channels;
        memcpy(to, values, (size_t)(count * channels) * sizeof *to);
        for (int i = 0; given < channels && i < count; i++)
            to[i * channels + given] = 1;
        return;
    }
    for (int k = 0; k < given; k++)
        for (int i = 0; i < count; i++)
            planes[k][i] = values[i * channels + k];
    lg_planes_store(lg_stage_get(LG_CPU_LEVEL_ID), in, out, x, y, count, planes[0], LG_SPAN);
}

#endif
