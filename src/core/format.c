#include "core/core.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} types[LG_ARRAY_TYPES] = {[LG_U8] = {"u8", 1},   [LG_U16] = {"u16", 2}, [LG_F16] = {"f16", 2},
                           [LG_F32] = {"f32", 4}, [LG_I32] = {"i32", 4}, [LG_F64] = {"f64", 8}};

size_t lg_type_size(lg_type type)
{
    return (unsigned)type < LG_ARRAY_TYPES ? types[type].size : 0;
}

const char *lg_type_name(lg_type type)
{
    return (unsigned)type < LG_ARRAY_TYPES ? types[type].name : "unknown";
}

size_t lg_pixel_size(const lg_image_params *shape)
{
    return (size_t)shape->channels * lg_type_size(shape->type);
}

bool lg_shape_is_packed(const lg_image_params *shape)
{
    return shape->channels == 3;
}

lg_image_params lg_shape_padded(const lg_image_params *shape)
{
    lg_image_params s = *shape;
    if (lg_shape_is_packed(shape)) {
        s.channels = 4;
        s.alpha = LG_ALPHA_OPAQUE;
        s.row_stride = s.layer_stride = 0;
    }
    return s;
}

// memcpy and memset of constant sizes are moves.
#define PAD(size)                                                                                  \
    for (size_t i = 0; i < pixels; i++) {                                                          \
        memcpy(p + i * 4 * (size), q + i * step * 3 * (size), 3 * (size));                         \
        memset(p + (i * 4 + 3) * (size), 0, (size));                                               \
    }

void lg_pad_pixels(const void *from, size_t pixels, size_t step, size_t size, void *to)
{
    const char *restrict q = from;
    char *restrict p = to;
    if (size == 1)
        PAD(1)
    else if (size == 2)
        PAD(2)
    else
        PAD(4)
}

void lg_unpad_pixels(const void *from, size_t pixels, size_t size, void *to)
{
    for (size_t i = 0; i < pixels; i++)
        memcpy((char *)to + i * 3 * size, (const char *)from + i * 4 * size, 3 * size);
}

int lg_image_measured_channels(const lg_image_params *shape)
{
    return !shape ? 0 : shape->channels - (shape->alpha == LG_ALPHA_OPAQUE ? 1 : 0);
}

const char *lg_channel_name(const lg_image_params *shape, int channel)
{
    static const char *const grey[] = {"grey", "a"}, *const two[] = {"c0", "c1"};
    static const char *const four[] = {"c0", "c1", "c2", "c3"}, *const color[] = {"r", "g", "b",
                                                                                  "a"};
    if (!shape || channel < 0 || channel >= shape->channels)
        return "";
    if (shape->channels <= 2)
        return shape->channels == 2 && shape->alpha == LG_ALPHA_NONE ? two[channel] : grey[channel];
    return shape->channels == 4 && shape->alpha == LG_ALPHA_NONE ? four[channel] : color[channel];
}

lg_region lg_image_region(const lg_image_params *shape)
{
    return shape ? (lg_region){0, 0, shape->width, shape->height} : (lg_region){0};
}

// One number of a region; false when there is none or it is out of range.
static bool parse_number(const char **text, bool sign, int64_t *out)
{
    if (!(**text >= '0' && **text <= '9') && !(sign && **text == '-'))
        return false;
    char *end;
    const long long value = strtoll(*text, &end, 10);
    if (end == *text || value > INT32_MAX || value < INT32_MIN)
        return false;
    *text = end;
    *out = value;
    return true;
}

lg_status lg_region_parse(const char *text, lg_region *out, lg_error *error)
{
    if (!text || !out)
        return lg_fail_null(error, "the text of a region, and a place for it");
    lg_region region = {0};
    const char *at = text;
    bool good = parse_number(&at, false, &region.width) && (*at == 'x' || *at == 'X');
    at += good ? 1 : 0;
    good = good && parse_number(&at, false, &region.height);
    if (good && *at == '+') {
        at++;
        good = parse_number(&at, true, &region.x) && *at == '+';
        at += good ? 1 : 0;
        good = good && parse_number(&at, true, &region.y);
    }
    if (!good || *at != '\0')
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "region '%s' is not of the form WxH+X+Y (pixels, for example 640x480+10+20)",
                       text);
    *out = region;
    return LG_OK;
}

float lg_half_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 31u, mantissa = half & 1023u, bits;
    if (exponent == 31) {
        bits = sign | 0x7f800000u | mantissa << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    } else {
        // Subnormal halves are multiples of 2^-24, all of them normal floats.
        const float value = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    }
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

double lg_sample_at(const void *row, lg_type type, size_t i)
{
    const char *at = (const char *)row + i * lg_type_size(type);
    uint16_t half;
    int32_t integer;
    float single;
    double real;
    switch (type) {
    case LG_U8:
        return *(const uint8_t *)at;
    case LG_I32:
        memcpy(&integer, at, sizeof integer);
        return integer;
    case LG_F32:
        memcpy(&single, at, sizeof single);
        return (double)single;
    case LG_F64:
        memcpy(&real, at, sizeof real);
        return real;
    default:
        memcpy(&half, at, sizeof half);
        return type == LG_U16 ? half : (double)lg_half_to_float(half);
    }
}

uint16_t lg_float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u)
        return sign | 0x7e00u;
    if (bits >= 0x477ff000u) // rounds to 65536 or more
        return sign | 0x7c00u;
    if (bits < 0x38800000u) { // below 2^-14: adding 0.5 leaves the subnormal half in the low bits
        float shifted;
        memcpy(&shifted, &bits, sizeof shifted);
        shifted += 0.5f;
        memcpy(&bits, &shifted, sizeof bits);
        return sign | (uint16_t)(bits - 0x3f000000u);
    }
    bits += 0xfffu + (bits >> 13 & 1u);
    return sign | (uint16_t)((bits - 0x38000000u) >> 13);
}
