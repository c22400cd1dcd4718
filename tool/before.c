#include "before.h"

#include "layers.h"

#include <stdlib.h>
#include <string.h>

struct lg_before {
    lg_graph *graph;
    lg_plan *plan; // for `shape`; used again for the next file of that shape
    lg_image_params shape;
    bool by_layer;
};

lg_status lg_check_colors(const lg_read_info *info, lg_error *error)
{
    if (!info->cmyk && !info->lab)
        return LG_OK;
    return lg_set_error(error, LG_ERROR_UNSUPPORTED,
                        "its samples are %s; filters work on grey and RGB: convert it first",
                        info->cmyk ? "CMYK" : "CIE L*a*b*");
}

int lg_before_build(lg_session *session)
{
    const char *text = session->options->filters;
    lg_error error = {0};
    lg_node node;
    if (!text)
        return LG_EXIT_DONE;
    session->before = calloc(1, sizeof *session->before);
    lg_status status = session->before
                           ? lg_graph_create(&session->before->graph, &error)
                           : lg_set_error(&error, LG_ERROR_MEMORY, "no memory for a pipeline");
    if (!status)
        status = lg_graph_input(session->before->graph, "in", &node, &error);
    if (!status)
        status = lg_graph_parse(session->before->graph, text, node, &node, &error);
    if (!status)
        status = lg_graph_output(session->before->graph, node, &error);
    if (status)
        lg_complain("--pipeline: %s", error.message);
    return status ? lg_exit_of(status) : LG_EXIT_DONE;
}

static bool same_shape(const lg_image_params *a, const lg_image_params *b)
{
    return a->width == b->width && a->height == b->height && a->layers == b->layers &&
           a->channels == b->channels && a->type == b->type && a->alpha == b->alpha;
}

static lg_status make_plan(lg_session *session, const lg_image_params *shape, lg_error *error)
{
    struct lg_before *before = session->before;
    const lg_type type = (lg_type)session->options->type;
    if (before->plan && same_shape(&before->shape, shape))
        return LG_OK;
    lg_plan_destroy(&before->plan);
    before->shape = *shape;
    lg_image_params one = *shape;
    if (before->by_layer)
        one.layers = 1;
    return lg_plan_create(session->context, before->graph, &one, 1,
                          session->options->type >= 0 ? &type : NULL, &before->plan, error);
}

// The result stays where it was computed, for the measurement; reports and outputs read a copy.
static lg_status compute(lg_session *session, lg_image *in, lg_image **out, lg_error *error)
{
    lg_image_params shape;
    lg_status status = lg_plan_output(session->before->plan, 0, &shape, error);
    if (!status)
        status = lg_image_create_device(session->context, &shape, out, error);
    if (!status)
        status = lg_plan_run(session->before->plan, &in, out, error);
    if (!status)
        lg_session_computed(session);
    return status || (*out)->data ? status : lg_image_download(session->context, *out, error);
}

static lg_status compute_layers(lg_session *session, lg_image *in, lg_image **out, lg_error *error)
{
    lg_image_params shape;
    lg_status status = lg_plan_output(session->before->plan, 0, &shape, error);
    shape.layers = in->shape.layers;
    shape.row_stride = shape.layer_stride = 0;
    if (!status)
        status = lg_image_create(session->context, &shape, out, error);
    const lg_layer_run run = {session->before->plan, &in, out, 1, 1};
    for (int32_t z = 0; z < in->shape.layers && !status; z++) {
        status = lg_run_layer(session->context, &run, z, error);
        if (!status)
            lg_session_computed(session);
    }
    return status;
}

lg_status lg_before_run(lg_session *session, lg_input_file *file, lg_error *error)
{
    lg_image *result = NULL;
    if (!session->before)
        return LG_OK;
    lg_status status = lg_check_colors(&file->info, error);
    if (!status)
        status = lg_check_slices(session->before->graph, file, error);
    session->before->by_layer =
        lg_runs_by_layer(session->before->graph, &file->image->shape, session->options);
    if (!status && session->before->by_layer)
        status = lg_check_layers(session->before->graph, error);
    if (!status)
        status = make_plan(session, &file->image->shape, error);
    if (!status)
        status = (session->before->by_layer ? compute_layers : compute)(session, file->image,
                                                                        &result, error);
    if (status) {
        lg_image_destroy(&result);
        return status;
    }
    if (result->shape.width != file->image->shape.width ||
        result->shape.height != file->image->shape.height) // whether pixels are larger is not known
        memset(file->info.pixel_size, 0, sizeof file->info.pixel_size);
    lg_image_destroy(&file->image);
    file->image = result;
    return LG_OK;
}

void lg_before_end(lg_session *session)
{
    if (!session->before)
        return;
    lg_plan_destroy(&session->before->plan);
    lg_graph_destroy(&session->before->graph);
    free(session->before);
    session->before = NULL;
}
