// Running a plan, and what it says about itself.
#include "graph/plan_planes.h"

#include <stdio.h>
#include <string.h>

#include "core/plane_codes.h"
#include "device/dispatch.h"
#include "vulkan/vk.h"

// ---- what belongs to a stage -----------------------------------------------------------------------

int lg_stage_nodes(const lg_plan_stage *stage, int nodes[LG_CHAIN_LENGTH + 1])
{
    int count = 0;
    if (stage->node >= 0)
        nodes[count++] = stage->node;
    for (int i = 0; i < stage->count; i++)
        nodes[count++] = stage->chain[i];
    return count;
}

lg_border lg_node_border(const lg_graph_node *node, const float *values)
{
    for (int i = 0; i < node->filter->param_count; i++)
        if (strcmp(node->filter->params[i].name, "border") == 0)
            return (lg_border)values[lg_filter_offset(node->filter, i)];
    return LG_BORDER_REPLICATE;
}

lg_image *lg_plan_image(const lg_plan *plan, int slot, lg_image *const *inputs,
                        lg_image *const *outputs)
{
    const lg_plan_slot *s = &plan->slots[slot];
    return s->kind == LG_PLAN_INPUT    ? inputs[s->index]
           : s->kind == LG_PLAN_OUTPUT ? outputs[s->index]
                                       : plan->images[s->index];
}

// ---- what is given -------------------------------------------------------------------------------

static lg_status check_image(const lg_image *image, const lg_image_params *shape, bool packed,
                             const char *what, int index, lg_error *error)
{
    if (!image)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s %d is missing", what, index);
    const lg_image_params *s = &image->shape;
    const lg_image_params read = lg_shape_padded(s);
    if (!s->planes != !shape->planes)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s %d is %s; the plan was made for one that is%s",
                       what, index, s->planes ? "stored as planes" : "not stored as planes",
                       s->planes ? " not" : "");
    if (!lg_planes_same(s->planes, shape->planes))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s %d has planes of another chroma, depth, matrix, range or siting than "
                       "the plan was made for",
                       what, index);
    if (lg_shape_is_packed(s) == packed && s->width == shape->width && s->height == shape->height &&
        s->layers == shape->layers && read.channels == shape->channels && s->type == shape->type &&
        read.alpha == shape->alpha)
        return LG_OK;
    return lg_fail(
        error, LG_ERROR_ARGUMENT,
        "%s %d is %d x %d x %d with %d channels of %s; the plan was made for %d x %d x %d "
        "with %d channels of %s",
        what, index, s->width, s->height, s->layers, s->channels, lg_type_name(s->type),
        shape->width, shape->height, shape->layers, packed ? 3 : shape->channels,
        lg_type_name(shape->type));
}

// A stage may read what another has written already, so that no pixel of an output may be one of
// another image of the run.
static lg_status check_apart(const lg_image *output, int index, lg_image *const *others, int count,
                             const char *what, lg_error *error)
{
    for (int k = 0; k < count; k++) {
        if (output == others[k])
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "output %d is %s %d; every output is an image of its own", index, what,
                           k);
        if (lg_images_overlap(output, others[k]))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "output %d overlaps %s %d in memory; every output has pixels of its own",
                           index, what, k);
    }
    return LG_OK;
}

typedef struct plan_task {
    lg_plan *plan;
    lg_image *const *inputs;
    lg_image *const *outputs;
} plan_task;

static lg_status run_on_device(lg_context *context, void *arg, lg_error *error)
{
    const plan_task *t = arg;
    return t->plan->device->run(t->plan, NULL, t->inputs, t->outputs, error);
}

// ---- on the CPU, maybe in place of a device -----------------------------------------------------

bool lg_plan_remembers(const lg_plan *plan)
{
    for (int i = 0; i < plan->graph->count; i++)
        for (int k = 0; k < plan->graph->nodes[i].figure_count; k++)
            if (plan->graph->nodes[i].figures[k].previous)
                return plan->ran;
    return false;
}

