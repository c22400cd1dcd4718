// Pipelines and area sums of made-up images, on a device and on the plainest kernels.
#include "selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- pipelines ----------------------------------------------------------------------------------

// A chain, a warp and a window; what needs no further parameters of the filters with
// kernels of their own follows from the catalogue.
static const char *const chains[] = {
    "gamma:gamma=0.7 | contrast:contrast=1.3 | sepia",
    "swirl | sharpen",
};
static const char *const figures[] = {
    "threshold:level=@otsu",
    "levels:min=@p5:max=@p95 | gamma:gamma=@mean",
};

static const lg_filter *native_at(size_t index)
{
    for (size_t i = 0; i < lg_filter_count(); i++)
        if (lg_filter_at(i)->kind == LG_FILTER_NATIVE && !index--)
            return lg_filter_at(i);
    return NULL;
}

const char *lg_selftest_pipeline(bool with_figures, lg_type type, size_t index)
{
    const size_t count =
        with_figures ? sizeof figures / sizeof *figures : sizeof chains / sizeof *chains;
    if (index < count)
        return with_figures ? figures[index] : chains[index];
    const lg_filter *native = !with_figures && type == LG_U8 ? native_at(index - count) : NULL;
    return native ? native->name : NULL;
}

lg_status lg_selftest_filter_image(lg_context *context, lg_type type, lg_image **out,
                                   lg_error *error)
{
    const lg_image_params shape = {.width = 67,
                                   .height = 35,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = type,
                                   .alpha = LG_ALPHA_STRAIGHT};
    const lg_status status = lg_image_create(context, &shape, out, error);
    uint32_t state = 1;
    for (int y = 0; y < shape.height && status == LG_OK; y++)
        for (int i = 0; i < shape.width * shape.channels; i++) {
            char *row = (char *)(*out)->data + (size_t)y * (*out)->shape.row_stride;
            state = state * 1664525 + 1013904223;
            // Bright and dark squares with grain, so that windows and labels find something.
            const uint32_t v = ((i / 36 + y / 9) % 2 ? 150 : 30) + (state >> 26);
            if (type == LG_U8)
                ((uint8_t *)row)[i] = (uint8_t)v;
            else if (type == LG_U16)
                ((uint16_t *)(void *)row)[i] = (uint16_t)(v * 257);
            else if (type == LG_F16)
                ((uint16_t *)(void *)row)[i] = (uint16_t)(0x3000 + v * 8); // 0.125 to 0.9
            else
                ((float *)(void *)row)[i] = (float)v / 256;
        }
    return status;
}

static lg_status build(const char *pipeline, lg_graph **graph, lg_error *error)
{
    lg_node in, over, last;
    lg_status status = lg_graph_create(graph, error);
    if (status == LG_OK)
        status = lg_graph_input(*graph, "in", &in, error);
    if (status == LG_OK)
        status = lg_graph_input(*graph, "over", &over, error);
    if (status == LG_OK)
        status = lg_graph_parse(*graph, pipeline, in, &last, error);
    if (status == LG_OK)
        status = lg_graph_output(*graph, last, error);
    return status;
}

lg_status lg_selftest_run(lg_context *context, const char *pipeline, lg_image *image,
                          lg_image **out, lg_error *error)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image_params shape;
    lg_image *const images[] = {image, image};
    const lg_image_params shapes[] = {image->shape, image->shape};
    lg_status status = build(pipeline, &graph, error);
    if (status == LG_OK)
        status = lg_plan_create(context, graph, shapes, 2, NULL, &plan, error);
    if (status == LG_OK)
        status = lg_plan_output(plan, 0, &shape, error);
    if (status == LG_OK)
        status = lg_image_create(context, &shape, out, error);
    if (status == LG_OK)
        status = lg_plan_run(plan, images, out, error);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    return status;
}

