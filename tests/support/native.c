#include "native.h"
#include "check.h"
#include "cpu/cpu.h"
#include "graph/nodes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONTEXTS 32

static lg_context *contexts[CONTEXTS];
static int context_count;

static void open_contexts(void)
{
    static const int threads[] = {1, 3};
    for (int level = 0; level < LG_CPU_LEVELS; level++) {
        if (lg_cpu_built((lg_cpu_level)level) != (lg_cpu_level)level)
            continue;
        if (!lg_cpu_runs((lg_cpu_level)level)) {
            check_skip("a CPU level that this processor does not run");
            continue;
        }
        for (size_t k = 0; k < LG_COUNT(threads); k++) {
            lg_error error = {LG_OK, ""};
            const lg_status status = lg_context_create(
                WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.use_cache = false,
                         it.threads = threads[k], it.cpu_level = (lg_cpu_level)level),
                &contexts[context_count], &error);
            CHECK(!status, "%s", error.message);
            context_count += !status;
        }
    }
}

lg_context *native_context(void)
{
    if (!context_count)
        open_contexts();
    return contexts[0];
}

lg_context *native_last_context(void)
{
    native_context();
    return context_count ? contexts[context_count - 1] : NULL;
}

void native_close(void)
{
    while (context_count)
        lg_context_destroy(&contexts[--context_count]);
}

const lg_filter *native_filter(const char *name, const char *params, float values[NATIVE_VALUES])
{
    lg_graph *graph = NULL;
    lg_error error = {LG_OK, ""};
    lg_node in, out;
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", name, params[0] ? ":" : "", params);
    const lg_filter *filter = NULL;
    if (!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
        !lg_graph_parse(graph, text, in, &out, &error)) {
        filter = graph->nodes[out].filter;
        memcpy(values, graph->nodes[out].values,
               (size_t)lg_filter_offset(filter, filter->param_count) * sizeof *values);
    }
    CHECK(filter, "%s: %s", text, error.message);
    lg_graph_destroy(&graph);
    return filter;
}

lg_image_params native_inner(lg_image_params shape)
{
    shape.alpha = shape.channels == 1                     ? LG_ALPHA_OPAQUE
                  : shape.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT
                                                          : shape.alpha;
    shape.type = LG_F32;
    shape.channels = 4;
    return shape;
}

static bool call(lg_context *context, native_fn fn, const char *name, const char *params,
                 lg_image *in, lg_image *out)
{
    lg_error error = {LG_OK, ""};
    float values[NATIVE_VALUES];
    const lg_filter *filter = native_filter(name, params, values);
    if (!filter)
        return false;
    const lg_native_call c = {.context = context,
                              .filter = filter,
                              .values = values,
                              .in = {in},
                              .out = out,
                              .error = &error};
    const lg_status status = fn ? fn(&c) : ((const lg_filter_entry *)filter)->native->cpu(&c);
    CHECK(!status, "%s %s: %s", name, params, error.message);
    return !status;
}

void native_run(lg_context *context, const char *name, const char *params, lg_image *in,
                lg_image *out)
{
    call(context, NULL, name, params, in, out);
}

static const void *sample_at(const lg_image *image, int32_t x, int32_t y, int32_t layer, int c)
{
    const lg_image_params *s = &image->shape;
    return (const char *)image->data + (size_t)layer * s->layer_stride + (size_t)y * s->row_stride +
           (size_t)(x * s->channels + c) * lg_type_size(s->type);
}

double native_sample(const lg_image *image, int32_t x, int32_t y, int32_t layer, int channel)
{
    const void *at = sample_at(image, x, y, layer, channel);
    switch (image->shape.type) {
    case LG_U8:
        return *(const uint8_t *)at / 255.0;
    case LG_U16:
        return *(const uint16_t *)at / 65535.0;
    case LG_F16:
        return lg_half_to_float(*(const uint16_t *)at);
    default:
        return *(const float *)at;
    }
}

