#include "filter/native/separable/separable_vulkan.h"

#include <string.h>

extern const char lg_glsl_separable_shared[], lg_glsl_separable_planes[];

#define OWN 7
#define WORK_LIMIT                                                                                 \
    ((int64_t)1 << 36) // samples that a dispatch reads at most: a fraction of a second

lg_axis_passes lg_axis_passes_of(lg_device_call *call, lg_border border, bool whole)
{
    const lg_image_params *in = &call->in[0].shape;
    const lg_pixels pixels = {.channels = in->channels, .type = in->type, .alpha = in->alpha};
    return (lg_axis_passes){.call = call,
                            .border = border,
                            .whole = whole,
                            .planes = lg_plane_count(&pixels),
                            .alpha = lg_pixels_have_alpha(&pixels),
                            .width = in->width,
                            .height = in->height,
                            .layers = in->layers};
}

static int channels_of(const lg_axis_passes *p)
{
    return p->planes == 3 ? 4 : p->planes;
}

static lg_image_params shape_of(const lg_axis_passes *p, int axis, int32_t rest)
{
    return (lg_image_params){.width = p->width + (axis == 0 ? rest : 0),
                             .height = p->height + (axis == 1 ? rest : 0),
                             .layers = p->layers,
                             .channels = channels_of(p),
                             .type = LG_F32};
}

lg_status lg_axis_image(const lg_axis_passes *p, int32_t rest, lg_device_image *out)
{
    // The shorter axis makes the larger image; rows are whole vectors.
    lg_image_params shape = shape_of(p, p->width < p->height ? 0 : 1, rest);
    shape.width += 16;
    return lg_device_scratch_image(p->call, &shape, out);
}

void lg_axis_set_shape(const lg_axis_passes *p, int axis, int32_t rest, lg_device_image *image)
{
    image->shape = shape_of(p, axis, rest);
    image->row_stride = lg_align_up((size_t)image->shape.width * lg_pixel_size(&image->shape), 16);
    image->layer_stride = image->row_stride * (size_t)image->shape.height;
}

static lg_status kernel(const lg_axis_passes *p, const lg_axis_pass *pass,
                        const lg_device_image *const *views, int count, int own_count,
                        const lg_vk_pipeline **out)
{
    const lg_native_glsl text = {.name = pass->name,
                                 .text = pass->text,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = OWN + own_count,
                                 .span = 4,
                                 .shared = lg_glsl_separable_shared};
    return lg_native_kernel(
        p->call, &text, views, count, out,
        "#define CH %d\n#define WHOLE %d\n#define AXIS %d\n#define FIRST %d\n"
        "#define PLANES %d\n#define ALPHA %d\n#define LAST %d\n#define STORED %d\n%s",
        channels_of(p), p->whole, pass->axis, pass->first, p->planes, p->alpha, pass->last,
        p->call->in[0].shape.channels, pass->lines ? pass->lines : "");
}

lg_status lg_axis_run(const lg_axis_passes *p, const lg_axis_pass *pass, int32_t radius,
                      const lg_device_image *const *views, int count, const uint32_t *own,
                      int own_count)
{
    const lg_vk_pipeline *pipeline;
    const lg_status status = kernel(p, pass, views, count, own_count, &pipeline);
    if (status)
        return status;
    const int32_t width = pass->width ? pass->width : p->width + (pass->axis ? 0 : pass->rest);
    const int32_t height = pass->height ? pass->height : p->height + (pass->axis ? pass->rest : 0);
    const int64_t row_work = LG_MAX(pass->work, 1) * width * p->layers;
    const int32_t rows = (int32_t)LG_MAX(LG_MIN(WORK_LIMIT / row_work, height), 1);
    uint32_t words[20] = {(uint32_t)p->layers,
                          0,
                          0,
                          (uint32_t)width,
                          (uint32_t)(pass->axis ? p->height : p->width),
                          (uint32_t)radius,
                          (uint32_t)p->border};
    if (own_count)
        memcpy(words + OWN, own, (size_t)own_count * sizeof *own);
    const int32_t block = LG_MAX(pass->block, 1);
    p->call->shares = true;
    for (int32_t y = 0; y < height; y += rows) {
        const int32_t end = LG_MIN(y + rows, height);
        words[1] = (uint32_t)y;
        words[2] = (uint32_t)end;
        lg_vk_reads(p->call->commands, pass->weights, 0);
        lg_device_dispatch(p->call, pipeline, views, count, words, OWN + own_count,
                           lg_native_groups(width, pass->last   ? 128
                                                   : pass->axis ? 32
                                                                : 32 * block),
                           lg_native_groups(end - y, pass->axis ? 4 * block : 4),
                           lg_native_groups(p->layers, 1));
    }
    p->call->shares = false;
    return LG_OK;
}

lg_status lg_axis_load(const lg_axis_passes *p, lg_device_image *out)
{
    const lg_device_image *in = &p->call->in[0];
    const lg_axis_pass pass = {.name = "separable_planes", .text = lg_glsl_separable_planes};
    *out = *in;
    if (in->shape.type == LG_F32 && !p->alpha && in->shape.channels == channels_of(p))
        return LG_OK;
    lg_status status = lg_axis_image(p, 0, out);
    lg_axis_set_shape(p, 0, 0, out);
    const lg_device_image *views[] = {in, out};
    if (!status)
        status = lg_axis_run(p, &pass, 0, views, 2, NULL, 0);
    lg_vk_barrier(p->call->commands);
    return status;
}
