// The whole catalogue as it stands: every filter with a kernel gives the same on the CPU and on Vulkan,
// and a chain gives the same pixels in one plan as one filter at a time (affine neighbours: tests/affine.c).
#include "check.h"
#include "device.h"
#include "narrow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "filter/catalogue.h"

enum { WIDTH = 37, HEIGHT = 6, SIDE = 4, LONGEST = 8, STEPS = LONGEST + 1 };

static lg_error error;

typedef struct pictures {
    lg_image *in, *over, *cube;
    lg_image *opaque, *grey;
} pictures;

static float unit(void)
{
    return (float)random_unit();
}

// Mostly 0..1, some at the ends, some outside.
static float random_sample(void)
{
    const float kind = unit(), v = unit();
    return kind < 0.8f ? v : kind < 0.86f ? 0 : kind < 0.92f ? 1 : 4 * v - 1.5f;
}

static lg_image *make_kind(lg_context *context, int32_t width, int32_t height, int32_t layers,
                           bool wild, int channels, lg_alpha alpha)
{
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = channels,
                                   .type = LG_F32,
                                   .alpha = alpha};
    lg_image *image = NULL;
    if (lg_image_create(context, &shape, &image, &error))
        return NULL;
    for (int32_t z = 0; z < layers; z++)
        for (int32_t y = 0; y < height; y++) {
            float *row =
                (float *)(void *)((char *)image->data + (size_t)z * image->shape.layer_stride +
                                  (size_t)y * image->shape.row_stride);
            for (int32_t i = 0; i < width * channels; i++)
                row[i] = i % 4 == 3 || !wild ? unit() : random_sample();
        }
    return image;
}

static lg_image *make(lg_context *context, int32_t width, int32_t height, int32_t layers, bool wild)
{
    return make_kind(context, width, height, layers, wild, 4, LG_ALPHA_STRAIGHT);
}

static pictures make_pictures(lg_context *context)
{
    random_seed(99);
    return (pictures){make(context, WIDTH, HEIGHT, 1, true), make(context, WIDTH, HEIGHT, 1, true),
                      make(context, SIDE, SIDE, SIDE, false),
                      make_kind(context, WIDTH, HEIGHT, 1, true, 4, LG_ALPHA_OPAQUE),
                      make_kind(context, WIDTH, HEIGHT, 1, true, 1, LG_ALPHA_NONE)};
}

static void drop(pictures *p)
{
    lg_image_destroy(&p->in);
    lg_image_destroy(&p->over);
    lg_image_destroy(&p->cube);
    lg_image_destroy(&p->opaque);
    lg_image_destroy(&p->grey);
}

// Runs a pipeline on `in`; the result is f32.
static lg_image *run(lg_context *context, const char *text, lg_image *in, const pictures *p)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *out = NULL;
    lg_node node, over, cube, last;
    lg_image *const inputs[] = {in, p->over, p->cube};
    const lg_image_params shapes[] = {in->shape, p->over->shape, p->cube->shape};
    const lg_type type = LG_F32;
    lg_image_params shape;
    error.message[0] = '\0';
    const bool good =
        !lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
        !lg_graph_input(graph, "second", &over, &error) &&
        !lg_graph_input(graph, "cube", &cube, &error) &&
        !lg_graph_parse(graph, text, node, &last, &error) &&
        !lg_graph_output(graph, last, &error) &&
        !lg_plan_create(context, graph, shapes, 3, &type, &plan, &error) &&
        !lg_plan_output(plan, 0, &shape, &error) &&
        !lg_image_create(context, &shape, &out, &error) && !lg_plan_run(plan, inputs, &out, &error);
    CHECK(good, "%s: %s", text, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    if (!good)
        lg_image_destroy(&out);
    return out;
}

// The largest difference; *same: pixels whose bits agree.
static double compare(const lg_image *a, const lg_image *b, bool *same)
{
    double worst = 0;
    *same = true;
    const size_t row_bytes = (size_t)a->shape.width * (size_t)a->shape.channels * sizeof(float);
    for (int32_t i = 0; i < a->shape.height * a->shape.layers; i++) { // layers follow each other
        const float *p = (const void *)((const char *)a->data + (size_t)i * a->shape.row_stride);
        const float *q = (const void *)((const char *)b->data + (size_t)i * b->shape.row_stride);
        *same = *same && memcmp(p, q, row_bytes) == 0;
        for (size_t k = 0; k < row_bytes / sizeof *p; k++) {
            const double d = fabs((double)p[k] - (double)q[k]);
            worst = isnan(p[k]) && isnan(q[k]) ? worst
                    : d > worst || isnan(d)    ? (isnan(d) ? 9e9 : d)
                                               : worst;
        }
    }
    return worst;
}

