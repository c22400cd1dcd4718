#include "filtering.h"

#include <math.h>
#include <string.h>

#include "check.h"

lg_context *filtering_level(lg_cpu_level level)
{
    lg_context *context = NULL;
    if (level > lg_cpu_level_best())
        return NULL;
    const lg_status status =
        lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 2,
                                   it.cpu_level = level, it.use_cache = false),
                          &context, NULL);
    return status ? NULL : context;
}

lg_image *filtering_image(lg_context *context, int width, int height, int layers)
{
    lg_error error = {0};
    lg_image *image = NULL;
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = 4,
                                   .type = LG_F32,
                                   .alpha = LG_ALPHA_STRAIGHT};
    const lg_status status = lg_image_create(context, &shape, &image, &error);
    CHECK(!status, "image: %s", error.message);
    return status ? NULL : image;
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
    static const float values[] = {0,    1,    -0.0f, -1,    2,      -0.25f,
                                   0.5f, 1e3f, -1e3f, 1e-6f, 1e-20f, 0.99999994f};
    filtering_noise(image);
    EACH_PIXEL(image)
    {
        float *p = filtering_pixel(image, x, y, z);
        for (int k = 0; k < 3; k++)
            if (random_below(3) == 0)
                p[k] = values[random_below(LG_COUNT(values))];
    }
}

lg_status filtering_try(lg_context *context, const char *pipeline, lg_image *const *in, int count,
                        lg_image **out, lg_error *error)
{
    static const char *const names[] = {"in", "over"};
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node first = -1, node = -1;
    lg_image_params shapes[2], shape;
    const lg_type type = LG_F32;
    *out = NULL;
    lg_status status = lg_graph_create(&graph, error);
    for (int i = 0; i < count && !status; i++) {
        shapes[i] = in[i]->shape;
        status = lg_graph_input(graph, names[i], &node, error);
        first = i ? first : node;
    }
    if (!status)
        status = lg_graph_parse(graph, pipeline, first, &node, error);
    if (!status)
        status = lg_graph_output(graph, node, error);
    if (!status)
        status = lg_plan_create(context, graph, shapes, (size_t)count, &type, &plan, error);
    if (!status)
        status = lg_plan_output(plan, 0, &shape, error);
    if (!status)
        status = lg_image_create(context, &shape, out, error);
    if (!status)
        status = lg_plan_run(plan, in, out, error);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    if (status)
        lg_image_destroy(out);
    return status;
}

lg_image *filtering_run(lg_context *context, const char *pipeline, lg_image *const *in, int count)
{
    lg_error error = {0};
    lg_image *out = NULL;
    const lg_status status = filtering_try(context, pipeline, in, count, &out, &error);
    CHECK(!status, "%s: %s", pipeline, error.message);
    return out;
}

int64_t filtering_differences(const lg_image *a, const lg_image *b, int *first_x, int *first_y)
{
    int64_t count = 0;
    EACH_PIXEL(a)
    {
        const float *p = filtering_pixel(a, x, y, z), *q = filtering_pixel(b, x, y, z);
        bool same = true;
        for (int k = 0; k < 4; k++)
            same &= memcmp(&p[k], &q[k], sizeof *p) == 0 || (isnan(p[k]) && isnan(q[k]));
        if (!same && !count++)
            *first_x = x, *first_y = y;
    }
    return count;
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
