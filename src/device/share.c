// Images and semaphores that others use, too.
#include "device/image_planes.h"
#include "vulkan/vk.h"

#include <string.h>

struct lg_semaphore {
    lg_context *context;
    uint64_t handle;
};

static lg_status find_device(const lg_context *context, const char *what, lg_vk **out,
                             lg_error *error)
{
    const lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!context->attached)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "%s shared by a Vulkan device; this context is on the CPU", what);
    *out = context->attached;
    return LG_OK;
}

// ---- images -------------------------------------------------------------------------------------

// An image without memory, for which *vk has some.
static lg_status begin(lg_context *context, const lg_image_params *shape, lg_image_private **out,
                       lg_vk **vk, lg_error *error)
{
    size_t bytes;
    lg_status status = find_device(context, "memory is", vk, error);
    if (!status && shape && (shape->planes || lg_shape_is_packed(shape)))
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "shared memory has pixels of 1, 2 or 4 adjacent samples");
    if (!status)
        status = lg_image_new(context, shape, out, error);
    if (status)
        return status;
    status = lg_image_layout(&(*out)->image.shape, &bytes, error);
    if (status)
        lg_free(*out);
    return status;
}

lg_status lg_image_create_shared(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error)
{
    lg_image_private *image;
    lg_vk *vk = NULL;
    if (!out)
        return lg_fail_null(error, "a place for the image");
    lg_status status = begin(context, shape, &image, &vk, error);
    if (status)
        return status;
    status = lg_vk_image_share(vk, image, error);
    if (status)
        lg_free(image);
    else
        *out = &image->image;
    return status;
}

lg_status lg_image_export(lg_image *image, lg_shared_memory *out, lg_error *error)
{
    lg_image_private *priv = (lg_image_private *)image;
    lg_vk *vk = NULL;
    int fd;
    if (!image || !out)
        return lg_fail_null(error, "an image, and a place for what is shared");
    lg_status status = find_device(priv->context, "memory is", &vk, error);
    if (!status && !priv->device)
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "this image has no device memory: lg_image_create_shared");
    if (!status)
        status = lg_vk_buffer_export(vk, priv->device, &fd, error);
    if (status)
        return status;
    *out = (lg_shared_memory){.fd = fd,
                              .size = priv->device->size,
                              .row_stride = priv->device_row_stride,
                              .layer_stride = priv->device_layer_stride};
    lg_vk_uuids(vk, out->device, out->driver);
    return LG_OK;
}

static lg_status check_side(const lg_vk *vk, const lg_shared_memory *from, lg_error *error)
{
    lg_shared_memory own;
    lg_vk_uuids(vk, own.device, own.driver);
    if (memcmp(own.device, from->device, sizeof own.device) == 0 &&
        memcmp(own.driver, from->driver, sizeof own.driver) == 0)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "the memory is of another device, or of another driver, than this context");
}

lg_status lg_image_import(lg_context *context, const lg_image_params *shape,
                          const lg_shared_memory *from, lg_image **out, lg_error *error)
{
    lg_image_private *image;
    lg_vk *vk = NULL;
    if (!from || !out)
        return lg_fail_null(error, "shared memory, and a place for the image");
    lg_status status = begin(context, shape, &image, &vk, error);
    if (status)
        return status;
    status = check_side(vk, from, error);
    if (!status)
        status = lg_vk_image_import(vk, image, from->fd, from->size, error);
    if (status)
        lg_free(image);
    else
        *out = &image->image;
    return status;
}

// ---- semaphores -----------------------------------------------------------------------------------

static lg_status make(lg_context *context, int fd, bool imports, lg_semaphore **out,
                      lg_error *error)
{
    lg_vk *vk = NULL;
    if (!out)
        return lg_fail_null(error, "a place for the semaphore");
    lg_status status = find_device(context, "semaphores are", &vk, error);
    if (status)
        return status;
    lg_semaphore *made = lg_alloc(sizeof *made);
    if (!made)
        return lg_fail_memory(error, sizeof *made, "a semaphore");
    made->context = context;
    status = imports ? lg_vk_semaphore_import(vk, fd, &made->handle, error)
                     : lg_vk_semaphore_create(vk, &made->handle, error);
    if (status)
        lg_free(made);
    else
        *out = made;
    return status;
}

lg_status lg_semaphore_create(lg_context *context, lg_semaphore **out, lg_error *error)
{
    return make(context, -1, false, out, error);
}

lg_status lg_semaphore_import(lg_context *context, int fd, lg_semaphore **out, lg_error *error)
{
    return make(context, fd, true, out, error);
}

void lg_semaphore_destroy(lg_semaphore **semaphore)
{
    if (!semaphore || !*semaphore)
        return;
    lg_vk_semaphore_destroy((*semaphore)->context->attached, (*semaphore)->handle);
    lg_free(*semaphore);
    *semaphore = NULL;
}

static lg_status check(const lg_semaphore *semaphore, lg_vk **vk, lg_error *error)
{
    if (!semaphore)
        return lg_fail_null(error, "a semaphore");
    return find_device(semaphore->context, "semaphores are", vk, error);
}

lg_status lg_semaphore_export(lg_semaphore *semaphore, int *fd, lg_error *error)
{
    lg_vk *vk = NULL;
    if (!fd)
        return lg_fail_null(error, "a place for the descriptor");
    const lg_status status = check(semaphore, &vk, error);
    return status ? status : lg_vk_semaphore_export(vk, semaphore->handle, fd, error);
}

lg_status lg_semaphore_queue_wait(lg_semaphore *semaphore, uint64_t value, lg_error *error)
{
    lg_vk *vk = NULL;
    const lg_status status = check(semaphore, &vk, error);
    return status ? status : lg_vk_await(vk, (lg_vk_point){semaphore->handle, value}, error);
}

lg_status lg_semaphore_queue_signal(lg_semaphore *semaphore, uint64_t value, lg_error *error)
{
    lg_vk *vk = NULL;
    const lg_status status = check(semaphore, &vk, error);
    return status ? status
                  : lg_vk_sync(vk, &(lg_vk_point){semaphore->handle, value}, 1, true, error);
}

lg_status lg_semaphore_wait(lg_semaphore *semaphore, uint64_t value, double seconds, bool *reached,
                            lg_error *error)
{
    lg_vk *vk = NULL;
    if (!reached)
        return lg_fail_null(error, "a place for whether the value was reached");
    const lg_status status = check(semaphore, &vk, error);
    if (status)
        return status;
    return lg_vk_semaphore_wait(vk, (lg_vk_point){semaphore->handle, value}, seconds, reached,
                                error);
}

lg_status lg_semaphore_signal(lg_semaphore *semaphore, uint64_t value, lg_error *error)
{
    lg_vk *vk = NULL;
    const lg_status status = check(semaphore, &vk, error);
    if (status)
        return status;
    return lg_vk_semaphore_signal(vk, (lg_vk_point){semaphore->handle, value}, error);
}
