// Images of bytes at other sizes: tiles of the CPU.
#include "filter/native/geometry/resize.h"

#include "cpu/cpu.h"

#include <string.h>

LG_CPU_DECLARE(lg_pixel_tiles, resize_bytes);

#define STRIP_BYTES (192 << 10) // of scratch memory, about
#define BAND_PIXELS 262144

size_t lg_resize_bytes_scratch(const lg_resize_bytes_job *job)
{
    const size_t row = (size_t)LG_MAX(job->across, job->strip) + LG_RESIZE_SLACK;
    return ((size_t)job->ring + 1) * row * (size_t)job->channels;
}

// With zeros behind the weights of an output, so that whole vectors of them can be read.
static lg_status spread_weights(lg_resize_bytes_job *job, int k, int32_t multiple, lg_error *error)
{
    const lg_resize_axis *axis = &job->r->axis[k];
    const int32_t stride = (int32_t)lg_align_up((size_t)axis->taps, (size_t)multiple);
    const size_t count = (size_t)axis->count * (size_t)stride + 16;
    job->weights[k] = lg_alloc_array(count, sizeof(int16_t));
    job->stride[k] = stride;
    if (!job->weights[k])
        return lg_fail_memory(error, count * sizeof(int16_t), "weights");
    for (int32_t i = 0; i < axis->count; i++)
        for (int32_t j = 0; j < axis->taps; j++)
            job->weights[k][(size_t)i * (size_t)stride + (size_t)j] =
                (int16_t)axis->weights[(size_t)i * (size_t)axis->taps + (size_t)j];
    return LG_OK;
}

// Whether output i has the weights of the output two columns before, of inputs one column further on.
static bool goes_on(const lg_resize_bytes_job *job, int32_t i)
{
    const lg_resize_axis *axis = &job->r->axis[0];
    const size_t stride = (size_t)job->stride[0];
    const int16_t *w = job->weights[0] + (size_t)i * stride;
    return axis->first[i] == axis->first[i - 2] + 1 &&
           axis->tap_count[i] == axis->tap_count[i - 2] &&
           memcmp(w, w - 2 * stride, stride * sizeof *w) == 0;
}

static void find_pairs(lg_resize_bytes_job *job)
{
    const lg_resize_axis *axis = &job->r->axis[0];
    if (axis->count != 2 * (int64_t)axis->size || axis->count < 32)
        return;
    const int32_t middle = axis->count / 4 * 2;
    int32_t end = middle + 2;
    job->paired = middle;
    while (job->paired >= 2 && goes_on(job, job->paired) && goes_on(job, job->paired + 1))
        job->paired -= 2;
    while (end + 2 <= axis->count && goes_on(job, end) && goes_on(job, end + 1))
        end += 2;
    job->paired_end = end;
}

static void choose_strip(lg_resize_bytes_job *job)
{
    const lg_resize_axis *axis = &job->r->axis[0];
    job->strip = axis->count;
    job->across = lg_resize_widest(axis, job->strip);
    while (job->strip > 64 && lg_resize_bytes_scratch(job) * sizeof(int16_t) > STRIP_BYTES) {
        job->strip = (int32_t)lg_align_up((size_t)(job->strip / 2), 64);
        job->across = lg_resize_widest(axis, job->strip);
    }
}

lg_status lg_resize_bytes_cpu(const lg_native_call *call, const lg_resize *r)
{
    const lg_image_params *out = &call->out->shape;
    lg_resize_bytes_job job = {
        .r = r, .channels = out->channels, .set = lg_resize_set_of(out), .ring = r->axis[1].kept};
    const int32_t taps = r->axis[0].taps;
    const int32_t multiple = out->channels > 1 ? 2 : taps <= 4 ? 4 : 8;
    lg_status status = spread_weights(&job, 0, multiple, call->error);
    if (!status)
        status = spread_weights(&job, 1, 2, call->error);
    if (!status) {
        find_pairs(&job);
        choose_strip(&job);
        lg_pixel_tiles tiles = *LG_CPU_SELECT(resize_bytes, call->context->cpu_level);
        tiles.job = &job;
        tiles.strip = job.strip;
        tiles.band = LG_MAX(BAND_PIXELS / job.strip, 16);
        tiles.scratch = lg_resize_bytes_scratch(&job) * sizeof(int16_t);
        status = lg_pixel_tiles_run(call, &tiles);
    }
    lg_free(job.weights[0]);
    lg_free(job.weights[1]);
    return status;
}
