// Images of other sizes, on a Vulkan device.
#include "filter/native/geometry/geometry_vulkan.h"
#include "filter/native/geometry/resize.h"
#include "filter/native/planes.h"

#include <string.h>

extern const char lg_glsl_resize[], lg_glsl_resize_bytes[];

#define OWN  8
#define WORK ((int64_t)1 << 36) // samples that a dispatch reads at most: a fraction of a second

typedef struct resize_task {
    lg_device_call *call;
    const lg_resize *r;
    int planes, channels;
    bool alpha;
    uint64_t lists[2]; // of each axis: first, how many, weights
} resize_task;

enum { ALONG, DOWN, LINEAR_PLANES };

typedef struct resize_pass {
    int kind;
    bool first, last; // it reads the image, it writes the result
    const lg_device_image *from, *to;
} resize_pass;

static lg_status upload(resize_task *t)
{
    lg_status status = LG_OK;
    for (int k = 0; k < 2 && !status; k++) {
        const lg_resize_axis *axis = &t->r->axis[k];
        const size_t count = (size_t)axis->count, weights = count * (size_t)axis->taps;
        uint32_t *words = lg_alloc_array(2 * count + weights, sizeof *words);
        lg_vk_buffer *buffer;
        if (!words)
            return lg_fail_memory(t->call->error, (2 * count + weights) * sizeof *words,
                                  "the weights of a resized image");
        memcpy(words, axis->first, 2 * count * sizeof *words);
        memcpy(words + 2 * count,
               t->r->bytes ? (const void *)axis->weights : (const void *)axis->floats,
               weights * sizeof *words);
        status = lg_geometry_upload(t->call, words, (2 * count + weights) * sizeof *words, &buffer);
        lg_free(words);
        t->lists[k] = status ? 0 : buffer->address;
    }
    return status;
}

#define BYTES_SPAN 4

static lg_status bytes_kernel(const resize_task *t, const resize_pass *p,
                              const lg_vk_pipeline **out)
{
    const lg_native_glsl text = {.name = "resize_bytes",
                                 .text = lg_glsl_resize_bytes,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = OWN,
                                 .span = BYTES_SPAN};
    const lg_device_image *views[] = {p->from, p->to};
    const bool opaque = t->call->out.shape.alpha == LG_ALPHA_OPAQUE;
    const int shift = p->last ? LG_RESIZE_BYTE_BITS + LG_RESIZE_FRACTION
                              : LG_RESIZE_BYTE_BITS - LG_RESIZE_FRACTION;
    return lg_native_kernel(
        t->call, &text, views, 2, out,
        "#define KIND %d\n#define FIRST %d\n#define LAST %d\n#define CH %d\n#define SHIFT %d\n"
        "#define SET %su\n",
        p->kind, p->first, p->last, t->channels, shift,
        !opaque || t->channels == 1 ? "0"
        : t->channels == 4          ? "0xff000000"
                                    : "0xff00");
}

static lg_status floats_kernel(const resize_task *t, const resize_pass *p,
                               const lg_vk_pipeline **out)
{
    const lg_native_glsl text = {.name = "resize",
                                 .text = lg_glsl_resize,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = OWN,
                                 .span = p->last ? 4 : 0};
    const lg_device_image *views[] = {p->from, p->to};
    const bool linear = t->r->linear;
    return lg_native_kernel(
        t->call, &text, views, 2, out,
        "#define KIND %d\n#define FIRST %d\n#define LAST %d\n#define CH %d\n#define PLANES %d\n"
        "#define ALPHA %d\n#define LINEAR %d\n",
        p->kind, p->first, p->last, t->channels, t->planes, t->alpha, linear);
}

static lg_status run_pass(const resize_task *t, const resize_pass *p)
{
    const lg_vk_pipeline *pipeline;
    const lg_status status =
        t->r->bytes ? bytes_kernel(t, p, &pipeline) : floats_kernel(t, p, &pipeline);
    if (status)
        return status;
    const lg_image_params *s = &p->to->shape;
    const lg_resize_axis *axis = p->kind == LINEAR_PLANES ? NULL : &t->r->axis[p->kind];
    const int64_t work = (int64_t)(axis ? axis->taps : 1) * s->width * s->layers;
    const int32_t rows = (int32_t)LG_MAX(LG_MIN(WORK / work, s->height), 1);
    const lg_device_image *views[] = {p->from, p->to};
    uint32_t words[OWN] = {(uint32_t)s->layers, 0, 0, (uint32_t)s->width};
    words[4] = axis ? (uint32_t)axis->count : 0;
    words[5] = axis ? (uint32_t)axis->taps : 0;
    if (axis)
        memcpy(words + 6, &t->lists[p->kind], sizeof t->lists[p->kind]);
    t->call->shares = true;
    for (int32_t y = 0; y < s->height; y += rows) {
        const int32_t end = LG_MIN(y + rows, s->height);
        words[1] = (uint32_t)y;
        words[2] = (uint32_t)end;
        if (axis)
            lg_vk_reads(t->call->commands, t->lists[p->kind], 0);
        lg_device_dispatch(t->call, pipeline, views, 2, words, OWN,
                           lg_native_groups(s->width, p->last || t->r->bytes ? 128 : 32),
                           lg_native_groups(end - y, 4), lg_native_groups(s->layers, 1));
    }
    t->call->shares = false;
    lg_vk_barrier(t->call->commands);
    return LG_OK;
}

static lg_status planes_image(const resize_task *t, int32_t width, int32_t height,
                              lg_device_image *out)
{
    lg_image_params shape = lg_native_shape(&t->call->in[0].shape, t->r->bytes ? LG_U16 : LG_F32,
                                            t->channels, LG_ALPHA_NONE);
    shape.width = width;
    shape.height = height;
    return lg_device_scratch_image(t->call, &shape, out);
}

static lg_status run_passes(const resize_task *t)
{
    const lg_image_params *in = &t->call->in[0].shape, *out = &t->call->out.shape;
    lg_device_image light = t->call->in[0], between;
    lg_status status = LG_OK;
    if (t->r->linear) {
        status = planes_image(t, in->width, in->height, &light);
        const resize_pass p = {LINEAR_PLANES, true, false, &t->call->in[0], &light};
        status = status ? status : run_pass(t, &p);
    }
    const bool down = t->r->columns_first;
    if (!status)
        status = planes_image(t, down ? in->width : out->width, down ? out->height : in->height,
                              &between);
    const resize_pass one = {down ? DOWN : ALONG, !t->r->linear, false, &light, &between};
    const resize_pass two = {down ? ALONG : DOWN, false, true, &between, &t->call->out};
    if (!status)
        status = run_pass(t, &one);
    return status ? status : run_pass(t, &two);
}

lg_status lg_resize_vulkan(lg_device_call *call)
{
    const lg_image_params *in = &call->in[0].shape;
    const lg_pixels pixels = {.channels = in->channels, .type = in->type, .alpha = in->alpha};
    lg_resize r = lg_resize_of(call->filter, call->values, in, &call->out.shape);
    if (lg_resize_moves(&r))
        return lg_rearrange_vulkan(call, lg_resize_nearest);
    resize_task t = {.call = call,
                     .r = &r,
                     .planes = lg_plane_count(&pixels),
                     .alpha = lg_pixels_have_alpha(&pixels)};
    lg_status status = lg_resize_weigh(&r, in, &call->out.shape, call->error);
    t.channels = r.bytes ? in->channels : t.planes == 3 ? 4 : t.planes;
    if (!status)
        status = upload(&t);
    if (!status)
        status = run_passes(&t);
    lg_resize_close(&r);
    return status;
}