static bool has_kernel(const lg_filter *f)
{
    return f->kind != LG_FILTER_NATIVE && f->kind != LG_FILTER_PIPELINE;
}

// A filter with random parameters as text.
static void write_filter(const lg_filter *f, char *out, size_t size)
{
    size_t length = (size_t)snprintf(out, size, "%s", f->name);
    if (f->inputs == 2 && f->kind == LG_FILTER_POINT)
        length += (size_t)snprintf(out + length, size - length, ":over=#cube");
    for (int i = 0; i < f->param_count && length < size; i++) {
        const lg_filter_param *p = &f->params[i];
        const bool number =
            p->kind == LG_PARAM_NUMBER || p->kind == LG_PARAM_COLOR || p->kind == LG_PARAM_INTEGER;
        if (!number || unit() < 0.4f)
            continue;
        length += (size_t)snprintf(out + length, size - length, ":%s=", p->name);
        for (int k = 0; k < p->size; k++) {
            // A level's min and max would be refused where they meet.
            const bool is_level = strcmp(p->unit, LG_PIXEL_UNIT) == 0;
            const float low = is_level && strcmp(p->name, "max") == 0 ? 1.5f : fmaxf(p->min, -2);
            // What may be pixels is a fraction by default.
            const bool is_part = strstr(p->unit, " or px");
            const float high = (is_level && strcmp(p->name, "min") == 0) || is_part
                                   ? 1
                                   : fmaxf(fminf(p->max, low + 6), low);
            float v = low + unit() * (high - low);
            double least = (double)low, most = (double)high;
            narrow_limits(f, p, &least, &most);
            v = fminf(fmaxf(v, (float)least), (float)most);
            v = p->kind == LG_PARAM_INTEGER ? floorf(v) : v;
            length +=
                (size_t)snprintf(out + length, size - length, "%s%.6g", k ? "," : "", (double)v);
        }
    }
}

static void test_devices(lg_context *cpu, lg_context *vulkan)
{
    int same_count = 0, count = 0;
    const pictures a = make_pictures(cpu), b = make_pictures(vulkan);
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        if (!has_kernel(f))
            continue;
        for (int round = 0; round < 2; round++) {
            char text[1024];
            bool same = true;
            if (round)
                write_filter(f, text, sizeof text);
            else
                snprintf(text, sizeof text, "%s%s", f->name,
                         f->inputs == 2 && f->kind == LG_FILTER_POINT ? ":over=#cube" : "");
            lg_image *x = run(cpu, text, a.in, &a), *y = run(vulkan, text, b.in, &b);
            if (x && y) {
                const double worst = compare(x, y, &same);
                CHECK(worst <= 1e-4, "%s differs by %g between the CPU and Vulkan", text, worst);
                if (!same)
                    printf("%s: differs by up to %g\n", text, worst);
            }
            same_count += same;
            count++;
            lg_image_destroy(&x);
            lg_image_destroy(&y);
        }
    }
    printf("%d of %d results have the same bits on both devices\n", same_count, count);
    pictures c = a, d = b;
    drop(&c);
    drop(&d);
}

// Replaces a table by one of random bytes.
static void bytes_in(lg_context *context, lg_image **table)
{
    lg_image_params shape = (*table)->shape;
    shape.type = LG_U8;
    shape.alpha = LG_ALPHA_OPAQUE;
    lg_image_destroy(table);
    NEED(!lg_image_create(context, &shape, table, &error), "%s", error.message);
    random_seed(3);
    random_bytes((*table)->data, (*table)->shape.layer_stride * (size_t)shape.layers);
}