lg_status lg_plan_leave_device(lg_plan *plan, lg_error *error)
{
    lg_image **images = lg_alloc_array((size_t)plan->image_count + 1, sizeof *images);
    lg_status status =
        images ? LG_OK : lg_fail_memory(error, sizeof *images, "the images of a plan");
    for (int i = 0; i < plan->image_count && !status; i++)
        status = lg_image_create_uninit(plan->context, &plan->images[i]->shape, &images[i], error);
    lg_image **gone = status ? images : plan->images;
    for (int i = 0; gone && i < plan->image_count; i++)
        lg_image_destroy(&gone[i]);
    lg_free(gone);
    if (status)
        return status;
    plan->images = images;
    plan->on_device = false;
    lg_plan_release(plan);
    if (!lg_plan_remembers(plan))
        return LG_OK;
    plan->ran = false;
    return lg_fail(error, LG_ERROR_DEVICE,
                   "the figures of the previous run were on the device, which failed; run the plan "
                   "again: it begins anew, on the CPU");
}

// Outputs that nobody could copy to where they lie.
static lg_status check_reachable(lg_image *const *outputs, lg_error *error)
{
    for (int i = 0; i < LG_RUN_IMAGES; i++) {
        const lg_image_private *out = (const lg_image_private *)outputs[i];
        if (out && !out->image.data && lg_vk_lost(out->context->attached))
            return lg_vk_fail_lost(out->context->attached, error);
    }
    return LG_OK;
}

typedef struct host_images {
    lg_host_view views[2 * LG_RUN_IMAGES];
    lg_image *images[2 * LG_RUN_IMAGES]; // inputs, then outputs
} host_images;

static lg_status open_images(const plan_task *t, host_images *h, lg_error *error)
{
    lg_status status = check_reachable(t->outputs, error);
    for (int i = 0; i < LG_RUN_IMAGES && !status; i++)
        if (t->inputs[i])
            status = lg_host_view_open(t->inputs[i], &h->views[i], error);
    for (int i = 0; i < LG_RUN_IMAGES && !status; i++)
        if (t->outputs[i])
            status = lg_host_view_open_empty(t->outputs[i], &h->views[LG_RUN_IMAGES + i], error);
    for (int i = 0; i < 2 * LG_RUN_IMAGES; i++)
        h->images[i] = &h->views[i].image.image;
    return status;
}

static lg_status run_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const plan_task *t = arg;
    host_images h = {0};
    lg_status status = open_images(t, &h, error);
    if (!status && t->plan->on_device)
        status = lg_plan_leave_device(t->plan, error);
    if (!status)
        status = lg_plan_run_cpu(t->plan, NULL, h.images, h.images + LG_RUN_IMAGES, error);
    for (int i = 0; i < LG_RUN_IMAGES && !status; i++)
        if (t->outputs[i])
            status = lg_host_view_store(&h.views[LG_RUN_IMAGES + i], t->outputs[i], error);
    for (int i = 0; i < 2 * LG_RUN_IMAGES; i++)
        lg_host_view_close(&h.views[i]);
    return status;
}

// ---- both ---------------------------------------------------------------------------------------

static lg_status check_output(const lg_plan *plan, const lg_image *output, int index,
                              lg_error *error)
{
    const lg_image_private *image = (const lg_image_private *)output;
    const bool on_device = image->device || (image->plane[0] && image->plane[0]->device);
    if (!on_device || image->context->attached == plan->context->attached)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "output %d lies on the device of another context; make it with the plan's",
                   index);
}

// The shape that an image must have.
static lg_image_params wanted(const lg_image_params *shape, const lg_image *image, bool parts)
{
    lg_image_params s = *shape;
    if (parts && image)
        s.height = LG_MIN(s.height, image->shape.height);
    return s;
}

