// Box blur on a Vulkan device.
#include "filter/native/box_blur/box_blur.h"
#include "filter/native/separable/separable_vulkan.h"

#include <stdio.h>
#include <string.h>

extern const char lg_glsl_box_blur_sums[], lg_glsl_box_blur_columns[], lg_glsl_box_blur_rows[],
    lg_glsl_box_blur_bytes[];

#define ROW_THREADS 256
#define BAND        256 // rows whose sums of columns begin anew, at least

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- floats: sums by doubling, four levels a pass ---------------------------------------------------

#define LEVELS 4 // of a pass

typedef struct float_task {
    lg_axis_passes passes;
    int32_t size;               // of the window
    lg_device_image doubled[2]; // sums of 2^level samples, in turn
    lg_device_image sum;        // for the bits so far
} float_task;

// What the pass from a level on leaves beyond the image; 0 for the last one.
static int32_t rest_after(const float_task *t, int level)
{
    return t->size >> (level + LEVELS) ? t->size - (1 << (level + LEVELS)) : 0;
}

static lg_status float_axis(float_task *t, int axis, const lg_device_image *from,
                            const lg_device_image *to, bool last)
{
    lg_status status = LG_OK;
    const lg_device_image *sums = from;
    for (int level = 0; t->size >> level && !status; level += LEVELS) {
        const bool more = t->size >> (level + LEVELS);
        lg_device_image *doubled = &t->doubled[level / LEVELS % 2];
        char lines[80];
        snprintf(lines, sizeof lines, "#define MORE %d\n#define BEGUN %d\n", more, level > 0);
        const lg_axis_pass pass = {.name = "box_blur_sums",
                                   .text = lg_glsl_box_blur_sums,
                                   .axis = axis,
                                   .first = level == 0,
                                   .rest = rest_after(t, level),
                                   .last = !more && last,
                                   .lines = lines};
        const lg_device_image *into = more ? &t->sum : to;
        if (more)
            lg_axis_set_shape(&t->passes, axis, pass.rest, doubled);
        const lg_device_image *views[] = {sums, level ? &t->sum : into, more ? doubled : into,
                                          into};
        const float scale = (float)(1 / ((double)t->size * t->size));
        const uint32_t own[] = {(uint32_t)t->size, (uint32_t)level, bits_of(scale)};
        status = lg_axis_run(&t->passes, &pass, t->size / 2, views, 4, own, 3);
        lg_vk_barrier(t->passes.call->commands);
        sums = doubled;
    }
    return status;
}

static lg_status run_floats(lg_device_call *call, lg_border border, int32_t radius)
{
    float_task t = {.passes = lg_axis_passes_of(call, border, false), .size = 2 * radius + 1};
    lg_device_image in, columns;
    lg_status status = lg_axis_load(&t.passes, &in);
    if (!status)
        status = lg_axis_image(&t.passes, 0, &columns);
    lg_axis_set_shape(&t.passes, 0, 0, &columns);
    if (!status && rest_after(&t, 0))
        status = lg_axis_image(&t.passes, 0, &t.sum);
    lg_axis_set_shape(&t.passes, 0, 0, &t.sum);
    for (int i = 0; i < 2 && !status && rest_after(&t, i * LEVELS); i++)
        status = lg_axis_image(&t.passes, rest_after(&t, i * LEVELS), &t.doubled[i]);
    if (!status)
        status = float_axis(&t, 1, &in, &columns, false);
    return status ? status : float_axis(&t, 0, &columns, &call->out, true);
}

// ---- integers: columns, then rows, any radius -------------------------------------------------------

