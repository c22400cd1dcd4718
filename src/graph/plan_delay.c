// Delayed images: inputs and outputs of a plan behind those of the caller, in rings that go on by one image
// with every run.
#include "graph/plan.h"

#include "device/dispatch.h"

#include <string.h>

// ---- the plan -------------------------------------------------------------------------------------

// The layers of images that are run one by one; 0: there is one.
static lg_status find_layers(lg_plan *plan, lg_error *error)
{
    int layers = 1;
    for (int i = 0; i < plan->given_inputs; i++)
        layers = LG_MAX(layers, plan->given[i].layers);
    for (int i = 0; i < plan->given_inputs; i++) {
        if (plan->given[i].layers != 1 && plan->given[i].layers != layers)
            return lg_fail(
                error, LG_ERROR_ARGUMENT,
                "inputs of %d and %d layers: with delayed images every layer is a run, and "
                "all inputs have the same number, or one",
                plan->given[i].layers, layers);
        plan->given[i].layers = 1;
    }
    plan->layers = layers > 1 ? layers : 0;
    return LG_OK;
}

lg_status lg_plan_add_delayed(lg_plan *plan, const lg_image_params *shapes, lg_error *error)
{
    lg_graph *g = plan->graph;
    plan->given_inputs = g->input_count;
    plan->given_outputs = g->output_count;
    memcpy(plan->given, shapes, (size_t)g->input_count * sizeof *shapes);
    if (!lg_graph_remembers(g))
        return LG_OK;
    lg_status status = lg_graph_find_sources(g, 0, error);
    for (int i = 0; i < g->count && !status; i++) {
        lg_graph_node *n = &g->nodes[i];
        if (!n->delayed)
            continue;
        if (g->input_count == LG_MAX_INPUTS || g->output_count == LG_MAX_INPUTS)
            return lg_fail(error, LG_ERROR_LIMIT,
                           "inputs, outputs and delayed images of a graph are at most %d",
                           LG_MAX_INPUTS);
        n->input = g->input_count;
        g->inputs[g->input_count++] = i;
        g->outputs[g->output_count++] = n->source;
    }
    if (!status && lg_graph_takes_volumes(g))
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "a filter takes layers as a volume; with delayed images every layer is a run");
    return status ? status : find_layers(plan, error);
}

lg_status lg_plan_check_delayed(const lg_plan *plan, lg_error *error)
{
    const lg_graph *g = plan->graph;
    for (int i = 0; i < g->count; i++) {
        const lg_graph_node *n = &g->nodes[i];
        if (!n->delayed)
            continue;
        const lg_image_params *a = &plan->nodes[i].shape, *b = &plan->nodes[n->source].shape;
        if (a->width != b->width || a->height != b->height || a->channels != b->channels ||
            a->alpha != b->alpha)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "an image of the run before has %d x %d pixels of %d channels; what the "
                           "first run takes in its place has %d x %d of %d",
                           b->width, b->height, b->channels, a->width, a->height, a->channels);
    }
    return LG_OK;
}

lg_type lg_plan_output_type(const lg_plan *plan, int index, const lg_type *types)
{
    if (index >= plan->given_outputs)
        return LG_F32;
    return types ? types[index] : plan->nodes[plan->graph->outputs[index]].shape.type;
}

// ---- rings ----------------------------------------------------------------------------------------

static const lg_graph_node *node_of(const lg_plan *plan, int k)
{
    return &plan->graph->nodes[plan->graph->inputs[plan->given_inputs + k]];
}

static int count_of(const lg_plan *plan)
{
    return plan->graph->input_count - plan->given_inputs;
}

static void drop_ring(lg_plan *plan, int k)
{
    lg_image **ring = plan->delayed[k];
    for (int i = 0; ring && i <= node_of(plan, k)->runs; i++)
        lg_image_destroy(&ring[i]);
    lg_free(ring);
    plan->delayed[k] = NULL;
}

void lg_plan_drop_delayed(lg_plan *plan)
{
    for (int k = 0; k < LG_MAX_INPUTS; k++)
        if (plan->delayed[k])
            drop_ring(plan, k);
}

// As many images as runs are waited for, and the one that is written.
static lg_status make_ring(lg_plan *plan, int k, lg_error *error)
{
    const lg_graph *g = plan->graph;
    const size_t count = (size_t)node_of(plan, k)->runs + 1;
    lg_image_params shape = plan->slots[plan->nodes[g->inputs[plan->given_inputs + k]].slot].shape;
    shape.row_stride = shape.layer_stride = 0;
    plan->delayed[k] = lg_alloc_array(count, sizeof(lg_image *));
    if (!plan->delayed[k])
        return lg_fail_memory(error, count * sizeof(lg_image *), "delayed images");
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = plan->on_device
                     ? lg_image_create_device(plan->context, &shape, &plan->delayed[k][i], error)
                     : lg_image_create_uninit(plan->context, &shape, &plan->delayed[k][i], error);
    if (status)
        drop_ring(plan, k);
    return status;
}

// The image that this run reads: of some runs ago, or the oldest one. The first run has it from elsewhere.
static lg_image *read_image(const lg_plan *plan, int k)
{
    const int runs = node_of(plan, k)->runs;
    return plan->delayed[k][plan->turn ? LG_MAX(plan->turn - runs, 0) % (runs + 1) : 1];
}

static lg_image *written_image(const lg_plan *plan, int k)
{
    return plan->delayed[k][plan->turn % (node_of(plan, k)->runs + 1)];
}

