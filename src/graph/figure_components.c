// Figures of connected components, measured on the host.
#include "graph/figure_components.h"
#include "graph/figure_rule.h"

#include "filter/native/label/label_filter.h"
#include "graph/plan.h"

#include "vulkan/vk.h"

// The image with its pixels in host memory: what is on a device is copied, *copy gets it.
static lg_status bring_home(lg_context *context, const lg_image *image, lg_image **copy,
                            lg_error *error)
{
    const lg_image_private *priv = (const lg_image_private *)image;
    *copy = NULL;
    if (!priv->device)
        return LG_OK;
    lg_status status = lg_image_create_uninit(context, &image->shape, copy, error);
    const lg_image_params *s = status ? NULL : &(*copy)->shape;
    for (int32_t z = 0; !status && z < s->layers; z++)
        status = lg_vk_download(context->vk, (char *)(*copy)->data + (size_t)z * s->layer_stride,
                                s->row_stride, priv->device, (size_t)z * priv->device_layer_stride,
                                priv->device_row_stride, (size_t)s->width * lg_pixel_size(s),
                                (size_t)s->height, error);
    if (status)
        lg_image_destroy(copy);
    return status;
}

static lg_status find_components(lg_context *context, const lg_image *image, int connectivity,
                                 lg_components **out, lg_error *error)
{
    lg_label_params params = lg_label_params_default();
    params.connectivity = connectivity;
    params.memory_limit = SIZE_MAX;
    lg_image *copy = NULL, *made = NULL;
    lg_status status = bring_home(context, image, &copy, error);
    const lg_image *from = copy ? copy : image;
    if (!status)
        status = lg_foreground_make(context, from, &made, error);
    if (!status)
        status = lg_label_image(context, made ? made : from, &params, NULL, NULL, out, error);
    lg_image_destroy(&made);
    lg_image_destroy(&copy);
    return status;
}

static uint32_t low_of(uint64_t v)
{
    return (uint32_t)v;
}

static uint32_t high_of(uint64_t v)
{
    return (uint32_t)(v >> 32);
}

static lg_largest largest_of(const lg_components *c)
{
    const lg_component_basic *best = NULL;
    for (uint32_t i = 0; i < c->count; i++)
        if (!best || c->basic[i].area > best->area)
            best = &c->basic[i];
    if (!best)
        return (lg_largest){0};
    return (lg_largest){low_of(best->area),
                        high_of(best->area),
                        low_of(best->sum[0]),
                        high_of(best->sum[0]),
                        low_of(best->sum[1]),
                        high_of(best->sum[1]),
                        (uint32_t)best->low[0],
                        (uint32_t)best->low[1],
                        (uint32_t)(best->high[0] - best->low[0] + 1),
                        (uint32_t)(best->high[1] - best->low[1] + 1)};
}

lg_status lg_figure_measure_components(lg_context *context, const lg_image *image,
                                       const lg_figure *figure, float out[4], lg_error *error)
{
    const lg_image_params *s = &image->shape;
    lg_components *components = NULL;
    const lg_status status =
        find_components(context, image, figure->connectivity, &components, error);
    if (status)
        return status;
    const lg_largest largest = largest_of(components);
    for (uint32_t i = 0; i < 4; i++) {
        const float x =
            lg_figure_of_components(largest, components->count, figure->kind, LG_MIN(i, 1u),
                                    (uint32_t)s->width, (uint32_t)s->height);
        out[i] = lg_figure_fit(x, figure->factor, figure->offset, figure->least, figure->most,
                               figure->integer);
    }
    lg_components_destroy(&components);
    return LG_OK;
}
