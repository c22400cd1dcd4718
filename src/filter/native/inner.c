#include "filter/native/inner.h"

#include "filter/native/tiles.h"
#include "filter/stage.h"

#include <string.h>

extern const lg_filter_entry lg_filter_gaussian_blur;

#define BAND_PIXELS 16384 // of a job of a thread

void lg_inner_set(const lg_filter *f, float values[LG_INNER_VALUES], const char *name, float value)
{
    for (int i = 0; i < f->param_count; i++)
        if (strcmp(f->params[i].name, name) == 0)
            values[lg_filter_offset(f, i)] = value;
}

void lg_inner_defaults(const lg_filter *f, float values[LG_INNER_VALUES])
{
    for (int i = 0; i < f->param_count; i++)
        memcpy(values + lg_filter_offset(f, i), f->params[i].value,
               (size_t)f->params[i].size * sizeof *values);
}

// ---- the blur -----------------------------------------------------------------------------------

lg_status lg_inner_blur_run(const lg_native_call *call, lg_inner_blur blur, const lg_image *in,
                            lg_image *out)
{
    const lg_filter *f = &lg_filter_gaussian_blur.filter;
    float values[LG_INNER_VALUES];
    lg_inner_defaults(f, values);
    lg_inner_set(f, values, "sigma", blur.sigma);
    lg_inner_set(f, values, "border", blur.border);
    const lg_native_call inner = {.context = call->context,
                                  .filter = f,
                                  .values = values,
                                  .in = {in},
                                  .out = out,
                                  .error = call->error};
    return lg_filter_gaussian_blur.native->cpu(&inner);
}

lg_row_reach lg_inner_blur_reach(float sigma, const lg_image_params *in)
{
    const lg_filter *f = &lg_filter_gaussian_blur.filter;
    float values[LG_INNER_VALUES];
    lg_inner_defaults(f, values);
    lg_inner_set(f, values, "sigma", sigma);
    return lg_filter_gaussian_blur.native->reach(f, values, in);
}

// ---- stages -------------------------------------------------------------------------------------

typedef struct running {
    const lg_stage_table *table;
    const lg_stage_job *job;
} running;

static lg_status run_band(void *arg, const lg_tile *t)
{
    const running *r = arg;
    r->table->run(r->job, (int32_t)t->y, (int32_t)t->y_end, (float *)(void *)t->scratch);
    return LG_OK;
}

lg_status lg_inner_stage_run(const lg_native_call *call, const lg_inner_stage *stage)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_image_params *s = &stage->out->shape;
    const bool window = stage->filter->kind == LG_FILTER_WINDOW;
    const lg_chain_kernel kernel = {.loops = lg_filter_get_loops(stage->filter, level),
                                    .values = stage->values};
    lg_stage_job job = {.source = window ? LG_FILTER_WINDOW : LG_FILTER_POINT,
                        .border = (lg_border)stage->border,
                        .across = 1,
                        .down = 1,
                        .count = !window};
    *(window ? &job.first : &job.chain[0]) = kernel;
    const running r = {lg_stage_get(level), &job};
    const lg_tiling rows = {.height = s->height,
                            .band = LG_MAX(1, BAND_PIXELS / s->width),
                            .scratch = LG_STAGE_SCRATCH * sizeof(float),
                            .what = stage->what,
                            .run = run_band,
                            .job = (void *)(uintptr_t)&r};
    lg_status status = LG_OK;
    for (int32_t z = 0; z < s->layers && !status; z++) {
        const lg_pixels over = stage->over ? lg_layer_pixels(stage->over, z) : (lg_pixels){0};
        job.in = lg_layer_pixels(stage->in, z);
        job.out = lg_layer_pixels(stage->out, z);
        job.out.stream = lg_writes_past_caches(s);
        job.chain[0].over = stage->over ? &over : NULL;
        status = lg_tiling_run(call->context->pool, &rows, call->error);
    }
    return status;
}
