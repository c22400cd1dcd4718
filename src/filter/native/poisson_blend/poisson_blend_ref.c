// Poisson blending as the formula reads, on whole images of colours.
#include "filter/native/poisson_blend/poisson_blend.h"

#include "filter/native/plain_sample.h"
#include "kernel/pixel_rule.h"

static void read_pixel(const lg_image *image, int64_t x, int64_t y, int64_t z, float c[4])
{
    const lg_image_params *s = &image->shape;
    const bool alpha = s->channels == 2 && s->alpha != LG_ALPHA_NONE;
    c[0] = lg_plain_sample(image, x, y, z, 0);
    c[1] = s->channels == 1 || alpha ? c[0] : lg_plain_sample(image, x, y, z, 1);
    c[2] = s->channels == 1 || alpha ? c[0]
           : s->channels == 4        ? lg_plain_sample(image, x, y, z, 2)
                                     : 0;
    c[3] = alpha || s->channels == 4 ? lg_plain_sample(image, x, y, z, s->channels - 1) : 1;
    if (s->channels != 1 && s->alpha == LG_ALPHA_OPAQUE)
        c[3] = 1;
    if (s->channels != 1 && s->alpha == LG_ALPHA_PREMULTIPLIED) {
        const color straight = lg_straight(rgba(c[0], c[1], c[2], c[3]));
        c[0] = straight.r, c[1] = straight.g, c[2] = straight.b;
    }
}

static void write_pixel(const lg_image *image, int64_t x, int64_t y, int64_t z, const float c[4])
{
    const lg_image_params *s = &image->shape;
    char *row = (char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
    for (int k = 0; k < s->channels; k++) {
        const bool alpha =
            s->channels != 1 && k == s->channels - 1 && (s->channels == 4 || s->alpha);
        float v = alpha ? c[3] : c[k];
        if (s->alpha == LG_ALPHA_PREMULTIPLIED && !alpha)
            v *= c[3];
        if (s->alpha == LG_ALPHA_OPAQUE && alpha)
            v = 1;
        const size_t i = (size_t)x * (size_t)s->channels + (size_t)k;
        if (s->type == LG_U8)
            ((uint8_t *)row)[i] = (uint8_t)lg_to_unit(v, 255);
        else if (s->type == LG_U16)
            ((uint16_t *)row)[i] = (uint16_t)lg_to_unit(v, 65535);
        else if (s->type == LG_F16)
            ((uint16_t *)row)[i] = lg_float_to_half(v);
        else
            ((float *)row)[i] = v;
    }
}

typedef struct picture {
    int64_t width, height;
    lg_border border;
    float (*v)[4];
} picture;

static float at(const picture *p, int64_t x, int64_t y, int k)
{
    const int64_t column = lg_border_index(x, p->width, p->border);
    const int64_t row = lg_border_index(y, p->height, p->border);
    return column < 0 || row < 0 ? 0 : p->v[row * p->width + column][k];
}

static float mean_around(const picture *p, int64_t x, int64_t y, int k)
{
    const float beside = at(p, x - 1, y, k) + at(p, x + 1, y, k);
    const float over = at(p, x, y - 1, k) + at(p, x, y + 1, k);
    return (beside + over) / 4;
}

lg_status lg_poisson_ref(const lg_native_call *call)
{
    const int64_t width = call->out->shape.width, height = call->out->shape.height;
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const float mix = lg_native_value(call->filter, call->values, "mix");
    const int steps = (int)lg_native_value(call->filter, call->values, "num_iterations");
    picture u = {width, height, border, NULL}, next = u, o = u;
    u.v = lg_alloc_array((size_t)(width * height), sizeof *u.v);
    next.v = lg_alloc_array((size_t)(width * height), sizeof *u.v);
    o.v = lg_alloc_array((size_t)(width * height), sizeof *u.v);
    for (int64_t z = 0; z < call->out->shape.layers; z++) {
        for (int64_t i = 0; i < width * height; i++) {
            read_pixel(call->in[0], i % width, i / width, z, u.v[i]);
            read_pixel(call->in[1], i % width, i / width, call->in[1]->shape.layers == 1 ? 0 : z,
                       o.v[i]);
        }
        for (int n = 0; n < steps; n++) {
            for (int64_t i = 0; i < width * height; i++) {
                const int64_t x = i % width, y = i / width;
                const float part = o.v[i][3] * mix;
                for (int k = 0; k < 3; k++) {
                    const float detail = o.v[i][k] - mean_around(&o, x, y, k);
                    const float wanted = mean_around(&u, x, y, k) + detail;
                    const float kept = u.v[i][k] * (1 - part), taken = wanted * part;
                    next.v[i][k] = kept + taken;
                }
                next.v[i][3] = u.v[i][3];
            }
            float(*const swap)[4] = u.v;
            u.v = next.v;
            next.v = swap;
        }
        for (int64_t i = 0; i < width * height; i++)
            write_pixel(call->out, i % width, i / width, z, u.v[i]);
    }
    lg_free(u.v);
    lg_free(next.v);
    lg_free(o.v);
    return LG_OK;
}
