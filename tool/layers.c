#include "layers.h"

#include <string.h>

bool lg_runs_by_layer(const lg_graph *graph, const lg_image_params *shape,
                      const lg_options *options)
{
    return shape->layers > 1 && !options->stack && lg_graph_measures(graph) &&
           !lg_graph_takes_volumes(graph);
}

lg_status lg_check_layers(const lg_graph *graph, lg_error *error)
{
    bool idle;
    for (lg_node node = 0; node < LG_MAX_NODES; node++) {
        const lg_filter *filter = lg_graph_node_filter(graph, node, &idle);
        if (filter && strcmp(filter->name, "label") == 0)
            return lg_set_error(
                error, LG_ERROR_ARGUMENT,
                "labels are numbered through all layers, and figures are those of "
                "each layer: --stack takes figures of all layers together, --page N "
                "one layer");
    }
    return LG_OK;
}

bool lg_is_sliced(const lg_image_params *shape, const lg_image_params *first)
{
    return shape->width == first->width && shape->height == first->height &&
           shape->layers == first->layers;
}

lg_status lg_layer_of(lg_context *context, const lg_image *image, int32_t z, lg_image **out,
                      lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.layers = 1;
    return lg_image_wrap(context, &shape, (char *)image->data + (size_t)z * shape.layer_stride, out,
                         error);
}

lg_status lg_run_layer(lg_context *context, const lg_layer_run *run, int32_t z, lg_error *error)
{
    lg_image *in[LG_MAX_INPUTS] = {NULL}, *out[LG_MAX_INPUTS] = {NULL};
    lg_image *inputs[LG_MAX_INPUTS];
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->input_count && !status; i++) {
        if (lg_is_sliced(&run->inputs[i]->shape, &run->inputs[0]->shape))
            status = lg_layer_of(context, run->inputs[i], z, &in[i], error);
        inputs[i] = in[i] ? in[i] : run->inputs[i];
    }
    for (size_t i = 0; i < run->output_count && !status; i++)
        status = lg_layer_of(context, run->outputs[i], z, &out[i], error);
    if (!status)
        status = lg_plan_run(run->plan, inputs, out, error);
    for (size_t i = 0; i < LG_MAX_INPUTS; i++) {
        lg_image_destroy(&in[i]);
        lg_image_destroy(&out[i]);
    }
    return status;
}
