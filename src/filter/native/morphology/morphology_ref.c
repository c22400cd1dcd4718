// Morphology as the definition reads: every window pixel by pixel.
#include "filter/native/morphology/morphology.h"
#include "filter/native/plain_sample.h"
#include "kernel/pixel_rule.h"

#include <math.h>

typedef struct pixel {
    float v[4];
} pixel;

static pixel read_pixel(const lg_image *image, int64_t x, int64_t y, int64_t z)
{
    const lg_image_params *s = &image->shape;
    pixel p = {{0, 0, 0, 1}};
    for (int c = 0; c < s->channels; c++)
        p.v[c] = lg_plain_sample(image, x, y, z, c);
    if (s->channels == 1)
        p.v[1] = p.v[2] = p.v[0];
    if (s->channels == 2 && s->alpha != LG_ALPHA_NONE) {
        p.v[3] = p.v[1];
        p.v[1] = p.v[2] = p.v[0];
    }
    if (s->channels != 1 && s->alpha == LG_ALPHA_OPAQUE)
        p.v[3] = 1;
    if (s->channels != 1 && s->alpha == LG_ALPHA_PREMULTIPLIED)
        for (int c = 0; c < 3; c++)
            p.v[c] = p.v[3] > 0 ? p.v[c] / p.v[3] : 0;
    return p;
}

static void write_sample(const lg_image *image, int64_t x, int64_t y, int64_t z, int channel,
                         float v)
{
    const lg_image_params *s = &image->shape;
    char *row = (char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
    const size_t at = (size_t)x * (size_t)s->channels + (size_t)channel;
    switch (s->type) {
    case LG_U8:
        ((uint8_t *)row)[at] = (uint8_t)lg_to_unit(v, 255);
        return;
    case LG_U16:
        ((uint16_t *)row)[at] = (uint16_t)lg_to_unit(v, 65535);
        return;
    case LG_F16:
        ((uint16_t *)row)[at] = lg_float_to_half(v);
        return;
    default:
        ((float *)row)[at] = v;
    }
}

static void write_pixel(const lg_image *image, int64_t x, int64_t y, int64_t z, pixel p)
{
    const lg_image_params *s = &image->shape;
    if (s->channels != 1 && s->alpha == LG_ALPHA_OPAQUE)
        p.v[3] = 1;
    if (s->channels != 1 && s->alpha == LG_ALPHA_PREMULTIPLIED)
        for (int c = 0; c < 3; c++)
            p.v[c] *= p.v[3];
    if (s->channels == 2 && s->alpha != LG_ALPHA_NONE)
        p.v[1] = p.v[3];
    for (int c = 0; c < s->channels; c++)
        write_sample(image, x, y, z, c, p.v[c]);
}

// -0 is below +0, and a NaN is worse than everything.
static bool better(float a, float b, bool max)
{
    if (isnan(a) || isnan(b))
        return isnan(b) && !isnan(a);
    if (a == b)
        return max ? !signbit(a) && signbit(b) : signbit(a) && !signbit(b);
    return max ? a > b : a < b;
}

static void extreme(const pixel *from, pixel *to, const lg_image_params *s, lg_window_side down,
                    lg_window_side along, lg_border border, bool max)
{
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++)
            for (int c = 0; c < 4; c++) {
                float best = NAN;
                for (int64_t dy = -down.before; dy <= down.after; dy++)
                    for (int64_t dx = -along.before; dx <= along.after; dx++) {
                        const int64_t row = lg_border_index(y + dy, s->height, border);
                        const int64_t column = lg_border_index(x + dx, s->width, border);
                        const float v =
                            row < 0 || column < 0 ? 0 : from[row * s->width + column].v[c];
                        if (better(v, best, max))
                            best = v;
                    }
                to[y * s->width + x].v[c] = best;
            }
}

lg_status lg_morphology_ref(lg_morphology_operation operation, bool grey, lg_window_side down,
                            lg_window_side along, lg_border border, const lg_image *in,
                            lg_image *out)
{
    const lg_image_params *s = &in->shape;
    const size_t count = (size_t)s->width * (size_t)s->height;
    pixel *a = lg_alloc_array(count, sizeof *a), *b = lg_alloc_array(count, sizeof *b);
    for (int64_t z = 0; z < s->layers && a && b; z++) {
        for (size_t i = 0; i < count; i++)
            a[i] = read_pixel(in, (int64_t)i % s->width, (int64_t)i / s->width, z);
        const bool max = operation == LG_MORPHOLOGY_DILATION || operation == LG_MORPHOLOGY_CLOSING;
        const lg_window_side back = lg_window_side_mirrored(down);
        const lg_window_side left = lg_window_side_mirrored(along);
        extreme(a, b, s, max ? back : down, max ? left : along, border, max);
        const bool twice = operation == LG_MORPHOLOGY_OPENING || operation == LG_MORPHOLOGY_CLOSING;
        if (twice)
            extreme(b, a, s, max ? down : back, max ? along : left, border, !max);
        for (size_t i = 0; i < count; i++) {
            pixel p = twice ? a[i] : b[i];
            if (grey)
                p = (pixel){{p.v[0], p.v[0], p.v[0], 1}};
            write_pixel(out, (int64_t)i % s->width, (int64_t)i / s->width, z, p);
        }
    }
    const bool done = a && b;
    lg_free(a);
    lg_free(b);
    return done ? LG_OK : LG_ERROR_MEMORY;
}
