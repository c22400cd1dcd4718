// Device copies of images: rows padded to 16 bytes, layers dense, packed RGB
// with a fourth sample, slack for reads past the end.
#include "vulkan/vk_private.h"

#include <string.h>

enum { ROW_ALIGNMENT = 16, SLACK = 256 };

#define THREADED ((size_t)1 << 20) // bytes from which several threads copy
#define JOBS     ((size_t)16)

lg_status lg_vk_image_layout(const lg_image_params *of, lg_vk_layout *out, lg_error *error)
{
    const lg_image_params padded = lg_shape_padded(of), *shape = &padded;
    lg_vk_layout g;
    size_t room;
    if (!lg_size_mul((size_t)shape->width, lg_pixel_size(shape), &g.row_bytes) ||
        !lg_size_add(g.row_bytes, ROW_ALIGNMENT - 1, &g.row_stride) ||
        !lg_size_mul((size_t)shape->height, (size_t)shape->layers, &g.rows))
        return lg_fail(error, LG_ERROR_LIMIT, "the image is too large for this machine");
    g.row_stride = lg_align_up(g.row_bytes, ROW_ALIGNMENT);
    if (!lg_size_mul(g.row_stride, (size_t)shape->height, &g.layer_stride) ||
        !lg_size_mul(g.layer_stride, (size_t)shape->layers, &g.bytes) ||
        !lg_size_add(g.bytes, SLACK, &room))
        return lg_fail(error, LG_ERROR_LIMIT, "the image is too large for this machine");
    *out = g;
    return LG_OK;
}

typedef struct staging {
    const lg_image *image;
    const lg_vk_layout *layout;
    char *to;
    size_t jobs;
} staging;

static void stage_rows(void *arg, size_t index, int worker)
{
    const staging *s = arg;
    const lg_image_params *shape = &s->image->shape;
    const size_t height = (size_t)shape->height;
    const bool packed = lg_shape_is_packed(shape);
    (void)worker;
    for (size_t row = s->layout->rows * index / s->jobs,
                end = s->layout->rows * (index + 1) / s->jobs;
         row < end; row++) {
        const char *from = (const char *)s->image->data + row / height * shape->layer_stride +
                           row % height * shape->row_stride;
        char *to = s->to + row * s->layout->row_stride;
        if (packed)
            lg_pad_pixels(from, (size_t)shape->width, 1, lg_type_size(shape->type), to);
        else
            memcpy(to, from, s->layout->row_bytes);
    }
}

void lg_vk_image_stage(lg_vk *vk, const lg_image *image, const lg_vk_layout *layout, void *to)
{
    staging s = {image, layout, to, 1};
    if (vk->pool && layout->bytes >= THREADED)
        s.jobs = LG_MIN(JOBS, layout->rows);
    if (s.jobs > 1)
        lg_pool_run(vk->pool, s.jobs, stage_rows, &s);
    else
        stage_rows(&s, 0, 0);
}

static lg_vk_rows all_rows(const lg_image_private *at, const lg_vk_layout *g)
{
    const lg_image *image = &at->image;
    return (lg_vk_rows){
        .host = image->data,
        .host_row_stride = image->shape.row_stride,
        .host_layer_stride = image->shape.layer_stride,
        .device = at->device,
        .device_row_stride = at->device_row_stride,
        .row_bytes = g->row_bytes,
        .rows_per_layer = (size_t)image->shape.height,
        .rows = g->rows,
        .padding = at->device_row_stride == g->row_stride, // else there is more than that
        .packed = lg_shape_is_packed(&image->shape) ? lg_type_size(image->shape.type) : 0,
    };
}

lg_status lg_vk_image_allocate(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    if (image->device)
        return LG_OK;
    lg_vk_layout g = {0};
    lg_vk_buffer *buffer = NULL;
    lg_status status = lg_vk_image_layout(&image->image.shape, &g, error);
    if (!status)
        status = lg_vk_buffer_create(vk, g.bytes + SLACK, LG_VK_DEVICE, &buffer, error);
    if (status)
        return status;
    image->device = buffer;
    image->device_row_stride = g.row_stride;
    image->device_layer_stride = g.layer_stride;
    return LG_OK;
}

lg_status lg_vk_image_wrap(lg_vk *vk, lg_image_private *image, uint64_t handle, uint64_t offset,
                           uint64_t address, lg_error *error)
{
    const lg_image_params *s = &image->image.shape;
    const size_t row = (size_t)s->width * lg_pixel_size(s);
    size_t layer, bytes;
    if (s->row_stride < row || s->row_stride % ROW_ALIGNMENT ||
        !lg_size_mul(s->row_stride, (size_t)s->height, &layer) || s->layer_stride != layer ||
        !lg_size_mul(layer, (size_t)s->layers, &bytes) || bytes > SIZE_MAX / 2)
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "strides %zu and %zu: rows of %zu bytes lie a multiple of 16 bytes apart, and "
            "layers of %d rows without a gap",
            s->row_stride, s->layer_stride, row, s->height);
    const lg_status status =
        lg_vk_buffer_wrap(vk, handle, offset, bytes, address, &image->device, error);
    if (status)
        return status;
    image->device_row_stride = s->row_stride;
    image->device_layer_stride = s->layer_stride;
    return LG_OK;
}

lg_status lg_vk_image_share(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    lg_vk_layout g = {0};
    lg_status status = lg_vk_image_layout(&image->image.shape, &g, error);
    if (!status)
        status = lg_vk_buffer_create_shared(vk, g.bytes + SLACK, &image->device, error);
    if (status)
        return status;
    image->device_row_stride = g.row_stride;
    image->device_layer_stride = g.layer_stride;
    return LG_OK;
}

lg_status lg_vk_image_import(lg_vk *vk, lg_image_private *image, int fd, size_t size,
                             lg_error *error)
{
    lg_vk_layout g = {0};
    lg_status status = lg_vk_image_layout(&image->image.shape, &g, error);
    if (!status && g.bytes + SLACK != size)
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "shared memory of %zu bytes is not that of this shape, which takes %zu",
                         size, g.bytes + SLACK);
    if (!status)
        status = lg_vk_buffer_import_fd(vk, fd, size, &image->device, error);
    if (status)
        return status;
    image->device_row_stride = g.row_stride;
    image->device_layer_stride = g.layer_stride;
    return LG_OK;
}

lg_status lg_vk_image_upload(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    lg_vk_layout g = {0};
    const bool had = image->device != NULL;
    lg_status status = lg_vk_image_layout(&image->image.shape, &g, error);
    if (!status)
        status = lg_vk_image_allocate(vk, image, error);
    if (status)
        return status;
    const lg_vk_rows rows = all_rows(image, &g);
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
    lg_vk_layout g = {0};
    lg_status status = lg_vk_image_layout(&image->image.shape, &g, error);
    if (status)
        return status;
    lg_vk_rows rows = all_rows(image, &g);
    if (first == 0 && end == image->image.shape.height)
        return lg_vk_transfer(vk, &rows, false, error);
    char *const host = rows.host;
    rows.rows = (size_t)(end - first);
    for (size_t z = 0; z < (size_t)image->image.shape.layers && !status; z++) {
        rows.host = host + z * rows.host_layer_stride + (size_t)first * rows.host_row_stride;
        rows.device_offset =
            z * image->device_layer_stride + (size_t)first * image->device_row_stride;
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
    if (priv->device && priv->device->priv->owner == vk) {
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