lg_status lg_plan_check_images(const lg_plan *plan, lg_image *const *inputs,
                               lg_image *const *outputs, bool parts, lg_error *error)
{
    const lg_graph *g = plan->graph;
    lg_status status = LG_OK;
    if (!inputs || (g->output_count && !outputs))
        return lg_fail_null(error, "the inputs and the outputs of the plan");
    for (int i = 0; i < g->input_count && !status; i++) {
        const lg_plan_node *n = &plan->nodes[g->inputs[i]];
        const int slot = n->planes >= 0 ? n->planes : n->slot;
        const lg_image_params shape = wanted(&plan->slots[slot].shape, inputs[i], parts);
        status = check_image(inputs[i], &shape, n->packed, "input", i, error);
    }
    for (int i = 0; i < g->output_count && !status; i++) {
        const lg_image_params shape =
            wanted(&plan->slots[plan->output_slots[i]].shape, outputs[i], parts);
        status = check_image(outputs[i], &shape, false, "output", i, error);
        if (!status)
            status = check_output(plan, outputs[i], i, error);
        if (!status)
            status = check_apart(outputs[i], i, inputs, g->input_count, "input", error);
        if (!status)
            status = check_apart(outputs[i], i, outputs, i, "output", error);
    }
    return status;
}

lg_status lg_plan_check_input(const lg_plan *plan, int index, const lg_image *image,
                              lg_error *error)
{
    const lg_plan_node *n = &plan->nodes[plan->graph->inputs[index]];
    lg_image_params shape = plan->slots[n->planes >= 0 ? n->planes : n->slot].shape;
    if (plan->layers && image && image->shape.layers != 1)
        shape.layers = plan->layers;
    return check_image(image, &shape, n->packed, "input", index, error);
}

lg_status lg_plan_check_output(const lg_plan *plan, int index, const lg_image *image,
                               lg_error *error)
{
    lg_image_params shape;
    const lg_status status = lg_plan_output(plan, (size_t)index, &shape, error);
    return status ? status : check_image(image, &shape, false, "output", index, error);
}

lg_status lg_plan_dispatch(lg_plan *plan, const struct lg_backend_row *row, void *task,
                           lg_error *error)
{
    if (!plan->on_device)
        return lg_on_cpu(plan->context, row, task, plan->why, error);
    const lg_status status = lg_dispatch(plan->context, row, task, error);
    if (!plan->on_device)
        memcpy(plan->why, plan->context->report.fallback, sizeof plan->why);
    return status;
}

lg_status lg_plan_fail_whole(lg_error *error)
{
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "a plan of lg_plan_create_bands has no memory for whole images; only "
                   "lg_plan_run_bands runs it");
}

lg_status lg_plan_run(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                      lg_error *error)
{
    if (!plan)
        return lg_fail_null(error, "a plan");
    const lg_status status = lg_context_check(plan->context, error);
    if (status)
        return status;
    if (plan->in_bands)
        return lg_plan_fail_whole(error);
    return (lg_graph_remembers(plan->graph) ? lg_plan_run_delayed
                                            : lg_plan_run_once)(plan, inputs, outputs, error);
}

lg_status lg_plan_run_once(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                           lg_error *error)
{
    static const lg_backend_row row = {"this pipeline", run_on_device, run_on_cpu};
    lg_status status = lg_plan_check_images(plan, inputs, outputs, false, error);
    if (status)
        return status;
    lg_image *in[LG_RUN_IMAGES], *out[LG_RUN_IMAGES];
    lg_plan_spread(inputs, plan->graph->input_count, in);
    lg_plan_spread(outputs, plan->graph->output_count, out);
    plan_task task = {plan, in, out};
    plan->figures_known = false;
    status = lg_plan_dispatch(plan, &row, &task, error);
    plan->ran = plan->ran || !status;
    plan->figures_known = !status;
    return status;
}

void lg_plan_report(const lg_plan *plan, double transfers, double compute)
{
    lg_engine_report *report = &plan->context->report;
    report->upload = report->download = transfers;
    report->compute = compute;
    snprintf(report->variant, sizeof report->variant, "%d stage%s", plan->stage_count,
             plan->stage_count == 1 ? "" : "s");
}

