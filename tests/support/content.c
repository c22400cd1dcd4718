#include "content.h"
#include "check.h"

#include <math.h>
#include <string.h>

const char *content_name(content kind)
{
    static const char *const names[CONTENTS] = {
        "unit", "signed",   "constant", "offset", "sprinkled", "special", "huge",
        "tiny", "denormal", "mixed",    "zeros",  "scales",    "all bits"};
    return names[kind];
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float one_of_special(void)
{
    static const float special[] = {
        NAN,      INFINITY, -INFINITY, 0.0f, -0.0f,    1e-45f,  -1e-40f,        3.4e38f,
        -3.4e38f, 1e30f,    -1e-30f,   1.0f, 0x1p-30f, 0x1p30f, 0x1.fffffep29f, 0x1.fffffep-31f};
    return special[random_below(LG_COUNT(special))];
}

static float float_sample(content kind, int32_t x, int32_t y)
{
    const float unit = (float)random_unit();
    switch (kind) {
    case CONTENT_SIGNED:
        return ldexpf(unit - 0.5f, (int)random_below(20) - 10);
    case CONTENT_CONSTANT:
        return 0.1f;
    case CONTENT_OFFSET:
        return 10000.0f + 3.46f * (unit - 0.5f);
    case CONTENT_SPRINKLED:
        return random_below(9000) ? unit : (random_below(2) ? NAN : -INFINITY);
    case CONTENT_SPECIAL:
        return random_below(64) ? unit : one_of_special();
    case CONTENT_HUGE:
        return unit * 1e30f;
    case CONTENT_TINY:
        return unit * 1e-35f;
    case CONTENT_DENORMAL:
        return of_bits((uint32_t)random_u64() & 0x807fffffu);
    case CONTENT_MIXED:
        return random_below(3) ? ldexpf(unit - 0.5f, -60 - (int)random_below(85)) : unit;
    case CONTENT_ZEROS:
        return random_below(2) ? 0.0f : -0.0f;
    case CONTENT_SCALES:
        return x / 128 == 3 ? 0 : ldexpf(unit, (x / 128 * 37 + y / 32 * 11) % 270 - 145);
    case CONTENT_ALL_BITS:
        return of_bits((uint32_t)random_u64());
    default:
        return unit;
    }
}

static void fill_row(const lg_image_params *s, void *row, int32_t y, content kind)
{
    const bool constant = kind == CONTENT_CONSTANT;
    for (int64_t i = 0; i < (int64_t)s->width * s->channels; i++) {
        const int32_t x = (int32_t)(i / s->channels);
        if (s->type == LG_U8)
            ((uint8_t *)row)[i] = constant ? 255 : (uint8_t)(random_u64() >> 40);
        else if (s->type == LG_U16)
            ((uint16_t *)row)[i] = constant ? 65535 : (uint16_t)(random_u64() >> 40);
        else if (s->type == LG_F32)
            ((float *)row)[i] = float_sample(kind, x, y);
        else
            ((uint16_t *)row)[i] = kind == CONTENT_ALL_BITS
                                       ? (uint16_t)(random_u64() >> 40)
                                       : lg_float_to_half(float_sample(kind, x, y));
    }
}

void content_fill(lg_image *image, content kind)
{
    const lg_image_params *s = &image->shape;
    const size_t size = lg_type_size(s->type), pixel = size * (size_t)s->channels;
    for (int32_t layer = 0; layer < s->layers; layer++) {
        for (int32_t y = 0; y < s->height; y++) {
            uint8_t *row = (uint8_t *)image->data + (size_t)layer * s->layer_stride +
                           (size_t)y * s->row_stride;
            fill_row(s, row, y, kind);
            if (s->alpha == LG_ALPHA_NONE || s->channels == 1)
                continue;
            for (size_t x = 0; x < (size_t)s->width; x++)
                if (random_below(3) == 0)
                    memset(row + (x + 1) * pixel - size, 0, size);
        }
    }
}

lg_image *content_image(lg_context *context, lg_image_params shape, content kind)
{
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    content_fill(image, kind);
    return image;
}

lg_image *content_on_device(lg_context *context, lg_image_params shape, content kind)
{
    lg_image *image = content_image(context, shape, kind);
    lg_error error = {LG_OK, ""};
    NEED(!lg_image_upload(context, image, &error), "%s", error.message);
    return image;
}

lg_image *content_mask(lg_context *context, const lg_image_params *shape, int32_t layers)
{
    lg_image *mask = content_image(
        context, SHAPE(shape->width, shape->height, layers, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    for (int64_t y = 0; y < (int64_t)layers * shape->height; y++) {
        uint8_t *row = (uint8_t *)mask->data +
                       (size_t)(y / shape->height) * mask->shape.layer_stride +
                       (size_t)(y % shape->height) * mask->shape.row_stride;
        for (int32_t x = 0; x < shape->width; x++) {
            if (x / 128 == 1)
                row[x] = 7;
            else
                row[x] = x / 8 % 5 == 2 ? 0 : row[x] & 1;
        }
    }
    return mask;
}
