#include "pipeline.h"
#include "check.h"

lg_status pipeline_try(pipeline *p, lg_context *context, const char *text,
                       const lg_image_params *shapes, int count, const lg_type *type,
                       lg_error *error)
{
    static const char *const names[] = {"in", "over"};
    lg_graph *graph = NULL;
    lg_node first = -1, node = -1;
    *p = (pipeline){0};
    lg_status status = lg_graph_create(&graph, error);
    for (int i = 0; i < count && !status; i++) {
        status = lg_graph_input(graph, names[i], &node, error);
        first = i ? first : node;
    }
    if (!status)
        status = lg_graph_parse(graph, text, first, &node, error);
    if (!status)
        status = lg_graph_output(graph, node, error);
    if (!status)
        status = lg_plan_create(context, graph, shapes, (size_t)count, type, &p->plan, error);
    if (!status)
        status = lg_plan_output(p->plan, 0, &p->out, error);
    lg_graph_destroy(&graph);
    return status;
}

bool pipeline_open(pipeline *p, lg_context *context, const char *text,
                   const lg_image_params *shapes, int count, const lg_type *type)
{
    lg_error error = {LG_OK, ""};
    const lg_status status = pipeline_try(p, context, text, shapes, count, type, &error);
    CHECK(!status, "%s: %s", text, error.message);
    return !status;
}

void pipeline_close(pipeline *p)
{
    lg_plan_destroy(&p->plan);
}

lg_status pipeline_run(lg_context *context, const char *text, const lg_image *const *in, int count,
                       lg_type type, int times, lg_image **out, lg_error *error)
{
    lg_image *const inputs[2] = {(lg_image *)(uintptr_t)in[0],
                                 (lg_image *)(uintptr_t)in[count - 1]};
    const lg_image_params shapes[2] = {in[0]->shape, in[count - 1]->shape};
    lg_image *given = *out;
    pipeline p;
    lg_status status = pipeline_try(&p, context, text, shapes, count, &type, error);
    if (!status && !given)
        status = lg_image_create(context, &p.out, out, error);
    for (int i = 0; i < times && !status; i++)
        status = lg_plan_run(p.plan, inputs, out, error);
    pipeline_close(&p);
    if (status && !given)
        lg_image_destroy(out);
    return status;
}
