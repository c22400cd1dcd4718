// lumagraph/vulkan.h: contexts, images and order of work on a device of the application.
#include "device/image_planes.h"
#include "vulkan/vk.h"

#include <lumagraph/vulkan.h>

#include <string.h>

lg_status lg_context_create_vulkan(const lg_context_params *params, const lg_vulkan_device *device,
                                   lg_context **out, lg_error *error)
{
    if (!device || !out)
        return lg_fail_null(error, "a device, and a place for the context");
    return lg_context_make(params, device, out, error);
}

// The device of a context; a lost one is an error.
static lg_status find_device(const lg_context *context, lg_vk **out, lg_error *error)
{
    const lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!context->attached)
        return lg_fail(error, LG_ERROR_ARGUMENT, "this context is not on a Vulkan device");
    if (lg_vk_lost(context->attached))
        return lg_vk_fail_lost(context->attached, error);
    *out = context->attached;
    return LG_OK;
}

// ---- order --------------------------------------------------------------------------------------

static lg_status sync(lg_context *context, const lg_vulkan_point *points, uint32_t count,
                      bool signals, lg_error *error)
{
    lg_vk *vk = NULL;
    lg_vk_point taken[LG_VK_POINTS] = {{0, 0}};
    _Static_assert(LG_MAX_POINTS == LG_VK_POINTS, "the limits differ");
    lg_status status = find_device(context, &vk, error);
    if (!status && count && !points)
        status = lg_fail_null(error, "points of semaphores");
    if (!status && count > LG_MAX_POINTS)
        status = lg_fail(error, LG_ERROR_LIMIT, "%u points; at most %d go into one call", count,
                         LG_MAX_POINTS);
    if (status || !count)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&taken[i].semaphore, &points[i].semaphore, sizeof points[i].semaphore);
        taken[i].value = points[i].value;
        if (!points[i].semaphore)
            return lg_fail(error, LG_ERROR_ARGUMENT, "point %u has no semaphore", i);
    }
    return lg_vk_sync(vk, taken, count, signals, error);
}

lg_status lg_vulkan_wait(lg_context *context, const lg_vulkan_point *points, uint32_t count,
                         lg_error *error)
{
    return sync(context, points, count, false, error);
}

lg_status lg_vulkan_signal(lg_context *context, const lg_vulkan_point *points, uint32_t count,
                           lg_error *error)
{
    return sync(context, points, count, true, error);
}

// ---- buffers ------------------------------------------------------------------------------------

lg_status lg_image_wrap_buffer(lg_context *context, const lg_image_params *shape, VkBuffer buffer,
                               VkDeviceSize offset, VkDeviceAddress address, lg_image **out,
                               lg_error *error)
{
    lg_vk *vk = NULL;
    lg_image_private *image = NULL;
    uint64_t handle = 0;
    if (!buffer || !out || !shape)
        return lg_fail_null(error, "a shape, a VkBuffer, and a place for the image");
    lg_status status = find_device(context, &vk, error);
    if (!status && (shape->planes || lg_shape_is_packed(shape)))
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "a VkBuffer has pixels of 1, 2 or 4 adjacent samples");
    if (!status)
        status = lg_image_new(context, shape, &image, error);
    if (status)
        return status;
    memcpy(&handle, &buffer, sizeof buffer);
    lg_image_params host = *shape; // what a download would make
    size_t bytes;
    status = lg_image_layout(&host, &bytes, error);
    if (!status)
        status = lg_vk_image_wrap(vk, image, handle, offset, address, error);
    if (status) {
        lg_free(image);
        return status;
    }
    image->image.shape = host;
    *out = &image->image;
    return LG_OK;
}

lg_status lg_image_buffer(const lg_image *image, VkBuffer *buffer, VkDeviceSize *offset,
                          VkDeviceAddress *address, size_t *row_stride, size_t *layer_stride,
                          lg_error *error)
{
    const lg_image_private *priv = (const lg_image_private *)image;
    uint64_t handle, at;
    if (!image || !buffer || !offset || !address || !row_stride || !layer_stride)
        return lg_fail_null(error, "an image, and places for its buffer");
    if (!priv->device)
        return lg_fail(error, LG_ERROR_ARGUMENT, "this image has no device copy");
    lg_vk_buffer_handle(priv->device, &handle, &at);
    memcpy(buffer, &handle, sizeof *buffer);
    *offset = at;
    *address = priv->device->address;
    *row_stride = priv->device_row_stride;
    *layer_stride = priv->device_layer_stride;
    return LG_OK;
}

// ---- images -------------------------------------------------------------------------------------

static lg_status copy(lg_context *context, const lg_image *at, const lg_vulkan_image *image,
                      bool reads, lg_error *error)
{
    const lg_image_private *priv = (const lg_image_private *)at;
    lg_vk *vk = NULL;
    if (!at || !image || !image->image)
        return lg_fail_null(error, "an image, and a VkImage");
    const lg_status status = find_device(context, &vk, error);
    if (status)
        return status;
    if (!priv->device || priv->context->attached != vk)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the image has no memory on this device: lg_image_create_device, or "
                       "lg_image_upload");
    return lg_vk_image_copy(vk, priv, image, reads, error);
}

lg_status lg_image_from_vulkan(lg_context *context, lg_image *into, const lg_vulkan_image *from,
                               lg_error *error)
{
    const lg_status status = copy(context, into, from, true, error);
    if (!status)
        lg_image_forget((lg_image_private *)into);
    return status;
}

lg_status lg_image_to_vulkan(lg_context *context, const lg_image *from, const lg_vulkan_image *into,
                             lg_error *error)
{
    return copy(context, from, into, false, error);
}