// The image of sums is read as samples, so that a row of it is no image of its own.
static lg_status run_integers(lg_device_call *call, lg_border border, int32_t radius)
{
    const lg_device_image *in = &call->in[0], *out = &call->out;
    const lg_image_params *s = &in->shape;
    const bool rounded = s->type == out->shape.type && s->channels == out->shape.channels &&
                         s->alpha == out->shape.alpha;
    const double size = 2 * (double)radius + 1, largest = s->type == LG_U8 ? 255 : 65535;
    lg_device_image sums;
    const lg_image_params shape = lg_native_shape(s, LG_F32, s->channels, LG_ALPHA_NONE);
    lg_status status = lg_device_scratch_image(call, &shape, &sums);
    if (status)
        return status;
    const lg_native_glsl down = {.name = "box_blur_columns",
                                 .text = lg_glsl_box_blur_columns,
                                 .group_x = 64,
                                 .group_y = 1,
                                 .extra = 7};
    const lg_native_glsl across = {.name = "box_blur_rows",
                                   .text = lg_glsl_box_blur_rows,
                                   .group_x = ROW_THREADS,
                                   .group_y = 1,
                                   .extra = 7,
                                   .span = 4};
    const lg_vk_pipeline *columns, *rows;
    const lg_device_image *down_views[] = {in, &sums}, *across_views[] = {in, &sums, out};
    status = lg_native_kernel(call, &down, down_views, 2, &columns, "#define BYTES %d\n",
                              s->type == LG_U8);
    if (!status)
        status = lg_native_kernel(
            call, &across, across_views, 3, &rows,
            "#extension GL_KHR_shader_subgroup_arithmetic : require\n#define CH %d\n"
            "#define ROUNDED %d\n#define SAMPLE_BYTES %d\n#define OPAQUE %d\n#define WIDE %d\n",
            s->channels, rounded, (int)lg_type_size(s->type),
            s->channels > 1 && s->alpha == LG_ALPHA_OPAQUE, largest * size * size >= 0x1p32);
    if (status)
        return status;
    const int32_t band = LG_MAX(BAND, 2 * radius + 1);
    const uint32_t words[] = {
        (uint32_t)s->layers, (uint32_t)s->height,
        (uint32_t)radius,    (uint32_t)border,
        (uint32_t)band,      bits_of((float)(1 / (size * size * (rounded ? 1 : largest)))),
        (uint32_t)s->width};
    lg_device_dispatch(call, columns, down_views, 2, words, 7,
                       lg_native_groups((int64_t)s->width * s->channels, 256),
                       lg_native_groups(s->height, band), lg_native_groups(s->layers, 1));
    lg_vk_barrier(call->commands);
    lg_device_dispatch(call, rows, across_views, 3, words, 7, 1, lg_native_groups(s->height, 1),
                       lg_native_groups(s->layers, 1));
    return LG_OK;
}

// ---- bytes: one dispatch ----------------------------------------------------------------------------

#define BYTES_RADIUS    64
#define BYTES_THREADS   256
#define BYTES_UNITS     16 // compute units of a device that does not tell
#define GROUPS_PER_UNIT 4  // that go on at the same time

static bool takes_bytes(const lg_device_call *call, int32_t radius)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_vk_limits *limits = lg_vk_get_limits(call->context->vk);
    return in->type == LG_U8 && out->type == LG_U8 && in->channels != 2 &&
           in->channels == out->channels && in->alpha == out->alpha && radius <= BYTES_RADIUS &&
           limits->shared_memory >= 32 * 1024 && limits->max_workgroup_size >= 256;
}

static lg_status run_bytes(lg_device_call *call, lg_border border, int32_t radius)
{
    const lg_image_params *s = &call->in[0].shape;
    const int pixels = s->channels == 4 ? 4 : 8;
    const lg_native_glsl text = {.name = "box_blur_bytes",
                                 .text = lg_glsl_box_blur_bytes,
                                 .group_x = BYTES_THREADS,
                                 .group_y = 1,
                                 .extra = 4};
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_vk_pipeline *pipeline;
    const lg_status status =
        lg_native_kernel(call, &text, views, 2, &pipeline,
                         "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                         "#define CH %d\n#define BORDER %d\n#define OPAQUE %d\n#define RADIUS %d\n",
                         s->channels, (int)border, s->alpha == LG_ALPHA_OPAQUE, (int)radius);
    if (status)
        return status;
    const int32_t halo = (radius + pixels - 1) / pixels * pixels;
    const uint32_t strips = lg_native_groups(s->width, BYTES_THREADS * pixels - 2 * halo);
    // A band begins with sums over the whole window, so that it should be long beside that, and there
    // should be a workgroup for every place.
    const uint32_t units = lg_vk_get_limits(call->context->vk)->compute_units;
    const uint32_t groups = (units ? units : BYTES_UNITS) * GROUPS_PER_UNIT;
    const uint32_t bands = LG_MAX(groups / LG_MAX(strips * (uint32_t)s->layers, 1u), 1u);
    const int32_t band = (int32_t)lg_align_up(
        LG_MAX((size_t)s->height / bands + 1, (size_t)LG_MAX(radius / 2, 16)), 4);
    const float scale = (float)(1 / ((2.0 * radius + 1) * (2.0 * radius + 1)));
    const uint32_t words[] = {(uint32_t)s->layers, (uint32_t)s->height, (uint32_t)band,
                              bits_of(scale)};
    lg_device_dispatch(call, pipeline, views, 2, words, 4, strips,
                       lg_native_groups(s->height, band), lg_native_groups(s->layers, 1));
    return LG_OK;
}

lg_status lg_box_blur_vulkan(lg_device_call *call)
{
    const int32_t radius = (int32_t)lg_native_value(call->filter, call->values, "radius");
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_image_params *in = &call->in[0].shape;
    const lg_pixels pixels = {.channels = in->channels, .alpha = in->alpha};
    const bool integers = in->type <= LG_U16 && !lg_pixels_have_alpha(&pixels);
    if (integers && takes_bytes(call, radius))
        return run_bytes(call, border, radius);
    return integers ? run_integers(call, border, radius) : run_floats(call, border, radius);
}