// Images of bytes: the device may compute the start of a chain once per value.
static void test_bytes(lg_context *cpu, lg_context *vulkan)
{
    static const char *const chains[] = {
        "gamma:gamma=0.45",
        "levels:min=0.1:gamma=1.3,0.8,1:max=0.9,1,0.8 | saturation:saturation=1.4",
        "brightness:brightness=0.1 | contrast:contrast=1.5 | exposure:exposure=-0.3 | vignette",
        "tone_curve:composite='0,0.1;0.4,0.6;1,0.9' | gamma:gamma=2 | false_color",
        "lookup:over=#cube | lookup:over=#cube:interpolation=tetrahedral:intensity=0.7",
        "swirl:angle=0.3 | saturation:saturation=0.5 | opacity:opacity=0.6",
        "rgb:red=0.3 | color_invert | exposure:exposure=1 | gamma:gamma=0.7 | contrast:contrast=3"};
    static const struct {
        int channels;
        lg_alpha alpha;
    } kinds[] = {{1, LG_ALPHA_NONE},     {2, LG_ALPHA_STRAIGHT}, {4, LG_ALPHA_OPAQUE},
                 {4, LG_ALPHA_STRAIGHT}, {4, LG_ALPHA_NONE},     {4, LG_ALPHA_PREMULTIPLIED}};
    pictures a = make_pictures(cpu), b = make_pictures(vulkan);
    bytes_in(cpu, &a.cube);
    bytes_in(vulkan, &b.cube);
    for (size_t k = 0; k < LG_COUNT(kinds); k++) {
        const lg_image_params shape = {.width = 1037,
                                       .height = 21,
                                       .layers = 2,
                                       .channels = kinds[k].channels,
                                       .type = LG_U8,
                                       .alpha = kinds[k].alpha};
        lg_image *x = NULL, *y = NULL;
        NEED(!lg_image_create(cpu, &shape, &x, &error) &&
                 !lg_image_create(vulkan, &shape, &y, &error),
             "%s", error.message);
        random_bytes(x->data, x->shape.layer_stride * 2);
        memcpy(y->data, x->data, x->shape.layer_stride * 2);
        for (size_t i = 0; i < LG_COUNT(chains); i++) {
            if (test_is_short() && (k + i) % 6 != 0) // every chain and every kind has its turns
                continue;
            lg_image *p = run(cpu, chains[i], x, &a), *q = run(vulkan, chains[i], y, &b);
            bool same = false;
            if (p && q) {
                const double worst = compare(p, q, &same);
                CHECK(same, "%d channels, alpha %d: %s differs by %g", kinds[k].channels,
                      (int)kinds[k].alpha, chains[i], worst);
            }
            lg_image_destroy(&p);
            lg_image_destroy(&q);
        }
        lg_image_destroy(&x);
        lg_image_destroy(&y);
    }
    drop(&a);
    drop(&b);
}

// Not those that make another size: blends want one.
static bool fits_chain(const lg_filter *f)
{
    static const char *const others[] = {"crop", "lookup_identity", "histogram_strip",
                                         "histogram_generator"};
    for (size_t i = 0; i < LG_COUNT(others); i++)
        if (strcmp(f->name, others[i]) == 0)
            return false;
    return has_kernel(f);
}

// The whole chain in one plan, and one filter at a time through f32 images, of RGBA, of opaque images and
// of grey.
static void test_chain(lg_context *context, const char *name, int chains)
{
    pictures p = make_pictures(context);
    const size_t all = lg_filter_count();
    random_seed(7);
    for (int i = 0; i < chains; i++) {
        char chain[LONGEST * 512] = "", step[512];
        const int length = 2 + (int)(unit() * (LONGEST - 1.01f));
        lg_image *const in = i % 4 == 2 ? p.opaque : i % 4 == 3 ? p.grey : p.in, *at = NULL;
        bool affine = false;
        for (int k = 0; k < length;) {
            const lg_filter *f = lg_filter_at(random_below((uint32_t)all));
            if (!fits_chain(f) || (affine && f->flags & LG_FILTER_AFFINE))
                continue;
            affine = f->flags & LG_FILTER_AFFINE;
            write_filter(f, step, sizeof step);
            lg_image *next = run(context, step, at ? at : in, &p);
            lg_image_destroy(&at);
            at = next;
            if (!at)
                break;
            const size_t end = strlen(chain);
            snprintf(chain + end, sizeof chain - end, "%s%s", k ? " | " : "", step);
            k++;
        }
        lg_image *whole = run(context, chain, in, &p);
        bool same = false;
        if (at && whole) {
            const double worst = compare(at, whole, &same);
            CHECK(same, "%s: one filter at a time differs by %g: %s", name, worst, chain);
        }
        lg_image_destroy(&at);
        lg_image_destroy(&whole);
    }
    drop(&p);
}

int main(void)
{
    lg_context *cpu = device_open_cpu();
    test_chain(cpu, "cpu", test_extent(20, 120, 200));
    lg_context *vulkan = test_wants_vulkan() ? device_open(NULL, NULL) : NULL;
    if (vulkan) {
        test_devices(cpu, vulkan);
        test_bytes(cpu, vulkan);
        test_chain(vulkan, "vulkan", test_extent(1, 6, 60));
        device_close(&vulkan);
    } else {
        check_skip("filters on Vulkan");
    }
    lg_context_destroy(&cpu);
    return check_finish("graph_chains");
}
