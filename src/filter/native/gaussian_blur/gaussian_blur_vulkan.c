// Gaussian blur on a Vulkan device.
#include "filter/native/gaussian_blur/gaussian_blur_vulkan.h"

#include <stdio.h>
#include <string.h>

extern const char lg_glsl_gaussian_blur_weigh[];

// From the centre outwards.
static lg_status upload_weights(lg_gaussian_task *t)
{
    lg_vk_buffer *weights = NULL;
    const lg_status status =
        lg_device_upload(t->passes.call, t->passes.whole ? (const void *)t->g.whole : t->g.floats,
                         ((size_t)t->g.taps + 1) * sizeof(float), &weights);
    t->weights = weights;
    return status;
}

lg_axis_pass lg_gaussian_weighing(const lg_gaussian_task *t, int axis, bool first, int last)
{
    return (lg_axis_pass){.name = "gaussian_blur_weigh",
                          .text = lg_glsl_gaussian_blur_weigh,
                          .axis = axis,
                          .first = first,
                          .last = last,
                          .weights = t->weights->address,
                          .work = 2 * (int64_t)t->g.taps + 1};
}

void lg_gaussian_words(const lg_gaussian_task *t, int shift, uint32_t own[LG_GAUSSIAN_WORDS])
{
    memcpy(own, &t->weights->address, sizeof t->weights->address);
    own[2] = (uint32_t)t->g.taps;
    own[3] = (uint32_t)shift;
    memcpy(own + 4, &t->scale, sizeof t->scale);
}

// Windows that a thread holds in registers: those of 4 results, or of 8.
#define MOST_TAPS 15
#define FEW_TAPS  6

static lg_status axis(lg_gaussian_task *t, int axis, const lg_device_image *from,
                      const lg_device_image *to, bool last)
{
    const lg_gaussian *g = &t->g;
    lg_axis_pass pass = lg_gaussian_weighing(t, axis, true, last ? t->last : 0);
    const lg_device_image *views[] = {from, to};
    uint32_t own[LG_GAUSSIAN_WORDS];
    char lines[64];
    if (g->taps <= MOST_TAPS) {
        pass.block = pass.last || g->taps > FEW_TAPS ? 4 : 8;
        snprintf(lines, sizeof lines, "#define TAPS %d\n#define BLOCK %d\n", g->taps, pass.block);
        pass.lines = lines;
    }
    lg_gaussian_words(t, g->shift + (last && t->last == 0 ? LG_GAUSSIAN_FRACTION - 5 : 0), own);
    return lg_axis_run(&t->passes, &pass, g->radius, views, 2, own, LG_GAUSSIAN_WORDS);
}

// `columns` is for what the first pass makes.
static lg_status blur(lg_gaussian_task *t, const lg_device_image *from,
                      const lg_device_image *columns, const lg_device_image *to)
{
    if (t->g.levels)
        return lg_gaussian_run_levels(t, from, to);
    const lg_status status = axis(t, 1, from, columns, false);
    lg_vk_barrier(t->passes.call->commands);
    return status ? status : axis(t, 0, columns, to, true);
}

static lg_status run(lg_gaussian_task *t)
{
    lg_device_image in, columns;
    lg_status status = upload_weights(t);
    if (!status)
        status = lg_axis_load(&t->passes, &in);
    if (!status && !t->g.levels)
        status = lg_axis_image(&t->passes, 0, &columns);
    lg_axis_set_shape(&t->passes, 0, 0, &columns);
    return status ? status : blur(t, &in, &columns, &t->passes.call->out);
}

lg_status lg_gaussian_blur_plane(lg_device_call *call, const lg_gaussian *g, lg_border border,
                                 bool whole, const lg_device_image *plane,
                                 const lg_device_image *spare)
{
    const lg_image_params *s = &plane->shape;
    lg_gaussian_task t = {.g = *g,
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
    lg_gaussian_task t = {.passes = lg_axis_passes_of(call, border, whole)};
    lg_status status = lg_gaussian_create_of(call->filter, call->values, &t.g, call->error);
    if (status)
        return status;
    t.scale = (float)(1 / (255 * (double)lg_gaussian_unit(&t.g)));
    t.last = whole && lg_pixels_same_kind(&from, &to) ? 2 : 1;
    if (whole && lg_gaussian_takes_bytes(call, &t.g))
        status = lg_gaussian_run_bytes(call, &t.g, border, t.last == 2 ? 0 : t.scale);
    else if (t.last == 2 && lg_gaussian_takes_byte_levels(call, &t.g))
        status = lg_gaussian_run_byte_levels(call, &t.g, border);
    else
        status = run(&t);
    lg_gaussian_destroy(&t.g);
    return status;
}
