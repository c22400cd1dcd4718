// Part of stage_cpu.c: the colours that a warp reads.
#ifndef LG_STAGE_WARP_H
#define LG_STAGE_WARP_H

#include "filter/stage_line.h"
#include "filter/stage_places.h"

// In `planes`, where the places of `span` are written first; `sums` is scratch.
static void lg_warp_read(const lg_stage_job *job, lg_sampler *sampler, lg_span *span, int count,
                         float *const planes[4], float *const sums[4])
{
    const lg_filter_loops *loops = job->first.loops;
    const int points = loops->points ? loops->points(span) : 1;
    float weight = 0;
    if (points == 1) {
        loops->run(span);
        lg_sampler_run(sampler, count, planes);
    }
    for (int k = 0; k < points && points > 1; k++) {
        span->t = lg_line_place(k, points);
        loops->run(span);
        lg_sampler_run(sampler, count, planes);
        lg_line_sum(planes, k == 0, lg_line_weight(span->t), count, sums);
        weight += lg_line_weight(span->t);
    }
    if (points > 1)
        lg_line_means(sums, weight, count, planes);
    // What is mixed of opaque pixels is opaque, as it would be read back: the weights' sum is not always 1.
    if (lg_reads_opaque(job->in.channels, job->in.alpha))
        for (int i = 0; i < count; i++)
            planes[3][i] = 1;
}

#define LG_WARP_ASKED 2 // rows of the result below

// For a strip of the result, whose rows processors do not see coming. It may lie behind the last row.
static void lg_warp_ask(const lg_pixels *out, const char *to, size_t bytes)
{
    const uintptr_t below = (uintptr_t)to + LG_WARP_ASKED * out->row_stride;
    for (size_t at = 0; at < bytes && !out->stream; at += 64)
        __builtin_prefetch((const void *)(below + at), 1);
}

// Whether a stage is a warp alone whose colours are those that it samples, from opaque bytes to as many of
// them. Pixels of four bytes go by planes where their means are not made in registers.
static bool lg_warp_moves_bytes(const lg_stage_job *job)
{
    const lg_filter_loops *loops = job->first.loops;
    const lg_pixels *in = &job->in, *out = &job->out;
    if (loops->after || loops->points || job->count || in->type != LG_U8 || out->type != LG_U8)
        return false;
#if defined(__AVX512BW__)
    if (in->channels == 4 && in->alpha == LG_ALPHA_OPAQUE)
        return out->channels == 4 && out->alpha == LG_ALPHA_OPAQUE;
#endif
    return in->channels == 1 && out->channels == 1;
}

#endif