// ---- runs -----------------------------------------------------------------------------------------

// What the first run takes; later delayed images may depend on earlier ones.
static lg_status begin(lg_plan *plan, lg_image *const *inputs, lg_error *error)
{
    lg_image *all[LG_MAX_INPUTS] = {NULL};
    lg_status status = LG_OK;
    memcpy(all, inputs, (size_t)plan->given_inputs * sizeof *inputs);
    for (int k = 0; k < count_of(plan) && !status; k++)
        if (!plan->delayed[k])
            status = make_ring(plan, k, error);
    for (int k = 0; k < count_of(plan) && !status; k++) // not read yet
        all[plan->given_inputs + k] = written_image(plan, k);
    for (int k = 0; k < count_of(plan) && !status; k++) {
        lg_plan *first = NULL;
        lg_image *to = read_image(plan, k);
        status = lg_plan_create_first(plan, node_of(plan, k)->first, &first, error);
        if (!status)
            status = lg_plan_run_once(first, all, &to, error);
        lg_plan_destroy(&first);
        all[plan->given_inputs + k] = to;
    }
    return status;
}

lg_status lg_plan_take_delayed(lg_plan *plan, lg_image *const *inputs, lg_image **in,
                               lg_image **out, lg_error *error)
{
    const lg_status status = plan->turn ? LG_OK : begin(plan, inputs, error);
    for (int k = 0; k < count_of(plan) && !status; k++) {
        in[plan->given_inputs + k] = read_image(plan, k);
        out[plan->given_outputs + k] = written_image(plan, k);
    }
    return status;
}

static lg_status run_turn(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                          lg_error *error)
{
    lg_image *in[LG_MAX_INPUTS], *out[LG_MAX_INPUTS];
    memcpy(in, inputs, (size_t)plan->given_inputs * sizeof *in);
    memcpy(out, outputs, (size_t)plan->given_outputs * sizeof *out);
    lg_status status = lg_plan_take_delayed(plan, inputs, in, out, error);
    if (status)
        return status;
    status = lg_plan_run_once(plan, in, out, error);
    if (!status)
        plan->turn++;
    else if (status == LG_ERROR_DEVICE)
        lg_plan_reset(plan, NULL);
    return status;
}

lg_status lg_plan_reset(lg_plan *plan, lg_error *error)
{
    if (!plan)
        return lg_fail_null(error, "a plan");
    plan->turn = 0;
    plan->ran = false;
    return LG_OK;
}

// ---- layers ---------------------------------------------------------------------------------------

typedef struct stack {
    lg_host_view views[2 * LG_MAX_INPUTS]; // inputs, then outputs
    lg_image_private layers[2 * LG_MAX_INPUTS];
    lg_image *images[2 * LG_MAX_INPUTS];
} stack;

// The images of one layer.
static void take_layer(const lg_plan *plan, stack *s, int z)
{
    for (int i = 0; i < plan->given_inputs + plan->given_outputs; i++) {
        s->layers[i] = s->views[i].image;
        lg_image *image = &s->layers[i].image;
        image->data = (char *)image->data +
                      (image->shape.layers > 1 ? (size_t)z * image->shape.layer_stride : 0);
        image->shape.layers = 1;
        s->images[i] = image;
    }
}

static lg_status check_layers(const lg_plan *plan, lg_image *const *inputs,
                              lg_image *const *outputs, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs + plan->given_outputs && !status; i++) {
        const lg_image *image =
            i < plan->given_inputs ? inputs[i] : outputs[i - plan->given_inputs];
        if (!image)
            status = lg_fail_null(error, "the inputs and the outputs of the plan");
        else if (image->shape.layers != plan->layers &&
                 (i >= plan->given_inputs || image->shape.layers != 1))
            status = lg_fail(error, LG_ERROR_ARGUMENT,
                             "an image has %d layers; the plan was made for %d",
                             image->shape.layers, plan->layers);
    }
    return status;
}

static lg_status run_stack(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                           stack *s, lg_error *error)
{
    const int ins = plan->given_inputs, outs = plan->given_outputs;
    lg_status status = LG_OK;
    for (int i = 0; i < ins && !status; i++)
        status = lg_host_view_open(inputs[i], &s->views[i], error);
    for (int i = 0; i < outs && !status; i++)
        status = lg_host_view_open_empty(outputs[i], &s->views[ins + i], error);
    for (int z = 0; z < plan->layers && !status; z++) {
        take_layer(plan, s, z);
        status = run_turn(plan, s->images, s->images + ins, error);
    }
    for (int i = 0; i < outs && !status; i++)
        status = lg_host_view_store(&s->views[ins + i], outputs[i], error);
    for (int i = 0; i < ins + outs; i++)
        lg_host_view_close(&s->views[i]);
    return status;
}

lg_status lg_plan_run_delayed(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                              lg_error *error)
{
    if (!inputs || !outputs)
        return lg_fail_null(error, "the inputs and the outputs of the plan");
    if (!plan->layers)
        return run_turn(plan, inputs, outputs, error);
    lg_status status = check_layers(plan, inputs, outputs, error);
    stack *s = status ? NULL : lg_alloc(sizeof *s);
    if (!status && !s)
        status = lg_fail_memory(error, sizeof *s, "the layers of a run");
    if (!status)
        status = run_stack(plan, inputs, outputs, s, error);
    lg_free(s);
    return status;
}
