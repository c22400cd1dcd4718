// Device copies of images: rows padded to 16 bytes, layers dense, packed RGB
// with a fourth sample, slack for reads past the end.
#include "vulkan/vk_private.h"

enum { ROW_ALIGNMENT = 16, SLACK = 256 };

typedef struct geometry {
    size_t row_bytes, row_stride, layer_stride, bytes, rows;
} geometry;

static lg_status measure(const lg_image_params *of, geometry *out, lg_error *error)
{
    const lg_image_params padded = lg_shape_padded(of), *shape = &padded;
    geometry g;
    size_t total;
    if (!lg_size_mul((size_t)shape->width, lg_pixel_size(shape), &g.row_bytes) ||
        !lg_size_add(g.row_bytes, ROW_ALIGNMENT - 1, &g.row_stride) ||
        !lg_size_mul((size_t)shape->height, (size_t)shape->layers, &g.rows))
        return lg_fail(error, LG_ERROR_LIMIT, "the image is too large for this machine");
    g.row_stride = lg_align_up(g.row_bytes, ROW_ALIGNMENT);
    if (!lg_size_mul(g.row_stride, (size_t)shape->height, &g.layer_stride) ||
        !lg_size_mul(g.layer_stride, (size_t)shape->layers, &total) ||
        !lg_size_add(total, SLACK, &g.bytes))
        return lg_fail(error, LG_ERROR_LIMIT, "the image is too large for this machine");
    *out = g;
    return LG_OK;
}

static lg_vk_rows all_rows(const lg_image *image, const lg_vk_buffer *device, const geometry *g)
{
    return (lg_vk_rows){
        .host = image->data,
        .host_row_stride = image->shape.row_stride,
        .host_layer_stride = image->shape.layer_stride,
        .device = device,
        .device_row_stride = g->row_stride,
        .row_bytes = g->row_bytes,
        .rows_per_layer = (size_t)image->shape.height,
        .rows = g->rows,
        .padding = true,
        .packed = lg_shape_is_packed(&image->shape) ? lg_type_size(image->shape.type) : 0,
    };
}

lg_status lg_vk_image_allocate(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    if (image->device)
        return LG_OK;
    geometry g = {0};
    lg_vk_buffer *buffer = NULL;
    lg_status status = measure(&image->image.shape, &g, error);
    if (!status)
        status = lg_vk_buffer_create(vk, g.bytes, LG_VK_DEVICE, &buffer, error);
    if (status)
        return status;
    image->device = buffer;
    image->device_row_stride = g.row_stride;
    image->device_layer_stride = g.layer_stride;
    return LG_OK;
}

lg_status lg_vk_image_upload(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    geometry g = {0};
    const bool had = image->device != NULL;
    lg_status status = measure(&image->image.shape, &g, error);
    if (!status)
        status = lg_vk_image_allocate(vk, image, error);
    if (status)
        return status;
    const lg_vk_rows rows = all_rows(&image->image, image->device, &g);
    status = lg_vk_transfer(vk, &rows, true, error);
    if (status && !had)
        lg_vk_image_release(vk, image);
    return status;
}

lg_status lg_vk_image_download(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    return lg_vk_image_download_rows(vk, image, 0, image->image.shape.height, error);
}

lg_status lg_vk_image_download_rows(lg_vk *vk, lg_image_private *image, int64_t first, int64_t end,
                                    lg_error *error)
{
    if (!image->device || !image->image.data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the image has no device or no host pixels");
    geometry g = {0};
    lg_status status = measure(&image->image.shape, &g, error);
    if (status)
        return status;
    lg_vk_rows rows = all_rows(&image->image, image->device, &g);
    if (first == 0 && end == image->image.shape.height)
        return lg_vk_transfer(vk, &rows, false, error);
    char *const host = rows.host;
    rows.rows = (size_t)(end - first);
    for (size_t z = 0; z < (size_t)image->image.shape.layers && !status; z++) {
        rows.host = host + z * rows.host_layer_stride + (size_t)first * rows.host_row_stride;
        rows.device_offset = z * g.layer_stride + (size_t)first * g.row_stride;
        status = lg_vk_transfer(vk, &rows, false, error);
    }
    return status;
}

void lg_vk_image_release(lg_vk *vk, lg_image_private *image)
{
    lg_vk_buffer_destroy(vk, &image->device);
}

lg_status lg_vk_image(lg_vk *vk, const lg_image *image, lg_vk_buffer **out, size_t *row_stride,
                      size_t *layer_stride, bool *temporary, double *upload_seconds,
                      lg_error *error)
{
    const lg_image_private *priv = (const lg_image_private *)image;
    if (priv->device && (!priv->context || priv->context->vk == vk)) {
        *out = priv->device;
        *row_stride = priv->device_row_stride;
        *layer_stride = priv->device_layer_stride;
        *temporary = false;
        if (upload_seconds)
            *upload_seconds = 0;
        return LG_OK;
    }
    if (!image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the image has no pixels that %s can read",
                       vk->physical.info.name);
    const double start = lg_time_seconds();
    lg_image_private copy = *priv;
    copy.device = NULL;
    lg_status status = lg_vk_image_upload(vk, &copy, error);
    if (status)
        return status;
    *out = copy.device;
    *row_stride = copy.device_row_stride;
    *layer_stride = copy.device_layer_stride;
    *temporary = true;
    if (upload_seconds)
        *upload_seconds = lg_time_seconds() - start;
    return LG_OK;
}
