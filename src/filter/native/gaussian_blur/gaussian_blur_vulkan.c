// Gaussian blur on a Vulkan device.
#include "filter/native/gaussian_blur/gaussian_blur_vulkan.h"

#include <stdio.h>

extern const char lg_glsl_gaussian_blur_weigh[];

// From the centre outwards.
static void upload_weights(lg_gaussian_task *t)
{
    const void *weights = t->passes.whole ? (const void *)t->g.whole : t->g.floats;
    t->weights = lg_device_upload(t->passes.call, weights, ((size_t)t->g.taps + 1) * sizeof(float));
}

lg_axis_pass lg_gaussian_weighing(const lg_gaussian_task *t, int axis, bool first, int last)
{
    return (lg_axis_pass){.name = "gaussian_blur_weigh",
                          .text = lg_glsl_gaussian_blur_weigh,
                          .axis = axis,
                          .first = first,
                          .last = last,
                          .weights = t->weights,
                          .work = 2 * (int64_t)t->g.taps + 1};
}

// Windows that a thread holds in registers: those of 4 results, or of 8.
#define MOST_TAPS 15
#define FEW_TAPS  6

static void axis(const lg_gaussian_task *t, int axis, const lg_device_image *from,
                 const lg_device_image *to, bool last)
{
    const lg_gaussian *g = &t->g;
    const int shift = g->shift + (last && t->last == 0 ? LG_GAUSSIAN_FRACTION - 5 : 0);
    const lg_pass_words own = LG_GAUSSIAN_WORDS(t, shift);
    lg_axis_pass pass = lg_gaussian_weighing(t, axis, true, last ? t->last : 0);
    char lines[64];
    pass.views[0] = from;
    pass.views[1] = to;
    pass.own = own;
    if (g->taps <= MOST_TAPS) {
        pass.block = pass.last || g->taps > FEW_TAPS ? 4 : 8;
        snprintf(lines, sizeof lines, "#define TAPS %d\n#define BLOCK %d\n", g->taps, pass.block);
        pass.lines = lines;
    }
    lg_axis_run(&t->passes, &pass, g->radius);
}

// `columns` is for what the first pass makes.
static void blur(lg_gaussian_task *t, const lg_device_image *from, const lg_device_image *columns,
                 const lg_device_image *to)
{
    if (t->g.levels) {
        lg_gaussian_run_levels(t, from, to);
        return;
    }
    axis(t, 1, from, columns, false);
    axis(t, 0, columns, to, true);
}

static void run(lg_gaussian_task *t)
{
    lg_device_image in, columns = {.address = 0};
    upload_weights(t);
    in = lg_axis_load(&t->passes);
    if (!t->g.levels)
        columns = lg_axis_image(&t->passes, 0);
    lg_axis_set_shape(&t->passes, 0, 0, &columns);
    blur(t, &in, &columns, &t->passes.call->out);
}

void lg_gaussian_blur_plane(lg_device_call *call, const lg_gaussian *g, lg_border border,
                            bool whole, const lg_device_image *plane, const lg_device_image *spare)
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
    upload_weights(&t);
    blur(&t, plane, spare, plane);
}

bool lg_gaussian_is_whole(const lg_image_params *s)
{
    const lg_pixels p = {.channels = s->channels, .type = s->type, .alpha = s->alpha};
    return s->type == LG_U8 && !lg_pixels_have_alpha(&p);
}

void lg_gaussian_run(lg_device_call *call, const lg_gaussian *g, lg_border border)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_pixels from = {.channels = in->channels, .type = in->type, .alpha = in->alpha};
    const lg_pixels to = {.channels = out->channels, .type = out->type, .alpha = out->alpha};
    const bool whole = lg_gaussian_is_whole(in);
    lg_gaussian_task t = {
        .passes = lg_axis_passes_of(call, border, whole), .g = *g, .scale = lg_gaussian_scale(g)};
    t.last = whole && lg_pixels_same_kind(&from, &to) ? 2 : 1;
    if (whole && lg_gaussian_takes_bytes(call, &t.g, 0))
        lg_gaussian_run_bytes(call, &t.g, border, t.last == 2 ? 0 : t.scale, -1);
    else if (t.last == 2 && lg_gaussian_takes_byte_levels(call, &t.g))
        lg_gaussian_run_byte_levels(call, &t.g, border);
    else
        run(&t);
}

void lg_gaussian_blur_vulkan(lg_device_call *call)
{
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    lg_gaussian g;
    call->status = lg_gaussian_create_of(call->filter, call->values, &g, call->error);
    if (call->status)
        return;
    lg_gaussian_run(call, &g, border);
    lg_gaussian_destroy(&g);
}
