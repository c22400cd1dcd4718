#include "core/scan.h"

#include <string.h>

static lg_status check_region(const lg_image_params *shape, const lg_region *r, lg_error *error)
{
    bool inside = r->x >= 0 && r->y >= 0 && r->width > 0 && r->height > 0 && r->x < shape->width &&
                  r->y < shape->height && r->width <= shape->width - r->x &&
                  r->height <= shape->height - r->y;
    if (inside)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "region %lldx%lld+%lld+%lld is empty or leaves the image of %dx%d pixels; "
                   "choose one inside",
                   (long long)r->width, (long long)r->height, (long long)r->x, (long long)r->y,
                   shape->width, shape->height);
}

static lg_status check_mask(const lg_image_params *shape, const lg_image *mask, lg_error *error)
{
    const lg_image_params *m = &mask->shape;
    if (m->planes)
        return lg_image_check_adjacent(m, "a mask", error);
    if (m->type != LG_U8 || m->channels != 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the mask has %d channels of type %s; it must be u8 with one channel",
                       m->channels, lg_type_name(m->type));
    if (m->width != shape->width || m->height != shape->height)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the mask has %dx%d pixels; it must have %dx%d like the image", m->width,
                       m->height, shape->width, shape->height);
    if (m->layers != 1 && m->layers != shape->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the mask has %d layers; it must have one, or as many as the image, %d",
                       m->layers, shape->layers);
    if (!mask->data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the mask has no host pixels; download it before measuring");
    return LG_OK;
}

lg_status lg_scan_init(lg_scan *out, const lg_image *image, const lg_select *select,
                       lg_error *error)
{
    const lg_select defaults = lg_select_default();
    if (!image)
        return lg_fail(error, LG_ERROR_ARGUMENT, "no image was given to measure");
    if (lg_image_check_adjacent(&image->shape, "what is measured", error))
        return LG_ERROR_ARGUMENT;
    if (!select)
        select = &defaults;
    const lg_image_params *shape = &image->shape;
    const lg_region region = select->region ? *select->region : lg_image_region(shape);
    lg_status status = check_region(shape, &region, error);
    if (status == LG_OK && select->mask)
        status = check_mask(shape, select->mask, error);
    if (status != LG_OK)
        return status;
    if (select->step < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT, "step is %d; it must be at least 1", select->step);
    if ((unsigned)select->nan > LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "NaN rule %d does not exist; use ignore, "
                       "propagate or error",
                       (int)select->nan);

    const bool has_alpha = shape->channels != 1 && (shape->alpha == LG_ALPHA_STRAIGHT ||
                                                    shape->alpha == LG_ALPHA_PREMULTIPLIED);
    lg_scan scan = {.image = image,
                    .type = shape->type,
                    .channels = lg_shape_padded(shape).channels,
                    .measured = lg_image_measured_channels(shape),
                    .alpha = select->skip_transparent && has_alpha ? shape->channels - 1 : -1,
                    .x = region.x,
                    .y = region.y,
                    .width = (region.width - 1) / select->step + 1,
                    .height = (region.height - 1) / select->step + 1,
                    .layers = shape->layers,
                    .step = select->step,
                    .mask = select->mask,
                    .nan = select->nan};
    scan.selective = scan.mask || scan.alpha >= 0;
    *out = scan;
    return LG_OK;
}

