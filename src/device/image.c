#include "core/core.h"

#include "device/dispatch.h"
#include "vulkan/vk.h"

#define LG_ROW_ALIGNMENT 64

lg_status lg_shape_check(const lg_image_params *shape, lg_error *error)
{
    if ((unsigned)shape->type >= LG_TYPES)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown sample type %d", (int)shape->type);
    if (shape->channels != 1 && shape->channels != 2 && shape->channels != 4)
        return lg_fail(error, LG_ERROR_ARGUMENT, "an image has 1, 2 or 4 channels, not %d",
                       shape->channels);
    if (shape->channels == 1 && shape->alpha != LG_ALPHA_NONE)
        return lg_fail(error, LG_ERROR_ARGUMENT, "an image of one channel has no alpha");
    if (shape->width < 1 || shape->height < 1 || shape->layers < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "image size %d x %d x %d: every side is at least 1", shape->width,
                       shape->height, shape->layers);
    if (shape->width > LG_MAX_SIDE || shape->height > LG_MAX_SIDE || shape->layers > LG_MAX_LAYERS)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "image size %d x %d x %d is over the limit: sides up to %d, layers up to %d",
                       shape->width, shape->height, shape->layers, LG_MAX_SIDE, LG_MAX_LAYERS);
    return LG_OK;
}

lg_status lg_image_layout(lg_image_params *shape, size_t *bytes, lg_error *error)
{
    shape->row_stride = lg_align_up((size_t)shape->width * lg_pixel_size(shape), LG_ROW_ALIGNMENT);
    if (!lg_size_mul(shape->row_stride, (size_t)shape->height, &shape->layer_stride) ||
        !lg_size_mul(shape->layer_stride, (size_t)shape->layers, bytes) || *bytes > SIZE_MAX / 2)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "an image of %d x %d x %d does not fit the address space", shape->width,
                       shape->height, shape->layers);
    return LG_OK;
}

static lg_status new_image(lg_context *context, const lg_image_params *shape,
                           lg_image_private **out, lg_error *error)
{
    lg_status status = lg_shape_check(shape, error);
    if (status)
        return status;
    lg_image_private *image = lg_alloc(sizeof *image);
    if (!image)
        return lg_fail_memory(error, sizeof *image, "an image");
    image->context = context;
    image->image.shape = *shape;
    *out = image;
    return LG_OK;
}

static lg_status allocate_host(lg_image_private *image, bool zeroed, lg_error *error)
{
    size_t bytes;
    lg_status status = lg_image_layout(&image->image.shape, &bytes, error);
    if (status)
        return status;
    image->image.data = zeroed ? lg_alloc_aligned(bytes) : lg_alloc_uninit(bytes);
    if (!image->image.data)
        return lg_fail_memory(error, bytes, "the pixels of an image");
    image->owns_data = true;
    return LG_OK;
}

static lg_status create(lg_context *context, const lg_image_params *shape, bool zeroed,
                        lg_image **out, lg_error *error)
{
    lg_image_private *image = NULL;
    lg_status status = new_image(context, shape, &image, error);
    if (status)
        return status;
    status = allocate_host(image, zeroed, error);
    if (status) {
        lg_free(image);
        return status;
    }
    *out = &image->image;
    return LG_OK;
}

lg_status lg_image_create(lg_context *context, const lg_image_params *shape, lg_image **out,
                          lg_error *error)
{
    return create(context, shape, true, out, error);
}

lg_status lg_image_create_uninit(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error)
{
    return create(context, shape, false, out, error);
}

