// Runs of a plan that nobody waits for.
#include "device/dispatch.h"
#include "graph/plan_planes.h"
#include "vulkan/vk.h"

#include <string.h>

size_t lg_plan_figure_count(const lg_plan *plan)
{
    return plan ? lg_plan_taken_figures(plan, NULL, 0) + (size_t)plan->graph->figure_count : 0;
}

// ---- what is given ------------------------------------------------------------------------------

static lg_status check_figures(const lg_plan *plan, const lg_image *figures, lg_error *error)
{
    const size_t count = lg_plan_figure_count(plan);
    const lg_image_params *s = &figures->shape;
    if (count && !s->planes && s->type == LG_F32 && s->channels == 1 && s->width == 4 &&
        s->layers == 1 && (size_t)s->height == count)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "figures of %zu rows go to an image of 4 x %zu x 1 with 1 channel of f32, not "
                   "%d x %d x %d with %d of %s",
                   count, count, s->width, s->height, s->layers, s->channels,
                   lg_type_name(s->type));
}

static lg_status check_there(const lg_plan *plan, const lg_image *image, const char *what,
                             int index, lg_error *error)
{
    const lg_image_private *priv = (const lg_image_private *)image;
    if (priv->device && priv->context->attached == plan->context->attached)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "%s %d has no memory on the device of the plan: lg_image_create_device, or "
                   "lg_image_upload",
                   what, index);
}

static lg_status check_places(const lg_plan *plan, lg_image *const *inputs,
                              lg_image *const *outputs, const lg_image *figures, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs && !status; i++)
        status = check_there(plan, inputs[i], "input", i, error);
    for (int i = 0; i < plan->given_outputs && !status; i++)
        status = check_there(plan, outputs[i], "output", i, error);
    if (figures && !status)
        status = check_there(plan, figures, "figures", 0, error);
    return status;
}

static lg_status check_kind(const lg_plan *plan, lg_error *error)
{
    const char *what = lg_graph_remembers(plan->graph) ? "a delayed image"
                       : plan->layers                  ? "layers that run one by one"
                       : lg_plan_has_planes(plan)      ? "an image that is stored as planes"
                       : plan->selects                 ? "figures of a selection"
                                                       : NULL;
    if (!what)
        return LG_OK;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "a plan with %s needs the host between stages: use lg_plan_run", what);
}

// ---- on the CPU -----------------------------------------------------------------------------------

static lg_status write_figures(lg_plan *plan, lg_image *figures, lg_error *error)
{
    const size_t count = lg_plan_figure_count(plan);
    lg_figure_value *values = lg_alloc_array(count, sizeof *values);
    size_t found;
    if (!values)
        return lg_fail_memory(error, count * sizeof *values, "the figures of a plan");
    lg_status status = lg_plan_figures(plan, values, count, &found, error);
    for (size_t i = 0; i < count && !status; i++)
        memcpy((char *)figures->data + i * figures->shape.row_stride, values[i].value,
               sizeof values[i].value);
    lg_free(values);
    return status;
}

static lg_status run_now(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                         lg_image *figures, lg_error *error)
{
    if (figures && !figures->data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the CPU computes this plan, and the image of figures has no host pixels");
    const lg_status status = lg_plan_run(plan, inputs, outputs, error);
    return status || !figures ? status : write_figures(plan, figures, error);
}

// ---- both -----------------------------------------------------------------------------------------

lg_status lg_plan_submit(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                         lg_image *figures, lg_error *error)
{
    if (!plan)
        return lg_fail_null(error, "a plan");
    lg_context *context = plan->context;
    lg_status status = lg_context_check(context, error);
    if (!status && figures)
        status = check_figures(plan, figures, error);
    if (status)
        return status;
    if (!plan->on_device || !context->vk)
        return run_now(plan, inputs, outputs, figures, error);
    if (lg_vk_lost(context->attached)) {
        lg_error why = {LG_OK, ""};
        status = lg_vk_fail_lost(context->attached, &why);
        if (!lg_cpu_takes_over(context, "this pipeline", status, &why, &status, error))
            return status;
        return run_now(plan, inputs, outputs, figures, error);
    }
    status = check_kind(plan, error);
    if (!status)
        status = lg_plan_check_images(plan, inputs, outputs, false, error);
    if (!status)
        status = check_places(plan, inputs, outputs, figures, error);
    if (!status)
        status = plan->device->submit(plan, inputs, outputs, figures, error);
    if (status)
        return status;
    plan->ran = true;
    plan->figures_known = false; // until lg_plan_wait
    return LG_OK;
}

lg_status lg_plan_wait(lg_plan *plan, lg_error *error)
{
    bool pending = false;
    if (!plan)
        return lg_fail_null(error, "a plan");
    lg_status status = lg_context_check(plan->context, error);
    if (status || !plan->device)
        return status;
    status = plan->device->wait(plan, &pending, error);
    if (pending)
        plan->figures_known = !status;
    return status;
}
