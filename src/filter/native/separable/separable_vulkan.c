#include "filter/native/separable/separable_vulkan.h"

#include <string.h>

extern const char lg_glsl_separable_shared[], lg_glsl_separable_planes[];

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

lg_device_image lg_axis_image(const lg_axis_passes *p, int32_t rest)
{
    // The shorter axis makes the larger image; rows are whole vectors.
    lg_image_params shape = shape_of(p, p->width < p->height ? 0 : 1, rest);
    shape.width += 16;
    return lg_device_scratch_image(p->call, &shape);
}

void lg_axis_set_shape(const lg_axis_passes *p, int axis, int32_t rest, lg_device_image *image)
{
    image->shape = shape_of(p, axis, rest);
    image->row_stride = lg_align_up((size_t)image->shape.width * lg_pixel_size(&image->shape), 16);
    image->layer_stride = image->row_stride * (size_t)image->shape.height;
}

void lg_axis_run(const lg_axis_passes *p, const lg_axis_pass *axis, int32_t radius)
{
    const int32_t width = axis->width ? axis->width : p->width + (axis->axis ? 0 : axis->rest);
    const int32_t height = axis->height ? axis->height : p->height + (axis->axis ? axis->rest : 0);
    const int64_t row_work = LG_MAX(axis->work, 1) * width * p->layers;
    const int32_t block = LG_MAX(axis->block, 1);
    const int32_t across = axis->last ? 128 : axis->axis ? 32 : 32 * block;
    lg_pass pass = {.name = axis->name,
                    .text = axis->text,
                    .span = 4,
                    .shared = lg_glsl_separable_shared,
                    .words = LG_WORDS(p->layers, 0, 0, width, axis->axis ? p->height : p->width,
                                      radius, p->border),
                    .more = axis->own,
                    .reads = {axis->weights},
                    .groups = {lg_native_groups(width, across), 0, lg_native_groups(p->layers, 1)},
                    .rows = (int32_t)LG_MAX(LG_MIN(WORK_LIMIT / row_work, height), 1),
                    .row_count = height,
                    .group_rows = axis->axis ? 4 * block : 4};
    memcpy(pass.views, axis->views, sizeof axis->views);
    lg_pass_run(p->call, &pass,
                "#define CH %d\n#define WHOLE %d\n#define AXIS %d\n#define FIRST %d\n"
                "#define PLANES %d\n#define ALPHA %d\n#define LAST %d\n#define STORED %d\n%s",
                channels_of(p), p->whole, axis->axis, axis->first, p->planes, p->alpha, axis->last,
                p->call->in[0].shape.channels, axis->lines ? axis->lines : "");
}

lg_device_image lg_axis_load(const lg_axis_passes *p)
{
    const lg_device_image *in = &p->call->in[0];
    if (in->shape.type == LG_F32 && !p->alpha && in->shape.channels == channels_of(p))
        return *in;
    lg_device_image out = lg_axis_image(p, 0);
    lg_axis_set_shape(p, 0, 0, &out);
    const lg_axis_pass pass = {LG_PASS_TEXT(separable_planes), .views = {in, &out}};
    lg_axis_run(p, &pass, 0);
    return out;
}
