#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexpf((float)(fraction + 1024), exponent - 25)
                            : ldexpf((float)fraction, -24));
}

static float sample_at(lg_type type, const uint8_t *row, size_t index)
{
    uint16_t wide;
    float real;
    if (type == LG_U8)
        return row[index];
    if (type == LG_F32) {
        memcpy(&real, row + 4 * index, sizeof real);
        return real;
    }
    memcpy(&wide, row + 2 * index, sizeof wide);
    return type == LG_U16 ? wide : half_value(wide);
}

lg_shown lg_shown_of_type(lg_type type)
{
    return (lg_shown){0, type == LG_U8 ? 255 : type == LG_U16 ? 65535 : 1};
}

lg_shown lg_shown_of_data(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const lg_shown usual = lg_shown_of_type(s->type);
    const int colors = lg_image_measured_channels(s);
    double least = INFINITY, most = -INFINITY;
    if (s->type == LG_U8)
        return usual;
    for (int32_t y = 0; y < s->height; y++) {
        const uint8_t *row = (const uint8_t *)image->data + (size_t)y * s->row_stride;
        for (int32_t x = 0; x < s->width; x++)
            for (int c = 0; c < colors; c++) {
                const double value =
                    sample_at(s->type, row, (size_t)x * (size_t)s->channels + (size_t)c);
                if (isfinite(value)) {
                    least = value < least ? value : least;
                    most = value > most ? value : most;
                }
            }
    }
    if (s->type == LG_U16)
        return most > 0 && most < 32768 ? (lg_shown){0, most} : usual;
    return (least >= 0 && most <= 1) || !(most > least) ? usual : (lg_shown){least, most};
}

void lg_picture_fit(const lg_image_params *s, int32_t most_width, int32_t most_height,
                    int32_t *width, int32_t *height)
{
    double scale = 1;
    if (s->width * scale > most_width)
        scale = (double)most_width / s->width;
    if (s->height * scale > most_height)
        scale = (double)most_height / s->height;
    *width = (int32_t)(s->width * scale + 0.5);
    *height = (int32_t)(s->height * scale + 0.5);
    *width = *width < 1 ? 1 : *width;
    *height = *height < 1 ? 1 : *height;
}

// The mean of the pixels that one of the picture stands for.
static void mean_of(const lg_image *image, const int32_t x[2], const int32_t y[2], lg_shown shown,
                    uint8_t out[3])
{
    const lg_image_params *s = &image->shape;
    int64_t sum[3] = {0};
    const int64_t count = (int64_t)(x[1] - x[0]) * (y[1] - y[0]);
    const int colors = s->channels < 3 ? 1 : 3;
    const float black = (float)shown.black, scale = (float)(255 / (shown.white - shown.black));
    const bool bytes = s->type == LG_U8 && shown.black == 0 && shown.white == 255;
    for (int32_t j = y[0]; j < y[1]; j++) {
        const uint8_t *row = (const uint8_t *)image->data + (size_t)j * s->row_stride;
        for (int32_t i = x[0]; i < x[1]; i++)
            for (int c = 0; c < colors; c++) {
                const size_t at = (size_t)i * (size_t)s->channels + (size_t)c;
                if (bytes) {
                    sum[c] += row[at];
                    continue;
                }
                const float value = (sample_at(s->type, row, at) - black) * scale;
                sum[c] += value > 0 ? (value < 255 ? (int)(value + 0.5f) : 255) : 0;
            }
    }
    for (int c = 0; c < 3; c++)
        out[c] = (uint8_t)(sum[c < colors ? c : 0] / count);
}

uint8_t *lg_picture_shrink(const lg_image *image, int32_t width, int32_t height, lg_shown shown)
{
    const lg_image_params *s = &image->shape;
    uint8_t *out = malloc((size_t)width * (size_t)height * 3);
    for (int32_t y = 0; out && y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            const int32_t left = (int32_t)((int64_t)x * s->width / width);
            const int32_t right = (int32_t)((int64_t)(x + 1) * s->width / width);
            const int32_t top = (int32_t)((int64_t)y * s->height / height);
            const int32_t bottom = (int32_t)((int64_t)(y + 1) * s->height / height);
            mean_of(image, (const int32_t[]){left, right > left ? right : left + 1},
                    (const int32_t[]){top, bottom > top ? bottom : top + 1}, shown,
                    out + 3 * ((size_t)y * (size_t)width + (size_t)x));
        }
    return out;
}
