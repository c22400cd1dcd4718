// Binarisation as the definition reads, one pixel at a time in double.
#include "measure/threshold/threshold.h"

#include <math.h>
#include <string.h>

static double sample(const lg_scan *scan, const uint8_t *pixel, int channel)
{
    uint16_t half;
    float real;
    const uint8_t *p = pixel + (size_t)channel * lg_type_size(scan->type);
    switch (scan->type) {
    case LG_U8:
        return *p;
    case LG_U16:
        memcpy(&half, p, sizeof half);
        return half;
    case LG_F16:
        memcpy(&half, p, sizeof half);
        return lg_half_to_float(half);
    default:
        memcpy(&real, p, sizeof real);
        return real;
    }
}

static const double weights[LG_LUMAS][3] = {
    [LG_LUMA_BT709] = {0.2126, 0.7152, 0.0722},   [LG_LUMA_BT601] = {0.299, 0.587, 0.114},
    [LG_LUMA_BT2020] = {0.2627, 0.6780, 0.0593},  [LG_LUMA_GPUIMAGE] = {0.2125, 0.7154, 0.0721},
    [LG_LUMA_MEAN] = {1.0 / 3, 1.0 / 3, 1.0 / 3},
};

static double largest(const double *rgb)
{
    return fmax(fmax(rgb[0], rgb[1]), rgb[2]);
}

// Weights as multiples of 1/65536 that sum to 1: green takes what the rounding leaves over.
static double integer_luma(lg_luma luma, const double *rgb)
{
    const double red = floor(weights[luma][0] * 65536 + 0.5);
    const double blue = floor(weights[luma][2] * 65536 + 0.5);
    const double green = 65536 - red - blue;
    return floor((red * rgb[0] + green * rgb[1] + blue * rgb[2] + 32768) / 65536);
}

static double float_luma(lg_luma luma, const double *rgb)
{
    if (isnan(rgb[0] + rgb[1] + rgb[2]) || isinf(rgb[0]) || isinf(rgb[1]) || isinf(rgb[2]))
        return isnan(rgb[0]) || isnan(rgb[1]) || isnan(rgb[2]) ? NAN : INFINITY;
    const float red = (float)weights[luma][0] * (float)rgb[0];
    const float green = (float)weights[luma][1] * (float)rgb[1];
    const float blue = (float)weights[luma][2] * (float)rgb[2];
    const float redgreen = red + green;
    const float sum = redgreen + blue;
    return fmax(fmin(sum, largest(rgb)), fmin(fmin(rgb[0], rgb[1]), rgb[2]));
}

static double value(const lg_scan *scan, lg_luma luma, const uint8_t *pixel)
{
    if (scan->channels < 4)
        return sample(scan, pixel, 0);
    const double rgb[3] = {sample(scan, pixel, 0), sample(scan, pixel, 1), sample(scan, pixel, 2)};
    const bool integer = scan->type == LG_U8 || scan->type == LG_U16;
    if (luma == LG_LUMA_MAX && (integer || !isnan(float_luma(LG_LUMA_MEAN, rgb))))
        return !integer && isinf(float_luma(LG_LUMA_MEAN, rgb)) ? INFINITY : largest(rgb);
    return integer ? integer_luma(luma, rgb) : float_luma(luma, rgb);
}

lg_status lg_threshold_binarise_ref(const lg_scan *scan, lg_luma luma, bool stack,
                                    lg_threshold *levels, lg_image *binary, lg_error *error)
{
    const size_t size = lg_pixel_size(&scan->image->shape);
    for (int32_t layer = 0; layer < scan->layers; layer++) {
        lg_threshold *t = &levels[stack ? 0 : layer];
        if (layer == 0 || !stack)
            t->foreground = t->total = 0;
        for (int64_t y = 0; y < scan->height; y++) {
            const uint8_t *row = lg_scan_row(scan, layer, y);
            uint8_t *out = binary ? (uint8_t *)binary->data +
                                        (size_t)layer * binary->shape.layer_stride +
                                        (size_t)y * binary->shape.row_stride
                                  : NULL;
            for (int64_t x = 0; x < scan->width; x++) {
                const double v = value(scan, luma, row + (size_t)x * size);
                int32_t class = 0;
                for (int32_t i = 0; i < t->levels; i++)
                    class += v > t->level[i];
                t->total++;
                t->foreground += class == t->levels;
                if (out)
                    out[x] = lg_class_byte(class, t->levels + 1);
            }
        }
    }
    return LG_OK;
}
