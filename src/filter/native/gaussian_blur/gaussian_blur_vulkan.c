// Gaussian blur on a Vulkan device.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/separable/separable_vulkan.h"

#include <string.h>

extern const char lg_glsl_gaussian_blur_steps[], lg_glsl_gaussian_blur_weigh[];

typedef struct gaussian_task {
    lg_axis_passes passes;
    lg_gaussian g;
    const lg_vk_buffer *weights;
    int last;                 // how the result is stored; 0: as a plane, whole numbers in 32nds
    float scale;              // of a whole sum
    lg_device_image spare[2]; // between steps
} gaussian_task;

// From the centre outwards.
static lg_status upload_weights(gaussian_task *t)
{
    lg_device_call *call = t->passes.call;
    const size_t bytes = ((size_t)t->g.taps + 1) * sizeof(float);
    lg_vk_buffer *host, *device;
    lg_status status = lg_device_scratch_host(call, bytes, &host);
    if (!status)
        status = lg_device_scratch(call, bytes, &device);
    if (status)
        return status;
    memcpy(host->map, t->passes.whole ? (const void *)t->g.whole : t->g.floats, bytes);
    lg_vk_copy(call->commands, host, 0, device, 0, bytes);
    lg_vk_barrier(call->commands);
    t->weights = device;
    return LG_OK;
}

static lg_status axis(gaussian_task *t, int axis, const lg_device_image *from,
                      const lg_device_image *to, bool last)
{
    const lg_gaussian *g = &t->g;
    lg_status status = LG_OK;
    int32_t rest = 2 * g->radius;
    for (int k = 0; k < g->levels && !status; k++) {
        lg_device_image *into = &t->spare[k % 2];
        rest -= 4 << k;
        const lg_axis_pass pass = {.name = "gaussian_blur_steps",
                                   .text = lg_glsl_gaussian_blur_steps,
                                   .axis = axis,
                                   .first = k == 0,
                                   .rest = rest,
                                   .work = 5};
        const lg_device_image *views[] = {from, into};
        const uint32_t own[] = {1u << k};
        lg_axis_set_shape(&t->passes, axis, rest, into);
        status = lg_axis_run(&t->passes, &pass, g->radius, views, 2, own, 1);
        lg_vk_barrier(t->passes.call->commands);
        from = into;
    }
    const lg_axis_pass pass = {.name = "gaussian_blur_weigh",
                               .text = lg_glsl_gaussian_blur_weigh,
                               .axis = axis,
                               .first = g->levels == 0,
                               .last = last ? t->last : 0,
                               .weights = t->weights->address,
                               .work = 2 * (int64_t)g->taps + 1};
    const int shift = g->shift + (last && t->last == 0 ? LG_GAUSSIAN_FRACTION - 5 : 0);
    uint32_t own[] = {0, 0, (uint32_t)g->taps, 1u << g->levels, (uint32_t)shift, 0};
    memcpy(own, &t->weights->address, sizeof t->weights->address);
    memcpy(own + 5, &t->scale, sizeof t->scale);
    const lg_device_image *views[] = {from, to};
    if (!status)
        status = lg_axis_run(&t->passes, &pass, g->radius, views, 2, own, 6);
    return status;
}

// `columns` is for what the first pass makes.
static lg_status blur(gaussian_task *t, const lg_device_image *from, const lg_device_image *columns,
                      const lg_device_image *to)
{
    const lg_gaussian *g = &t->g;
    lg_status status = LG_OK;
    for (int k = 0; k < LG_MIN(g->levels, 2) && !status; k++)
        status = lg_axis_image(&t->passes, 2 * g->radius, &t->spare[k]);
    if (!status)
        status = axis(t, 1, from, columns, false);
    lg_vk_barrier(t->passes.call->commands);
    return status ? status : axis(t, 0, columns, to, true);
}

static lg_status run(gaussian_task *t)
{
    lg_device_image in, columns;
    lg_status status = upload_weights(t);
    if (!status)
        status = lg_axis_load(&t->passes, &in);
    if (!status)
        status = lg_axis_image(&t->passes, 0, &columns);
    lg_axis_set_shape(&t->passes, 0, 0, &columns);
    return status ? status : blur(t, &in, &columns, &t->passes.call->out);
}

lg_status lg_gaussian_blur_plane(lg_device_call *call, const lg_gaussian *g, lg_border border,
                                 bool whole, const lg_device_image *plane,
                                 const lg_device_image *spare)
{
    const lg_image_params *s = &plane->shape;
    gaussian_task t = {.g = *g,
                       .passes = {.call = call,
                                  .border = border,
                                  .whole = whole,
                                  .planes = 1,
                                  .width = s->width,
                                  .height = s->height,
                                  .layers = s->layers}};
    const lg_status status = upload_weights(&t);
    return status ? status : blur(&t, plane, spare, plane);
}

lg_status lg_gaussian_blur_vulkan(lg_device_call *call)
{
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_pixels from = {.channels = in->channels, .type = in->type, .alpha = in->alpha};
    const lg_pixels to = {.channels = out->channels, .type = out->type, .alpha = out->alpha};
    const bool whole = in->type == LG_U8 && !lg_pixels_have_alpha(&from);
    gaussian_task t = {.passes = lg_axis_passes_of(call, border, whole)};
    lg_status status = lg_gaussian_create(
        lg_native_value(call->filter, call->values, "sigma"),
        (int)lg_native_value(call->filter, call->values, "radius"),
        (lg_gaussian_rule)lg_native_value(call->filter, call->values, "rule"), &t.g, call->error);
    if (status)
        return status;
    const double unit = (double)((int64_t)1 << (t.g.shift + LG_GAUSSIAN_FRACTION));
    t.scale = (float)(1 / (255 * unit));
    t.last = whole && lg_pixels_same_kind(&from, &to) ? 2 : 1;
    status = t.last == 2 && lg_gaussian_takes_bytes(call, &t.g)
                 ? lg_gaussian_run_bytes(call, &t.g, border)
                 : run(&t);
    lg_gaussian_destroy(&t.g);
    return status;
}
