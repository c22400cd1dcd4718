// Points of pictures: against a list made pixel by pixel, of every type, with regions and masks, and from
// images on a device.
#include "check.h"
#include "content.h"
#include "device.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lg_error error;

enum { MOST = 4096 };

typedef struct point_list {
    const lg_image *image;
    lg_image_point at[MOST];
    size_t count;
} point_list;

static void add_point(void *arg, int64_t x, int64_t y, int64_t layer)
{
    point_list *list = arg;
    const lg_image_params *s = &list->image->shape;
    const int colors = s->channels == 1 ? 1 : s->channels == 2 ? 1 : 3;
    float strength = 0;
    for (int k = 0; k < colors; k++) {
        const float stored = (float)sample_stored(list->image, x, y, layer, k);
        const float v = s->type == LG_U8    ? stored * (1.0f / 255)
                        : s->type == LG_U16 ? stored * (1.0f / 65535)
                                            : stored;
        strength = fmaxf(strength, v);
    }
    if (strength > 0)
        list->at[list->count++] =
            (lg_image_point){(int32_t)x, (int32_t)y, (int32_t)layer, strength};
}

static bool is_before(const lg_image_point *a, const lg_image_point *b)
{
    if (a->strength != b->strength)
        return a->strength > b->strength;
    if (a->layer != b->layer)
        return a->layer < b->layer;
    return a->y != b->y ? a->y < b->y : a->x < b->x;
}

static void sort(point_list *list)
{
    for (size_t i = 1; i < list->count; i++)
        for (size_t k = i; k > 0 && is_before(&list->at[k], &list->at[k - 1]); k--) {
            const lg_image_point p = list->at[k];
            list->at[k] = list->at[k - 1];
            list->at[k - 1] = p;
        }
}

static void expect_points(lg_context *context, const lg_image *image, const lg_image *host,
                          const lg_select *select)
{
    static point_list wanted;
    static lg_image_point got[MOST];
    const lg_select all = lg_select_default();
    wanted.image = host;
    wanted.count = 0;
    samples_select(host, select ? select : &all, -1, add_point, &wanted);
    sort(&wanted);
    for (size_t capacity = 0; capacity <= MOST; capacity = capacity ? capacity * 8 : 8) {
        size_t count = 0;
        memset(got, 0x55, sizeof got);
        NEED(!lg_image_points(context, image, select, got, capacity, &count, &error), "%s",
             error.message);
        const size_t written = count < capacity ? count : capacity;
        CHECK(count == wanted.count, "%zu points, %zu expected", count, wanted.count);
        CHECK(memcmp(got, wanted.at, written * sizeof *got) == 0, "the first %zu", written);
        CHECK(capacity == MOST || got[written].x == 0x55555555, "no more than %zu", capacity);
    }
}

// A picture with few points, many of which are equally strong.
static lg_image *picture(lg_context *context, lg_image_params shape)
{
    lg_image *image = image_zeros(context, shape);
    for (int z = 0; z < shape.layers; z++)
        for (int y = 0; y < shape.height; y++)
            for (int x = 0; x < shape.width; x++)
                for (int k = 0; k < shape.channels; k++)
                    if (y % 4 != 1 && random_below(5) == 0)
                        sample_put(image, x, y, z, k, (double)(random_below(4) + 1) / 5);
    return image;
}

