// Box blur on a Vulkan device.
#include "filter/native/box_blur/box_blur.h"
#include "filter/native/separable/separable_vulkan.h"

#include <stdio.h>

extern const char lg_glsl_box_blur_sums[], lg_glsl_box_blur_columns[], lg_glsl_box_blur_rows[],
    lg_glsl_box_blur_bytes[];

#define ROW_THREADS 256
#define BAND        256 // rows whose sums of columns begin anew, at least

// ---- floats: sums by doubling, four levels a pass ---------------------------------------------------

#define LEVELS 4 // of a pass

typedef struct float_task {
    lg_axis_passes passes;
    int32_t size[2];            // of the window along rows and columns
    lg_device_image doubled[2]; // sums of 2^level samples, in turn
    lg_device_image sum;        // for the bits so far
} float_task;

static bool has_more(int32_t size, int level)
{
    return size >> (level + LEVELS);
}

// What the pass from a level on leaves beyond the image. Other passes may follow where this is 0, of a size
// that is a power of two.
static int32_t rest_after(int32_t size, int level)
{
    return has_more(size, level) ? size - (1 << (level + LEVELS)) : 0;
}

static void float_axis(float_task *t, int axis, const lg_device_image *from,
                       const lg_device_image *to, bool last)
{
    const lg_device_image *sums = from;
    const int32_t size = t->size[axis];
    const float scale = (float)(1 / ((double)t->size[0] * t->size[1]));
    for (int level = 0; size >> level; level += LEVELS) {
        const bool more = has_more(size, level);
        lg_device_image *doubled = &t->doubled[level / LEVELS % 2];
        const lg_device_image *into = more ? &t->sum : to;
        const int32_t rest = rest_after(size, level);
        // Lower bits of an even size may be 0.
        const bool begun = size & ((1 << level) - 1);
        char lines[80];
        snprintf(lines, sizeof lines, "#define MORE %d\n#define BEGUN %d\n", more, begun);
        const lg_axis_pass pass = {
            LG_PASS_TEXT(box_blur_sums),
            .axis = axis,
            .first = level == 0,
            .rest = rest,
            .last = !more && last,
            .lines = lines,
            .views = {sums, level ? &t->sum : into, more ? doubled : into, into},
            .own = LG_WORDS(size, level, lg_bits(scale))};
        if (more)
            lg_axis_set_shape(&t->passes, axis, rest, doubled);
        lg_axis_run(&t->passes, &pass, size / 2);
        sums = doubled;
    }
}

static void run_floats(lg_device_call *call, lg_border border, lg_window_side down,
                       lg_window_side along)
{
    float_task t = {.passes = lg_axis_passes_of(call, border, false),
                    .size = {lg_window_size(along), lg_window_size(down)}};
    const int32_t most = LG_MAX(t.size[0], t.size[1]);
    const lg_device_image in = lg_axis_load(&t.passes);
    lg_device_image columns = lg_axis_image(&t.passes, 0);
    lg_axis_set_shape(&t.passes, 0, 0, &columns);
    if (has_more(most, 0))
        t.sum = lg_axis_image(&t.passes, 0);
    lg_axis_set_shape(&t.passes, 0, 0, &t.sum);
    for (int i = 0; i < 2 && has_more(most, i * LEVELS); i++)
        t.doubled[i] = lg_axis_image(&t.passes, rest_after(most, i * LEVELS));
    float_axis(&t, 1, &in, &columns, false);
    float_axis(&t, 0, &columns, &call->out, true);
}

// ---- integers: columns, then rows, any radius -------------------------------------------------------