void native_put(lg_image *image, int32_t x, int32_t y, int32_t layer, int channel, double value)
{
    void *at = (void *)(uintptr_t)sample_at(image, x, y, layer, channel);
    switch (image->shape.type) {
    case LG_U8:
        *(uint8_t *)at = (uint8_t)(value * 255);
        break;
    case LG_U16:
        *(uint16_t *)at = (uint16_t)(value * 65535);
        break;
    case LG_F16:
        *(uint16_t *)at = lg_float_to_half((float)value);
        break;
    default:
        *(float *)at = (float)value;
    }
}

void native_premultiply(lg_image *image, int32_t x, int32_t y, int32_t layer)
{
    const int last = image->shape.channels - 1;
    for (int c = 0; c < last; c++)
        native_put(image, x, y, layer, c,
                   native_sample(image, x, y, layer, c) * native_sample(image, x, y, layer, last));
}

static bool same_sample(const lg_image *a, const lg_image *b, int32_t x, int32_t y, int32_t z,
                        int c)
{
    if (!memcmp(sample_at(a, x, y, z, c), sample_at(b, x, y, z, c), lg_type_size(a->shape.type)))
        return true;
    return a->shape.type >= LG_F16 && isnan(native_sample(a, x, y, z, c)) &&
           isnan(native_sample(b, x, y, z, c));
}

static void compare(const lg_image *ref, const lg_image *out, const char *what)
{
    const lg_image_params *s = &ref->shape;
    size_t wrong = 0;
    char first[160] = "";
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t x = 0; x < s->width; x++)
                for (int c = 0; c < s->channels; c++)
                    if (!same_sample(ref, out, x, y, z, c) && wrong++ == 0)
                        snprintf(first, sizeof first, "(%d, %d, %d) channel %d: %.9g, not %.9g", x,
                                 y, z, c, native_sample(out, x, y, z, c),
                                 native_sample(ref, x, y, z, c));
    CHECK(!wrong, "%s: %zu samples differ from the ref, the first at %s", what, wrong, first);
}

lg_image *native_compare(const char *name, const char *params, native_fn ref, lg_image *in,
                         lg_image_params shape)
{
    lg_image *expected = NULL, *out = NULL;
    lg_error error = {LG_OK, ""};
    shape.row_stride = shape.layer_stride = 0;
    NEED(native_context() && !lg_image_create(contexts[0], &shape, &expected, &error), "%s",
         error.message);
    if (!expected || !call(contexts[0], ref, name, params, in, expected))
        return NULL;
    for (int k = 0; k < context_count; k++) {
        NEED(!lg_image_create(contexts[k], &shape, &out, &error), "%s", error.message);
        char what[300];
        const lg_image_params *s = &in->shape;
        snprintf(what, sizeof what,
                 "%s %s, %dx%dx%d %s x%d alpha %d -> %s x%d alpha %d, %s, %d threads", name, params,
                 s->width, s->height, s->layers, lg_type_name(s->type), s->channels, s->alpha,
                 lg_type_name(shape.type), shape.channels, shape.alpha,
                 lg_cpu_level_name(contexts[k]->cpu_level), lg_pool_threads(contexts[k]->pool));
        if (out && call(contexts[k], NULL, name, params, in, out))
            compare(expected, out, what);
        lg_image_destroy(&out);
    }
    return expected;
}

const char *const native_borders[4] = {"replicate", "mirror", "wrap", "constant"};

int native_walk(int i, int size, int border)
{
    while (i < 0 || i >= size) {
        if (border == 0)
            i = i < 0 ? 0 : size - 1;
        else if (border == 1)
            i = i < 0 ? -1 - i : 2 * size - 1 - i;
        else if (border == 2)
            i += i < 0 ? size : -size;
        else
            return -1;
    }
    return i;
}

lg_image *native_image(lg_image_params shape, content kind)
{
    lg_image *image = content_image(native_context(), shape, kind);
    if (!image || shape.alpha != LG_ALPHA_PREMULTIPLIED || shape.channels == 1)
        return image;
    for (int z = 0; z < shape.layers; z++)
        for (int y = 0; y < shape.height; y++)
            for (int x = 0; x < shape.width; x++)
                native_premultiply(image, x, y, z);
    return image;
}
