// A Voronoi diagram by jump flooding: the entry, and the steps over the whole image.
#include "filter/native/jfa_voronoi/jfa_voronoi.h"

#include "cpu/cpu.h"
#include "device/spill.h"
#include "filter/native/jfa_voronoi/jfa_voronoi_rule.h"

LG_CPU_DECLARE(lg_voronoi_table, jfa_voronoi);

static lg_status run_rows(const lg_voronoi_job *job, const lg_native_call *call, lg_rows_fn *run)
{
    const lg_row_pass pass = {.run = run, .job = job, .rows = job->out.height, .band = 16};
    return lg_rows_run(call->context, &pass, call->error);
}

static lg_status run_layer(lg_voronoi_job *job, const lg_native_call *call, int32_t z)
{
    const lg_voronoi_table *table = LG_CPU_SELECT(jfa_voronoi, call->context->cpu_level);
    bool last = false;
    job->in = lg_layer_pixels(call->in[0], z);
    job->out = lg_layer_pixels(call->out, z);
    job->from = 0;
    lg_status status = run_rows(job, call, table->begin);
    job->step = lg_voronoi_first_step(job->in.width, job->in.height);
    for (; job->step && !status; job->step = lg_voronoi_next_step(job->step, &last), job->from ^= 1)
        status = run_rows(job, call, table->flood);
    return status ? status : run_rows(job, call, table->finish);
}

static lg_status voronoi_cpu(const lg_native_call *call)
{
    const lg_image_params *s = &call->out->shape;
    const size_t pixels = (size_t)s->width * (size_t)s->height,
                 bytes = 2 * pixels * sizeof(uint32_t);
    lg_voronoi_job job = {.stage = lg_stage_get(call->context->cpu_level)};
    void *memory = NULL;
    lg_status status =
        lg_block_take(call->context, bytes, "the sites of jfa_voronoi", &memory, call->error);
    if (status)
        return status;
    job.sites[0] = memory;
    job.sites[1] = job.sites[0] + pixels;
    for (int32_t z = 0; z < s->layers && !status; z++)
        status = run_layer(&job, call, z);
    lg_block_give(call->context, memory);
    return status;
}

static lg_status voronoi_shape(float *values, lg_image_params *shape, lg_error *error)
{
    if (shape->width > LG_VORONOI_SIDE || shape->height > LG_VORONOI_SIDE)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "jfa_voronoi: an image of %d x %d pixels; at most %d a side can be done",
                       shape->width, shape->height, (int)LG_VORONOI_SIDE);
    shape->channels = 4;
    shape->alpha = LG_ALPHA_STRAIGHT;
    return LG_OK;
}

#define PARAMETERS(X)

LG_ROWS(jfa_voronoi)

static double cost(const lg_filter *filter, const float *values)
{
    return 10; // four samples, a dozen steps
}

static const lg_native jfa_voronoi_native = {
    .cpu = voronoi_cpu, .vulkan = LG_VULKAN(lg_voronoi_vulkan), .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    jfa_voronoi, &jfa_voronoi_native, voronoi_shape, 1,
    .summary = "where the nearest pixel that is not black lies, and how far away",
    .formula =
        "r = (x + 1/2) / width and g = (y + 1/2) / height of the site, b = its distance / "
        "width, a = 1; sites are pixels that are neither black nor transparent; without any, "
        "0. Jump flooding: steps n/2, n/4 .. 1, 1, n a power of 2 from the longer side on; in "
        "each, a pixel takes the nearest of its site and those of the 8 pixels a step away",
    .source = "G. Rong and T.-S. Tan, Jump flooding in GPU, 2006; GPUImageJFAVoronoiFilter",
    .notes =
        "voronoi_consumer paints with it. Bytes round places and distances: --type u16 or f32. "
        "Of equally near sites the one that comes first stays; a few pixels may have one that "
        "is a little further than the nearest. GPUImage never sets its number of steps, and "
        "wants images of 2^n x 2^n with places written into their colours");