// The image of sums is read as samples, so that a row of it is no image of its own.
static void run_integers(lg_device_call *call, lg_border border, lg_window_side down,
                         lg_window_side along)
{
    const lg_device_image *in = &call->in[0], *out = &call->out;
    const lg_image_params *s = &in->shape;
    const bool rounded = s->type == out->shape.type && s->channels == out->shape.channels &&
                         s->alpha == out->shape.alpha;
    const double size = (double)lg_window_size(down) * lg_window_size(along);
    const double largest = s->type == LG_U8 ? 255 : 65535;
    const lg_image_params shape = lg_native_shape(s, LG_F32, s->channels, LG_ALPHA_NONE);
    const lg_device_image sums = lg_device_scratch_image(call, &shape);
    const int32_t band = LG_MAX(BAND, lg_window_size(down));
    const lg_pass_words words =
        LG_WORDS(s->layers, s->height, down.before, border, band,
                 lg_bits((float)(1 / (size * (rounded ? 1 : largest)))), s->width, down.after,
                 along.before, along.after, (int64_t)size);
    const lg_pass columns = {LG_PASS_TEXT(box_blur_columns),
                             .group_x = 64,
                             .group_y = 1,
                             .views = {in, &sums},
                             .words = words,
                             .groups = {lg_native_groups((int64_t)s->width * s->channels, 256),
                                        lg_native_groups(s->height, band),
                                        lg_native_groups(s->layers, 1)}};
    const lg_pass rows = {
        LG_PASS_TEXT(box_blur_rows), .group_x = ROW_THREADS, .group_y = 1, .span = 4,
        .views = {in, &sums, out},   .words = words,         .groups = {1}};
    lg_pass_run(call, &columns, "#define BYTES %d\n", s->type == LG_U8);
    lg_pass_run(call, &rows,
                "#extension GL_KHR_shader_subgroup_arithmetic : require\n#define CH %d\n"
                "#define ROUNDED %d\n#define SAMPLE_BYTES %d\n#define OPAQUE %d\n#define WIDE %d\n",
                s->channels, rounded, (int)lg_type_size(s->type),
                s->channels > 1 && s->alpha == LG_ALPHA_OPAQUE, largest * size >= 0x1p32);
}

// ---- bytes: one dispatch ----------------------------------------------------------------------------

#define BYTES_RADIUS  64
#define BYTES_THREADS 128 // few, since all of them wait for each other with every step

static bool takes_bytes(const lg_device_call *call, lg_window_side down, lg_window_side along)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_vk_limits *limits = lg_vk_get_limits(call->context->vk);
    return in->type == LG_U8 && out->type == LG_U8 && in->channels != 2 &&
           in->channels == out->channels && in->alpha == out->alpha && down.before == down.after &&
           along.before == along.after && down.after == along.after && down.after <= BYTES_RADIUS &&
           limits->shared_memory >= 32 * 1024 && limits->max_workgroup_size >= BYTES_THREADS;
}

static void run_bytes(lg_device_call *call, lg_border border, int32_t radius)
{
    const lg_image_params *s = &call->in[0].shape;
    const int pixels = s->channels == 4 ? 4 : 8;
    const int32_t halo = (radius + pixels - 1) / pixels * pixels;
    const uint32_t strips = lg_native_groups(s->width, BYTES_THREADS * pixels - 2 * halo);
    // A band begins with sums over the whole window, so that it should be long beside that.
    const int32_t least = lg_native_band(call->context, (int64_t)strips * s->layers, s->height,
                                         LG_MAX(radius / 2, 16), s->channels == 4 ? 4 : 5);
    const int32_t band = (int32_t)lg_align_up((size_t)least, 4);
    const float scale = (float)(1 / ((2.0 * radius + 1) * (2.0 * radius + 1)));
    const lg_pass pass = {LG_PASS_TEXT(box_blur_bytes),
                          .group_x = BYTES_THREADS,
                          .group_y = 1,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(s->layers, s->height, band, lg_bits(scale)),
                          .groups = {strips, lg_native_groups(s->height, band)}};
    lg_pass_run(call, &pass,
                "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                "#define CH %d\n#define BORDER %d\n#define OPAQUE %d\n#define RADIUS %d\n",
                s->channels, (int)border, s->alpha == LG_ALPHA_OPAQUE, (int)radius);
}

void lg_box_blur_vulkan(lg_device_call *call)
{
    const lg_window_side down = lg_window_side_get(call->filter, call->values, "height");
    const lg_window_side along = lg_window_side_get(call->filter, call->values, "width");
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_image_params *in = &call->in[0].shape;
    const lg_pixels pixels = {.channels = in->channels, .alpha = in->alpha};
    const bool integers = in->type <= LG_U16 && !lg_pixels_have_alpha(&pixels);
    if (integers && takes_bytes(call, down, along))
        run_bytes(call, border, down.after);
    else
        (integers ? run_integers : run_floats)(call, border, down, along);
}
