// Sharper, by what a blur takes away. Bytes are mixed where they are blurred; of other images the CPU has the
// blurred one in memory, and mixes in a stage.
#include "filter/native/unsharp_mask/unsharp_mask.h"

#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/planes.h"
#include "filter/native/tiles.h"
#include "filter/stage.h"

#include <string.h>

extern const lg_filter_entry lg_filter_gaussian_blur, lg_filter_extrapolate;

#define MOST_VALUES 16       // of those two
#define BAND_PIXELS 16384    // of a job of a thread
#define STREAMED    16777216 // bytes of an image that is written past the caches

static void set(const lg_filter *f, float values[MOST_VALUES], const char *name, float value)
{
    for (int i = 0; i < f->param_count; i++)
        if (strcmp(f->params[i].name, name) == 0)
            values[lg_filter_offset(f, i)] = value;
}

static void take_defaults(const lg_filter *f, float values[MOST_VALUES])
{
    for (int i = 0; i < f->param_count; i++)
        memcpy(values + lg_filter_offset(f, i), f->params[i].value,
               (size_t)f->params[i].size * sizeof *values);
}

static lg_status blur(const lg_native_call *call, lg_image *soft)
{
    const lg_filter *f = &lg_filter_gaussian_blur.filter;
    float values[MOST_VALUES];
    take_defaults(f, values);
    set(f, values, "sigma", lg_native_value(call->filter, call->values, "sigma"));
    set(f, values, "border", lg_native_value(call->filter, call->values, "border"));
    const lg_native_call inner = {.context = call->context,
                                  .filter = f,
                                  .values = values,
                                  .in = {call->in[0]},
                                  .out = soft,
                                  .error = call->error};
    return lg_filter_gaussian_blur.native->cpu(&inner);
}

typedef struct mixing {
    const lg_stage_table *table;
    const lg_stage_job *job;
} mixing;

static lg_status mix_band(void *arg, const lg_tile *t)
{
    const mixing *m = arg;
    m->table->run(m->job, (int32_t)t->y, (int32_t)t->y_end, (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status mix(const lg_native_call *call, const lg_image *soft)
{
    const lg_filter *f = &lg_filter_extrapolate.filter;
    const lg_image_params *s = &call->out->shape;
    float values[MOST_VALUES];
    take_defaults(f, values);
    set(f, values, "amount", lg_native_value(call->filter, call->values, "intensity"));
    lg_stage_job job = {.source = LG_FILTER_POINT, .count = 1};
    job.chain[0] = (lg_chain_kernel){.loops = lg_filter_get_loops(f, call->context->cpu_level),
                                     .values = values};
    const mixing m = {lg_stage_get(call->context->cpu_level), &job};
    const lg_tiling rows = {.height = s->height,
                            .band = LG_MAX(1, BAND_PIXELS / s->width),
                            .scratch = LG_STAGE_SCRATCH * sizeof(float),
                            .what = "the rows of unsharp_mask",
                            .run = mix_band,
                            .job = (void *)(uintptr_t)&m};
    lg_status status = LG_OK;
    for (int32_t z = 0; z < s->layers && !status; z++) {
        const lg_pixels over = lg_layer_pixels(soft, z);
        job.in = lg_layer_pixels(call->in[0], z);
        job.out = lg_layer_pixels(call->out, z);
        job.out.stream = s->layer_stride * (size_t)s->layers > STREAMED;
        job.chain[0].over = &over;
        status = lg_tiling_run(call->context->pool, &rows, call->error);
    }
    return status;
}

// Opaque bytes and grey ones, of which nothing but the result is in memory. *done: whether it was so.
static lg_status mix_bytes(const lg_native_call *call, bool *done)
{
    const lg_pixels in = lg_layer_pixels(call->in[0], 0), out = lg_layer_pixels(call->out, 0);
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const float sigma = lg_native_value(call->filter, call->values, "sigma");
    lg_gaussian g;
    *done = false;
    if (in.type != LG_U8 || !lg_pixels_same_kind(&in, &out) ||
        !(in.channels == 1 || in.alpha == LG_ALPHA_OPAQUE) || sigma == 0)
        return LG_OK;
    lg_status status = lg_gaussian_create(sigma, 0, LG_GAUSSIAN_AUTO, &g, call->error);
    if (status)
        return status;
    *done = g.levels == 0;
    if (*done)
        status = lg_gaussian_mix_bytes(call, &g, border,
                                       lg_native_value(call->filter, call->values, "intensity"));
    lg_gaussian_destroy(&g);
    return status;
}

static lg_status unsharp_mask(const lg_native_call *call)
{
    bool done;
    lg_status status = mix_bytes(call, &done);
    if (done || status)
        return status;
    const lg_image_params shape = lg_inner_shape(&call->in[0]->shape);
    lg_image *soft = NULL;
    status = lg_image_create_uninit(call->context, &shape, &soft, call->error);
    if (!status)
        status = blur(call, soft);
    if (!status)
        status = mix(call, soft);
    lg_image_destroy(&soft);
    return status;
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    const lg_filter *f = &lg_filter_gaussian_blur.filter;
    float blurring[MOST_VALUES];
    take_defaults(f, blurring);
    set(f, blurring, "sigma", lg_native_value(filter, values, "sigma"));
    return lg_filter_gaussian_blur.native->reach(f, blurring, in);
}

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 4, 0, 256, "of the Gaussian blur")                                      \
    X(NUMBER, intensity, "", 1.5f, 0, 10, "1 leaves the image as it is, above 1 sharpens")         \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(unsharp_mask)

static const lg_native unsharp_native = {.cpu = unsharp_mask,
                                         .vulkan = LG_VULKAN(lg_unsharp_mask_vulkan),
                                         .recorded = "sigma",
                                         .reach = reach};

LG_NATIVE_FILTER(unsharp_mask, &unsharp_native, 1, .summary = "sharper, by what a blur takes away",
                 .formula = "c' = c intensity + gaussian_blur(c, sigma) (1 - intensity); alpha "
                            "stays",
                 .source = "GPUImageUnsharpMaskFilter",
                 .notes = "GPUImage's intensity of 1 does nothing");