bool lg_selftest_images_same(const lg_image *a, const lg_image *b)
{
    const lg_image_params *s = &a->shape;
    const size_t row = (size_t)s->width * (size_t)s->channels * lg_type_size(s->type);
    bool same = s->width == b->shape.width && s->height == b->shape.height &&
                s->type == b->shape.type && s->channels == b->shape.channels;
    for (int y = 0; y < s->height && same; y++)
        same = memcmp((const char *)a->data + (size_t)y * s->row_stride,
                      (const char *)b->data + (size_t)y * b->shape.row_stride, row) == 0;
    return same;
}

// ---- area sums ----------------------------------------------------------------------------------

enum { BOXES = 3 };

// The last of three boxes is everything.
static void make_boxes(const lg_areasum_info *info, int32_t *bounds)
{
    const int dims = info->dims;
    for (int box = 0; box < BOXES; box++)
        for (int d = 0; d < dims; d++) {
            const int32_t extent = (int32_t)info->extent[d], cut = BOXES - 1 - box;
            bounds[box * 2 * dims + d] = cut * (extent / 5);
            bounds[box * 2 * dims + dims + d] = extent - cut * (extent / 7);
        }
}

static double plain_sum(const lg_selftest_case *c, const int32_t *b, int dims, int channel)
{
    double sum = 0;
    for (int32_t z = dims > 2 ? b[2] : 0; z < (dims > 2 ? b[dims + 2] : 1); z++)
        for (int32_t y = b[1]; y < b[dims + 1]; y++)
            for (int32_t x = b[0]; x < b[dims]; x++)
                sum += lg_selftest_sample(c, z, x, y, channel);
    return sum;
}

static lg_status ask(lg_context *context, const lg_area_array *array,
                     const lg_areasum_params *params, const lg_selftest_case *c,
                     lg_selftest_areas *out, bool *right, lg_error *error)
{
    static const lg_area_figure asked[] = {LG_AREA_SUM, LG_AREA_VARIANCE, LG_AREA_MIN, LG_AREA_MAX};
    const size_t count = params->extremes ? 4 : 2;
    int32_t bounds[BOXES * 2 * LG_AREA_DIMS];
    lg_areasum_info info;
    lg_areasum *a = NULL;
    lg_status status = lg_areasum_create(context, array, params, &a, error);
    if (status != LG_OK)
        return status;
    lg_areasum_get_info(a, &info);
    make_boxes(&info, bounds);
    const size_t values = (size_t)BOXES * (size_t)info.channels;
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        double *to = out->value + out->count;
        status = lg_areasum_query(context, a, asked[i], bounds, BOXES, to, error);
        out->count += values;
        for (size_t k = 0; k < values && i == 0 && info.exact && status == LG_OK; k++)
            *right &=
                to[k] == plain_sum(c, bounds + k / (size_t)info.channels * 2 * (size_t)info.dims,
                                   info.dims, (int)(k % (size_t)info.channels));
    }
    lg_areasum_destroy(&a);
    return status;
}

lg_status lg_selftest_areasums(lg_context *context, const lg_image *image,
                               const lg_selftest_case *c, lg_selftest_areas *out, bool *right,
                               lg_error *error)
{
    lg_areasum_params table = lg_areasum_params_default();
    table.squares = true;
    lg_areasum_params ripmap = lg_areasum_params_default();
    ripmap.kind = LG_AREASUM_RIPMAP;
    ripmap.squares = true;
    ripmap.extremes = true;
    lg_area_array array;
    *right = true;
    out->count = 0;
    lg_status status = lg_area_array_of_image(image, &array, error);
    if (status == LG_OK)
        status = ask(context, &array, &table, c, out, right, error);
    if (status == LG_OK)
        status = ask(context, &array, &ripmap, c, out, right, error);
    *right = *right && status == LG_OK;
    return status;
}

bool lg_selftest_areas_same(const lg_selftest_areas *a, const lg_selftest_areas *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = lg_selftest_same(a->value[i], b->value[i]);
    return same;
}
