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

// Whether a stage is a warp alone whose colours are those that it samples, from grey bytes to grey bytes.
static bool lg_warp_moves_bytes(const lg_stage_job *job)
{
    const lg_filter_loops *loops = job->first.loops;
    return !loops->after && !loops->points && !job->count && job->in.type == LG_U8 &&
           job->in.channels == 1 && job->out.type == LG_U8 && job->out.channels == 1;
}

#endif
