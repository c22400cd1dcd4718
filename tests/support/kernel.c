#include "kernel.h"
#include "check.h"
#include "cpu/cpu.h"
#include "device.h"
#include "graph/nodes.h"
#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXTS 32

static lg_context *contexts[CONTEXTS];
static int context_count;

static void close_contexts(void)
{
    while (context_count)
        lg_context_destroy(&contexts[--context_count]);
}

static void open_level(lg_cpu_level level, int threads)
{
    lg_context *context = device_open_level(level, threads);
    if (context)
        contexts[context_count++] = context;
}

static void open_contexts(void)
{
    for (int level = 0; level < LG_CPU_LEVELS; level++)
        for (int threads = 1; threads <= 3; threads += 2)
            open_level((lg_cpu_level)level, threads);
    open_level(LG_CPU_BEST, 2);
    open_level(LG_CPU_BEST, 5);
    NEED(context_count > 0, "no CPU level runs");
    atexit(close_contexts);
}

lg_context *kernel_context(void)
{
    if (!context_count)
        open_contexts();
    return contexts[0];
}

void kernel_refuses(const char *filters, const lg_image_params *shape, const char *text)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, last;
    lg_error error = {LG_OK, ""};
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_parse(graph, filters, in, &last, &error) &&
             !lg_graph_output(graph, last, &error),
         "%s", error.message);
    CHECK(lg_plan_create(kernel_context(), graph, shape, 1, NULL, &plan, &error) ==
                  LG_ERROR_LIMIT &&
              strstr(error.message, text),
          "%s, too large an image: %s", filters, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
}

lg_context *kernel_best_context(void)
{
    kernel_context();
    return contexts[context_count - 1];
}

int kernel_contexts(lg_context *const **out)
{
    kernel_context();
    *out = contexts;
    return context_count;
}

// ---- calls --------------------------------------------------------------------------------------

// One of the alternatives in [text, end).
static void pick_one(char *out, size_t size, const char *text, const char *end)
{
    if (end - text == 1 && *text == '*') {
        snprintf(out, size, "%s", border_names[random_below(4)]);
        return;
    }
    uint32_t count = 1;
    for (const char *at = text; at < end; at++)
        count += *at == '|';
    for (uint32_t skip = random_below(count); skip; skip--)
        text = strchr(text, '|') + 1;
    const char *stop = memchr(text, '|', (size_t)(end - text));
    snprintf(out, size, "%.*s", (int)((stop ? stop : end) - text), text);
}

void kernel_pick(char *out, size_t size, const char *choices)
{
    char *at = out;
    while (*choices && (size_t)(at - out) + 1 < size) {
        const char *end = *choices == '{' ? strchr(choices, '}') : NULL;
        if (!end) {
            *at++ = *choices++;
            continue;
        }
        pick_one(at, size - (size_t)(at - out), choices + 1, end);
        at += strlen(at);
        choices = end + 1;
    }
    *at = 0;
}

static void name_pipeline(char *out, size_t size, const char *filter, const char *params, bool over)
{
    snprintf(out, size, "%s%s%s%s", filter, over ? ":over=#over" : "",
             params && params[0] ? ":" : "", params ? params : "");
}

bool kernel_prepare(kernel_job *job, lg_context *context, const char *filter, const char *params,
                    const lg_image *in, const lg_image *over, lg_image *out)
{
    *job = (kernel_job){.call = {.context = context, .in = {in, over}, .out = out}};
    char text[1200];
    lg_graph *graph = NULL;
    lg_node first, second, last;
    name_pipeline(text, sizeof text, filter, params, over);
    const bool good = !lg_graph_create(&graph, &job->error) &&
                      !lg_graph_input(graph, "in", &first, &job->error) &&
                      !lg_graph_input(graph, "over", &second, &job->error) &&
                      !lg_graph_parse(graph, text, first, &last, &job->error);
    CHECK(good, "%s: %s", text, job->error.message);
    if (good) {
        const lg_filter *found = job->call.filter = graph->nodes[last].filter;
        const int count = lg_filter_offset(found, found->param_count);
        NEED((size_t)count <= LG_COUNT(job->values), "%s has %d values", filter, count);
        memcpy(job->values, graph->nodes[last].values, (size_t)count * sizeof *job->values);
    }
    lg_graph_destroy(&graph);
    job->call.values = job->values;
    job->call.error = &job->error;
    return good;
}

int kernel_whole(const lg_native_call *call, const char *param)
{
    return (int)lg_native_value(call->filter, call->values, param);
}

bool kernel_keeps_kind(const lg_native_call *call)
{
    const lg_image_params *in = &call->in[0]->shape, *out = &call->out->shape;
    return in->type == out->type && in->channels == out->channels && in->alpha == out->alpha;
}

static bool run_plan(lg_context *context, const char *filter, const char *params,
                     const lg_image *in, const lg_image *over, lg_image *out)
{
    char text[1200];
    lg_error error = {LG_OK, ""};
    const lg_image *const inputs[2] = {in, over};
    name_pipeline(text, sizeof text, filter, params, over);
    const lg_status status =
        pipeline_run(context, text, inputs, over ? 2 : 1, out->shape.type, 1, &out, &error);
    CHECK(!status, "%s: %s", text, error.message);
    return !status;
}

