// One stored sample as a component, for the definitions that are written out plainly.
#ifndef LG_FILTER_NATIVE_PLAIN_SAMPLE_H
#define LG_FILTER_NATIVE_PLAIN_SAMPLE_H

#include "core/core.h"
#include "kernel/pixel_rule.h"

static inline float lg_plain_sample(const lg_image *image, int64_t x, int64_t y, int64_t z,
                                    int channel)
{
    const lg_image_params *s = &image->shape;
    const char *row =
        (const char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
    const size_t i = (size_t)x * (size_t)s->channels + (size_t)channel;
    switch (s->type) {
    case LG_U8:
        return (float)((const uint8_t *)row)[i] * LG_UNIT_U8;
    case LG_U16:
        return (float)((const uint16_t *)row)[i] * LG_UNIT_U16;
    case LG_F16:
        return lg_half_to_float(((const uint16_t *)row)[i]);
    default:
        return ((const float *)row)[i];
    }
}

#endif
