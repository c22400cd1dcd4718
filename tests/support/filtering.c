#include "filtering.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "pipeline.h"
#include "samples.h"

lg_image *filtering_image(lg_context *context, int width, int height, int layers)
{
    return image_zeros(context, SHAPE(width, height, layers, 4, LG_F32, LG_ALPHA_STRAIGHT));
}

float *filtering_pixel(const lg_image *image, int x, int y, int layer)
{
    return (float *)((char *)image->data + (size_t)layer * image->shape.layer_stride +
                     (size_t)y * image->shape.row_stride) +
           (size_t)x * 4;
}

#define EACH_PIXEL(image)                                                                          \
    for (int z = 0; z < (image)->shape.layers; z++)                                                \
        for (int y = 0; y < (image)->shape.height; y++)                                            \
            for (int x = 0; x < (image)->shape.width; x++)

void filtering_fill(lg_image *image, const float color[4])
{
    EACH_PIXEL(image)
    memcpy(filtering_pixel(image, x, y, z), color, 4 * sizeof *color);
}

void filtering_noise(lg_image *image)
{
    EACH_PIXEL(image)
    {
        float *p = filtering_pixel(image, x, y, z);
        for (int k = 0; k < 4; k++) {
            const uint32_t choice = random_below(16);
            p[k] = choice == 0 ? 0.0f : choice == 1 ? 1.0f : (float)random_unit();
        }
    }
}

void filtering_extremes(lg_image *image)
{
    static const double values[] = {0,   1,   -0.0, -1,   2,     -0.25,
                                    0.5, 1e3, -1e3, 1e-6, 1e-20, 0.99999994};
    const lg_image_params *s = &image->shape;
    const bool floats = s->type == LG_F16 || s->type == LG_F32;
    const int colors = s->channels == 4 ? 3 : s->channels;
    content_fill(image, CONTENT_UNIT);
    EACH_PIXEL(image)
    for (int k = 0; k < colors; k++)
        if (random_below(3) == 0)
            sample_put(image, x, y, z, k, values[random_below(floats ? LG_COUNT(values) : 2)]);
}

lg_status filtering_try(lg_context *context, const char *text, lg_image *const *in, int count,
                        lg_image **out, lg_error *error)
{
    *out = NULL;
    return pipeline_run(context, text, (const lg_image *const *)in, count, LG_F32, 1, out, error);
}

lg_image *filtering_run(lg_context *context, const char *text, lg_image *const *in, int count)
{
    lg_error error = {0};
    lg_image *out = NULL;
    const lg_status status = filtering_try(context, text, in, count, &out, &error);
    CHECK(!status, "%s: %s", text, error.message);
    return out;
}

double filtering_distance(const lg_image *a, const lg_image *b, int *worst_x, int *worst_y)
{
    double worst = 0;
    EACH_PIXEL(a)
    {
        const float *p = filtering_pixel(a, x, y, z), *q = filtering_pixel(b, x, y, z);
        for (int k = 0; k < 4; k++) {
            double d = fabs((double)p[k] - (double)q[k]);
            d = isnan(p[k]) && isnan(q[k]) ? 0 : isnan(d) ? INFINITY : d;
            if (d > worst) {
                worst = d;
                *worst_x = x, *worst_y = y;
            }
        }
    }
    return worst;
}
