// Part of stage_cpu.c: stages whose one filter takes pixels of four bytes to such pixels.
#ifndef LG_STAGE_WORDS_H
#define LG_STAGE_WORDS_H

#include "filter/stage_bytes.h"

// The pixels as they lie in memory, where they lie there as words; else a copy.
static const uint32_t *lg_words_load(const lg_pixels *in, int64_t x, int64_t y, int count,
                                     uint32_t *copy)
{
    const char *from = in->data + (size_t)y * in->row_stride + (size_t)x * (size_t)in->channels;
    if (in->channels == 4 && (uintptr_t)from % sizeof *copy == 0)
        return (const uint32_t *)(const void *)from;
    if (in->channels == 4)
        memcpy(copy, from, (size_t)count * sizeof *copy);
    else
        lg_pad_pixels(from, (size_t)count, 1, 1, copy);
    return copy;
}

// `set`: bits that every pixel gets.
static void lg_words_store(const uint32_t *restrict from, char *restrict to, int count,
                           uint32_t set, bool stream)
{
    int i = 0;
#if defined(__SSE4_1__)
    const int step = LG_BYTES_SIZE / 4;
    const lg_bytes bits = LG_BYTES(set1_epi32)((int)set);
    for (stream = stream && (uintptr_t)to % LG_BYTES_SIZE == 0; i + step <= count; i += step)
        lg_bytes_store((uint8_t *)to + (size_t)i * 4,
                       LG_BYTES_ALL(or)(lg_bytes_load((const uint8_t *)(from + i)), bits), stream);
#endif
    for (; i < count; i++) {
        const uint32_t w = from[i] | set;
        memcpy(to + (size_t)i * 4, &w, sizeof w);
    }
}

// Red alone: the result is grey.
static void lg_words_store_grey(const uint32_t *restrict from, uint8_t *restrict to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = (uint8_t)(from[i] & 255);
}

// Whether the stage is one filter with a loop on pixels of bytes, and no table has its results.
static bool lg_takes_pixels(const lg_stage_job *job)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    return job->source == LG_FILTER_POINT && job->count == 1 && job->chain[0].loops->pixels &&
           !job->lookup && in->type == LG_U8 && in->channels >= 3 && out->type == LG_U8 &&
           in->alpha != LG_ALPHA_PREMULTIPLIED &&
           (out->channels == 1 || (out->channels == 4 && out->alpha != LG_ALPHA_PREMULTIPLIED));
}

// By `run`, one of the loops of the only filter of the chain.
static void lg_words_rows(const lg_stage_job *job, lg_words_fn run, int32_t first, int32_t end,
                          float *scratch)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    const lg_chain_kernel *link = &job->chain[0];
    uint32_t *copy = (uint32_t *)(void *)scratch, *result = copy + LG_SPAN;
    const bool opaque = in->channels == 3 || in->alpha == LG_ALPHA_OPAQUE;
    lg_span span = {
        .values = link->values, .tables = link->tables, .set = opaque ? 0xff000000u : 0};
    const uint32_t set = out->alpha == LG_ALPHA_OPAQUE ? 0xff000000u : 0;
    for (int32_t y = first; y < end; y++)
        for (int32_t x = 0; x < out->width; x += LG_SPAN) {
            span.count = LG_MIN(LG_SPAN, out->width - x);
            const uint32_t *from = lg_words_load(in, x, y, span.count, copy);
            char *to = out->data + (size_t)y * out->row_stride + (size_t)x * (size_t)out->channels;
            if (out->channels == 1 && link->loops->grey) {
                link->loops->grey(&span, from, (uint8_t *)to);
                continue;
            }
            run(&span, from, result);
            if (out->channels == 1)
                lg_words_store_grey(result, (uint8_t *)to, span.count);
            else
                lg_words_store(result, to, span.count, set, out->stream);
        }
}

#endif