static const uint8_t *pixel_row(const lg_image *image, int32_t layer, int64_t y)
{
    return (const uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

bool lg_scan_in_place(const lg_scan *scan)
{
    return scan->step == 1 && !lg_shape_is_packed(&scan->image->shape);
}

size_t lg_scan_pixel_size(const lg_scan *scan)
{
    return (size_t)scan->channels * lg_type_size(scan->type);
}

const void *lg_scan_row(const lg_scan *scan, int32_t layer, int64_t row)
{
    return pixel_row(scan->image, layer, scan->y + row * scan->step) +
           (size_t)scan->x * lg_pixel_size(&scan->image->shape);
}

const void *lg_scan_first(const lg_scan *scan)
{
    const size_t pixel = lg_pixel_size(&scan->image->shape) * (size_t)scan->step;
    const int32_t layers = scan->mask ? scan->mask->shape.layers : 1;
    for (int32_t z = 0; z < layers; z++)
        for (int64_t row = 0; row < scan->height; row++) {
            const uint8_t *mask =
                scan->mask ? pixel_row(scan->mask, z, scan->y + row * scan->step) + scan->x : NULL;
            for (int64_t x = 0; x < scan->width; x++)
                if (!mask || mask[x * scan->step])
                    return (const uint8_t *)lg_scan_row(scan, z, row) + (size_t)x * pixel;
        }
    return NULL;
}

// memcpy of a constant size is one move.
#define GATHER(size)                                                                               \
    for (size_t i = 0; i < width; i++)                                                             \
    memcpy(to + i * (size), from + i * step * (size), (size))

static void gather(uint8_t *to, const uint8_t *from, size_t width, size_t step, size_t size)
{
    switch (size) {
    case 1:
        GATHER(1);
        break;
    case 2:
        GATHER(2);
        break;
    case 4:
        GATHER(4);
        break;
    case 8:
        GATHER(8);
        break;
    default:
        GATHER(16);
        break;
    }
}

const void *lg_scan_row_dense(const lg_scan *scan, int32_t layer, int64_t row, void *buffer)
{
    const uint8_t *source = (const uint8_t *)lg_scan_row(scan, layer, row);
    const size_t width = (size_t)scan->width, step = (size_t)scan->step;
    if (lg_scan_in_place(scan))
        return source;
    if (lg_shape_is_packed(&scan->image->shape))
        lg_pad_pixels(source, width, step, lg_type_size(scan->type), buffer);
    else
        gather(buffer, source, width, step, lg_scan_pixel_size(scan));
    return buffer;
}

// 1 where the sample has a bit of `significant`: alpha is not zero; -0 is zero, NaN is not.
#define TEST_ALPHA(type, significant)                                                              \
    for (size_t i = 0; i < width; i++) {                                                           \
        type bits;                                                                                 \
        memcpy(&bits, p + i * pixel, sizeof bits);                                                 \
        out[i] = (bits & (significant)) != 0;                                                      \
    }

static void test_alpha(const lg_scan *scan, const uint8_t *row, uint8_t *out)
{
    const size_t pixel = lg_pixel_size(&scan->image->shape) * (size_t)scan->step;
    const size_t width = (size_t)scan->width;
    const uint8_t *p = row + (size_t)scan->alpha * lg_type_size(scan->type);
    switch (scan->type) {
    case LG_U8:
        TEST_ALPHA(uint8_t, 0xffu);
        break;
    case LG_U16:
        TEST_ALPHA(uint16_t, 0xffffu);
        break;
    case LG_F16:
        TEST_ALPHA(uint16_t, 0x7fffu);
        break;
    default:
        TEST_ALPHA(uint32_t, 0x7fffffffu);
        break;
    }
}

void lg_scan_row_mask(const lg_scan *scan, int32_t layer, int64_t row, uint8_t *out)
{
    if (scan->alpha >= 0)
        test_alpha(scan, lg_scan_row(scan, layer, row), out);
    if (!scan->mask)
        return;
    const int32_t mask_layer = scan->mask->shape.layers == 1 ? 0 : layer;
    const uint8_t *mask = pixel_row(scan->mask, mask_layer, scan->y + row * scan->step) + scan->x;
    const size_t step = (size_t)scan->step;
    const size_t width = (size_t)scan->width;
    if (scan->alpha >= 0) {
        for (size_t i = 0; i < width; i++)
            out[i] = (out[i] & (mask[i * step] != 0));
    } else if (step == 1) {
        for (size_t i = 0; i < width; i++)
            out[i] = mask[i] != 0;
    } else {
        for (size_t i = 0; i < width; i++)
            out[i] = mask[i * step] != 0;
    }
}