// With `reference` NULL the filter itself.
static bool call(kernel_fn reference, lg_context *context, const char *filter, const char *params,
                 const lg_image *in, const lg_image *over, lg_image *out)
{
    const lg_filter *found = NULL;
    kernel_job job;
    if (!reference && !lg_filter_find(filter, &found, NULL) && found->kind != LG_FILTER_NATIVE)
        return run_plan(context, filter, params, in, over, out);
    if (!kernel_prepare(&job, context, filter, params, in, over, out))
        return false;
    const lg_native *native = ((const lg_filter_entry *)job.call.filter)->native;
    void *kept = NULL;
    job.call.kept = &kept;
    const lg_status status = (reference ? reference : native->cpu)(&job.call);
    if (kept)
        native->drop(kept);
    CHECK(!status, "%s %s: %s", filter, params ? params : "", job.error.message);
    return !status;
}

bool kernel_run(lg_context *context, const char *filter, const char *params, const lg_image *in,
                const lg_image *over, lg_image *out)
{
    return call(NULL, context, filter, params, in, over, out);
}

// ---- comparing ----------------------------------------------------------------------------------

static void describe(char *text, size_t size, const kernel_case *k, const char *params,
                     const lg_image_params *in, const lg_image_params *over,
                     const lg_image_params *out, const lg_context *context)
{
    int length =
        snprintf(text, size, "%s %s, %dx%dx%d %s x%d alpha %d", k->filter, params, in->width,
                 in->height, in->layers, lg_type_name(in->type), in->channels, (int)in->alpha);
    if (over)
        length +=
            snprintf(text + length, size - (size_t)length, " over %d layers %s x%d alpha %d",
                     over->layers, lg_type_name(over->type), over->channels, (int)over->alpha);
    snprintf(text + length, size - (size_t)length, " -> %s x%d alpha %d, %s, %d threads",
             lg_type_name(out->type), out->channels, (int)out->alpha,
             lg_cpu_level_name(context->cpu_level), lg_pool_threads(context->pool));
}

// One level: at most `allowed` from the reference, the bits of the first level, and nothing beside them.
static void compare_on(const kernel_case *k, lg_context *context, const char *params,
                       const lg_image *in, const lg_image *over, const lg_image *expected,
                       guarded *first)
{
    char what[1500], where[160] = "";
    // Behind rows stand the largest integers and NaNs: who reads them shows it.
    guarded from = guarded_copy(context, in, 0xff);
    guarded other = over ? guarded_copy(context, over, 0xff) : (guarded){0};
    guarded out = guarded_open(context, expected->shape, 0xa5);
    describe(what, sizeof what, k, params, &in->shape, over ? &over->shape : NULL, &expected->shape,
             context);
    if (call(NULL, context, k->filter, params, from.image, other.image, out.image)) {
        const double allowed = k->allowed ? k->allowed(&expected->shape) : 0;
        size_t wrong = allowed > 0 ? 0 : samples_differ(out.image, expected, where);
        CHECK(!wrong, "%s: %zu samples differ from the reference, the first at %s", what, wrong,
              where);
        if (allowed > 0) {
            const double off = samples_distance(out.image, expected);
            CHECK(off <= allowed, "%s: off by %g, allowed %g", what, off, allowed);
            wrong = first->image ? samples_differ(out.image, first->image, where) : 0;
            CHECK(!wrong, "%s: %zu samples differ from the lowest level, the first at %s", what,
                  wrong, where);
        }
        const size_t spoiled = guarded_spoiled(&out);
        CHECK(!spoiled, "%s: %zu bytes beside the pixels were written", what, spoiled);
    }
    guarded_close(&from);
    guarded_close(&other);
    if (first->image)
        guarded_close(&out);
    else
        *first = out;
}

lg_image *kernel_compare(const kernel_case *k, const char *params, const lg_image *in,
                         const lg_image *over, lg_image_params shape)
{
    shape.row_stride = shape.layer_stride = 0;
    lg_context *lowest = kernel_context();
    lg_image *expected = kernel_zeros(shape);
    guarded first = {0};
    if (!call(k->reference, lowest, k->filter, params, in, over, expected)) {
        lg_image_destroy(&expected);
        return NULL;
    }
    for (int i = 0; i < context_count; i++)
        compare_on(k, contexts[i], params, in, over, expected, &first);
    guarded_close(&first);
    if (k->marks)
        *k->marks += samples_count_marks(expected);
    return expected;
}

// ---- images -------------------------------------------------------------------------------------

lg_image_params kernel_any_shape(int width, int height)
{
    const int channels = 1 << random_below(3), layers = 1 + (int)random_below(2);
    lg_alpha alpha = channels == 1 ? LG_ALPHA_NONE : (lg_alpha)random_below(4);
    if (channels == 2 && alpha == LG_ALPHA_OPAQUE)
        alpha = LG_ALPHA_STRAIGHT;
    return SHAPE(width, height, layers, channels, random_below(LG_TYPES), alpha);
}

lg_image *kernel_image(lg_image_params shape, content kind)
{
    lg_image *image = content_image(kernel_context(), shape, kind);
    if (shape.alpha == LG_ALPHA_PREMULTIPLIED && shape.channels > 1)
        samples_premultiply(image);
    return image;
}

lg_image *kernel_zeros(lg_image_params shape)
{
    return image_zeros(kernel_context(), shape);
}