size_t lg_plan_profile(const lg_plan *plan, lg_stage_profile *out, size_t capacity)
{
    if (!plan)
        return 0;
    for (int i = 0; i < plan->stage_count && (size_t)i < capacity; i++)
        out[i] = (lg_stage_profile){plan->stages[i].name, plan->stages[i].seconds,
                                    plan->stages[i].bytes};
    return (size_t)plan->stage_count;
}

// ---- explain ------------------------------------------------------------------------------------

static void describe_slot(const lg_plan *plan, int slot, char *out, size_t size)
{
    const lg_plan_slot *s = &plan->slots[slot];
    static const char *const kinds[] = {"input", "image", "output", "planes"};
    snprintf(out, size, "%s %d (%s x %d, %d x %d x %d)", kinds[s->kind], s->index,
             lg_type_name(s->shape.type), s->shape.channels, s->shape.width, s->shape.height,
             s->shape.layers);
}

// Figures of a node that end a submission.
static void describe_host(const lg_plan *plan, int node, FILE *out)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    for (int k = 0; k < n->figure_count && plan->on_device; k++) {
        const lg_figure *f = &n->figures[k];
        const char *why = plan->device->why_host(plan, node, k);
        if (why && f->kind == LG_FIGURE_PERCENTILE)
            fprintf(out, "; the host measures @p%.10g, as %s", f->billionths / 1e7, why);
        else if (why)
            fprintf(out, "; the host measures @%s, as %s", lg_figure_rows[f->kind].info.name, why);
    }
}

static void describe_stage(const lg_plan *plan, int index, FILE *out)
{
    const lg_plan_stage *s = &plan->stages[index];
    char text[120];
    fprintf(out, "%d  %s  <-", index + 1, s->name);
    for (int k = 0; k < 2; k++)
        if (s->in[k] >= 0 && s->source != LG_FILTER_GENERATE) {
            describe_slot(plan, s->in[k], text, sizeof text);
            fprintf(out, "%s %s", k ? "," : "", text);
        }
    for (int k = 0; k < s->count; k++)
        if (s->over[k] >= 0) {
            describe_slot(plan, s->over[k], text, sizeof text);
            fprintf(out, ", %s", text);
        }
    describe_slot(plan, s->encodes >= 0 ? s->encodes : s->out, text, sizeof text);
    fprintf(out, "  -> %s", text);
    int nodes[LG_CHAIN_LENGTH + 1];
    const int count = lg_stage_nodes(s, nodes);
    int figures = 0;
    for (int k = 0; k < count; k++)
        figures += plan->graph->nodes[nodes[k]].figure_count;
    const int layers = plan->slots[s->out].shape.layers;
    if (figures)
        fprintf(out, "  with %d measured parameter%s", figures, figures == 1 ? "" : "s");
    if (figures && layers > 1)
        fprintf(out, " of all %d layers together", layers);
    for (int k = 0; k < count; k++)
        describe_host(plan, nodes[k], out);
    fputc('\n', out);
}

const char *lg_plan_explain(lg_plan *plan)
{
    if (!plan)
        return "";
    if (plan->explained)
        return plan->explained;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return "";
    for (int i = 0; i < plan->stage_count; i++)
        describe_stage(plan, i, out);
    fprintf(out, "%d stage%s, %d image%s between them\n", plan->stage_count,
            plan->stage_count == 1 ? "" : "s", plan->image_count,
            plan->image_count == 1 ? "" : "s");
    const bool streams = plan->on_device && !plan->in_bands;
    const char *alone = streams ? plan->device->why_alone(plan) : NULL;
    if (alone)
        fprintf(out, "frames of a stream: one after another, as %s\n", alone);
    else if (streams)
        fprintf(out, "frames of a stream: several on the device at once\n");
    fclose(out);
    plan->explained = text;
    return text ? text : "";
}
