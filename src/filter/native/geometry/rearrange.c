// Pixels that move without being mixed: the lists of indices, and the tiles of the CPU.
#include "filter/native/geometry/rearrange.h"

#include "cpu/cpu.h"
#include "device/spill.h"

LG_CPU_DECLARE(lg_pixel_tiles, rearrange);

#define BAND_STEP    64
#define TURN_STRIP   64   // columns, of bytes a whole cache line
#define TURN_BAND    4096 // rows
#define SCRATCH_ROWS 16   // of a block of pixels that are moved before they are converted

lg_status lg_rearrange_open(lg_rearrangement *r, const lg_image_params *out, lg_error *error)
{
    *r = (lg_rearrangement){.width = out->width, .height = out->height};
    const size_t count = (size_t)out->width + LG_REARRANGE_ROOM + (size_t)out->height;
    r->across = lg_alloc_array(count, sizeof *r->across);
    if (!r->across)
        return lg_fail_memory(error, count * sizeof *r->across, "the places of pixels");
    r->down = r->across + out->width + LG_REARRANGE_ROOM;
    return LG_OK;
}

void lg_rearrange_close(lg_rearrangement *r)
{
    lg_free(r->across);
    r->across = r->down = NULL;
}

void lg_rearrange_finish(lg_rearrangement *r)
{
    for (int i = 0; i < LG_REARRANGE_ROOM; i++)
        r->across[r->width + i] = r->across[r->width - 1];
    for (int32_t x = 0; x < r->width && !r->colored; x++)
        r->colored = r->across[x] < 0;
    for (int32_t y = 0; y < r->height && !r->colored; y++)
        r->colored = r->down[y] < 0;
}

void lg_rearrange_line(int32_t *to, int32_t count, int32_t first, int32_t step)
{
    for (int32_t i = 0; i < count; i++)
        to[i] = first + i * step;
}

double lg_rearrange_cost(const lg_filter *filter, const float *values)
{
    return 0.3;
}

// The longest part of the columns in which every index is `step` behind the one before.
static void find_run(lg_rearrange_job *job)
{
    const lg_rearrangement *r = job->r;
    job->run = job->end = 0;
    job->step = 1;
    for (int32_t x = 0, end; x < r->width && !r->swap; x = end) {
        const int32_t step = x + 1 < r->width && r->across[x + 1] < r->across[x] ? -1 : 1;
        end = x + 1;
        while (end < r->width && r->across[x] >= 0 && r->across[end] >= 0 &&
               r->across[end] == r->across[end - 1] + step)
            end++;
        if (r->across[x] >= 0 && end - x > job->end - job->run)
            job->run = x, job->end = end, job->step = step;
    }
}

lg_status lg_rearrange_cpu(const lg_native_call *call, lg_rearrange_fn fill)
{
    const lg_image_params *in = &call->in[0]->shape, *out = &call->out->shape;
    lg_rearrangement r;
    lg_status status = lg_rearrange_open(&r, out, call->error);
    if (status)
        return status;
    fill(call->filter, call->values, in, &r);
    lg_rearrange_finish(&r);
    lg_rearrange_job job = {.stage = lg_stage_get(call->context->cpu_level),
                            .r = &r,
                            .same = lg_rearrange_copies(in, out)};
    find_run(&job);
    lg_pixel_tiles tiles = *LG_CPU_SELECT(rearrange, call->context->cpu_level);
    tiles.job = &job;
    tiles.scratch = SCRATCH_ROWS * LG_SPAN * lg_pixel_size(in);
    tiles.strip = r.width;
    tiles.band = (int32_t)LG_MAX(lg_align_up((size_t)(65536 / r.width), BAND_STEP), BAND_STEP);
    const int32_t side = lg_mapped_side(call->context);
    if (r.swap &&
        (job.same || side)) { // reads rows of the input from end to end, writes whole cache lines
        tiles.strip = LG_MIN(TURN_STRIP, r.width);
        tiles.band = side ? LG_MAX(side / BAND_STEP * BAND_STEP, BAND_STEP) : TURN_BAND;
    }
    status = lg_pixel_tiles_run(call, &tiles);
    lg_rearrange_close(&r);
    return status;
}
