#include "core/core.h"

#include "core/plane_codes.h"
#include "device/dispatch.h"
#include "device/image_planes.h"
#include "device/spill.h"
#include "vulkan/vk.h"

#include <math.h>
#include <string.h>

#define LG_ROW_ALIGNMENT 64

lg_status lg_shape_check(const lg_image_params *shape, lg_error *error)
{
    if (!shape)
        return lg_fail_null(error, "the shape of an image");
    if ((unsigned)shape->type >= LG_TYPES)
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "sample type %d (%s): samples of images are u8, u16, f16 or f32", (int)shape->type,
            (unsigned)shape->type < LG_ARRAY_TYPES ? lg_type_name(shape->type) : "unknown");
    if (shape->channels < 1 || shape->channels > LG_MAX_CHANNELS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "an image has 1 to 4 channels, not %d",
                       shape->channels);
    if ((unsigned)shape->alpha > LG_ALPHA_PREMULTIPLIED)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown kind of alpha %d", (int)shape->alpha);
    if (shape->channels % 2 && shape->alpha != LG_ALPHA_NONE)
        return lg_fail(error, LG_ERROR_ARGUMENT, "an image of %s has no alpha",
                       shape->channels == 1 ? "one channel" : "three channels");
    if (shape->width < 1 || shape->height < 1 || shape->layers < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an image of %d x %d x %d: width, height and layers are at least 1",
                       shape->width, shape->height, shape->layers);
    if (shape->width > LG_MAX_SIDE || shape->height > LG_MAX_SIDE || shape->layers > LG_MAX_LAYERS)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "image size %d x %d x %d is over the limit: sides up to %d, layers up to %d",
                       shape->width, shape->height, shape->layers, LG_MAX_SIDE, LG_MAX_LAYERS);
    return shape->planes ? lg_planes_check(shape, error) : LG_OK;
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

lg_status lg_image_new(lg_context *context, const lg_image_params *shape, lg_image_private **out,
                       lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    if (!status)
        status = lg_shape_check(shape, error);
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

// The library writes padded pixels only.
static lg_status check_own(const lg_image_params *shape, lg_error *error)
{
    if (!shape || !lg_shape_is_packed(shape))
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "an image of three channels is only read: wrap it, or make one of 4 channels "
                   "with opaque alpha");
}

static lg_status allocate_host(lg_image_private *image, bool zeroed, lg_error *error)
{
    size_t bytes;
    lg_status status = lg_image_layout(&image->image.shape, &bytes, error);
    if (status)
        return status;
    status = (zeroed ? lg_block_take_zeroed : lg_block_take)(
        image->context, bytes, "the pixels of an image", &image->image.data, error);
    image->owns_data = !status;
    image->limited = image->context->spill != NULL;
    return status;
}

static lg_status create(lg_context *context, const lg_image_params *shape, bool zeroed,
                        lg_image **out, lg_error *error)
{
    if (!out)
        return lg_fail_null(error, "a place for the image");
    lg_image_private *image = NULL;
    lg_status status = check_own(shape, error);
    if (!status)
        status = lg_image_new(context, shape, &image, error);
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
    if (shape && shape->planes)
        return lg_planes_make(context, shape, lg_image_create, out, error);
    return create(context, shape, true, out, error);
}

lg_status lg_image_create_uninit(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error)
{
    if (shape && shape->planes)
        return lg_planes_make(context, shape, lg_image_create_uninit, out, error);
    return create(context, shape, false, out, error);
}

// The bytes from the first pixel of an image to behind its last; false where strides overlap, or
// where a pointer behind a row or a layer would not fit the address space.
static bool extent_of(const lg_image_params *shape, size_t *out)
{
    const size_t row = (size_t)shape->width * lg_pixel_size(shape);
    size_t layer = 0, all = 0, rows, layers;
    return lg_size_mul(shape->row_stride, (size_t)shape->height, &rows) && rows <= PTRDIFF_MAX &&
           lg_size_mul(shape->layer_stride, (size_t)shape->layers, &layers) &&
           layers <= PTRDIFF_MAX && shape->row_stride >= row &&
           lg_size_mul(shape->row_stride, (size_t)shape->height - 1, &layer) &&
           lg_size_add(layer, row, &layer) &&
           (shape->layers == 1 || shape->layer_stride >= layer) &&
           lg_size_mul(shape->layer_stride, (size_t)shape->layers - 1, &all) &&
           lg_size_add(all, layer, out) && *out <= PTRDIFF_MAX;
}