lg_status lg_image_wrap(lg_context *context, const lg_image_params *shape, void *data,
                        lg_image **out, lg_error *error)
{
    if (!data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an image over the caller's memory needs that memory");
    lg_image_private *image = NULL;
    lg_status status = new_image(context, shape, &image, error);
    if (status)
        return status;
    const size_t row = (size_t)shape->width * lg_pixel_size(shape);
    size_t layer = 0, all = 0;
    const bool fits = lg_size_mul(shape->row_stride, (size_t)shape->height - 1, &layer) &&
                      lg_size_add(layer, row, &layer) &&
                      lg_size_mul(shape->layer_stride, (size_t)shape->layers - 1, &all) &&
                      lg_size_add(all, layer, &all);
    const size_t sample = lg_type_size(shape->type);
    if (!fits || shape->row_stride < row || shape->row_stride % sample ||
        (uintptr_t)data % sample || (shape->layers > 1 && shape->layer_stride < layer) ||
        shape->layer_stride % sample) {
        lg_free(image);
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "strides %zu and %zu do not hold rows of %zu bytes, or are no multiples of "
                       "the sample size %zu",
                       shape->row_stride, shape->layer_stride, row, sample);
    }
    image->image.data = data;
    *out = &image->image;
    return LG_OK;
}

// Whether work goes on without a copy on the device, of which *why says that it cannot be made.
static bool go_on(lg_context *context, lg_status status, const lg_error *why, lg_status *failure,
                  lg_error *error)
{
    return lg_cpu_takes_over(context, "an image", status, why, failure, error);
}

static lg_status create_on_device(lg_context *context, const lg_image_params *shape, lg_image **out,
                                  lg_error *error)
{
    lg_image_private *image = NULL;
    lg_status status = new_image(context, shape, &image, error);
    if (status)
        return status;
    size_t bytes;
    status = lg_image_layout(&image->image.shape, &bytes, error);
    if (!status)
        status = lg_vk_image_allocate(context->vk, image, error);
    if (status) {
        lg_free(image);
        return status;
    }
    *out = &image->image;
    return LG_OK;
}

lg_status lg_image_create_device(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error)
{
    if (!context->vk)
        return lg_image_create(context, shape, out, error);
    if (context->on_device)
        return create_on_device(context, shape, out, error);
    lg_error why = {LG_OK, ""};
    lg_status status = create_on_device(context, shape, out, &why);
    if (status && go_on(context, status, &why, &status, error))
        status = lg_image_create(context, shape, out, error);
    return status;
}

lg_status lg_image_upload(lg_context *context, lg_image *image, lg_error *error)
{
    lg_image_private *priv = (lg_image_private *)image;
    if (!context->vk)
        return LG_OK;
    if (!image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "this image has no host pixels to upload");
    lg_error why = {LG_OK, ""};
    lg_status status = LG_OK;
    if (!priv->device)
        status = lg_vk_image_allocate(context->vk, priv, &why);
    if (!status)
        status = lg_vk_image_upload(context->vk, priv, &why);
    if (!status)
        return LG_OK;
    lg_vk_image_release(context->attached, priv); // it is not what the host has
    return go_on(context, status, &why, &status, error) ? LG_OK : status;
}

lg_status lg_image_download(lg_context *context, lg_image *image, lg_error *error)
{
    lg_image_private *priv = (lg_image_private *)image;
    if (!priv->device) {
        if (image->data)
            return LG_OK;
        return lg_fail(error, LG_ERROR_ARGUMENT, "this image has no pixels");
    }
    const bool had = image->data != NULL;
    lg_error why = {LG_OK, ""};
    lg_status status = had ? LG_OK : allocate_host(priv, true, error);
    if (status)
        return status;
    status = lg_vk_image_download(priv->context->attached, priv, &why);
    if (status && !had) {
        lg_free(image->data);
        image->data = NULL;
        priv->owns_data = false;
    }
    return status ? lg_device_failure(context, "an image", status, &why, error) : LG_OK;
}

void lg_image_destroy(lg_image **image)
{
    if (!image || !*image)
        return;
    lg_image_private *priv = (lg_image_private *)*image;
    if (priv->device)
        lg_vk_image_release(priv->context->attached, priv);
    if (priv->owns_data)
        lg_free(priv->image.data);
    lg_free(priv);
    *image = NULL;
}
