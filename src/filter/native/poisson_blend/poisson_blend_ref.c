// Steps of a Poisson blend as the formula reads, on whole images of colours.
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

// The mean of four neighbours less the pixel.
static float flux(const picture *p, int64_t x, int64_t y, int k)
{
    const float c = at(p, x, y, k);
    const float beside = (at(p, x - 1, y, k) - c) + (at(p, x + 1, y, k) - c);
    const float over = (at(p, x, y - 1, k) - c) + (at(p, x, y + 1, k) - c);
    return (beside + over) / 4;
}

// w[3] is how far a step goes.
static void step(const picture *w, picture *next)
{
    for (int64_t i = 0; i < w->width * w->height; i++) {
        for (int k = 0; k < 3; k++)
            next->v[i][k] = w->v[i][k] + flux(w, i % w->width, i / w->width, k) * w->v[i][3];
        next->v[i][3] = w->v[i][3];
    }
}

static void blend_layer(const lg_native_call *call, int64_t z, picture *w, picture *next)
{
    const float mix = lg_native_value(call->filter, call->values, "mix");
    const int steps = (int)lg_native_value(call->filter, call->values, "num_iterations");
    const int64_t over_z = call->in[1]->shape.layers == 1 ? 0 : z;
    float b[4], o[4];
    for (int64_t i = 0; i < w->width * w->height; i++) {
        read_pixel(call->in[0], i % w->width, i / w->width, z, b);
        read_pixel(call->in[1], i % w->width, i / w->width, over_z, o);
        for (int k = 0; k < 3; k++)
            w->v[i][k] = b[k] - o[k];
        w->v[i][3] = o[3] * mix;
    }
    for (int n = 0; n < steps; n++) {
        step(w, next);
        float(*const swap)[4] = w->v;
        w->v = next->v;
        next->v = swap;
    }
    for (int64_t i = 0; i < w->width * w->height; i++) {
        read_pixel(call->in[0], i % w->width, i / w->width, z, b);
        read_pixel(call->in[1], i % w->width, i / w->width, over_z, o);
        for (int k = 0; k < 3 && w->v[i][3] > 0; k++)
            b[k] = o[k] + w->v[i][k];
        write_pixel(call->out, i % w->width, i / w->width, z, b);
    }
}

lg_status lg_poisson_ref(const lg_native_call *call)
{
    const int64_t width = call->out->shape.width, height = call->out->shape.height;
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    picture w = {width, height, border, NULL}, next = w;
    w.v = lg_alloc_array((size_t)(width * height), sizeof *w.v);
    next.v = lg_alloc_array((size_t)(width * height), sizeof *w.v);
    for (int64_t z = 0; z < call->out->shape.layers; z++)
        blend_layer(call, z, &w, &next);
    lg_free(w.v);
    lg_free(next.v);
    return LG_OK;
}