static void test_type(lg_context *context, lg_type type, int channels, lg_alpha alpha, int layers)
{
    const lg_region part = {5, 3, 21, 9};
    const lg_image_params shape = SHAPE(37, 14, layers, channels, type, alpha);
    lg_image *image = picture(context, shape);
    lg_image *mask = content_mask(context, &shape, layers);
    lg_select select = lg_select_default();
    expect_points(context, image, image, NULL);
    select.region = &part;
    expect_points(context, image, image, &select);
    select.mask = mask;
    expect_points(context, image, image, &select);
    select.step = 3;
    expect_points(context, image, image, &select);
    select = lg_select_default();
    select.skip_transparent = true;
    expect_points(context, image, image, &select);
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

// What is no point: NaN, zeros of both signs, numbers below 0.
static void test_floats(lg_context *context)
{
    lg_image *image = image_zeros(context, SHAPE(6, 1, 1, 1, LG_F32, LG_ALPHA_NONE));
    const float values[] = {NAN, -0.0f, -1, INFINITY, 1e-45f, 2};
    lg_image_point p[6];
    size_t count;
    memcpy(image->data, values, sizeof values);
    NEED(!lg_image_points(context, image, NULL, p, 6, &count, &error), "%s", error.message);
    CHECK(count == 3 && p[0].x == 3 && isinf(p[0].strength) && p[1].x == 5 && p[2].x == 4,
          "%zu points", count);
    lg_image_destroy(&image);
}

// A corner of a square, with its measure, in an image that only the device has.
static void test_corners(lg_context *context)
{
    static const char *const detectors[] = {
        "harris_corner_detection:output=score", "noble_corner_detection:output=score",
        "shi_tomasi_feature_detection:output=score",
        "fast_corner_detection:output=score:non_maximum_suppression=no"};
    lg_image *in = image_zeros(context, SHAPE(48, 48, 1, 1, LG_U8, LG_ALPHA_NONE));
    for (int i = 0; i < 24 * 24; i++)
        sample_store(in, 12 + i % 24, 12 + i / 24, 0, 0, i < 12 * 24 ? 255 : 128);
    for (size_t i = 0; i < LG_COUNT(detectors); i++) {
        lg_graph *graph = NULL;
        lg_plan *plan = NULL;
        lg_image *out = NULL;
        lg_node node;
        lg_image_params shape;
        lg_image_point p[64];
        size_t count = 0;
        const lg_type type = LG_F32;
        NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
                 !lg_graph_parse(graph, detectors[i], node, &node, &error) &&
                 !lg_graph_output(graph, node, &error) &&
                 !lg_plan_create(context, graph, &in->shape, 1, &type, &plan, &error) &&
                 !lg_plan_output(plan, 0, &shape, &error) &&
                 !lg_image_create_device(context, &shape, &out, &error) &&
                 !lg_plan_run(plan, &in, &out, &error) &&
                 !lg_image_points(context, out, NULL, p, 64, &count, &error),
             "%s: %s", detectors[i], error.message);
        CHECK(count >= 4, "%s: %zu points", detectors[i], count);
        for (size_t k = 0; k < 2 && k < count; k++) // the upper half has the higher contrast
            CHECK(abs(p[k].y - 12) <= 3 && (abs(p[k].x - 12) <= 3 || abs(p[k].x - 35) <= 3),
                  "%s: point %zu at %d, %d", detectors[i], k, p[k].x, p[k].y);
        const size_t last = count < 64 ? count - 1 : 63;
        CHECK(count < 3 || (p[0].strength > p[last].strength && p[last].strength > 0),
              "%s: %g to %g", detectors[i], (double)p[0].strength, (double)p[last].strength);
        lg_plan_destroy(&plan);
        lg_graph_destroy(&graph);
        lg_image_destroy(&out);
    }
    lg_image_destroy(&in);
}

static void test_refusals(lg_context *context)
{
    const lg_region outside = {0, 0, 7, 1};
    lg_select select = lg_select_default();
    lg_image *image = image_zeros(context, SHAPE(6, 1, 1, 1, LG_U8, LG_ALPHA_NONE));
    size_t count = 7;
    select.region = &outside;
    CHECK(lg_image_points(context, image, &select, NULL, 0, &count, &error) == LG_ERROR_ARGUMENT &&
              count == 7,
          "a region outside");
    CHECK(lg_image_points(context, image, NULL, NULL, 1, &count, &error) == LG_ERROR_ARGUMENT &&
              lg_image_points(context, image, NULL, NULL, 0, NULL, &error) == LG_ERROR_ARGUMENT &&
              lg_image_points(context, NULL, NULL, NULL, 0, &count, &error) == LG_ERROR_ARGUMENT &&
              lg_image_points(NULL, image, NULL, NULL, 0, &count, &error) == LG_ERROR_ARGUMENT,
          "nothing where something is needed");
    lg_image_destroy(&image);
}

int main(void)
{
    lg_context *cpu = device_open_cpu();
    random_seed(23);
    test_type(cpu, LG_U8, 1, LG_ALPHA_NONE, 1);
    test_type(cpu, LG_U8, 4, LG_ALPHA_OPAQUE, 2);
    test_type(cpu, LG_U16, 2, LG_ALPHA_STRAIGHT, 1);
    test_type(cpu, LG_F16, 4, LG_ALPHA_STRAIGHT, 1);
    test_type(cpu, LG_F32, 1, LG_ALPHA_NONE, 2);
    test_floats(cpu);
    test_corners(cpu);
    test_refusals(cpu);
    lg_context *vulkan = test_wants_vulkan() ? device_open(NULL, NULL) : NULL;
    if (vulkan) {
        test_corners(vulkan);
        device_close(&vulkan);
    } else {
        check_skip("points on Vulkan");
    }
    lg_context_destroy(&cpu);
    return check_finish("points");
}
