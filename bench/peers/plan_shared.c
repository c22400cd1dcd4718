// Plans of one filter pipeline over pixels of the caller, for peers in other languages. From build/:
//   cc -O2 -shared -fPIC -I../include -o plan.so ../bench/peers/plan_shared.c liblumagraph.a
//   -ldl -lpthread -lm
#include <lumagraph/lumagraph.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct bench_plan {
    lg_context *context;
    lg_plan *plan;
    lg_image *images[2], *out;
} bench_plan;

// Images of rows without padding; `table` has bytes of four channels, or is an image like the first where
// `side` is 0.
static bool open_plan(bench_plan *p, const char *pipeline, const lg_image_params *shapes,
                      void *const *data, size_t count, int threads, lg_error *e)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = threads;
    lg_graph *graph = NULL;
    lg_node in = 0, more = 0, last = 0;
    lg_image_params shape;
    bool good = lg_context_create(&params, &p->context, e) == LG_OK &&
                lg_graph_create(&graph, e) == LG_OK &&
                lg_graph_input(graph, "in", &in, e) == LG_OK &&
                (count < 2 || lg_graph_input(graph, "look", &more, e) == LG_OK) &&
                lg_graph_parse(graph, pipeline, in, &last, e) == LG_OK &&
                lg_graph_output(graph, last, e) == LG_OK &&
                lg_plan_create(p->context, graph, shapes, count, NULL, &p->plan, e) == LG_OK &&
                lg_plan_output(p->plan, 0, &shape, e) == LG_OK &&
                lg_image_create(p->context, &shape, &p->out, e) == LG_OK;
    for (size_t k = 0; good && k < count; k++)
        good = lg_image_wrap(p->context, &shapes[k], data[k], &p->images[k], e) == LG_OK;
    lg_graph_destroy(&graph);
    return good;
}

static lg_image_params shape_of(int width, int height, int channels, int type)
{
    const size_t row = (size_t)width * (size_t)channels * lg_type_size((lg_type)type);
    return (lg_image_params){.width = width,
                             .height = height,
                             .layers = 1,
                             .channels = channels,
                             .type = (lg_type)type,
                             .alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE,
                             .row_stride = row,
                             .layer_stride = row * (size_t)height};
}

// NULL, with a line on standard error, when something fails.
bench_plan *bench_plan_open(const char *pipeline, int width, int height, int channels, int type,
                            void *pixels, void *table, int side, int threads)
{
    lg_error error = {0};
    bench_plan *p = calloc(1, sizeof *p);
    const lg_image_params image = shape_of(width, height, channels, type);
    const lg_image_params shapes[2] = {image, side ? shape_of(side, side, 4, LG_U8) : image};
    void *const data[2] = {pixels, table};
    if (p && open_plan(p, pipeline, shapes, data, table ? 2 : 1, threads, &error))
        return p;
    fprintf(stderr, "%s: %s\n", pipeline, error.message);
    return NULL;
}

int bench_plan_run(bench_plan *p)
{
    lg_error error;
    return lg_plan_run(p->plan, p->images, &p->out, &error);
}

const void *bench_plan_pixels(const bench_plan *p)
{
    return p->out->data;
}