static lg_status fail_strides(const lg_image_params *shape, const void *data, lg_error *error)
{
    const size_t row = (size_t)shape->width * lg_pixel_size(shape),
                 sample = lg_type_size(shape->type);
    if (shape->row_stride < row)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "row_stride is %zu bytes; a row of %d pixels of %zu bytes needs %zu",
                       shape->row_stride, shape->width, lg_pixel_size(shape), row);
    if (shape->row_stride % sample || shape->layer_stride % sample || (uintptr_t)data % sample)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "row_stride %zu, layer_stride %zu and the address %p: each has to be a "
                       "multiple of %zu, the bytes of a sample",
                       shape->row_stride, shape->layer_stride, data, sample);
    const size_t layer = (size_t)shape->height * shape->row_stride;
    if (shape->layers > 1 && shape->layer_stride < layer &&
        layer / shape->row_stride == (size_t)shape->height)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "layer_stride is %zu bytes; a layer of %d rows of %zu bytes needs %zu",
                       shape->layer_stride, shape->height, shape->row_stride, layer);
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "row_stride %zu times %d rows, or layer_stride %zu times %d layers, does not "
                   "fit the address space",
                   shape->row_stride, shape->height, shape->layer_stride, shape->layers);
}

lg_status lg_image_wrap(lg_context *context, const lg_image_params *shape, void *data,
                        lg_image **out, lg_error *error)
{
    if (!data || !out)
        return lg_fail_null(error, "the caller's memory, and a place for the image");
    lg_image_private *image = NULL;
    lg_status status = shape && shape->planes ? lg_fail(error, LG_ERROR_ARGUMENT,
                                                        "planes have memory of their own each; use "
                                                        "lg_image_wrap_planes")
                                              : lg_image_new(context, shape, &image, error);
    if (status)
        return status;
    const size_t sample = lg_type_size(shape->type);
    size_t all;
    if (!extent_of(shape, &all) || shape->row_stride % sample || shape->layer_stride % sample ||
        (uintptr_t)data % sample || (uintptr_t)data > UINTPTR_MAX - all) {
        lg_free(image);
        return fail_strides(shape, data, error);
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
    lg_status status = lg_image_new(context, shape, &image, error);
    if (status)
        return status;
    if (!context->vk) {
        lg_free(image);
        return lg_image_create(context, shape, out, error);
    }
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

// Whether pixels of the image may go to or come from the context's device.
static lg_status check_transfer(const lg_context *context, const lg_image *image, lg_error *error)
{
    const lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!image)
        return lg_fail_null(error, "an image");
    if (context->attached && ((const lg_image_private *)image)->context != context)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the image belongs to another context; transfer it with its own");
    return LG_OK;
}

lg_status lg_image_create_device(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error)
{
    const lg_status checked = lg_context_check(context, error);
    if (checked)
        return checked;
    if (!out)
        return lg_fail_null(error, "a place for the image");
    if (shape && shape->planes)
        return lg_planes_make(context, shape, lg_image_create_device, out, error);
    if (!context->vk || check_own(shape, NULL))
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
    const lg_status checked = check_transfer(context, image, error);
    if (checked)
        return checked;
    lg_image_private *priv = (lg_image_private *)image;
    if (priv->plane[0])
        return lg_planes_upload(context, priv, error);
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
    if (!status) {
        lg_image_remember(priv);
        return LG_OK;
    }
    lg_vk_image_release(context->attached, priv); // it is not what the host has
    return go_on(context, status, &why, &status, error) ? LG_OK : status;
}

lg_status lg_image_changed(lg_image *image, lg_error *error)
{
    if (!image)
        return lg_fail_null(error, "an image");
    lg_image_private *priv = (lg_image_private *)image;
    const lg_status status = lg_context_check(priv->context, error);
    if (status)
        return status;
    if (priv->plane[0])
        return lg_planes_changed(priv, error);
    if (!image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "this image has no host pixels that could change");
    if (priv->device)
        lg_vk_image_release(priv->context->attached, priv);
    return LG_OK;
}

lg_status lg_image_download(lg_context *context, lg_image *image, lg_error *error)
{
    lg_status status = check_transfer(context, image, error);
    if (status)
        return status;
    lg_image_private *priv = (lg_image_private *)image;
    if (priv->plane[0])
        return lg_planes_download(context, priv, error);
    if (!priv->device) {
        if (image->data)
            return LG_OK;
        return lg_fail(error, LG_ERROR_ARGUMENT, "this image has no pixels");
    }
    const bool had = image->data != NULL;
    lg_error why = {LG_OK, ""};
    if (!had)
        status = allocate_host(priv, false, error);
    if (status)
        return status;
    status = lg_vk_image_download(context->attached, priv, &why);
    if (status && !had && priv->owns_data) { // they are not its pixels
        lg_block_give(priv->context, image->data);
        image->data = NULL;
        priv->owns_data = false;
    }
    if (!status)
        lg_image_remember(priv);
    return status ? lg_device_failure(context, "an image", status, &why, error) : LG_OK;
}

// ---- host pixels that no longer are those of the device copy --------------------------------------

static uint64_t digest_of(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const size_t row = (size_t)s->width * lg_pixel_size(s);
    uint64_t digest = 0;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            digest = lg_hash((const char *)image->data + (size_t)z * s->layer_stride +
                                 (size_t)y * s->row_stride,
                             row, digest);
    return digest;
}

void lg_image_remember(lg_image_private *image)
{
    image->has_digest = image->context->params.validation && image->image.data && image->device;
    if (image->has_digest)
        image->uploaded = digest_of(&image->image);
}

void lg_image_forget(lg_image_private *image)
{
    image->has_digest = false;
}

lg_status lg_image_check_copy(const lg_image *image, lg_error *error)
{
    const lg_image_private *priv = (const lg_image_private *)image;
    if (!priv->has_digest || !priv->device || digest_of(image) == priv->uploaded)
        return LG_OK;
    return lg_fail(
        error, LG_ERROR_ARGUMENT,
        "the host pixels of this image (%d x %d x %d) were written after its upload, and "
        "the device still has the old ones; call lg_image_changed or lg_image_upload",
        image->shape.width, image->shape.height, image->shape.layers);
}

bool lg_images_overlap(const lg_image *a, const lg_image *b)
{
    if (a->shape.planes || b->shape.planes)
        return lg_planes_overlap(a, b);
    if (!a->data || !b->data)
        return false;
    size_t size_a, size_b;
    if (!extent_of(&a->shape, &size_a) || !extent_of(&b->shape, &size_b))
        return true;
    const uintptr_t at_a = (uintptr_t)a->data, at_b = (uintptr_t)b->data;
    if (at_a + size_a <= at_b || at_b + size_b <= at_a)
        return false;
    // Columns beside each other in the same rows of memory, such as the halves of one picture.
    const lg_image_params *s = &a->shape, *t = &b->shape;
    const size_t stride = s->row_stride;
    if (stride != t->row_stride || (s->layers > 1 && s->layer_stride % stride) ||
        (t->layers > 1 && t->layer_stride % stride))
        return true;
    const size_t right =
        at_b >= at_a ? (at_b - at_a) % stride : (stride - (at_a - at_b) % stride) % stride;
    return right < (size_t)s->width * lg_pixel_size(s) ||
           right + (size_t)t->width * lg_pixel_size(t) > stride;
}

lg_status lg_image_set_domain(lg_image *image, const float least[3], const float most[3],
                              lg_error *error)
{
    if (!image || !least || !most)
        return lg_fail_null(error, "an image, and the ends of its range");
    if (image->shape.type != LG_F16 && image->shape.type != LG_F32)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "tables of floats have a range; this image has samples of %s",
                       lg_type_name(image->shape.type));
    for (int k = 0; k < 3; k++)
        if (!isfinite(least[k]) || !isfinite(most[k]) || !(most[k] > least[k]) ||
            !isfinite(most[k] - least[k]) || !isfinite(1.0f / (most[k] - least[k])))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "a range from %g to %g: the end has to be above the beginning",
                           (double)least[k], (double)most[k]);
    lg_image_private *priv = (lg_image_private *)image;
    memcpy(priv->domain[0], least, sizeof priv->domain[0]);
    memcpy(priv->domain[1], most, sizeof priv->domain[1]);
    priv->has_domain = true;
    return LG_OK;
}

void lg_image_domain(const lg_image *image, float least[3], float most[3])
{
    const lg_image_private *priv = (const lg_image_private *)image;
    for (int k = 0; k < 3; k++) {
        least[k] = priv->has_domain ? priv->domain[0][k] : 0;
        most[k] = priv->has_domain ? priv->domain[1][k] : 1;
    }
}

void lg_image_destroy(lg_image **image)
{
    if (!image || !*image)
        return;
    lg_image_private *priv = (lg_image_private *)*image;
    if (priv->whole || priv->plane[0]) {
        lg_planes_destroy(priv);
        *image = NULL;
        return;
    }
    if (priv->device)
        lg_vk_image_release(priv->context->attached, priv);
    if (priv->owns_data)
        lg_block_give(priv->limited ? priv->context : NULL, priv->image.data);
    lg_free(priv);
    *image = NULL;
}
