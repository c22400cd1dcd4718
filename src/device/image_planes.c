#include "device/image_planes.h"

#include "core/plane_codes.h"

// ---- making -------------------------------------------------------------------------------------

static void free_planes(lg_image_private *image)
{
    for (int i = 0; i < LG_MAX_PLANES; i++) {
        lg_image *plane = image->plane[i] ? &image->plane[i]->image : NULL;
        if (plane)
            image->plane[i]->whole = NULL;
        lg_image_destroy(&plane);
        image->plane[i] = NULL;
    }
    if (image->release)
        image->release(image->released);
    lg_free(image);
}

static lg_status new_image(lg_context *context, const lg_image_params *shape,
                           lg_image_private **out, lg_error *error)
{
    const lg_status status = lg_image_new(context, shape, out, error);
    if (status)
        return status;
    lg_image_params *kept = &(*out)->image.shape;
    kept->row_stride = kept->layer_stride = 0;
    (*out)->stored = *shape->planes;
    kept->planes = &(*out)->stored;
    return LG_OK;
}

static void put_plane(lg_image_private *image, int i, lg_image *plane)
{
    image->plane[i] = (lg_image_private *)plane;
    image->plane[i]->whole = image;
}

lg_status lg_planes_make(lg_context *context, const lg_image_params *shape, lg_image_maker *make,
                         lg_image **out, lg_error *error)
{
    if (!out)
        return lg_fail_null(error, "a place for the image");
    lg_image_private *image = NULL;
    lg_status status = new_image(context, shape, &image, error);
    for (int i = 0; !status && i < lg_planes_count(&image->stored); i++) {
        const lg_image_params one = lg_planes_shape(shape, i);
        lg_image *plane = NULL;
        status = make(context, &one, &plane, error);
        if (!status)
            put_plane(image, i, plane);
    }
    if (!status)
        *out = &image->image;
    else if (image)
        free_planes(image);
    return status;
}

lg_status lg_image_wrap_planes(lg_context *context, const lg_image_params *shape, void *const *data,
                               const size_t *row_stride, lg_image **out, lg_error *error)
{
    if (!shape || !data || !row_stride || !out)
        return lg_fail_null(error, "a shape, planes, their strides, and a place for the image");
    if (!shape->planes)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the shape does not say how planes are stored; lg_image_wrap takes samples "
                       "of a pixel that are adjacent");
    lg_image_private *image = NULL;
    lg_status status = new_image(context, shape, &image, error);
    for (int i = 0; !status && i < lg_planes_count(&image->stored); i++) {
        lg_image_params one = lg_planes_shape(shape, i);
        lg_image *plane = NULL;
        one.row_stride = row_stride[i];
        if (!lg_size_mul(row_stride[i], (size_t)one.height, &one.layer_stride))
            one.layer_stride = 0; // lg_image_wrap refuses it
        status = lg_image_wrap(context, &one, data[i], &plane, error);
        if (!status)
            put_plane(image, i, plane);
    }
    if (!status)
        *out = &image->image;
    else if (image)
        free_planes(image);
    return status;
}

lg_status lg_image_plane(lg_image *image, int plane, lg_image **out, lg_error *error)
{
    if (!image || !out)
        return lg_fail_null(error, "an image, and a place for the plane");
    lg_image_private *priv = (lg_image_private *)image;
    const int count = priv->plane[0] ? lg_planes_count(&priv->stored) : 0;
    if (plane < 0 || plane >= count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is no plane %d; the image has %d", plane,
                       count);
    __atomic_add_fetch(&priv->holders, 1, __ATOMIC_RELAXED);
    *out = &priv->plane[plane]->image;
    return LG_OK;
}

// The last one who has the image or one of its planes ends all of them.
void lg_planes_destroy(lg_image_private *image)
{
    lg_image_private *whole = image->whole ? image->whole : image;
    if (__atomic_fetch_sub(&whole->holders, 1, __ATOMIC_ACQ_REL) == 0)
        free_planes(whole);
}

// ---- host and device ----------------------------------------------------------------------------

lg_status lg_planes_upload(lg_context *context, lg_image_private *image, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < LG_MAX_PLANES && image->plane[i] && !status; i++)
        status = lg_image_upload(context, &image->plane[i]->image, error);
    return status;
}

lg_status lg_planes_changed(lg_image_private *image, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < LG_MAX_PLANES && image->plane[i] && !status; i++)
        status = lg_image_changed(&image->plane[i]->image, error);
    return status;
}

lg_status lg_planes_download(lg_context *context, lg_image_private *image, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < LG_MAX_PLANES && image->plane[i] && !status; i++)
        status = lg_image_download(context, &image->plane[i]->image, error);
    return status;
}

bool lg_planes_overlap(const lg_image *a, const lg_image *b)
{
    const bool first = a->shape.planes != NULL;
    const lg_image_private *of = (const lg_image_private *)(first ? a : b);
    const lg_image *other = first ? b : a;
    bool any = false;
    for (int i = 0; i < LG_MAX_PLANES && of->plane[i]; i++)
        any =
            any || other == &of->plane[i]->image || lg_images_overlap(&of->plane[i]->image, other);
    return any;
}
