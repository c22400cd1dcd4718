// Part of stage_cpu.c: stages whose one filter blends bytes with bytes, without floats in between.
#ifndef LG_STAGE_BLEND_H
#define LG_STAGE_BLEND_H

#include "filter/stage_words.h"

// Grey with grey, or colours with colours; alpha is the first image's.
static bool lg_blends_bytes(const lg_stage_job *job)
{
    if (job->source != LG_FILTER_POINT || job->count != 1 || !job->chain[0].loops->bytes)
        return false;
    const lg_pixels *in = &job->in, *over = job->chain[0].over, *out = &job->out;
    if (!over || over->planar || in->type != LG_U8 || over->type != LG_U8 || out->type != LG_U8)
        return false;
    if (in->channels == 1)
        return over->channels == 1 && out->channels == 1;
    return in->channels >= 3 && over->channels >= 3 && out->channels == 4 &&
           in->alpha != LG_ALPHA_PREMULTIPLIED && over->alpha != LG_ALPHA_PREMULTIPLIED &&
           out->alpha != LG_ALPHA_PREMULTIPLIED;
}

static void lg_words_keep_alpha(uint32_t *restrict to, const uint32_t *restrict from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = (to[i] & 0xffffffu) | (from[i] & 0xff000000u);
}

static void lg_blend_colors(const lg_stage_job *job, const lg_span *span, int32_t y, float *scratch)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    uint32_t *const copy = (uint32_t *)(void *)scratch, *const result = copy + 2 * LG_SPAN;
    const bool opaque = in->channels == 3 || in->alpha == LG_ALPHA_OPAQUE;
    const uint32_t set = opaque || out->alpha == LG_ALPHA_OPAQUE ? 0xff000000u : 0;
    for (int32_t x = 0; x < out->width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, out->width - x);
        const uint32_t *from = lg_words_load(in, x, y, count, copy);
        const uint32_t *over = lg_words_load(job->chain[0].over, x, y, count, copy + LG_SPAN);
        job->chain[0].loops->bytes(span, (const uint8_t *)from, (const uint8_t *)over, 4 * count,
                                   (uint8_t *)result);
        lg_words_keep_alpha(result, from, count);
        lg_words_store(result, out->data + (size_t)y * out->row_stride + (size_t)x * 4, count, set,
                       out->stream);
    }
}

static void lg_blend_rows(const lg_stage_job *job, int32_t first, int32_t end, float *scratch)
{
    const lg_chain_kernel *link = &job->chain[0];
    const lg_pixels *in = &job->in, *over = link->over, *out = &job->out;
    const lg_span span = {.values = link->values, .tables = link->tables};
    for (int32_t y = first; y < end; y++)
        if (in->channels == 1)
            link->loops->bytes(&span, (const uint8_t *)in->data + (size_t)y * in->row_stride,
                               (const uint8_t *)over->data + (size_t)y * over->row_stride,
                               out->width, (uint8_t *)out->data + (size_t)y * out->row_stride);
        else
            lg_blend_colors(job, &span, y, scratch);
}

#endif
